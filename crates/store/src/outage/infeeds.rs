//! When incoming lines were measured dead.

use grid::{AssetId, ClientId, Micros, NodeId, PointId, Quality};
use tokio_postgres::Row;

use super::service::numbers;
use crate::convert::{Stamp, micros, micros_or_null, sql};
use crate::{Result, Store, tenant};

/// The asset type of incoming lines (specification 2, section 9).
const INCOMER: i32 = 4;

/// The newest voltage of an incoming line.
#[derive(Debug, Clone, PartialEq)]
pub struct InfeedVoltage {
    /// The incoming line.
    pub asset: AssetId,
    /// Its substation.
    pub location: NodeId,
    /// Its nominal voltage, kV.
    pub nominal_kv: f64,
    /// The point.
    pub point: PointId,
    /// The code of the point, such as `Vry`.
    pub code: String,
    /// The voltage, kV.
    pub kv: f64,
    /// Its source time.
    pub at: Micros,
    /// The last stored state of the line; live if there is none.
    pub is_live: bool,
    /// The time since which the line has had that state.
    pub changed: Option<Micros>,
}

/// A change of an incoming line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InfeedChange {
    /// The incoming line.
    pub asset: AssetId,
    /// Source time of the change.
    pub at: Micros,
    /// Whether the line has voltage from this time on.
    pub is_live: bool,
}

impl Store {
    /// Returns the newest usable voltages of a utility's incoming lines, sorted by line. `further` are assets of any type that measure a source of the network.
    pub async fn infeed_voltages(&self, client: ClientId, further: &[AssetId]) -> Result<Vec<InfeedVoltage>> {
        let believed = i16::from(Quality::Substituted.code());
        let further: Vec<i64> = further.iter().map(|asset| asset.0).collect();
        let rows = self.query_bound(client, sql!("outage_work/infeeds"), &[&client.0, &INCOMER, &believed, &further]).await?;
        let read = |row: &Row| {
            Ok(InfeedVoltage {
                asset: AssetId(row.try_get("asset_id")?),
                location: NodeId(row.try_get("location_id")?),
                nominal_kv: row.try_get("kv")?,
                point: PointId(row.try_get("point_id")?),
                code: row.try_get("code")?,
                kv: row.try_get("value")?,
                at: micros(row, "source_ts")?,
                is_live: row.try_get("is_live")?,
                changed: micros_or_null(row, "changed_at")?,
            })
        };
        rows.iter().map(read).collect()
    }

    /// Returns the voltages of a point within a day up to a time, newest first, at most `limit`.
    pub async fn infeed_values(&self, client: ClientId, point: PointId, until: Micros, limit: i64) -> Result<Vec<(Micros, Option<f64>)>> {
        let believed = i16::from(Quality::Substituted.code());
        let params: crate::pool::Params<'_> = &[&client.0, &point.0, &Stamp(until), &believed, &limit];
        let rows = self.query_bound(client, sql!("outage_work/infeed_values"), params).await?;
        rows.iter().map(|row| Ok((micros(row, "ts")?, row.try_get("value")?))).collect()
    }

    /// Stores a change of an incoming line, derived from a point. Also records that the outages of its substation must be recomputed from this change onwards.
    pub async fn put_infeed_change(&self, client: ClientId, location: NodeId, point: PointId, change: InfeedChange) -> Result<()> {
        let mut connection = self.pool.get().await?;
        let transaction = connection.transaction().await?;
        tenant::bind(&transaction, client).await?;
        let InfeedChange { asset, at, is_live } = change;
        let statement = transaction.prepare_cached(sql!("outage_work/put_infeed")).await?;
        transaction.execute(&statement, &[&client.0, &asset.0, &Stamp(at), &is_live]).await?;
        let statement = transaction.prepare_cached(sql!("outage_work/put_gap")).await?;
        transaction.execute(&statement, &[&client.0, &location.0, &Stamp(at), &vec![point.0]]).await?;
        Ok(transaction.commit().await?)
    }

    /// Returns the last change of each incoming line of some substations before a time, and all changes from then on, in order. Lines that were never
    /// measured dead are left out.
    pub async fn infeed_changes(&self, client: ClientId, locations: &[NodeId], from: Micros) -> Result<Vec<InfeedChange>> {
        let locations = numbers(locations);
        let rows = self.query_bound(client, sql!("outage_work/infeed_changes"), &[&client.0, &locations, &Stamp(from)]).await?;
        let read = |row: &Row| {
            Ok(InfeedChange { asset: AssetId(row.try_get("asset_id")?), at: micros(row, "at")?, is_live: row.try_get("is_live")? })
        };
        rows.iter().map(read).collect()
    }
}
