//! Faults of inputs.

use std::fmt;

/// An input that is not valid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Name of the input as in the specification; for a series with its half hour: `Base_Demand_Kw[37]`.
    pub field: String,
    /// What is wrong, and what is permitted.
    pub what: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.what)
    }
}

/// Collects faults.
#[derive(Debug, Default)]
pub(crate) struct Faults(pub(crate) Vec<Fault>);

impl Faults {
    pub(crate) fn add(&mut self, field: impl Into<String>, what: impl Into<String>) {
        self.0.push(Fault { field: field.into(), what: what.into() });
    }

    /// Adds a fault if a value is outside of a range; both ends are permitted.
    pub(crate) fn within(&mut self, field: &str, value: f64, least: f64, most: f64) {
        if !(least..=most).contains(&value) {
            self.add(field, format!("is {value}; from {least} to {most}"));
        }
    }
}
