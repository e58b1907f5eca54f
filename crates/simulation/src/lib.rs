//! A deterministic simulation of leadership, acknowledgement and freshness, in the manner of FoundationDB and TigerBeetle.
//!
//! The functions of the product run as they are: the loop of ingest, its host, writers, lease and standby, the edge node with its outbox, and the process
//! image of the hub. Around them everything is simulated and goes wrong: broker, database, bus, disks, networks and clocks. One thread, no runtime, and one
//! seed that everything random comes from: a seed that fails fails again.
//!
//! [`run`] takes one seed through a time of faults and a quiet time, and checks what is promised after each step or at the end:
//!
//! - One process commits in each term, and none commits in a term after a later one has been committed in.
//! - What is acknowledged to an outbox or to the broker is durable then, and everything that was promised is in the database at the end, once, at its point.
//! - No latest value goes back, neither in the database nor in the hub.
//! - After a quiet time the states of gateways are those of the truth, in the database and in the hub.
//! - Nothing is shown as live of a gateway that was not heard since the leader has connected.

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
