//! Derives outages of feeders from the events of switches, the voltages of incoming lines, and what users have entered by hand. For each utility it follows the event stream. The substations of
//! its network are recomputed together, from their oldest new event onwards. Each other substation is recomputed separately. So a late event corrects past
//! outages. The history is processed in portions. Therefore the memory does not depend on the number of events, and a late event of one utility does not delay
//! other utilities.

mod area;
mod by_hand;
mod changes_by_hand;
mod circuit;
mod infeeds;
mod past_networks;
mod rework;
mod station;
mod threshold;
mod version;
mod work;

use std::time::{SystemTime, UNIX_EPOCH};

use store::lead;
use tokio::time::{Instant, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use crate::config::{AnalyticsConfig, Deps};
use work::Worker;

/// The name of the lock of the leader.
const LEAD: &str = "outages";

/// Runs until `shutdown`.
pub async fn run(config: AnalyticsConfig, deps: Deps, shutdown: CancellationToken) {
    let mut is_logged = false;
    while !shutdown.is_cancelled() {
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = lead_and_work(&config, &deps, &mut is_logged) => {}
        }
    }
}

/// Becomes leader, or waits for a while, and works while the leadership is held.
async fn lead_and_work(config: &AnalyticsConfig, deps: &Deps, is_logged: &mut bool) {
    let lead = match lead::take(&deps.database_url, LEAD).await {
        Ok(Some(lead)) => lead,
        not => {
            match not {
                Err(error) => tracing::warn!(%error, "waiting for the database"),
                Ok(_) if !*is_logged => tracing::info!("another service works out the outages; standing by"),
                Ok(_) => {}
            }
            *is_logged = true;
            return tokio::time::sleep(config.lead).await;
        }
    };
    *is_logged = false;
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

/// Works until it is dropped. Unfinished work is repeated.
async fn work(config: &AnalyticsConfig, deps: &Deps) {
    // Identifies this process. Another process that takes over stores its own name, and this one is then refused.
    let since = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    let mut registry = deps.registry.clone();
    let mut worker = Worker::new(config.clone(), deps.store.clone(), format!("{}-{since}", std::process::id()));
    let mut polls = interval(config.poll);
    polls.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut networks = registry.networks().clone();
    let mut read = None::<Instant>;
    let mut has_more = false;
    loop {
        if !has_more {
            polls.tick().await;
        }
        let is_due = read.is_none_or(|read| read.elapsed() >= config.reread);
        let is_due = registry.has_changed() || is_due;
        if is_due {
            // The registry must be at least as new as the list of feeders without results, which is read from the database.
            registry.refresh().await;
            read = Some(Instant::now());
        }
        if networks.has_changed() || is_due {
            worker.look_for_changes_by_hand();
        }
        has_more = Box::pin(worker.turn(registry.image(), is_due)).await;
    }
}
