//! Shows that a long step is still running.

use std::time::{Duration, Instant};

use anyhow::Context;

use crate::console::note;

/// How often a step that is still running is reported.
const INTERVAL: Duration = Duration::from_secs(1);

/// Runs a step. Each second it prints to standard error what is running and for how long.
pub(crate) async fn of<T>(step: &str, work: impl Future<Output = T>) -> T {
    let started = Instant::now();
    let mut work = std::pin::pin!(work);
    loop {
        match tokio::time::timeout(INTERVAL, &mut work).await {
            Ok(done) => return done,
            Err(_) => note(&format!("{step}: {} s", started.elapsed().as_secs())),
        }
    }
}

/// Runs a step that computes, on a thread of its own.
pub(crate) async fn of_computation<T: Send + 'static>(step: &str, work: impl FnOnce() -> T + Send + 'static) -> anyhow::Result<T> {
    of(step, tokio::task::spawn_blocking(work)).await.with_context(|| format!("{step} has failed"))
}
