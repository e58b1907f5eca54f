//! The latest reading of each point.

use grid::{ClientId, Micros, NodeId, PointId, Reading};

use tokio_postgres::Row;

use crate::convert::{Stamp, reading, sql};
use crate::{Result, Store};

impl Store {
    /// Returns the latest readings of a utility, or of one of its substations. Points without a reading are left out.
    pub async fn latest_of(&self, client: ClientId, location: Option<NodeId>) -> Result<Vec<(PointId, Reading)>> {
        let rows = self.of(client).query(sql!("latest/of"), &[&client.0, &location.map(|node| node.0)]).await?;
        rows.iter().map(entry).collect()
    }

    /// Returns the latest readings of some points of a utility.
    pub async fn latest_of_points(&self, client: ClientId, points: &[PointId]) -> Result<Vec<(PointId, Reading)>> {
        let points: Vec<i64> = points.iter().map(|point| point.0).collect();
        let rows = self.of(client).query(sql!("latest/of_points"), &[&client.0, &points]).await?;
        rows.iter().map(entry).collect()
    }

    /// Returns the latest readings with a receive time after the given one, of one utility or of all.
    pub async fn latest_since(&self, client: Option<ClientId>, received_after: Micros) -> Result<Vec<(PointId, Reading)>> {
        let rows = self.query_of(client, sql!("latest/since"), &[&client.map(|client| client.0), &Stamp(received_after)]).await?;
        rows.iter().map(entry).collect()
    }
}

pub(crate) fn entry(row: &Row) -> Result<(PointId, Reading)> {
    Ok((PointId(row.try_get("point_id")?), reading(row)?))
}
