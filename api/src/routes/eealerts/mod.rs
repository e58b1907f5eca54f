//! The energy dashboard: alerts, and trackers of planned actions.

pub(crate) mod alerts;
pub(crate) mod trackers;
