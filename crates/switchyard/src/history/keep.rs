//! Computes rollups of new values, creates partitions ahead of time, drops expired history, and records the times since which it is kept.

use std::time::Duration;

use grid::Micros;
use grid::downsample::Resolution;
use store::kept::Level;
use store::rollup::Rollups;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::clock::now;
use crate::settings::history::History;

const RETRY: Duration = Duration::from_secs(5);
/// Pause between two runs while there is more to compute than one run can.
const PAUSE: Duration = Duration::from_secs(1);
/// How often each resolution is computed, in runs. Coarser resolutions change less. Until they are computed, queries use finer ones.
const TURNS: [(Resolution, u64); 4] =
    [(Resolution::Minute, 1), (Resolution::TenMinutes, 60), (Resolution::Hour, 60), (Resolution::Day, 60)];
const DAY_MS: i64 = 86_400_000;
/// Interval at which partitions are created. In most minutes there is nothing to do.
const PARTITIONS: Duration = Duration::from_mins(1);
/// Interval at which the times from which the history is kept are moved forward. These times are midnights in UTC.
const KEPT: Duration = Duration::from_hours(1);
/// History that expires at a midnight is dropped only this long after it, ms: [`KEPT`], and time for readers to read the new times.
const ANNOUNCED_MS: i64 = 2 * 3_600_000;
/// Time from the start until the first drop. During this time, readers read the new times from which the history is kept.
const EXPIRY_BEGINS: Duration = Duration::from_mins(5);
/// Interval at which expired history is dropped. It is long, so that only little history is dropped if a clock is temporarily ahead.
const EXPIRY: Duration = Duration::from_hours(6);
/// Largest difference between the clocks of this machine and of the database at which history expires, ms.
const CLOCKS_APART_MS: i64 = 5 * 60_000;

/// Runs until the shutdown. Waits for an unavailable database, because without it there is nothing to compute.
pub(crate) async fn run(settings: History, url: &str, shutdown: &CancellationToken) {
    let mut is_first = true;
    // The next expiry, also after lost connections.
    let mut expiry = Instant::now() + EXPIRY_BEGINS;
    loop {
        let kept = tokio::select! {
            () = shutdown.cancelled() => return,
            kept = keep(settings, url, &mut is_first, &mut expiry) => kept,
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

async fn keep(settings: History, url: &str, is_first: &mut bool, expiry: &mut Instant) -> store::Result<()> {
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
    let mut kept = interval(KEPT);
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
                or_warn(rollups.create_partitions(now()).await)?;
            }
            _ = kept.tick() => {
                if let Some(now) = agreed_time(&rollups).await? {
                    let kept = store::retention::advance(url, &settings.keep_days(), now).await?;
                    tracing::debug!(?kept, "the history is kept since these times");
                }
            }
            () = sleep_until(*expiry) => {
                *expiry = Instant::now() + EXPIRY;
                let Some(now) = agreed_time(&rollups).await? else { continue };
                // Readers know since when the history is kept: the times moved at least an hour ago.
                let midnight = last_midnight(now.plus_millis(-ANNOUNCED_MS));
                for (level, days) in Level::ALL.into_iter().zip(settings.keep_days().0).filter(|(_, days)| *days > 0) {
                    let since = midnight.plus_millis(-i64::from(days) * DAY_MS);
                    or_warn(rollups.expire(level, since).await.map(drop))?;
                }
            }
        }
    }
}

/// Returns the present time if this machine and the database server agree about it. With a wrong clock, history that must still be kept could be dropped.
async fn agreed_time(rollups: &Rollups) -> store::Result<Option<Micros>> {
    let (own, server) = (now(), rollups.server_time().await?);
    if own.millis_since(server).abs() > CLOCKS_APART_MS {
        tracing::warn!(
            own = own.0,
            server = server.0,
            "the clocks of this machine and of the database differ: no history expires until they agree"
        );
        return Ok(None);
    }
    Ok(Some(server.min(own)))
}

/// Logs a failure of the upkeep, which is repeated later and does not stop other work. A connection error is returned.
fn or_warn(done: store::Result<()>) -> store::Result<()> {
    match done {
        Err(error) if !error.is_connection() => {
            tracing::warn!(%error, "partitions of the history are not maintained; the next attempt follows");
            Ok(())
        }
        done => done,
    }
}

/// Returns the midnight (UTC) before a time.
fn last_midnight(at: Micros) -> Micros {
    const DAY_US: i64 = DAY_MS * 1_000;
    Micros(at.0 - at.0.rem_euclid(DAY_US))
}
