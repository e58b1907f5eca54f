//! Issues forecasts of demand and current: every hour for each feeder, transformer and incomer of each utility, from values up to that
//! hour.
//!
//! One process works at a time. After an interruption it continues with the current hour. Days without a forecast get a backcast, which uses only data before
//! that day and is flagged. [`turn`] determines the due issues and stores their results, [`make`] computes them.

mod config;
mod make;
mod turn;

use std::time::Duration;

use grid::Micros;
use registry::Registry;
use store::{Store, lead};
use tokio_util::sync::CancellationToken;

pub use config::ForecastConfig;
pub use turn::{Done, Worker};

/// The name of the lock of the leader.
const LEAD: &str = "forecast";
/// Interval between attempts to become leader, and between checks of the leadership.
const LEAD_EVERY: Duration = Duration::from_secs(5);
/// Interval at which the service looks for older history while days wait for their backcast.
const WAITING: Duration = Duration::from_mins(3);
/// Delay after the full hour, ms, in which most values of the hour arrive.
const AFTER_HOUR_MS: i64 = 30_000;
const HOUR_MS: i64 = 3_600_000;

/// Dependencies of the service.
#[derive(Clone)]
pub struct ForecastDeps {
    /// The database for the lock that keeps other processes on standby.
    pub database_url: String,
    /// The database.
    pub store: Store,
    /// Utilities, assets and points.
    pub registry: Registry,
    /// Returns the current time.
    pub clock: fn() -> Micros,
}

/// Runs until `shutdown`. While the database cannot be reached, it waits.
pub async fn run(config: ForecastConfig, deps: ForecastDeps, shutdown: CancellationToken) {
    if config.every_h == 0 {
        return shutdown.cancelled().await;
    }
    let mut worker = Worker::new(config, deps.store.clone(), deps.registry.clone());
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = lead_and_work(&mut worker, &deps, &shutdown) => {}
        }
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = tokio::time::sleep(LEAD_EVERY) => {}
        }
    }
}

async fn lead_and_work(worker: &mut Worker, deps: &ForecastDeps, shutdown: &CancellationToken) {
    let lead = match lead::take(&deps.database_url, LEAD).await {
        Ok(Some(lead)) => lead,
        Ok(None) => return,
        Err(error) => return tracing::warn!(%error, "forecasts wait for the database"),
    };
    // Stops a computation on another thread when this function ends.
    let stop = shutdown.child_token();
    let _ends = stop.clone().drop_guard();
    let lost = async {
        while lead.holds(LEAD_EVERY).await {
            tokio::time::sleep(LEAD_EVERY).await;
        }
    };
    let work = async {
        loop {
            let now = (deps.clock)();
            let pause = match worker.turn(now, &stop).await {
                Ok(done) => {
                    if done != Done::default() {
                        tracing::info!(done.issued, done.backcast, done.waiting, done.gone, "forecasts are issued");
                    }
                    pause((deps.clock)(), done)
                }
                Err(error) => {
                    tracing::warn!(%error, "forecasts are tried again");
                    LEAD_EVERY
                }
            };
            tokio::time::sleep(pause).await;
        }
    };
    tokio::select! {
        () = lost => tracing::warn!("the lead of the forecasts is lost"),
        () = work => {}
    }
}

/// Returns the time until the next hour, or until the next check for more history.
fn pause(now: Micros, done: Done) -> Duration {
    let to_hour = HOUR_MS - now.millis().rem_euclid(HOUR_MS) + AFTER_HOUR_MS;
    let pause = Duration::from_millis(to_hour.unsigned_abs());
    if done.waiting > 0 { pause.min(WAITING) } else { pause }
}
