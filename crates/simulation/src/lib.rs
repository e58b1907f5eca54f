//! A deterministic simulation of leadership, acknowledgement and freshness, in the manner of FoundationDB and TigerBeetle.
//!
//! The functions of the product run unchanged: the main loop of ingest, its host, writers, leadership and standby, the
//! edge node with its outbox, and the process image of the hub. Their environment is simulated, with faults: broker,
//! database, bus, disks, networks and clocks. The simulation has one thread and no runtime, and one seed for all random
//! decisions. So a seed that fails once always fails.
//!
//! [`run`] runs one seed through a time of faults and a quiet time. It checks these promises after each step or at the
//! end:
//!
//! - One process commits in each term, and none commits in a term after a commit in a later one.
//! - A message acknowledged to an outbox or to the broker is durable at that time. At the end every promised value is
//!   in the database, once, at its point.
//! - No latest value goes back, neither in the database nor in the hub.
//! - After a quiet time the link states of gateways in the database and in the hub are the true ones.
//! - If no message of a gateway has arrived since the leader has connected, none of its values is live.

mod broker;
mod clock;
mod database;
mod desk;
mod disk;
mod faults;
mod field;
mod former;
mod gateway;
mod process;
mod run;
mod tally;
mod tasks;
mod truth;
mod world;

pub use run::{Failure, run};
pub use tally::Tally;
