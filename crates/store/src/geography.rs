//! The map of a utility: the places of its substations and the line paths of its lines and feeders.

use deadpool_postgres::Transaction;
use grid::{AssetId, ClientId, NodeId};
use serde_json::{Value, json};
use tokio_postgres::Row;

use crate::audit::{Entry, Origin, enter};
use crate::convert::sql;
use crate::tenant::{bind, release};
use crate::{Error, Result, Store};

/// Longitude and latitude, degrees (WGS 84).
pub type LonLat = [f64; 2];

/// The line path of a line or feeder.
#[derive(Debug, Clone, PartialEq)]
pub struct WayRecord {
    /// The line or feeder.
    pub kind: Way,
    /// Name of the line or feeder.
    pub name: String,
    /// Places from start to end, at least two.
    pub path: Vec<LonLat>,
}

/// Kind and ids of a line path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Way {
    /// A line between substations.
    Line {
        /// Id of the asset; `None` if the line is not an asset.
        asset: Option<AssetId>,
        /// Nominal voltage, kV.
        kv: Option<f64>,
        /// Id of the substation at its start; `None` outside of the utility.
        from: Option<NodeId>,
        /// Id of the substation at its end; `None` outside of the utility.
        to: Option<NodeId>,
    },
    /// A feeder of a substation.
    Feeder {
        /// Id of the feeder.
        asset: AssetId,
        /// Id of the substation.
        location: NodeId,
    },
}

/// The whole map of a utility.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Geography {
    /// New places of substations. Other substations keep theirs.
    pub places: Vec<(NodeId, LonLat)>,
    /// All lines and feeders.
    pub ways: Vec<WayRecord>,
}

impl Store {
    /// Returns the line paths of a utility: lines, then feeders.
    pub async fn ways(&self, client: ClientId) -> Result<Vec<WayRecord>> {
        self.of(client).query(sql!("geography/list"), &[&client.0]).await?.iter().map(way).collect()
    }

    /// Replaces the line paths of a utility, sets the places of substations, and adds an audit entry.
    pub async fn replace_geography(&self, client: ClientId, geography: &Geography, origin: &Origin) -> Result<()> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        bind(&transaction, client).await?;
        transaction.query_opt(sql!("client/lock"), &[&client.0]).await?;
        let count = transaction.prepare_cached(sql!("geography/count")).await?;
        let before = counted(&transaction.query_one(&count, &[&client.0]).await?)?;
        put(&transaction, client, geography).await?;
        let mut after = counted(&transaction.query_one(&count, &[&client.0]).await?)?;
        after["substations"] = geography.places.len().into();
        release(&transaction).await?;
        // The line paths are too large for the audit.
        let entry = Entry::new(origin, "map_replaced", format!("client {client}")).changing(Some(before), Some(after));
        enter(&transaction, &entry).await?;
        Ok(transaction.commit().await?)
    }

    /// As [`Store::replace_geography`] during set-up, without an audit entry.
    pub async fn put_geography(&self, client: ClientId, geography: &Geography) -> Result<()> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        bind(&transaction, client).await?;
        put(&transaction, client, geography).await?;
        Ok(transaction.commit().await?)
    }
}

fn counted(row: &Row) -> Result<Value> {
    Ok(json!({ "lines": row.try_get::<_, i64>("lines")?, "feeders": row.try_get::<_, i64>("feeders")? }))
}

async fn put(transaction: &Transaction<'_>, client: ClientId, geography: &Geography) -> Result<()> {
    let Geography { places, ways } = geography;
    let ids: Vec<i64> = places.iter().map(|(location, _)| location.0).collect();
    let (lon, lat): (Vec<f64>, Vec<f64>) = places.iter().map(|(_, [lon, lat])| (*lon, *lat)).unzip();
    let place = transaction.prepare_cached(sql!("geography/place")).await?;
    let placed = transaction.execute(&place, &[&client.0, &ids, &lat, &lon]).await?;
    if placed != ids.len() as u64 {
        return Err(Error::Data(format!("{placed} of {} substations are of client {client}", ids.len())));
    }
    let clear = transaction.prepare_cached(sql!("geography/clear")).await?;
    transaction.execute(&clear, &[&client.0]).await?;
    let numbers: Vec<i32> = (0..ways.len()).map(|number| i32::try_from(number).unwrap_or(i32::MAX)).collect();
    let (kinds, names): (Vec<&str>, Vec<&str>) = ways.iter().map(|way| (word(&way.kind), way.name.as_str())).unzip();
    let kvs: Vec<Option<f64>> = ways.iter().map(|way| columns(&way.kind).0).collect();
    let from: Vec<Option<i64>> = ways.iter().map(|way| columns(&way.kind).1).collect();
    let to: Vec<Option<i64>> = ways.iter().map(|way| columns(&way.kind).2).collect();
    let assets: Vec<Option<i64>> = ways.iter().map(|way| columns(&way.kind).3).collect();
    let paths: Vec<Value> = ways.iter().map(|way| json!(way.path)).collect();
    let put = transaction.prepare_cached(sql!("geography/put")).await?;
    transaction.execute(&put, &[&client.0, &numbers, &kinds, &names, &kvs, &from, &to, &assets, &paths]).await?;
    Ok(())
}

fn word(kind: &Way) -> &'static str {
    match kind {
        Way::Line { .. } => "line",
        Way::Feeder { .. } => "feeder",
    }
}

/// Returns voltage, substation, other substation and asset, for the columns.
fn columns(kind: &Way) -> (Option<f64>, Option<i64>, Option<i64>, Option<i64>) {
    match *kind {
        Way::Line { asset, kv, from, to } => (kv, from.map(|id| id.0), to.map(|id| id.0), asset.map(|id| id.0)),
        Way::Feeder { asset, location } => (None, Some(location.0), None, Some(asset.0)),
    }
}

fn way(row: &Row) -> Result<WayRecord> {
    let id = |column: &str| row.try_get::<_, Option<i64>>(column);
    let (from, to, asset) = (id("location_id")?.map(NodeId), id("to_location_id")?.map(NodeId), id("asset_id")?.map(AssetId));
    let kind = match (row.try_get::<_, &str>("kind")?, from, asset) {
        ("line", ..) => Way::Line { asset, kv: row.try_get("kv")?, from, to },
        ("feeder", Some(location), Some(asset)) => Way::Feeder { asset, location },
        (kind, ..) => return Err(Error::Unreadable(format!("{kind:?} on the map"))),
    };
    let path: Value = row.try_get("path")?;
    let place = |place: &Value| Some([place.get(0)?.as_f64()?, place.get(1)?.as_f64()?]);
    let path: Option<Vec<LonLat>> = path.as_array().and_then(|path| path.iter().map(place).collect());
    Ok(WayRecord { kind, name: row.try_get("name")?, path: path.ok_or_else(|| Error::Unreadable("a way on the map".to_owned()))? })
}
