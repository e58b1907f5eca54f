//! The simulated field: its physics against figures from outside, and its RTUs through a real broker.

mod commands;
mod goodbye;
mod invariants;
mod loadflow;
mod phases;
mod switching;
