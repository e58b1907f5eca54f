//! Alarms that were raised before their cause was known.

use std::sync::Arc;

use grid::Micros;

use crate::about::About;

/// An alarm that was raised before its cause was reported.
#[derive(Debug, Clone)]
pub(crate) struct Fold {
    pub(crate) about: Arc<About>,
    /// The source of the cause's alarm.
    pub(crate) cause: String,
    /// When the cause occurred.
    pub(crate) at: Micros,
}
