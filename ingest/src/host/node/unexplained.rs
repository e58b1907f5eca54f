//! States that a birth reported and the outbox has yet to report, or never will.

use std::time::Duration;

use grid::{Arrival, Micros};

use crate::config::after;

/// A state told at birth that the outbox has not explained by then becomes an event. Sooner, when the node is live again with nothing missing.
const EXPLANATION_LIMIT: Duration = Duration::from_mins(10);

/// A state told by the birth of a node with an outbox, until the outbox has told all.
#[derive(Debug)]
pub(super) struct Unexplained {
    pub(super) device: String,
    pub(super) metric: String,
    pub(super) index: i16,
    pub(super) arrival: Arrival,
    pub(super) since: Micros,
}

impl Unexplained {
    /// Whether it has waited too long for an explanation.
    pub(super) fn is_overdue(&self, now: Micros) -> bool {
        now >= after(self.since, EXPLANATION_LIMIT)
    }
}
