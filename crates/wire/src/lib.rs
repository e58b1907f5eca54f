//! Data types that cross a process boundary: REST envelope and rows, messages of the live socket, messages of the bus.
//!
//! Field names in JSON are spelled exactly as in the specification. The Rust names follow Rust conventions.

pub mod access;
pub mod admin;
pub mod alarms;
pub mod areas;
pub mod bus;
pub mod cable_health;
pub mod check;
pub mod comms;
pub mod control;
pub mod curves;
pub mod energy;
pub mod envelope;
pub mod faults;
pub mod flag;
pub mod forecast;
pub mod from_grid;
pub mod hierarchy;
pub mod history;
pub mod live;
pub mod loading;
pub mod lowcarbon;
pub mod manual_entry;
pub mod map;
pub mod network;
pub mod network_present;
pub mod overview;
pub mod people;
pub mod ratings;
pub mod reliability;
pub mod rows;
pub mod second_factor;
pub mod sld;
pub mod tables;
pub mod temporary_change;
pub mod time;
pub mod trends;

pub use envelope::Envelope;
