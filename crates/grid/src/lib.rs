//! The domain rules of Switchyard, as pure functions: no IO, no async, no clock, no serde.
//!
//! Callers pass the time and the values as parameters and do the IO with the results.

pub mod alarm;
pub mod area;
pub mod arrival;
pub mod cable_health;
pub mod check;
pub mod command;
pub mod control;
pub mod demand;
pub mod downsample;
pub mod energy;
mod enum_text;
pub mod event;
pub mod fault;
pub mod flash;
pub mod forecast;
pub mod freshness;
pub mod hierarchy;
pub mod id;
pub mod lease;
pub mod link;
pub mod link_order;
pub mod load_current;
pub mod manual_entry;
pub mod measure;
pub mod outage;
pub mod point;
pub mod position;
pub mod power_quality;
pub mod protection;
pub mod quality;
pub mod reading;
pub mod register;
pub mod reliability;
pub mod shard;
pub mod solar;
pub mod table;
pub mod term;
pub mod thermal;
pub mod time;
pub mod topology;

pub use arrival::Arrival;
#[doc(hidden)]
pub use enum_text::texts_differ;
pub use event::Event;
pub use hierarchy::{Level, Scope};
pub use id::{AreaId, AssetId, ClientId, DeskId, GatewayId, MemberId, NodeId, PointId};
pub use lease::{Lease, Leases};
pub use link_order::{LinkOrder, LinkState};
pub use point::Point;
pub use quality::Quality;
pub use reading::{Ordinal, Reading};
pub use shard::{Shard, Share};
pub use term::Term;
pub use time::Micros;
