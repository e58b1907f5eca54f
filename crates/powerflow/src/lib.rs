//! The load flow of a network. It computes voltages, currents, powers and losses from the loads and the positions of the switches.
//!
//! [`Case`] is the balanced calculation. It is built from a [`network::Description`] and a [`network::NetworkState`] of its model:
//!
//! - Nodes that closed switches connect are one bus. Equipment that is open or out of service is ignored. For a position that is not known, the normal position
//!   is used, and a [`Finding`] reports this.
//! - A consumer whose powers are given by phase draws their sum.
//! - Lines are pi circuits. Windings are T circuits: the core is in the middle of the impedance of its end. A tap changer is at the terminal of its end, so
//!   that the impedance at the rated voltage is the same at every step.
//! - Each island has its own sources. An island without a source is dead and has no voltages.
//! - An island that is a tree with one source is solved by a sweep. Other islands, and islands for which the sweep does not converge, are solved by the method
//!   of Newton.
//!
//! [`PhaseCase`] is the calculation by phase, from the same description and state. It has the conductors of each terminal, lines with their impedances by phase
//! or by sequence, windings by their connection and clock, and loads by phase in star and delta. Voltages are those to earth. The neutral is assumed to be
//! earthed at each node.

mod build;
mod buses;
mod by_phase;
mod case;
mod consumer_power;
mod error;
mod finding;
mod impedance;
mod joined;
mod newton;
mod number;
mod order;
mod positions;
mod solution;
mod solve;
mod sparse;
mod sweep;
mod switch_currents;
mod terminals;
mod totals;
mod two_port;

pub use by_phase::{PhaseCase, PhaseOptions, PhaseOutcome, PhaseSolution};
pub use case::Case;
pub use error::CaseError;
pub use finding::Finding;
pub use num_complex::Complex64;
pub use solution::{IslandResult, Outcome, Solution};
pub use solve::{Method, Options};
