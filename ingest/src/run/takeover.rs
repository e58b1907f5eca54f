//! What follows when the broker gives our session to another client of the same id: nothing, until this process has proven that it leads.
//!
//! The other client is a new leader, or a former one that does not know yet that it is deposed. Who leads connects again, and the other stays off the broker.
//! While the database is away nobody can prove anything: then the client that came last keeps the session.

use std::time::Duration;

use grid::Micros;

use crate::config::after;

/// A takeover after this time without one counts as the first.
const QUIET: Duration = Duration::from_mins(1);

/// The longest wait before the session is taken back.
const LONGEST_PAUSE: Duration = Duration::from_mins(1);

/// The takeovers of the session, and when it is taken back.
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

    /// The session was taken over. The caller requests the proof.
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

    /// The database confirms that this process leads.
    ///
    /// The session is taken back at once the first time. A process that leads in another database and has the same client id would take it again and again:
    /// then each wait is twice as long.
    pub(super) fn proven(&mut self, now: Micros) {
        let doubled = self.pause.saturating_mul(1 << self.count.saturating_sub(2).min(16));
        let wait = if self.count < 2 { Duration::ZERO } else { doubled.min(LONGEST_PAUSE) };
        self.resume_at = Some(after(now, wait));
    }

    /// Whether the next connection is to be made now; said once.
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
