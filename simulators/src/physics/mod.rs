//! Physics of the demo: pure step functions on plain state. The values of one substation are consistent: the power at the head of a feeder
//! is that of its loads and losses, an incomer is the sum of its feeders, registers are the integrals of powers.

mod change;
mod distortion;
mod line;
pub mod load;
mod network;
pub mod protection;
pub mod site;
pub mod substation;
pub mod sweep;
pub mod switching;
