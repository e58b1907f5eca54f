//! Signs of life that go beside the values.

use crate::beats::Beats;
use crate::pulse::Pulse;

/// Signs of life that the core keeps and the sessions look at. Clones share them.
#[derive(Debug, Clone)]
pub(crate) struct Signs {
    /// Of the alarm service.
    pub(crate) alarms: Beats,
    /// Of the core itself.
    pub(crate) pulse: Pulse,
}
