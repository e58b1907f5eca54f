//! The reports, each with its columns and the function for its rows.

pub(crate) mod anomalies;
pub(crate) mod asset_stream;
pub(crate) mod breakers;
pub(crate) mod energy_feeders;
pub(crate) mod energy_loss;
pub(crate) mod event_log;
pub(crate) mod faults;
pub(crate) mod gds;
pub(crate) mod highest;
pub(crate) mod limits;
pub(crate) mod log_sheets;
pub(crate) mod peak_demand;
pub(crate) mod point_stream;
pub(crate) mod power_quality;
pub(crate) mod reliability;
pub(crate) mod rtu_health;
pub(crate) mod stored_counts;
pub(crate) mod transformer_loss;
pub(crate) mod user_login;

/// Every frequency.
const ANY: &[i64] = &[1, 2, 3, 4, 5, 6, 7, 9];
