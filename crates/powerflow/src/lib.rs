//! The load flow of a network: voltages, currents, powers and losses from the loads and the positions of the switches.
//!
//! [`Case`] is the balanced calculation. It is made of a [`network::Description`] and a [`network::NetworkState`] of its model:
//!
//! - Nodes that closed switches join are one bus. Equipment that is open or out of service does not take part. A position that is not known counts as the
//!   normal one, and is listed as a [`Finding`].
//! - A consumer whose powers are given by phase draws their sum.
//! - Lines are pi circuits. Windings are T circuits: the core is in the middle of the impedance of its end. A tap changer is at the terminal of its end, so
//!   that the impedance is that at the rated voltage at every step.
//! - Each island has its own sources. One without a source is dead and has no voltages.
//! - An island that is a tree with one source is swept. Others, and those where the sweep does not converge, are solved by the method of Newton.
//!
//! [`PhaseCase`] is the calculation by phase, of the same description and state. It has the conductors of each terminal, lines with their impedances by
//! phase or by sequence, windings by their connection and clock, and loads by phase in star and delta. Voltages are those to earth; the neutral is taken as
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
