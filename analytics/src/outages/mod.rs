//! Follows the events of switches and keeps the outages of feeders: per utility up to where the events are, substation by substation, each worked out anew
//! from the oldest event that is new. A late event so changes the outages of the past, and how many events there are is no matter of memory.

mod circuit;
mod station;
mod work;

use std::time::{SystemTime, UNIX_EPOCH};

use store::lead;
use tokio::time::{Instant, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use crate::config::{AnalyticsConfig, Deps};
use work::Worker;

/// The lock that says who works.
const LEAD: &str = "outages";

/// Works until `shutdown`.
pub async fn run(config: AnalyticsConfig, deps: Deps, shutdown: CancellationToken) {
    let mut told = false;
    while !shutdown.is_cancelled() {
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = lead_and_work(&config, &deps, &mut told) => {}
        }
    }
}

/// Takes the lead, or waits a while for it, and works as long as it is held.
async fn lead_and_work(config: &AnalyticsConfig, deps: &Deps, told: &mut bool) {
    let lead = match lead::take(&deps.database_url, LEAD).await {
        Ok(Some(lead)) => lead,
        not => {
            match not {
                Err(error) => tracing::warn!(%error, "waiting for the database"),
                Ok(_) if !*told => tracing::info!("another service works out the outages; standing by"),
                Ok(_) => {}
            }
            *told = true;
            return tokio::time::sleep(config.lead).await;
        }
    };
    *told = false;
    let lost = async {
        loop {
            tokio::time::sleep(config.lead).await;
            if !lead.holds(config.lead).await {
                return;
            }
        }
    };
    tokio::select! {
        () = lost => tracing::warn!("the lead of the outages is lost"),
        () = work(config, deps) => {}
    }
}

/// Works until it is dropped: whatever is half done then is done again.
async fn work(config: &AnalyticsConfig, deps: &Deps) {
    // Which service it is: another one that takes over writes its own name, and this one finds itself refused.
    let since = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    let mut registry = deps.registry.clone();
    let mut worker = Worker::new(config.clone(), deps.store.clone(), format!("{}-{since}", std::process::id()));
    let mut polls = interval(config.poll);
    polls.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut read = None::<Instant>;
    loop {
        polls.tick().await;
        let is_due = read.is_none_or(|read| read.elapsed() >= config.reread);
        let is_due = registry.has_changed() || is_due;
        if is_due {
            // The database knows which feeders have no figures yet. What it knows, the image has to know.
            registry.refresh().await;
            read = Some(Instant::now());
        }
        worker.turn(registry.image(), is_due).await;
    }
}
