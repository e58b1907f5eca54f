//! The load flow by phase. It computes the voltage of each conductor to earth from the admittances of all equipment and the currents of the loads.

mod case;
mod elements;
mod loads;
mod matrix;
mod solution;
mod solve;

pub use case::PhaseCase;
pub use solution::{PhaseOutcome, PhaseSolution};
pub use solve::PhaseOptions;
