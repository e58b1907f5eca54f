//! Physics of the demo: pure step functions on plain state. The values of one substation are consistent (domain.md section 9).

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
