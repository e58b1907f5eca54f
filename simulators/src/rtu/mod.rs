//! An RTU as a Sparkplug B edge node with an outbox and gateway acknowledgement (docs/reference/mqtt.md, Outbox).

pub mod journal;
pub mod link;
pub mod node;
pub mod operate;
pub mod outbox;
pub mod panel;
mod report;
pub mod shared;
pub mod station;
