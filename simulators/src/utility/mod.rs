//! The demo utilities as plain data: hierarchy, assets, points, diagrams and connections.
//!
//! Names are invented. `switchyard seed` writes these data to the database; the simulated RTUs use them as well.

mod area;
mod bays;
mod demo;
mod drawing;
mod geography;
mod large;
mod network;
mod supply;

use grid::Level;
use grid::measure::Quantity;
use grid::point::PointKind;
use serde_json::Value;
use wire::sld::Drawing;

pub use area::{FeederDetail, SupplyArea};
pub use bays::{Cap, Feeder, Plan, Site, Unit};
pub use demo::demo;
pub use geography::{Way, feeds, ways};
pub use large::large;
pub use network::{LOW_VOLTAGE_SHARE, conductor_ohm_km, network};

/// Returns the utilities of the demo. With `is_large`, a large one is the last.
pub fn utilities(seed: u64, is_large: bool) -> Vec<Client> {
    let mut clients = demo(seed).clients;
    clients.extend(is_large.then(|| large(seed)));
    clients
}

/// The demo world.
#[derive(Debug, Clone, PartialEq)]
pub struct World {
    /// Its utilities; the demo displays the first one.
    pub clients: Vec<Client>,
}

/// A utility.
#[derive(Debug, Clone, PartialEq)]
pub struct Client {
    /// Code, which is the Sparkplug group.
    pub code: String,
    /// Name.
    pub name: String,
    /// IANA time zone.
    pub time_zone: String,
    /// How often its RTUs report.
    pub pace: Pace,
    /// Configuration of the utility: labels, symbols and options.
    pub config: Value,
    /// Nodes from circles down to sections; each comes after its parent.
    pub nodes: Vec<Node>,
    /// The substations.
    pub substations: Vec<Substation>,
}

/// How often the RTUs of a utility report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// Currents and powers each 10 s.
    Usual,
    /// A quarter as often: a large utility has many points.
    Slow,
}

impl Pace {
    /// Returns the factor by which the intervals are longer than the usual ones.
    const fn factor(self) -> i64 {
        match self {
            Self::Usual => 1,
            Self::Slow => 4,
        }
    }

    /// Returns the age up to which values are reused and not computed again, unless a switch moves, ms. So many RTUs use the results of one load flow.
    pub const fn fresh_ms(self) -> i64 {
        match self {
            Self::Usual => 700,
            Self::Slow => 10_000,
        }
    }
}

/// A node of the hierarchy between utility and substation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Level, from circle to section.
    pub level: Level,
    /// Unique within utility and level.
    pub code: String,
    /// Name.
    pub name: String,
    /// Code of the parent node, one level above.
    pub parent: Option<String>,
}

/// A substation with its RTU.
#[derive(Debug, Clone, PartialEq)]
pub struct Substation {
    /// Code, which is also the RTU's edge node.
    pub code: String,
    /// Name, such as `33/11 kV Harbour`.
    pub name: String,
    /// Code of its section.
    pub section: String,
    /// Voltages, such as `33/11 kV`.
    pub kv: String,
    /// Degrees north.
    pub lat: f64,
    /// Degrees east.
    pub lon: f64,
    /// Its assets.
    pub assets: Vec<Asset>,
    /// The points of its RTU.
    pub points: Vec<PointSpec>,
    /// Its single-line diagram, in the portable form.
    pub drawing: Drawing,
    /// Data for the physics.
    pub plan: Plan,
}

/// An asset.
#[derive(Debug, Clone, PartialEq)]
pub struct Asset {
    /// Unique within the substation.
    pub code: String,
    /// Name.
    pub name: String,
    /// Asset type (specification 2, section 9).
    pub type_id: i32,
    /// Class of the symbol.
    pub class_name: &'static str,
    /// The bay, which is the Sparkplug device.
    pub device: String,
    /// Rated voltage, kV.
    pub kv: Option<f64>,
    /// Customers supplied through it in the normal state of the network.
    pub customers: i32,
    /// Whether it can be operated, directly and by select before operate.
    pub operable: bool,
}

/// A point of an RTU.
#[derive(Debug, Clone, PartialEq)]
pub struct PointSpec {
    /// The Sparkplug device.
    pub device: String,
    /// Code of the asset.
    pub asset: String,
    /// Last part of the metric name.
    pub code: String,
    /// Measurand or status point.
    pub kind: PointKind,
    /// Quantity.
    pub quantity: Quantity,
    /// Unit of its values.
    pub unit: &'static str,
    /// Number of decimals to display.
    pub decimals: u8,
    /// Longest time between two values, ms; `None` for report by exception.
    pub expected_ms: Option<i64>,
}

impl PointSpec {
    /// Returns the name of the metric within the device.
    pub fn metric(&self) -> String {
        format!("{}/{}", self.asset, self.code)
    }
}
