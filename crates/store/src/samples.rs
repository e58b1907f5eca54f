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

impl Store {
    /// The history of a point from `from` (inclusive) to `to` (exclusive), oldest first.
    pub async fn samples(&self, client: ClientId, point: PointId, from: Micros, to: Micros, limit: i64) -> Result<Vec<StoredSample>> {
        let rows = self.of(client).query(sql!("samples/list"), &[&client.0, &point.0, &Stamp(from), &Stamp(to), &limit.max(0)]).await?;
        rows.iter().map(sample).collect()
    }
}

fn sample(row: &Row) -> Result<StoredSample> {
    Ok(StoredSample { source: micros(row, "ts")?, value: row.try_get("value")?, quality: quality(row)?, received: micros(row, "recv_ts")? })
}
