//! Settings and dependencies of the service.

use std::time::Duration;

use grid::Micros;
use registry::Registry;
use store::Store;

use crate::forecast::ForecastConfig;

/// Settings of the service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnalyticsConfig {
    /// Interval at which the database is queried for new events.
    pub poll: Duration,
    /// Maximum number of events in memory.
    pub page: i64,
    /// Interval at which incomplete results are computed again. They are also computed again when the registry changes.
    pub reread: Duration,
    /// Interval between attempts to become leader, and between checks of the leadership.
    pub lead: Duration,
    /// Settings of forecasts.
    pub forecast: ForecastConfig,
}

impl Default for AnalyticsConfig {
    fn default() -> Self {
        let forecast = ForecastConfig { every_h: 1, backcast_days: 35, keep_days: 190 };
        Self { poll: Duration::from_secs(5), page: 2_000, reread: Duration::from_mins(1), lead: Duration::from_secs(2), forecast }
    }
}

/// Dependencies of the service.
#[derive(Clone)]
pub struct Deps {
    /// The database for the lock that keeps other processes on standby.
    pub database_url: String,
    /// The database.
    pub store: Store,
    /// Utilities, substations, assets and points.
    pub registry: Registry,
    /// Returns the current time.
    pub clock: fn() -> Micros,
}
