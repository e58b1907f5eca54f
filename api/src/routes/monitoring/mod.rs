//! Rows for the monitoring screens.

pub(crate) mod assets;
pub(crate) mod energy;
pub(crate) mod event_log;
pub(crate) mod power_quality;
