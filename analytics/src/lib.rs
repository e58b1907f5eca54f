//! Derives results from the history, outside of the live path: outages of feeders from the events of their switches, and forecasts.
//!
//! For each job one process is the leader and the others are on standby. Storing a result again has no further effect, so after a crash only the work of the
//! last step is repeated. [`outages`] recomputes substations from the oldest new event onwards; the rules of supply and outages are in `grid`. [`forecast`]
//! issues forecasts by the hour.

mod config;
pub mod forecast;
pub mod outages;

use std::pin::Pin;

use tokio_util::sync::CancellationToken;

pub use config::{AnalyticsConfig, Deps};

/// Runs until `shutdown`. While the database cannot be reached, it waits.
///
/// The future is boxed so that its code is compiled in this crate and not in the executable.
pub fn run(config: AnalyticsConfig, deps: Deps, shutdown: CancellationToken) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    Box::pin(work(config, deps, shutdown))
}

async fn work(config: AnalyticsConfig, deps: Deps, shutdown: CancellationToken) {
    let forecasts = forecast::ForecastDeps {
        database_url: deps.database_url.clone(),
        store: deps.store.clone(),
        registry: deps.registry.clone(),
        clock: deps.clock,
    };
    let forecasts = forecast::run(config.forecast, forecasts, shutdown.clone());
    tokio::join!(outages::run(config, deps, shutdown), forecasts);
}
