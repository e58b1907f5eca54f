//! Handles a takeover: the broker gives the session to another client with the same id. This process connects again
//! only after it has proven its leadership.
//!
//! The other client is a new leader, or a former leader that has not noticed the end of its term. The present leader
//! connects again, the other process stays disconnected. While the database is unavailable no process can prove its
//! leadership, and the last client keeps the session.

use std::time::Duration;

use grid::Micros;

use crate::config::after;

/// If there was no takeover for this long, the next one counts as the first.
const QUIET: Duration = Duration::from_mins(1);

/// Maximum pause before the session is taken back.
const LONGEST_PAUSE: Duration = Duration::from_mins(1);

/// The takeovers, and when the session is taken back.
#[derive(Debug)]
pub(super) struct Takeovers {
    pause: Duration,
    count: u32,
    last: Option<Micros>,
    resume_at: Option<Micros>,
}

impl Takeovers {
    pub(super) fn new(pause: Duration) -> Self {
        Self { pause, count: 0, last: None, resume_at: None }
    }

    /// Records a takeover. The caller requests the proof.
    pub(super) fn taken_over(&mut self, now: Micros) {
        metrics::counter!("ingest_takeovers_total").increment(1);
        let is_first = self.last.replace(now).is_none_or(|last| now >= after(last, QUIET));
        self.count = if is_first { 1 } else { self.count.saturating_add(1) };
        tracing::warn!(
            count = self.count,
            "another client has taken over the MQTT session; proving the leadership before the next connection"
        );
        self.resume_at = None;
    }

    /// Records the proof of the leadership.
    ///
    /// After the first takeover, the session is taken back at once. If a leader of another database uses the same
    /// client id, both take over the session again and again, so each later pause is twice as long.
    pub(super) fn proven(&mut self, now: Micros) {
        let doubled = self.pause.saturating_mul(1 << self.count.saturating_sub(2).min(16));
        let wait = if self.count < 2 { Duration::ZERO } else { doubled.min(LONGEST_PAUSE) };
        self.resume_at = Some(after(now, wait));
    }

    /// Returns whether to connect now; true once.
    pub(super) fn take_resumption(&mut self, now: Micros) -> bool {
        self.resume_at.take_if(|at| now >= *at).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000_000;

    #[test]
    fn session_is_taken_back_after_proof_and_more_slowly_each_time() {
        let mut takeovers = Takeovers::new(Duration::from_secs(2));
        let mut now = 0;
        for expected in [0, 2, 4, 8, 16, 32, 60, 60] {
            takeovers.taken_over(Micros(now));
            assert!(!takeovers.take_resumption(Micros(now + 50 * SECOND)), "not without a proof");
            takeovers.proven(Micros(now));
            if expected > 0 {
                assert!(!takeovers.take_resumption(Micros(now + expected * SECOND - 1)), "{expected}");
            }
            assert!(takeovers.take_resumption(Micros(now + expected * SECOND)), "{expected}");
            assert!(!takeovers.take_resumption(Micros(now + 100 * SECOND)), "once");
            now += 59 * SECOND;
        }
        now += 2 * SECOND;
        takeovers.taken_over(Micros(now));
        takeovers.proven(Micros(now));
        assert!(takeovers.take_resumption(Micros(now)), "the first one after a quiet time");
    }
}
