//! Tests of the simulated field: its physics against external figures, and its RTUs through a real broker.

mod commands;
mod goodbye;
#[path = "../instants/mod.rs"]
mod instants;
mod invariants;
mod large;
mod peers;
mod phases;
mod switching;
mod utility;
