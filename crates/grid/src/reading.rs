//! A value with everything that must never be separated from it, and the rule by which a newer one replaces it.

use crate::{Micros, Quality};

/// Where a value stands in its gateway's own order: the boot epoch of the gateway and a number that counts up within it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Ordinal {
    /// New at each boot of the gateway.
    pub epoch: i64,
    /// Counts up by one for each message within an epoch.
    pub seq: i64,
}

/// One value of one point. Absence is `value: None`, never 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reading {
    /// The value in the point's own unit; a position as its number.
    pub value: Option<f64>,
    /// How far it may be believed.
    pub quality: Quality,
    /// When it was measured, by the device's clock.
    pub source: Micros,
    /// When ingest received it, by ingest's clock.
    pub received: Micros,
    /// Its place in the gateway's own order.
    pub ordinal: Ordinal,
}

impl Reading {
    /// Whether this reading may replace `shown` as the latest one. Latest moves forward only, by source time first and the gateway's order second (trust.md 2.2).
    pub fn supersedes(&self, shown: &Self) -> bool {
        (self.source, self.ordinal) > (shown.source, shown.ordinal)
    }
}

/// The furthest a source time may lie ahead of the receive time before the message is refused (live.md section 2).
pub const FUTURE_LIMIT_MS: i64 = 5 * 60 * 1_000;

/// Whether a source time is so far ahead of the receive time that the device's clock must be wrong.
pub fn is_from_the_future(source: Micros, received: Micros) -> bool {
    source.millis_since(received) > FUTURE_LIMIT_MS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(source: i64, epoch: i64, seq: i64) -> Reading {
        Reading {
            value: Some(1.0),
            quality: Quality::Good,
            source: Micros(source),
            received: Micros(source),
            ordinal: Ordinal { epoch, seq },
        }
    }

    #[test]
    fn latest_moves_forward_only() {
        let shown = reading(100, 1, 5);
        let cases = [
            (reading(101, 1, 1), true, "a newer source time"),
            (reading(100, 1, 6), true, "the same time, later in the gateway's order"),
            (reading(100, 2, 0), true, "the same time, after a reboot"),
            (reading(100, 1, 5), false, "itself, resent"),
            (reading(99, 9, 9), false, "an older source time"),
        ];
        for (next, expected, why) in cases {
            assert_eq!(next.supersedes(&shown), expected, "{why}");
        }
    }

    #[test]
    fn five_minutes_ahead_is_still_taken() {
        let now = Micros::from_millis(1_000_000);
        assert!(!is_from_the_future(now.plus_millis(FUTURE_LIMIT_MS), now));
        assert!(is_from_the_future(now.plus_millis(FUTURE_LIMIT_MS + 1), now));
    }
}
