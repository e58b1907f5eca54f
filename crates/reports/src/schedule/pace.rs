//! Determines whether the wall clock can be trusted. Pure: the times of both clocks are parameters.
//!
//! If the wall clock has advanced more than the monotonic clock, it was either corrected or is wrong now; the program cannot distinguish the two. Reports that
//! are created meanwhile are marked, so that they can be created again if the clock is set back. If a clock is only set back, no reports are marked.

use std::time::Duration;

use grid::Micros;

/// Tolerance, ms: a smaller advance is ignored. To compensate for it, reports wait longer than their figures need, by the same time.
pub(super) const AHEAD_MS: i64 = 4 * 60_000;
/// After this time, an advanced clock counts as corrected.
const BELIEVED: Duration = Duration::from_hours(24);

/// Compares the wall clock with a monotonic clock.
#[derive(Debug)]
pub(super) struct Pace {
    wall: Micros,
    counted: Duration,
    ahead_since: Option<Duration>,
}

impl Pace {
    /// Starts the comparison.
    pub(super) fn new(wall: Micros, counted: Duration) -> Self {
        Self { wall, counted, ahead_since: None }
    }

    /// Returns whether the wall clock is ahead of the time that has passed.
    pub(super) fn is_ahead(&mut self, wall: Micros, counted: Duration) -> bool {
        let passed = i64::try_from(counted.saturating_sub(self.counted).as_millis()).unwrap_or(i64::MAX);
        if wall.millis_since(self.wall).saturating_sub(passed) <= AHEAD_MS {
            self.ahead_since = None;
            return false;
        }
        let since = *self.ahead_since.get_or_insert(counted);
        if counted.saturating_sub(since) < BELIEVED {
            return true;
        }
        *self = Self::new(wall, counted);
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_is_ahead_after_a_jump_forward_until_it_is_back_or_a_day_has_passed() {
        let (at, minute, hour) = (Micros(1_800_000_000_000_000), 60_000, 3_600_000);
        let mut pace = Pace::new(at, Duration::from_hours(7));
        for (counted_ms, wall_ms, is_ahead, why) in [
            (0_i64, 0, false, "nothing has passed"),
            (hour, hour + 3 * minute, false, "by minutes it may drift"),
            (hour, hour - 10 * minute, false, "back"),
            (2 * hour, 2 * hour, false, "and right again"),
            (3 * hour, 27 * hour, true, "a day ahead"),
            (4 * hour, 28 * hour, true, "still"),
            (5 * hour, 5 * hour, false, "back where it should be"),
            (6 * hour, 30 * hour, true, "ahead again"),
            (29 * hour, 53 * hour, true, "for less than a day"),
            (30 * hour, 54 * hour, false, "it goes on from there: it was put right"),
            (31 * hour, 55 * hour, false, "and is believed"),
            (32 * hour, 57 * hour, true, "from there on"),
        ] {
            let counted = Duration::from_hours(7) + Duration::from_millis(counted_ms.unsigned_abs());
            assert_eq!(pace.is_ahead(at.plus_millis(wall_ms), counted), is_ahead, "{why}");
        }
    }

    #[test]
    fn any_clock_gives_an_answer() {
        let mut pace = Pace::new(Micros(i64::MIN), Duration::MAX);
        assert!(pace.is_ahead(Micros(i64::MAX), Duration::ZERO));
        assert!(!Pace::new(Micros(i64::MAX), Duration::ZERO).is_ahead(Micros(i64::MIN), Duration::MAX));
    }
}
