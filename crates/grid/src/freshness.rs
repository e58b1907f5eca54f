//! When a value is too old to be shown as live (docs/ARCHITECTURE.md, Freshness).

use crate::reading::is_ahead;
use crate::{Micros, Quality};

/// Smallest age limit, ms, also for values with a short reporting interval.
pub const AGE_LIMIT_MIN_MS: i64 = 30_000;

/// Returns the age limit of a value with a reporting interval of `interval_ms`: three intervals, at least 30 s. `None` for points that report by exception
/// only; they are as fresh as the link.
pub fn age_limit_ms(interval_ms: Option<i64>) -> Option<i64> {
    interval_ms.map(|interval| interval.saturating_mul(3).max(AGE_LIMIT_MIN_MS))
}

/// The quality to show at `now` for a value of quality `reported`, measured at `source`, on a link that is up or down.
///
/// A value with a source time in the future is questionable until that time, because the device's clock is wrong and the true
/// age is unknown. A substituted value does not age: nobody enters one at an interval.
pub fn shown_quality(reported: Quality, source: Micros, now: Micros, age_limit_ms: Option<i64>, link_up: bool) -> Quality {
    let aged = match age_limit_ms {
        Some(limit) if reported != Quality::Substituted && now.millis_since(source) > limit => Quality::Stale,
        _ => Quality::Good,
    };
    let clock = if is_ahead(source, now) { Quality::Questionable } else { Quality::Good };
    let link = if link_up { Quality::Good } else { Quality::CommLost };
    reported.worst(aged).worst(clock).worst(link)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_intervals_but_at_least_thirty_seconds() {
        assert_eq!(age_limit_ms(Some(2_000)), Some(30_000));
        assert_eq!(age_limit_ms(Some(60_000)), Some(180_000));
        assert_eq!(age_limit_ms(None), None);
    }

    #[test]
    fn the_worst_reason_is_shown() {
        let now = Micros::from_millis(100_000);
        let cases = [
            (Quality::Good, 90_000, Some(30_000), true, Quality::Good),
            (Quality::Good, 60_000, Some(30_000), true, Quality::Stale),
            (Quality::Substituted, 60_000, Some(30_000), true, Quality::Substituted),
            (Quality::Substituted, 60_000, Some(30_000), false, Quality::CommLost),
            (Quality::Invalid, 60_000, Some(30_000), true, Quality::Invalid),
            (Quality::Good, 99_999, Some(30_000), false, Quality::CommLost),
            (Quality::Good, 0, None, true, Quality::Good),
            (Quality::Good, 102_000, Some(30_000), true, Quality::Good),
            (Quality::Good, 102_001, Some(30_000), true, Quality::Questionable),
            (Quality::Good, 340_000, None, true, Quality::Questionable),
            (Quality::Invalid, 340_000, None, true, Quality::Invalid),
            (Quality::Good, 340_000, None, false, Quality::CommLost),
        ];
        for (reported, source, limit, link, expected) in cases {
            assert_eq!(shown_quality(reported, Micros::from_millis(source), now, limit, link), expected);
        }
    }
}
