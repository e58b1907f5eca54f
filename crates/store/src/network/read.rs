//! Reads versions: complete, in pages, or the version that is active at a time.

use std::collections::HashMap;

use grid::{ClientId, MemberId, Micros};
use network::Description;
use network::description::{Container, Equipment, Measurement, Node};
use tokio_postgres::Row;

use super::{ActivationRecord, PartCounts, StoredPart, VersionNumber, VersionRecord};
use crate::convert::{Stamp, micros, micros_or_null, sql};
use crate::{Result, Store};

/// The version that is active at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActiveVersion {
    /// Its number.
    pub version: VersionNumber,
    /// The time from which it is active.
    pub since: Micros,
    /// The next planned activation, at which it ends; `None` if none is planned.
    pub until: Option<Micros>,
}

impl ActiveVersion {
    pub(crate) fn from_row(row: &Row) -> Result<Self> {
        Ok(Self { version: VersionNumber(row.try_get("version")?), since: micros(row, "since")?, until: micros_or_null(row, "until")? })
    }
}

impl Store {
    /// Returns the number of the newest version of a utility's network; `None` if there is none.
    pub async fn newest_network(&self, client: ClientId) -> Result<Option<VersionNumber>> {
        let row = self.of(client).query_opt(sql!("network/newest"), &[&client.0]).await?;
        Ok(row.map(|row| row.try_get::<_, Option<i32>>("number")).transpose()?.flatten().map(VersionNumber))
    }

    /// Returns the version that is active at a time; `None` if there is none.
    pub async fn active_network(&self, client: ClientId, at: Micros) -> Result<Option<ActiveVersion>> {
        let row = self.of(client).query_opt(sql!("network/active"), &[&client.0, &Stamp(at)]).await?;
        row.as_ref().map(ActiveVersion::from_row).transpose()
    }

    /// Returns the version that is active at a time, of each utility that has one, ordered by utility.
    ///
    /// Services call it every few seconds to detect activations. A planned activation becomes effective without any change of the database, so the database
    /// cannot send a notification. The query reads two entries of an index for each utility.
    pub async fn active_networks(&self, at: Micros) -> Result<Vec<(ClientId, ActiveVersion)>> {
        let rows = self.query(sql!("network/active_of_all"), &[&Stamp(at)]).await?;
        rows.iter().map(|row| Ok((ClientId(row.try_get("client_id")?), ActiveVersion::from_row(row)?))).collect()
    }

    /// Returns versions below `before`, newest first.
    pub async fn network_versions(&self, client: ClientId, before: Option<VersionNumber>, limit: i64) -> Result<Vec<VersionRecord>> {
        let before = before.map(|before| before.0);
        let rows = self.of(client).query(sql!("network/versions"), &[&client.0, &before, &limit]).await?;
        self.with_activations(client, &rows).await
    }

    /// Returns a version without its parts.
    pub async fn network_version(&self, client: ClientId, version: VersionNumber) -> Result<Option<VersionRecord>> {
        let rows = self.of(client).query(sql!("network/version"), &[&client.0, &version.0]).await?;
        Ok(self.with_activations(client, &rows).await?.pop())
    }

    async fn with_activations(&self, client: ClientId, rows: &[Row]) -> Result<Vec<VersionRecord>> {
        let mut versions = rows.iter().map(version).collect::<Result<Vec<_>>>()?;
        let numbers: Vec<i32> = versions.iter().map(|version| version.number.0).collect();
        let mut activations: HashMap<i32, Vec<ActivationRecord>> = HashMap::new();
        for row in self.of(client).query(sql!("network/activations"), &[&client.0, &numbers]).await? {
            let activation = ActivationRecord {
                since: micros(&row, "since")?,
                until: micros_or_null(&row, "until")?,
                member: row.try_get::<_, Option<i64>>("member_id")?.map(MemberId),
                entered: micros(&row, "entered")?,
            };
            activations.entry(row.try_get("version")?).or_default().push(activation);
        }
        for version in &mut versions {
            version.activations = activations.remove(&version.number.0).unwrap_or_default();
        }
        Ok(versions)
    }

    /// Returns the network of a version; `None` if there is no such version. Parts are in the order of the bytes of their ids.
    pub async fn network(&self, client: ClientId, version: VersionNumber) -> Result<Option<Description>> {
        if self.of(client).query_opt(sql!("network/version"), &[&client.0, &version.0]).await?.is_none() {
            return Ok(None);
        }
        Ok(Some(self.parts_of(client, version).await?))
    }

    pub(super) async fn parts_of(&self, client: ClientId, version: VersionNumber) -> Result<Description> {
        Ok(Description {
            containers: self.network_parts::<Container>(client, version, "", None).await?,
            nodes: self.network_parts::<Node>(client, version, "", None).await?,
            equipment: self.network_parts::<Equipment>(client, version, "", None).await?,
            measurements: self.network_parts::<Measurement>(client, version, "", None).await?,
        })
    }

    /// Returns parts of a version with ids after `after`, in the order of the bytes of their ids; all of them without a limit.
    pub async fn network_parts<T: StoredPart>(
        &self,
        client: ClientId,
        version: VersionNumber,
        after: &str,
        limit: Option<i64>,
    ) -> Result<Vec<T>> {
        let mut parts = Vec::new();
        let add = |row: &Row| {
            parts.push(T::from_row(row)?);
            Ok(())
        };
        self.of(client).each(T::SELECT, &[&client.0, &version.0, &after, &limit], add).await?;
        Ok(parts)
    }
}

fn version(row: &Row) -> Result<VersionRecord> {
    Ok(VersionRecord {
        number: VersionNumber(row.try_get("number")?),
        note: row.try_get("note")?,
        member: row.try_get::<_, Option<i64>>("member_id")?.map(MemberId),
        created: micros(row, "created")?,
        counts: PartCounts {
            containers: row.try_get("containers")?,
            nodes: row.try_get("nodes")?,
            equipment: row.try_get("equipment")?,
            measurements: row.try_get("measurements")?,
        },
        activations: Vec::new(),
    })
}
