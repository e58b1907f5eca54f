//! Positions of feeder breakers over time, and currents of feeders.

use grid::{ClientId, Micros, PointId, Quality};
use tokio_postgres::Row;

use crate::convert::{Stamp, micros, quality, sql};
use crate::kept::Level;
use crate::{Result, Store};

/// A change of a breaker's position.
#[derive(Debug, Clone, PartialEq)]
pub struct FeederChange {
    /// Id of the position's point.
    pub point: PointId,
    /// Source time of the change.
    pub at: Micros,
    /// Raw value, in the encoding of the point.
    pub value: Option<f64>,
    /// Quality of the value.
    pub quality: Quality,
    /// For the opening of a breaker: whether its protection or an unknown cause opened it.
    pub tripped: bool,
}

/// The last current of a phase before a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FeederCurrent {
    /// Id of the measurand.
    pub point: PointId,
    /// Source time.
    pub at: Micros,
    /// Current, A.
    pub value: Option<f64>,
    /// Quality of the value.
    pub quality: Quality,
}

impl Store {
    /// Returns the changes of some positions within a period, and for each point the last change before it, ordered by point, oldest first. `None` if there are
    /// more than `limit`.
    pub async fn feeder_changes(
        &self,
        client: ClientId,
        points: &[PointId],
        (from, to): (Micros, Micros),
        limit: usize,
    ) -> Result<Option<Vec<FeederChange>>> {
        let points: Vec<i64> = points.iter().map(|point| point.0).collect();
        let beyond = i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1);
        let floor = self.kept().await?.floor(Level::Event);
        let params: crate::pool::Params<'_> = &[&client.0, &points, &Stamp(from.max(floor)), &Stamp(to), &beyond, &Stamp(floor)];
        let rows = self.of(client).query(sql!("comms/feeders"), params).await?;
        if rows.len() > limit {
            return Ok(None);
        }
        rows.iter().map(change).collect::<Result<_>>().map(Some)
    }

    /// Returns the last value of each measurand within a quarter of an hour before a time.
    pub async fn last_values(&self, client: ClientId, points: &[PointId], before: Micros) -> Result<Vec<FeederCurrent>> {
        let points: Vec<i64> = points.iter().map(|point| point.0).collect();
        let floor = Stamp(self.kept().await?.floor(Level::Raw));
        let rows = self.of(client).query(sql!("comms/last_values"), &[&client.0, &points, &Stamp(before), &floor]).await?;
        rows.iter().map(current).collect()
    }
}

fn change(row: &Row) -> Result<FeederChange> {
    Ok(FeederChange {
        point: PointId(row.try_get("point_id")?),
        at: micros(row, "source_ts")?,
        value: row.try_get("value")?,
        quality: quality(row)?,
        tripped: row.try_get::<_, Option<bool>>("tripped")?.unwrap_or(false),
    })
}

fn current(row: &Row) -> Result<FeederCurrent> {
    Ok(FeederCurrent {
        point: PointId(row.try_get("point_id")?),
        at: micros(row, "ts")?,
        value: row.try_get("value")?,
        quality: quality(row)?,
    })
}
