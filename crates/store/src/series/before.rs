//! The state of points before a period.

use grid::Micros;

/// The state of a point before a period.
#[derive(Debug, Clone, Copy)]
pub(super) struct Before {
    /// Source time and value of the last valid value.
    pub(super) last: Option<(Micros, f64)>,
    /// Source time of the last value, valid or not.
    pub(super) heard: Micros,
}

impl Before {
    /// Returns the value that is still valid at the start of the period: the last value, if it was valid.
    pub(super) fn lasting(&self) -> Option<(Micros, f64)> {
        self.last.filter(|(at, _)| *at == self.heard)
    }
}
