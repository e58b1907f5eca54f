//! The history of a point.

use grid::{ClientId, Micros, PointId, Quality};

use tokio_postgres::Row;

use crate::convert::{Stamp, micros, quality, sql};
use crate::{Result, Store};

/// One stored value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StoredSample {
    /// When it was measured, by the device's clock.
    pub source: Micros,
    /// The value; absent is absent.
    pub value: Option<f64>,
    /// How far it may be believed.
    pub quality: Quality,
    /// When ingest received it.
    pub received: Micros,
}

/// What is stored of a point over a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    /// The point.
    pub point: PointId,
    /// Values, at least one.
    pub n: i64,
    /// Those of them that are good.
    pub good: i64,
    /// Those that are substituted or questionable. The others are stale or worse, or absent.
    pub uncertain: i64,
    /// When the first was measured, by the device's clock.
    pub first: Micros,
    /// When the last was.
    pub last: Micros,
}

impl Store {
    /// How many values of some points are stored from an instant (inclusive) to another (exclusive). Points without one are left out.
    pub async fn counted(&self, client: ClientId, points: &[PointId], (from, to): (Micros, Micros)) -> Result<Vec<Counted>> {
        let points: Vec<i64> = points.iter().map(|point| point.0).collect();
        let rows = self.of(client).query(sql!("samples/counted"), &[&client.0, &points, &Stamp(from), &Stamp(to)]).await?;
        rows.iter().map(counted).collect()
    }

    /// The history of a point from `from` (inclusive) to `to` (exclusive), oldest first.
    pub async fn samples(&self, client: ClientId, point: PointId, from: Micros, to: Micros, limit: i64) -> Result<Vec<StoredSample>> {
        let rows = self.of(client).query(sql!("samples/list"), &[&client.0, &point.0, &Stamp(from), &Stamp(to), &limit.max(0)]).await?;
        rows.iter().map(sample).collect()
    }
}

fn counted(row: &Row) -> Result<Counted> {
    Ok(Counted {
        point: PointId(row.try_get("point_id")?),
        n: row.try_get("n")?,
        good: row.try_get("good")?,
        uncertain: row.try_get("uncertain")?,
        first: micros(row, "first_ts")?,
        last: micros(row, "last_ts")?,
    })
}

fn sample(row: &Row) -> Result<StoredSample> {
    Ok(StoredSample { source: micros(row, "ts")?, value: row.try_get("value")?, quality: quality(row)?, received: micros(row, "recv_ts")? })
}
