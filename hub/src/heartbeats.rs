//! Heartbeats that accompany the values.

use crate::beats::Beats;
use crate::pulse::Pulse;

/// Heartbeats that the core records and the sessions check. Clones share them.
#[derive(Debug, Clone)]
pub(crate) struct Heartbeats {
    /// Heartbeats of the alarm service.
    pub(crate) alarms: Beats,
    /// Rounds of the core.
    pub(crate) pulse: Pulse,
}
