//! Receives, stores and publishes telemetry: a tolerant Sparkplug B host with a durable path to the database.
//!
//! A message passes through the modules in this order:
//!
//! 1. [`run`] receives it from the broker, as long as there is room to hold it.
//! 2. [`host`] finds its edge node. Known points come from [`points`], unknown ones are discovered. The node's
//!    [`session`] interprets the message.
//! 3. [`decode`] converts its metrics to readings and decides which are events. Unusable input becomes a dead letter.
//! 4. Live values are published at once ([`publish`]); the process images of the hubs do not wait for the database.
//! 5. [`writer`] commits it in a batch. Only then is it acknowledged: to the broker, and by [`ack`] to the gateway's
//!    outbox. After the commit its events are published, with the offsets that the commit has assigned.
//!
//! The modules that decide (host, session, decode, ack) use neither IO nor a clock. The JSON lane is a second decoder
//! in `field` for the same host. The [`spool`] stores batches while the database is unavailable.

pub mod ack;
pub mod clock;
pub mod config;
pub mod decode;
pub mod failpoint;
pub mod host;
pub mod node_index;
pub mod parcel;
pub mod points;
pub mod publish;
pub mod readiness;
pub mod run;
pub mod session;
pub mod spool;
pub mod writer;

/// Decodes bytes as a record of the spool; for fuzzing.
#[cfg(feature = "fuzzing")]
pub fn read_spooled(bytes: &[u8]) {
    spool::read_anything(bytes);
}

pub use config::IngestConfig;
pub use field::json::Mappings;
pub use readiness::Readiness;
pub use run::{Deps, Error, run};
