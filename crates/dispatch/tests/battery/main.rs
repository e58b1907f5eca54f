//! Tests of the battery plan against external results, and of its properties.

mod battery_cases;
mod battery_properties;
