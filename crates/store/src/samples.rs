//! The history of a point.

use grid::{ClientId, Micros, PointId, Quality};

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
        let _ = (client, point, from, to, limit);
        todo!()
    }
}
