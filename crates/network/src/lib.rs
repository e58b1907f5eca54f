//! The network of a utility: what is connected, what is energised, and what a switch would change.
//!
//! [`Description`] is all that is known of the network. [`Model`] is what is connected in it: nodes, equipment and its terminals, with the names of IEC 61970-301. It does not change. [`NetworkState`] adds
//! the positions of the switches and keeps the state of each node. A change costs as much as the part of the network behind the switch.
//!
//! Rules of the states:
//!
//! - A switch of unknown position never makes anything dead.
//! - An earth reaches over everything metallic that is closed, but not over the windings of a transformer.
//! - Supply passes through a transformer in both directions.
//! - Dead means "not connected to a known source". It does not prove that work is safe.
//! - Each phase has a state of its own. A winding connects the phases with the same name. That is a simplification: behind a blown fuse, the windings of
//!   a transformer or a motor can keep a phase at a voltage that is dead here.
//! - Where a voltage is measured, the node is energised, whatever the positions say, and so is all that closed switches join with it. A measured zero makes
//!   nothing dead.
//! - A generator or a battery in service may keep a part of the network live: what only it can feed is unknown.

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
pub use model::{Branch, Consumer, Model};
pub use network_state::{LostSupply, NetworkState};
pub use obstacles::Obstacle;
pub use phases::{Phase, Phases};
pub use sections::Section;
pub use temporary_checks::{DangerKind, PlacingDanger};
pub use trace::{LoadBehind, Step};
