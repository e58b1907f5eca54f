//! What can be wrong.

use std::fmt;

/// A figure that makes no sense.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Which, as the specification names it; of a row, with its half hour: `Base_Demand_Kw[37]`.
    pub field: String,
    /// What is wrong and what is allowed.
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

    /// A figure has to lie in a range, both ends included.
    pub(crate) fn within(&mut self, field: &str, value: f64, least: f64, most: f64) {
        if !(least..=most).contains(&value) {
            self.add(field, format!("is {value}; from {least} to {most}"));
        }
    }
}
