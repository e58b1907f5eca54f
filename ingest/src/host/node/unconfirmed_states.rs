//! States that a birth reported and the outbox has yet to report, or never will.

use std::time::Duration;

use grid::{Arrival, Micros};

use crate::config::after;

/// A state of a birth that the outbox has not explained after this time becomes an event. Sooner if the node is live
/// again with nothing missing.
const EXPLANATION_LIMIT: Duration = Duration::from_mins(10);

/// A state from the birth of a node with an outbox, until the whole outbox has been received.
#[derive(Debug)]
pub(super) struct UnconfirmedState {
    pub(super) device: String,
    pub(super) metric: String,
    pub(super) index: i16,
    pub(super) arrival: Arrival,
    pub(super) since: Micros,
}

impl UnconfirmedState {
    /// Returns whether it has waited too long for an explanation.
    pub(super) fn is_overdue(&self, now: Micros) -> bool {
        now >= after(self.since, EXPLANATION_LIMIT)
    }
}
