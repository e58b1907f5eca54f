//! All that crosses a process: the REST envelope and rows, socket messages, bus messages.
//!
//! Field names are those that outside clients see; the specification's spelling is kept letter by letter, and the Rust names are the field's own.

pub mod access;
pub mod admin;
pub mod bus;
pub mod control;
pub mod envelope;
pub mod from_grid;
pub mod hierarchy;
pub mod history;
pub mod live;
pub mod loading;
pub mod people;
pub mod rows;
pub mod second_factor;
pub mod sld;
pub mod time;

pub use envelope::Envelope;
