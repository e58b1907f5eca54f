//! Communication: link states of gateways and devices, daily counts, and positions of feeder breakers.

mod feeders;
mod links;

pub use feeders::{FeederChange, FeederCurrent};
pub use links::{GatewayDay, LinkRow};
