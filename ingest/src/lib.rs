//! From the field to the database and the bus: the liberal Sparkplug B host, and the durable path behind it.
//!
//! A message travels through the modules in this order:
//!
//! 1. [`run`] takes it from the broker, as long as there is room to hold it.
//! 2. [`host`] finds its edge node ([`registry`] for what is known, discovery for what is not) and asks the node's [`session`] what it means.
//! 3. [`decode`] makes readings of its metrics and rules which of them are events. What cannot be taken becomes a dead letter.
//! 4. Live values leave for the bus at once ([`publish`]); the picture never waits for the database.
//! 5. [`writer`] commits it in a batch, and only then is anything acknowledged: to the broker, and by [`ack`] to the gateway's outbox. Events leave for the
//!    bus now, with the offset that the commit gave them.
//!
//! Everything that decides (host, session, decode, ack) is free of IO and clock. The JSON lane is a second reader in `field` that ends in the same host;
//! the [`spool`] takes what the database does not take.

pub mod ack;
pub mod clock;
pub mod config;
pub mod decode;
pub mod failpoint;
pub mod host;
pub mod parcel;
pub mod publish;
pub mod readiness;
pub mod registry;
pub mod run;
pub mod session;
pub mod spool;
pub mod writer;

/// Reads bytes as a record of the spool; for fuzzing.
#[cfg(feature = "fuzzing")]
pub fn read_spooled(bytes: &[u8]) {
    spool::read_anything(bytes);
}

pub use config::IngestConfig;
pub use field::json::Mappings;
pub use readiness::Readiness;
pub use run::{Deps, Error, run};
