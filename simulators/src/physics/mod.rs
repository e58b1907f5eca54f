//! Physics of the demo: pure step functions on plain state. All values of a utility follow from one load flow of its network, so they are consistent: the
//! power at the head of a feeder is that of its loads and losses, a trip takes the voltage from everything behind it, registers are the integrals of powers.
//!
//! [`utility::UtilityPhysics`] owns the network and the substations of a utility. Data flow one way: positions, loads and taps go into the load flow, its
//! results go to the meters.

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
