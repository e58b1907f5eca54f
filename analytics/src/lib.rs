//! What follows from the history at leisure, beside the live path: outages of feeders from the events of their switches, and forecasts.
//!
//! Each job has a lead of its own: one process works at it, others stand by. What a job enters gives the same however often it is entered, so a crash costs
//! nothing but time. [`outages`] works substations out anew from the oldest event that is new; what is decided about supply and outages is `grid`'s. [`forecast`] issues what is expected, hour by hour.

mod config;
pub mod forecast;
pub mod outages;

use std::pin::Pin;

use tokio_util::sync::CancellationToken;

pub use config::{AnalyticsConfig, Deps};

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
