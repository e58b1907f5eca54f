//! Enters what a gateway announces and nobody has described: its substation, assets and points, under the node "Discovered".

use grid::measure::Quantity;
use grid::point::Kind;
use grid::{ClientId, Micros, Point};

use crate::{Result, Store};

/// What a birth certificate has told.
#[derive(Debug, Clone, PartialEq)]
pub struct Discovery {
    /// The utility.
    pub client: ClientId,
    /// The Sparkplug edge node.
    pub gateway_code: String,
    /// Its metrics, known or new.
    pub points: Vec<NewPoint>,
    /// When it was heard.
    pub now: Micros,
}

/// One announced metric.
#[derive(Debug, Clone, PartialEq)]
pub struct NewPoint {
    /// The Sparkplug device, empty for a metric of the node itself.
    pub device: String,
    /// The metric name, such as `F3/Ir`; the asset is the part before the first `/`, or the device where there is none.
    pub metric: String,
    /// The last part of the metric name.
    pub code: String,
    /// Measured or signalled, and how a signal is encoded.
    pub kind: Kind,
    /// What it measures.
    pub quantity: Quantity,
    /// The unit of its values.
    pub unit: String,
    /// How often a value is expected, ms; `None` for report by exception.
    pub expected_ms: Option<i64>,
}

impl Store {
    /// Enters what is new and returns the points asked for, in no particular order. Idempotent: what is known stays as it is.
    /// Names longer than 512 bytes or with a NUL are refused with a permanent error, and nothing is entered.
    pub async fn discover(&self, discovery: &Discovery) -> Result<Vec<Point>> {
        let _ = discovery;
        todo!()
    }
}
