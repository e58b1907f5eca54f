//! All that crosses a process: the REST envelope and rows, socket messages, bus messages.
//!
//! Field names are those that outside clients see; the specification's spelling is kept letter by letter, and the Rust names are the field's own.

pub mod access;
pub mod admin;
pub mod alarms;
pub mod bus;
pub mod cable_health;
pub mod check;
pub mod comms;
pub mod control;
pub mod curves;
pub mod energy;
pub mod envelope;
pub mod faults;
pub mod forecast;
pub mod from_grid;
pub mod hierarchy;
pub mod history;
pub mod live;
pub mod loading;
pub mod lowcarbon;
pub mod map;
pub mod overview;
pub mod people;
pub mod ratings;
pub mod reliability;
pub mod rows;
pub mod second_factor;
pub mod sld;
pub mod tables;
pub mod time;
pub mod trends;

pub use envelope::Envelope;
