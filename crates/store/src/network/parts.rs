//! Reads the rows of parts, and inserts the rows of a new version.

use grid::ClientId;
use network::EquipmentKind;
use network::Phases;
use network::changes::Part;
use network::description::{Container, ContainerKind, Electrical, Equipment, Measurement, Node, Terminal};
use postgres_types::Json;
use tokio_postgres::{Row, Transaction};

use super::VersionNumber;
use crate::convert::sql;
use crate::{Error, Result};

/// A part that has a table.
pub trait StoredPart: Part + Send + Sync + Sized + 'static {
    /// The statement that reads the parts of a version in pages.
    #[doc(hidden)]
    const SELECT: &'static str;
    /// The statement that ends the rows of changed and removed parts.
    #[doc(hidden)]
    const END: &'static str;

    /// Reads a row.
    #[doc(hidden)]
    fn from_row(row: &Row) -> Result<Self>;

    /// Inserts rows that begin with a version.
    #[doc(hidden)]
    fn insert(
        transaction: &Transaction<'_>,
        client: ClientId,
        version: VersionNumber,
        parts: &[&Self],
    ) -> impl Future<Output = Result<()>> + Send;
}

fn unknown(column: &str, text: &str) -> Error {
    Error::Unreadable(format!("{column} {text}"))
}

fn place(row: &Row) -> Result<Option<[f64; 2]>> {
    let (lon, lat): (Option<f64>, Option<f64>) = (row.try_get("lon")?, row.try_get("lat")?);
    Ok(lon.zip(lat).map(|(lon, lat)| [lon, lat]))
}

fn column<'a, T, V>(parts: &[&'a T], value: impl Fn(&'a T) -> V) -> Vec<V> {
    parts.iter().map(|part| value(part)).collect()
}

impl StoredPart for Container {
    const SELECT: &'static str = sql!("network/containers");
    const END: &'static str = sql!("network/end_containers");

    fn from_row(row: &Row) -> Result<Self> {
        let kind: &str = row.try_get("kind")?;
        Ok(Self {
            id: row.try_get("id")?,
            name: row.try_get("name")?,
            kind: ContainerKind::parse(kind).ok_or_else(|| unknown("kind of container", kind))?,
            parent: row.try_get("parent")?,
            nominal_kv: row.try_get("nominal_kv")?,
            place: place(row)?,
        })
    }

    async fn insert(transaction: &Transaction<'_>, client: ClientId, version: VersionNumber, parts: &[&Self]) -> Result<()> {
        let (ids, names) = (column(parts, |part| part.id.as_str()), column(parts, |part| part.name.as_str()));
        let (kinds, parents) = (column(parts, |part| part.kind.as_str()), column(parts, |part| part.parent.as_deref()));
        let kvs = column(parts, |part| part.nominal_kv);
        let (lon, lat) = (column(parts, |part| part.place.map(|at| at[0])), column(parts, |part| part.place.map(|at| at[1])));
        let insert = sql!("network/put_containers");
        transaction.execute(insert, &[&client.0, &version.0, &ids, &kinds, &names, &parents, &kvs, &lon, &lat]).await?;
        Ok(())
    }
}

impl StoredPart for Node {
    const SELECT: &'static str = sql!("network/nodes");
    const END: &'static str = sql!("network/end_nodes");

    fn from_row(row: &Row) -> Result<Self> {
        Ok(Self {
            id: row.try_get("id")?,
            name: row.try_get("name")?,
            container: row.try_get("container")?,
            nominal_kv: row.try_get("nominal_kv")?,
            is_internal: row.try_get("is_internal")?,
            place: place(row)?,
        })
    }

    async fn insert(transaction: &Transaction<'_>, client: ClientId, version: VersionNumber, parts: &[&Self]) -> Result<()> {
        let (ids, names) = (column(parts, |part| part.id.as_str()), column(parts, |part| part.name.as_str()));
        let (containers, kvs) = (column(parts, |part| part.container.as_deref()), column(parts, |part| part.nominal_kv));
        let internal = column(parts, |part| part.is_internal);
        let (lon, lat) = (column(parts, |part| part.place.map(|at| at[0])), column(parts, |part| part.place.map(|at| at[1])));
        let insert = sql!("network/put_nodes");
        transaction.execute(insert, &[&client.0, &version.0, &ids, &names, &containers, &kvs, &internal, &lon, &lat]).await?;
        Ok(())
    }
}

impl StoredPart for Equipment {
    const SELECT: &'static str = sql!("network/equipment");
    const END: &'static str = sql!("network/end_equipment");

    fn from_row(row: &Row) -> Result<Self> {
        let kind: &str = row.try_get("kind")?;
        let Json(terminals): Json<Vec<Terminal>> = row.try_get("terminals")?;
        let Json(electrical): Json<Electrical> = row.try_get("electrical")?;
        Ok(Self {
            id: row.try_get("id")?,
            name: row.try_get("name")?,
            kind: EquipmentKind::parse(kind).ok_or_else(|| unknown("kind of equipment", kind))?,
            container: row.try_get("container")?,
            terminals,
            is_in_service: row.try_get("in_service")?,
            electrical,
        })
    }

    async fn insert(transaction: &Transaction<'_>, client: ClientId, version: VersionNumber, parts: &[&Self]) -> Result<()> {
        let (ids, names) = (column(parts, |part| part.id.as_str()), column(parts, |part| part.name.as_str()));
        let (kinds, containers) = (column(parts, |part| part.kind.as_str()), column(parts, |part| part.container.as_deref()));
        let in_service = column(parts, |part| part.is_in_service);
        let (terminals, electrical) = (column(parts, |part| Json(&part.terminals)), column(parts, |part| Json(&part.electrical)));
        let insert = sql!("network/put_equipment");
        transaction
            .execute(insert, &[&client.0, &version.0, &ids, &kinds, &names, &containers, &in_service, &terminals, &electrical])
            .await?;
        Ok(())
    }
}

impl StoredPart for Measurement {
    const SELECT: &'static str = sql!("network/measurements");
    const END: &'static str = sql!("network/end_measurements");

    fn from_row(row: &Row) -> Result<Self> {
        let (terminal, phases): (Option<i16>, &str) = (row.try_get("terminal")?, row.try_get("phases")?);
        Ok(Self {
            id: row.try_get("id")?,
            equipment: row.try_get("equipment")?,
            terminal: terminal.map(u8::try_from).transpose().map_err(|_| unknown("terminal", "of a measurement"))?,
            quantity: row.try_get("quantity")?,
            phases: Phases::parse(phases).ok_or_else(|| unknown("phases", phases))?,
            point: row.try_get("point")?,
        })
    }

    async fn insert(transaction: &Transaction<'_>, client: ClientId, version: VersionNumber, parts: &[&Self]) -> Result<()> {
        let (ids, equipment) = (column(parts, |part| part.id.as_str()), column(parts, |part| part.equipment.as_str()));
        let (terminals, quantities) = (column(parts, |part| part.terminal.map(i16::from)), column(parts, |part| part.quantity.as_str()));
        let (phases, points) = (column(parts, |part| part.phases.to_string()), column(parts, |part| part.point.as_deref()));
        let insert = sql!("network/put_measurements");
        transaction.execute(insert, &[&client.0, &version.0, &ids, &equipment, &terminals, &quantities, &phases, &points]).await?;
        Ok(())
    }
}
