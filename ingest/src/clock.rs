//! One reading of the wall clock and the monotonic clock. The wall clock may jump, so waits and limits use the
//! monotonic clock.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use grid::Micros;

/// One reading of both clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// The wall clock, stored with values.
    pub wall: Micros,
    /// Time since the start of the process; never jumps. For intervals and limits.
    pub steady: Micros,
}

/// The source of time of [`run`](crate::run). All other code gets the time as a parameter.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    began: Instant,
}

impl Clock {
    /// Returns a clock that starts now.
    pub fn start() -> Self {
        Self { began: Instant::now() }
    }

    /// Returns the current moment.
    pub fn now(&self) -> Moment {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros());
        Moment { wall: micros(wall), steady: micros(self.began.elapsed().as_micros()) }
    }
}

/// Waits for durations.
#[allow(async_fn_in_trait, reason = "the types behind it say whether their futures may change threads")]
pub trait Timer {
    /// Returns after `duration`.
    async fn sleep(&self, duration: Duration);

    /// Waits for a future, but at most for `limit`. Returns `None` if the limit is reached.
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
