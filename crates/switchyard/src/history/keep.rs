//! Computes rollups of new values, and deletes old history.

use std::time::Duration;

use grid::downsample::Resolution;
use store::rollup::{Retention, Rollups};
use tokio::time::{MissedTickBehavior, interval, sleep};
use tokio_util::sync::CancellationToken;

use crate::clock::now;
use crate::settings::history::History;

const RETRY: Duration = Duration::from_secs(5);
/// Pause between two runs while there is more to compute than one run can.
const PAUSE: Duration = Duration::from_secs(1);
/// How often each resolution is computed, in runs. A coarser one changes less; until it is computed, queries use the
/// finer ones.
const TURNS: [(Resolution, u64); 4] =
    [(Resolution::Minute, 1), (Resolution::TenMinutes, 60), (Resolution::Hour, 60), (Resolution::Day, 60)];
/// Interval at which partitions are created. In most minutes there is nothing to do.
const PARTITIONS: Duration = Duration::from_mins(1);
const KEEP_ALL: Retention = Retention { days: [0; 5], compress_days: 0 };
/// Interval at which old history is deleted, and expired partitions are dropped. It is long, so that a clock that is ahead for a while ends little.
const EXPIRY: Duration = Duration::from_hours(6);

/// Runs until the shutdown. Waits for an unavailable database: without it there is nothing to compute.
pub(crate) async fn run(settings: History, url: &str, shutdown: &CancellationToken) {
    let mut is_first = true;
    loop {
        let kept = tokio::select! {
            () = shutdown.cancelled() => return,
            kept = keep(settings, url, &mut is_first) => kept,
        };
        if let Err(error) = kept {
            tracing::warn!(%error, "buckets of the history wait for the database");
        }
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = sleep(RETRY) => {}
        }
    }
}

async fn keep(settings: History, url: &str, is_first: &mut bool) -> store::Result<()> {
    let mut rollups = Rollups::connect(url).await?;
    if *is_first {
        rollups.retry_aside().await?;
        *is_first = false;
    }
    rollups.compress(settings.compress_days).await?;
    let mut ticks = interval(Duration::from_secs(settings.refresh_s));
    // After a long run, other work gets as much time as after a short one.
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut partitions = interval(PARTITIONS);
    partitions.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut expire = interval(EXPIRY);
    let mut turn = 0_u64;
    let mut left = [false; TURNS.len()];
    loop {
        tokio::select! {
            _ = ticks.tick() => {
                for ((of, every), left) in TURNS.iter().zip(&mut left) {
                    if !*left && !turn.is_multiple_of(*every) {
                        continue;
                    }
                    let done = rollups.refresh(*of).await?;
                    *left = done.left;
                    tracing::debug!(of = of.as_str(), done.marks, done.buckets, done.aside, done.left, "buckets are worked out");
                }
                turn += 1;
                // If a run used all of its time and is not done, the next follows after a short pause.
                if left.contains(&true) {
                    ticks.reset_after(PAUSE);
                }
            }
            _ = partitions.tick() => {
                rollups.maintain_partitions(&KEEP_ALL, now()).await?;
            }
            _ = expire.tick() => {
                rollups.maintain_partitions(&settings.retention(), now()).await?;
                let gone = rollups.expire(&settings.retention(), now()).await?;
                tracing::debug!(gone, "what is too old has gone");
            }
        }
    }
}
