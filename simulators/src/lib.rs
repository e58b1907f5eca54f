//! The demo's field: utilities made from one seed, physics that agrees with itself, and RTUs that speak MQTT like any other.

pub mod physics;
pub mod utility;
