//! The database layer, the only crate that contains SQL: the schema, all statements, a pool for queries and a writer for telemetry.
//!
//! Statements are in `sql/<noun>/<verb>.sql`, with one module for each noun. The same schema and statements run on TimescaleDB Community, its Apache edition
//! and plain PostgreSQL; only [`migrate`] and the partitions distinguish them. Connections do not use TLS: keep the database on the same host or in a private network.

mod cancel;
mod class;
mod convert;
mod discover;
mod engine;
mod error;
mod migrate;
mod partition;
mod pool;
mod tenant;
mod used_life;

pub mod access;
pub mod alarm;
pub mod areas;
pub mod audit;
pub mod brand;
pub mod cable;
pub mod check;
pub mod comms;
pub mod configuration;
pub mod control;
pub mod day;
pub mod dead_letters;
pub mod demand_file;
pub mod drawing;
pub mod energy_budget;
pub mod events;
pub mod fault;
pub mod feedback;
pub mod feeds;
pub mod flash;
pub mod forecast;
pub mod geography;
pub mod import;
pub mod kept;
pub mod latest;
pub mod lead;
pub mod manual_entry;
mod manual_entry_record;
pub mod network;
pub mod newest;
pub mod outage;
pub mod people;
pub mod rating;
pub mod register_step;
pub mod registry;
pub mod registry_log;
pub mod relay;
pub mod report;
pub mod reset;
pub mod retention;
pub mod rollup;
pub mod samples;
pub mod seed;
pub mod series;
pub mod site;
pub mod stream_tops;
pub mod temporary_change;
mod temporary_record;
pub mod throttle;
pub mod tracker;
pub mod writer;

pub use class::{Connections, PoolSizes, ReadClass};
pub use discover::{Discovered, Discovery, NewPoint};
pub use engine::Engine;
pub use error::Error;
pub use migrate::migrate;
pub use pool::{Store, is_on_this_machine};
pub use registry::Registry;
pub use writer::Writer;

/// The result of a call into the store.
pub type Result<T, E = Error> = std::result::Result<T, E>;
