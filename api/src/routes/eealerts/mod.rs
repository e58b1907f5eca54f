//! What the energy dashboard shows: alerts, and trackers of what is planned about them.

pub(crate) mod alerts;
pub(crate) mod trackers;
