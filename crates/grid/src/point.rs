//! What is known of a point besides its value: where it is in the field, which asset it belongs to, how to read and show it.

use crate::measure::Quantity;
use crate::position::Encoding;
use crate::{AssetId, ClientId, GatewayId, NodeId, PointId, freshness};

/// Whether a point is measured or signalled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A number with a unit.
    Measurand,
    /// A position or signal; its changes are events.
    Status(Encoding),
}

/// One point of the utility's field.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Its id, which is also the series id of its history.
    pub id: PointId,
    /// The utility.
    pub client: ClientId,
    /// The gateway that reports it.
    pub gateway: GatewayId,
    /// The Sparkplug device, empty for a metric of the node itself.
    pub device: String,
    /// The metric name within the device, such as `F3/Ir`.
    pub metric: String,
    /// The last part of the metric name, such as `Ir`.
    pub code: String,
    /// The asset it belongs to.
    pub asset: AssetId,
    /// That asset's name.
    pub asset_name: String,
    /// That asset's type id (specification 2, section 9).
    pub asset_type: i32,
    /// The substation.
    pub location: NodeId,
    /// Measured or signalled.
    pub kind: Kind,
    /// What it measures.
    pub quantity: Quantity,
    /// Unit of the stored value.
    pub unit: String,
    /// Decimals to show.
    pub decimals: u8,
    /// The stored value is the received one times this.
    pub scale: f64,
    /// How often a value is expected, ms; `None` for report by exception.
    pub expected_ms: Option<i64>,
}

impl Point {
    /// `device/metric`, the address by which drawings name it.
    pub fn address(&self) -> String {
        format!("{}/{}", self.device, self.metric)
    }

    /// The age at which a value of it is stale.
    pub fn age_limit_ms(&self) -> Option<i64> {
        freshness::age_limit_ms(self.expected_ms)
    }

    /// How its status is encoded; `None` for a measurand.
    pub fn encoding(&self) -> Option<Encoding> {
        match self.kind {
            Kind::Measurand => None,
            Kind::Status(encoding) => Some(encoding),
        }
    }
}

/// The kind of a point nobody has described, by its code: `Pos` is a double point, `Op`, `Alm` and `Loc` are signals, all else is measured.
pub fn kind_of_code(code: &str) -> Kind {
    match code {
        "Pos" => Kind::Status(Encoding::DoublePoint),
        "Op" | "Alm" | "Loc" => Kind::Status(Encoding::Signal),
        _ => Kind::Measurand,
    }
}
