//! Communication: when gateways and devices were heard, what was counted of them by the day, and when feeders were on.

mod feeders;
mod links;

pub use feeders::{FeederChange, FeederCurrent};
pub use links::{GatewayDay, LinkRow};
