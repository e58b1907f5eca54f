//! The battery plan against figures from outside and as properties.

mod battery_cases;
mod battery_properties;
