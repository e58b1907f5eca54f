//! What points were before a span.

use grid::Micros;

/// What a point was before a span.
#[derive(Debug, Clone, Copy)]
pub(super) struct Before {
    /// The last valid value.
    pub(super) last: Option<(Micros, f64)>,
    /// When the last one came, valid or not.
    pub(super) heard: Micros,
}

impl Before {
    /// The value that still held when the span began, unless it was too old.
    pub(super) fn lasting(&self) -> Option<(Micros, f64)> {
        self.last.filter(|(at, _)| *at == self.heard)
    }
}
