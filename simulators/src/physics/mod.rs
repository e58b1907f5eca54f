//! Physics of the demo: pure step functions on plain state. All values of a utility are computed from one load flow of its network, so they are consistent: the
//! power at the head of a feeder is the sum of its loads and losses, after a trip everything behind the breaker is without voltage, and registers are the
//! integrals of powers.
//!
//! [`utility::UtilityPhysics`] owns the network and the substations of a utility. Data flow in one direction: positions, loads and taps are inputs of the load
//! flow, and its results are the inputs of the meters.

mod change;
mod distortion;
mod electrical;
pub mod fault_level;
mod line;
pub mod load;
pub mod protection;
pub mod site;
pub mod standalone;
pub mod substation;
pub mod switching;
pub mod utility;
pub mod utility_network;
