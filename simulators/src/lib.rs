//! The demo's field: utilities made from one seed, physics that agrees with itself, and RTUs that speak MQTT like any other.

pub mod clock;
pub mod physics;
pub mod replay;
pub mod rtu;
mod run;
pub mod utility;

pub use run::{Defect, RunError, SimulateConfig, run};
