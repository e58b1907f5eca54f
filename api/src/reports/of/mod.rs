//! The reports, each with its columns and how its rows come.

pub(super) mod breakers;
pub(super) mod energy_feeders;
pub(super) mod energy_loss;
pub(super) mod event_log;
pub(super) mod faults;
pub(super) mod peak_demand;
pub(super) mod reliability;
pub(super) mod user_login;

/// Every frequency.
const ANY: &[i64] = &[1, 2, 3, 4, 5, 6, 7, 9];
