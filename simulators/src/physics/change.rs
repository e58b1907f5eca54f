//! A change of a status.

use grid::Micros;

/// A change of a status at an exact time.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The time, by the RTU's clock.
    pub at: Micros,
    /// Name of the metric, `asset/code`.
    pub metric: String,
    /// The new value.
    pub value: f64,
}
