//! How the service works, and what it works with.

use std::time::Duration;

use grid::Micros;
use registry::Registry;
use store::Store;

use crate::forecast::ForecastConfig;

/// How the service works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnalyticsConfig {
    /// How often the database is asked for new events.
    pub poll: Duration,
    /// Events that are held in memory at once.
    pub page: i64,
    /// How often what was left open is looked at. It is also looked at when the registry changes.
    pub reread: Duration,
    /// How long between two attempts to take the lead, and between two looks at whether it is still held.
    pub lead: Duration,
    /// How forecasts are issued.
    pub forecast: ForecastConfig,
}

impl Default for AnalyticsConfig {
    fn default() -> Self {
        let forecast = ForecastConfig { every_h: 1, backcast_days: 35, keep_days: 190 };
        Self { poll: Duration::from_secs(5), page: 2_000, reread: Duration::from_mins(1), lead: Duration::from_secs(2), forecast }
    }
}

/// What the service works with.
#[derive(Clone)]
pub struct Deps {
    /// For the lock that keeps a second service standing by.
    pub database_url: String,
    /// The pool.
    pub store: Store,
    /// Utilities, substations, assets and points.
    pub registry: Registry,
    /// Tells the time.
    pub clock: fn() -> Micros,
}
