//! What follows from the history at leisure, beside the live path: outages of feeders from the events of their switches, and forecasts.
//!
//! Each job has a lead of its own: one process works at it, others stand by. What a job enters gives the same however often it is entered, so a crash costs
//! nothing but time. [`outages`] works substations out anew from the oldest event that is new; what is decided about supply and outages is `grid`'s. [`forecast`] issues what is expected, hour by hour.

pub mod forecast;
pub mod outages;

use std::pin::Pin;
use std::time::Duration;

use forecast::ForecastConfig;
use grid::Micros;
use registry::Registry;
use store::Store;
use tokio_util::sync::CancellationToken;

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

/// Works until `shutdown`. A database that is away is waited for.
///
/// The future is boxed so that its code is compiled in this crate and not in the executable.
pub fn run(config: AnalyticsConfig, deps: Deps, shutdown: CancellationToken) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    Box::pin(work(config, deps, shutdown))
}

async fn work(config: AnalyticsConfig, deps: Deps, shutdown: CancellationToken) {
    let forecasts = forecast::Deps {
        database_url: deps.database_url.clone(),
        store: deps.store.clone(),
        registry: deps.registry.clone(),
        clock: deps.clock,
    };
    let forecasts = forecast::run(config.forecast, forecasts, shutdown.clone());
    tokio::join!(outages::run(config, deps, shutdown), forecasts);
}
