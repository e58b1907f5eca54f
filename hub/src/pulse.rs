//! Records when the core last worked. The heartbeat of a session means that values are live, so it must stop when the
//! core stops.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::Instant;

/// If the core has not completed a round for this long, it counts as stuck. The time is half of the time that a client
/// waits for a heartbeat. An idle core completes a round every 50 ms.
const STUCK: Duration = Duration::from_millis(1_500);

/// Shared by the core, which records each round of its loop, and the sessions.
#[derive(Debug, Clone)]
pub(crate) struct Pulse {
    start: Instant,
    /// Milliseconds from the start of the process to the newest round.
    newest: Arc<AtomicU64>,
}

impl Pulse {
    /// Creates a pulse with its first round now.
    pub(crate) fn new() -> Self {
        Self { start: Instant::now(), newest: Arc::default() }
    }

    /// Records a round of the core's loop.
    pub(crate) fn note(&self) {
        self.note_at(Instant::now());
    }

    /// Returns whether the core works.
    pub(crate) fn is_fresh(&self) -> bool {
        self.is_fresh_at(Instant::now())
    }

    fn note_at(&self, now: Instant) {
        self.newest.store(self.since_start(now), Ordering::Relaxed);
    }

    fn is_fresh_at(&self, now: Instant) -> bool {
        let age = self.since_start(now).saturating_sub(self.newest.load(Ordering::Relaxed));
        u128::from(age) < STUCK.as_millis()
    }

    fn since_start(&self, now: Instant) -> u64 {
        u64::try_from(now.duration_since(self.start).as_millis()).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pulse_is_fresh_for_a_second_and_a_half() {
        let pulse = Pulse::new();
        let at = |milliseconds| pulse.start + Duration::from_millis(milliseconds);
        assert!(pulse.is_fresh_at(at(1_499)), "it begins with a round");
        assert!(!pulse.is_fresh_at(at(1_500)));
        pulse.note_at(at(2_000));
        assert!(pulse.is_fresh_at(at(3_499)));
        assert!(!pulse.is_fresh_at(at(3_500)));
    }
}
