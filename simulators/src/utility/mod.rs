//! The demo utilities as plain data: who they are, what stands where, what is measured, how it is drawn and how it hangs together.
//!
//! Names are invented. `switchyard seed` writes this into the database; the simulated RTUs run on it.

mod bays;
mod demo;
mod drawing;
mod geography;

use grid::Level;
use grid::measure::Quantity;
use grid::point::Kind;
use serde_json::Value;
use wire::sld::Drawing;

pub use bays::{Cap, Feeder, Plan, Site, Unit};
pub use demo::demo;
pub use geography::{Way, feeds, ways};

/// The demo world.
#[derive(Debug, Clone, PartialEq)]
pub struct World {
    /// Its utilities; the first is the one that the demo shows.
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
    /// Labels, symbols and switches particular to it.
    pub config: Value,
    /// From circles down to sections; each after its parent.
    pub nodes: Vec<Node>,
    /// The substations.
    pub substations: Vec<Substation>,
}

/// A node between client and substation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Circle to section.
    pub level: Level,
    /// Unique within utility and level.
    pub code: String,
    /// Name.
    pub name: String,
    /// Code of the node above, of the level above.
    pub parent: Option<String>,
}

/// A substation with its one RTU.
#[derive(Debug, Clone, PartialEq)]
pub struct Substation {
    /// Code, which is also the RTU's edge node.
    pub code: String,
    /// Name, such as `33/11 kV Harbour`.
    pub name: String,
    /// Code of its section.
    pub section: String,
    /// Such as `33/11 kV`.
    pub kv: String,
    /// Degrees north.
    pub lat: f64,
    /// Degrees east.
    pub lon: f64,
    /// What stands in it.
    pub assets: Vec<Asset>,
    /// What its RTU reports.
    pub points: Vec<PointSpec>,
    /// Its single-line diagram, portable form.
    pub drawing: Drawing,
    /// What the physics needs.
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
    /// Class drawn.
    pub class_name: &'static str,
    /// The bay, which is the Sparkplug device that reports it.
    pub device: String,
    /// Rated voltage, kV.
    pub kv: Option<f64>,
    /// Customers fed through it.
    pub customers: i32,
    /// Can be operated, directly and by select before operate.
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
    /// Measured or signalled.
    pub kind: Kind,
    /// What it measures.
    pub quantity: Quantity,
    /// What its values are in.
    pub unit: &'static str,
    /// Decimals to show.
    pub decimals: u8,
    /// How often a value is sent at least, ms; `None` for report by exception.
    pub expected_ms: Option<i64>,
}

impl PointSpec {
    /// The metric name within the device.
    pub fn metric(&self) -> String {
        format!("{}/{}", self.asset, self.code)
    }
}
