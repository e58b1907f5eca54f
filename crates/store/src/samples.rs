//! Raw values in the history of a point.

use grid::{ClientId, Micros, PointId, Quality};

use tokio_postgres::Row;

use crate::convert::{Stamp, micros, quality, sql};
use crate::kept::Level;
use crate::{Result, Store};

/// A stored value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StoredSample {
    /// Source time.
    pub source: Micros,
    /// The value; `None` if it is absent.
    pub value: Option<f64>,
    /// Quality of the value.
    pub quality: Quality,
    /// Receive time.
    pub received: Micros,
}

/// The number of stored values of a point in a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    /// Id of the point.
    pub point: PointId,
    /// Number of values, at least one.
    pub n: i64,
    /// Number of good values.
    pub good: i64,
    /// Number of substituted or questionable values. Values that are neither good nor counted here are stale or worse, or absent.
    pub uncertain: i64,
    /// Source time of the first value.
    pub first: Micros,
    /// Source time of the last value.
    pub last: Micros,
}

impl Store {
    /// Returns the number of stored values of some points from a time (inclusive) to another (exclusive), as far as they are kept. Points without values are
    /// left out.
    pub async fn counted(&self, client: ClientId, points: &[PointId], (from, to): (Micros, Micros)) -> Result<Vec<Counted>> {
        let from = from.max(self.kept().await?.floor(Level::Raw));
        let points: Vec<i64> = points.iter().map(|point| point.0).collect();
        let rows = self.of(client).query(sql!("samples/counted"), &[&client.0, &points, &Stamp(from), &Stamp(to)]).await?;
        rows.iter().map(counted).collect()
    }

    /// Returns the values of a point from `from` (inclusive) to `to` (exclusive), as far as they are kept, oldest first.
    pub async fn samples(&self, client: ClientId, point: PointId, from: Micros, to: Micros, limit: i64) -> Result<Vec<StoredSample>> {
        let from = from.max(self.kept().await?.floor(Level::Raw));
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
