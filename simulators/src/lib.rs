//! The field of the demo: utilities generated from a seed, consistent physics, and RTUs that use MQTT like any other
//! gateway.

pub mod clock;
pub mod physics;
pub mod replay;
pub mod rtu;
mod run;
pub mod utility;

pub use run::{Defect, RunError, SimulateConfig, fault_hours, physics, run, station_seed};
