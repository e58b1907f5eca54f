//! Issues forecasts: every hour for each feeder, transformer and incomer of each utility, of demand and current, by what had been measured up to that hour.
//!
//! One process works at a time. After a pause it goes on with the hour that it is; the days that nobody was told of are made up afterwards, from the data before
//! each of them alone, and marked so. [`turn`] decides what is due and stores it, [`make`] makes it.

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

/// The lock that says who works.
const LEAD: &str = "forecast";
/// How long between two attempts to take the lead, and between two looks at whether it is still held.
const LEAD_EVERY: Duration = Duration::from_secs(5);
/// While days wait for a history that may still be on its way: how often it is looked for.
const WAITING: Duration = Duration::from_mins(3);
/// So long after the hour: what was measured before it has come by then, mostly.
const AFTER_HOUR_MS: i64 = 30_000;
const HOUR_MS: i64 = 3_600_000;

/// What the service works with.
#[derive(Clone)]
pub struct Deps {
    /// For the lock that keeps a second service standing by.
    pub database_url: String,
    /// The pool.
    pub store: Store,
    /// Utilities, assets and points.
    pub registry: Registry,
    /// Tells the time.
    pub clock: fn() -> Micros,
}

/// Works until `shutdown`. A database that is away is waited for.
pub async fn run(config: ForecastConfig, deps: Deps, shutdown: CancellationToken) {
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

async fn lead_and_work(worker: &mut Worker, deps: &Deps, shutdown: &CancellationToken) {
    let lead = match lead::take(&deps.database_url, LEAD).await {
        Ok(Some(lead)) => lead,
        Ok(None) => return,
        Err(error) => return tracing::warn!(%error, "forecasts wait for the database"),
    };
    // What is being made on another thread ends with this.
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

/// Until the next hour, or until it is worth looking whether the history has grown.
fn pause(now: Micros, done: Done) -> Duration {
    let to_hour = HOUR_MS - now.millis().rem_euclid(HOUR_MS) + AFTER_HOUR_MS;
    let pause = Duration::from_millis(to_hour.unsigned_abs());
    if done.waiting > 0 { pause.min(WAITING) } else { pause }
}
