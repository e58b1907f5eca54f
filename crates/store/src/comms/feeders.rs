//! When breakers of feeders were closed, and what flowed.

use grid::{ClientId, Micros, PointId, Quality};
use tokio_postgres::Row;

use crate::convert::{Stamp, micros, quality, sql};
use crate::{Result, Store};

/// A change of a breaker's position.
#[derive(Debug, Clone, PartialEq)]
pub struct FeederChange {
    /// The position.
    pub point: PointId,
    /// When, by the device's clock.
    pub at: Micros,
    /// Raw, in the point's own encoding.
    pub value: Option<f64>,
    /// How far it may be believed.
    pub quality: Quality,
    /// A breaker that opened then was opened by its protection, or by nobody that we know of.
    pub tripped: bool,
}

/// The last current of a phase before an instant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FeederCurrent {
    /// The measurand.
    pub point: PointId,
    /// When, by the device's clock.
    pub at: Micros,
    /// A.
    pub value: Option<f64>,
    /// How far it may be believed.
    pub quality: Quality,
}

impl Store {
    /// How some positions changed from an instant to another, with the last change before of each, by point and then oldest first. `None` where there are more
    /// than `limit`.
    pub async fn feeder_changes(
        &self,
        client: ClientId,
        points: &[PointId],
        (from, to): (Micros, Micros),
        limit: usize,
    ) -> Result<Option<Vec<FeederChange>>> {
        let points: Vec<i64> = points.iter().map(|point| point.0).collect();
        let beyond = i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1);
        let rows = self.of(client).query(sql!("comms/feeders"), &[&client.0, &points, &Stamp(from), &Stamp(to), &beyond]).await?;
        if rows.len() > limit {
            return Ok(None);
        }
        rows.iter().map(change).collect::<Result<_>>().map(Some)
    }

    /// The last value of each of some measurands within a quarter of an hour before an instant.
    pub async fn last_values(&self, client: ClientId, points: &[PointId], before: Micros) -> Result<Vec<FeederCurrent>> {
        let points: Vec<i64> = points.iter().map(|point| point.0).collect();
        let rows = self.of(client).query(sql!("comms/last_values"), &[&client.0, &points, &Stamp(before)]).await?;
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
