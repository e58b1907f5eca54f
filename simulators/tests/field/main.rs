//! Tests of the simulated field: its physics against external figures, and its RTUs through a real broker.

mod commands;
mod goodbye;
mod invariants;
mod phases;
mod switching;
mod utility;
