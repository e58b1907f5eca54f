//! States that a birth has reported and the outbox has not reported yet.

use std::time::Duration;

use grid::{Arrival, Micros};

use crate::config::after;

/// If the outbox has not reported the state of a birth within this time, the state becomes an event. It becomes one
/// earlier if the node is live again and no message is missing.
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
    /// Returns whether it has waited too long for a message of the outbox.
    pub(super) fn is_overdue(&self, now: Micros) -> bool {
        now >= after(self.since, EXPLANATION_LIMIT)
    }
}
