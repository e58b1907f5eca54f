//! The description of a point: its place in the field, its asset, and how its value is decoded and displayed.

use crate::measure::Quantity;
use crate::position::Encoding;
use crate::{AssetId, ClientId, GatewayId, NodeId, PointId, freshness};

/// Whether a point is a measurand or a status point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PointKind {
    /// A number with a unit.
    Measurand,
    /// A position or signal; its changes are events.
    Status(Encoding),
}

/// A point of a utility.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Its id, which is also the series id of its history.
    pub id: PointId,
    /// The utility.
    pub client: ClientId,
    /// The gateway that reports it.
    pub gateway: GatewayId,
    /// The Sparkplug device; empty for a metric of the edge node itself.
    pub device: String,
    /// The metric name within the device, such as `F3/Ir`.
    pub metric: String,
    /// The last part of the metric name, such as `Ir`.
    pub code: String,
    /// The asset that it belongs to.
    pub asset: AssetId,
    /// Name of the asset.
    pub asset_name: String,
    /// Type id of the asset (specification 2, section 9).
    pub asset_type: i32,
    /// The substation.
    pub location: NodeId,
    /// Measurand or status point.
    pub kind: PointKind,
    /// The quantity.
    pub quantity: Quantity,
    /// Unit of the stored value.
    pub unit: String,
    /// Number of decimals to display.
    pub decimals: u8,
    /// Factor from the received value to the stored value.
    pub scale: f64,
    /// Reporting interval, ms; `None` for report by exception.
    pub expected_ms: Option<i64>,
}

impl Point {
    /// Returns `device/metric`, the address used in diagrams.
    pub fn address(&self) -> String {
        format!("{}/{}", self.device, self.metric)
    }

    /// Returns the age limit of its values, ms; `None` for report by exception.
    pub fn age_limit_ms(&self) -> Option<i64> {
        freshness::age_limit_ms(self.expected_ms)
    }

    /// Returns the encoding of its status; `None` for a measurand.
    pub fn encoding(&self) -> Option<Encoding> {
        match self.kind {
            PointKind::Measurand => None,
            PointKind::Status(encoding) => Some(encoding),
        }
    }
}

/// Returns the default kind for a code: `Pos` is a double point. `Op`, `Alm`, and the codes with which a device reports whether it can be operated are signals.
/// All others are measurands.
pub fn kind_of_code(code: &str) -> PointKind {
    match code {
        "Pos" => PointKind::Status(Encoding::DoublePoint),
        "Op" | "Alm" | "Loc" | "Test" | "Syn" | "BlkOpn" | "BlkCls" => PointKind::Status(Encoding::Signal),
        _ => PointKind::Measurand,
    }
}
