//! Two clocks in one reading: what time it is, and how much time passes. The first may jump; whatever waits uses the second.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use grid::Micros;

/// One reading of both clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// The time of day, as it is written beside values.
    pub wall: Micros,
    /// Since the start of the process, never jumping: for intervals and limits.
    pub steady: Micros,
}

/// Where [`run`](crate::run) gets its time from; everything else is told.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    began: Instant,
}

impl Clock {
    /// A clock that begins now.
    pub fn start() -> Self {
        Self { began: Instant::now() }
    }

    /// This moment.
    pub fn now(&self) -> Moment {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros());
        Moment { wall: micros(wall), steady: micros(self.began.elapsed().as_micros()) }
    }
}

/// Waits for time to pass.
#[allow(async_fn_in_trait, reason = "the types behind it say whether their futures may change threads")]
pub trait Timer {
    /// Returns after `duration`.
    async fn sleep(&self, duration: Duration);

    /// Waits for a future, at most for `limit`; `None` when that is over.
    async fn within<T>(&self, limit: Duration, future: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            done = future => Some(done),
            () = self.sleep(limit) => None,
        }
    }
}

/// The timer of a real process.
#[derive(Debug, Clone, Copy)]
pub struct RuntimeTimer;

impl Timer for RuntimeTimer {
    async fn sleep(&self, duration: Duration) {
        tokio::time::sleep(duration).await;
    }
}

fn micros(count: u128) -> Micros {
    Micros(i64::try_from(count).unwrap_or(i64::MAX))
}
