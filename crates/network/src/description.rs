//! A network as its source describes it: names, places, ratings and impedances of every piece of equipment. Imports create a description. It can be stored and
//! exported, and [`Model`](crate::Model) and the load flow are built from it.

mod electrical;
mod limits;
mod to_model;

use serde::{Deserialize, Serialize};

pub use electrical::{
    Connection, Consumption, Electrical, Generation, Line, PhaseImpedance, SequenceImpedance, Shunt, SourceVoltage, Switch, Tap,
    Transformer, TransformerEnd,
};

pub(crate) use limits::ids;
pub use limits::{CONTAINERS_MAX, EQUIPMENT_MAX, MEASUREMENTS_MAX, NODES_MAX, greatest_number};

use crate::{EquipmentKind, Phases};

/// A network as its source describes it, with the ids of the source. An id is unique among the parts of the same kind.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Description {
    /// Substations, voltage levels, bays, feeders and lines.
    #[serde(deserialize_with = "limits::parts")]
    pub containers: Vec<Container>,
    /// Connectivity nodes.
    #[serde(deserialize_with = "limits::parts")]
    pub nodes: Vec<Node>,
    /// Equipment, with its terminals.
    #[serde(deserialize_with = "limits::parts")]
    pub equipment: Vec<Equipment>,
    /// Telemetered points.
    #[serde(deserialize_with = "limits::parts")]
    pub measurements: Vec<Measurement>,
}

/// What a container is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ContainerKind {
    /// Equipment at one site.
    Substation,
    /// The part of a substation with one nominal voltage.
    VoltageLevel,
    /// The switches of one connection with a busbar.
    Bay,
    /// The equipment that one breaker at a source feeds.
    Feeder,
    /// Segments between substations.
    Line,
}

grid::enum_text! {
    /// The name of the class in IEC 61970-301.
    ContainerKind {
        Substation = "Substation",
        VoltageLevel = "VoltageLevel",
        Bay = "Bay",
        Feeder = "Feeder",
        Line = "Line",
    }
}

crate::as_text!(ContainerKind);

/// A container of equipment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Container {
    /// Its id.
    pub id: String,
    /// Its name for display; may be empty.
    #[serde(default)]
    pub name: String,
    /// What it is.
    pub kind: ContainerKind,
    /// The container that it is part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The nominal voltage between phases, kV, of a voltage level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nominal_kv: Option<f64>,
    /// Longitude and latitude, degrees (WGS 84).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<[f64; 2]>,
}

/// A connectivity node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Node {
    /// Its id.
    pub id: String,
    /// Its name for display; may be empty.
    #[serde(default)]
    pub name: String,
    /// The container that it is part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
    /// The nominal voltage between phases, kV; `None` if it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nominal_kv: Option<f64>,
    /// Whether the node does not exist in the source: an import added it, such as the node between a switch and its line.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_internal: bool,
    /// Longitude and latitude, degrees (WGS 84).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<[f64; 2]>,
}

/// One end of equipment. The first terminal of equipment has number 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Terminal {
    /// The id of its node.
    pub node: String,
    /// Its phases, without the neutral.
    #[serde(default = "all_phases")]
    pub phases: Phases,
}

/// A piece of equipment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Equipment {
    /// Its id.
    pub id: String,
    /// Its name for display; may be empty.
    #[serde(default)]
    pub name: String,
    /// What it is.
    pub kind: EquipmentKind,
    /// The container that it is part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
    /// Its ends, in order.
    pub terminals: Vec<Terminal>,
    /// Whether it is in service. Equipment that is out of service connects nothing and feeds nothing.
    #[serde(default = "yes")]
    pub is_in_service: bool,
    /// Its ratings and impedances.
    #[serde(default)]
    pub electrical: Electrical,
}

/// The quantity of the position of a switch.
pub const POSITION: &str = "Pos";

/// A telemetered point, bound to what it measures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measurement {
    /// Its id.
    pub id: String,
    /// The equipment that it belongs to.
    pub equipment: String,
    /// The number of the terminal, from 1; `None` for the position of a switch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terminal: Option<u8>,
    /// What is measured, by the code of domain points, such as `Pos`, `Ir` or `Vry`.
    pub quantity: String,
    /// The phases that are measured.
    #[serde(default = "all_phases")]
    pub phases: Phases,
    /// The point that reports it, as `gateway/device/metric`; `None` if it is not bound to one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub point: Option<String>,
}

const fn yes() -> bool {
    true
}

const fn all_phases() -> Phases {
    Phases::ABC
}
