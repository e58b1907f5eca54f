//! The network of a utility: its connections, its energised nodes, and the effects of switching operations.
//!
//! [`Description`] contains all known data of the network. [`Model`] contains only the connections: nodes, equipment and its terminals, with the names of IEC
//! 61970-301. A model never changes. [`NetworkState`] adds the positions of the switches and holds the state of each node. The time of a change depends on the
//! size of the part of the network behind the switch.
//!
//! Rules of the states:
//!
//! - A switch of unknown position never makes anything dead.
//! - An earth reaches through all closed metallic connections, but not through the windings of a transformer.
//! - Supply passes through a transformer in both directions.
//! - Dead means "not connected to a known source". It does not prove that work is safe.
//! - Each phase has a state of its own. A winding connects the phases with the same name. This is a simplification: behind a blown fuse, the windings of a
//!   transformer or a motor can keep a phase at a voltage although its state here is dead.
//! - A node at which a voltage is measured is energised, regardless of the positions of switches. All nodes that closed switches connect with it are energised
//!   too. A measured voltage of zero makes no node dead.
//! - A generator or a battery in service may keep a part of the network live. The state of nodes that only such a unit can feed is unknown.

mod abnormal;
mod adjacency;
mod build;
pub mod changes;
mod consequences;
pub mod customers;
pub mod description;
mod equipment;
mod evidence;
mod feeders;
pub mod findings;
mod forest;
mod hazards;
mod id;
mod islands;
mod joins;
mod line_side;
pub mod live;
mod live_apart;
mod measured_node;
mod model;
mod network_state;
mod obstacles;
mod openings;
mod phases;
mod sections;
mod shown;
mod sight;
pub mod temporary;
mod temporary_checks;
mod temporary_ids;
mod text_form;
mod texts;
mod trace;
mod voltage;
mod what_if;

pub use abnormal::Abnormal;
pub use build::{BuildError, ModelBuilder, NewEquipment};
pub use consequences::Consequences;
pub use description::Description;
pub use equipment::EquipmentKind;
pub use grid::topology::{Contact, State};
pub use hazards::Current;
pub use id::{BranchId, EarthId, EquipmentId, NodeId, SourceId};
pub use islands::{Island, Islands};
pub use live_apart::LiveBy;
pub use model::{Branch, Consumer, Model};
pub use network_state::{LostSupply, NetworkState};
pub use obstacles::Obstacle;
pub use phases::{Phase, Phases};
pub use sections::Section;
pub use temporary_checks::{DangerKind, PlacingDanger};
pub use trace::{LoadBehind, Step};
