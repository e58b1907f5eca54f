//! A value with its quality, times and order, and the rule by which a newer one replaces it.

use crate::{Micros, Quality, Term};

/// The order of a reading among the readings of its point, or of an event in the outbox of its gateway.
///
/// Ingest numbers the readings that it receives; their epoch encodes its term ([`Ordinal::of_term`]). An event has the number of its message in the
/// outbox of its gateway, which is part of its key. Readings of earlier releases can have a number of either kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Ordinal {
    /// The term of ingest, or the epoch of the outbox.
    pub epoch: i64,
    /// Increases within an epoch.
    pub seq: i64,
}

/// Number of epochs that encode terms. They are the lowest epochs. No outbox uses them, because the epoch of an outbox is a time or a random number.
const TERMS: i64 = 1 << 32;

impl Ordinal {
    /// Returns the ordinal with number `count` in a term of ingest.
    pub fn of_term(term: Term, count: i64) -> Self {
        Self { epoch: i64::MIN.saturating_add(term.0), seq: count }
    }

    /// Advances to the next number in the same epoch and returns it.
    #[must_use]
    pub fn advance(&mut self) -> Self {
        self.seq += 1;
        *self
    }

    /// Returns whether ingest assigned both ordinals, and assigned this one later. Numbers of an outbox do not prove the order, because an outbox can hold
    /// buffered values.
    pub fn is_after(self, before: Self) -> bool {
        self.is_given() && before.is_given() && self > before
    }

    /// Returns the term of ingest in which it was assigned; `None` if ingest did not assign it.
    pub fn term(self) -> Option<Term> {
        self.is_given().then(|| Term(self.epoch.wrapping_sub(i64::MIN)))
    }

    fn is_given(self) -> bool {
        self.epoch < i64::MIN + TERMS
    }

    /// Returns the ordinal if ingest assigned it, otherwise the lowest one.
    fn given(self) -> Self {
        if self.is_given() { self } else { Self::LOWEST }
    }

    /// The ordinal before all others that ingest assigns.
    pub const LOWEST: Self = Self { epoch: i64::MIN, seq: 0 };

    /// The ordinal after all others that ingest assigns.
    pub const HIGHEST: Self = Self { epoch: i64::MIN + TERMS - 1, seq: i64::MAX };

    /// Returns the later one of two ordinals. One that ingest has not assigned is before all others.
    #[must_use]
    pub fn later(self, other: Self) -> Self {
        self.given().max(other.given())
    }

    /// Returns whether ingest assigned this ordinal, and not before the other one; `None` if ingest did not assign it. The other one counts as the lowest if ingest
    /// did not assign it.
    pub fn follows(self, other: Self) -> Option<bool> {
        self.is_given().then(|| self > other.given())
    }
}

/// One value of one point. Absence is `value: None`, never 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reading {
    /// The value in the point's unit; a position as its number.
    pub value: Option<f64>,
    /// Its quality.
    pub quality: Quality,
    /// Source time, by the device's clock.
    pub source: Micros,
    /// Receive time, by the clock of ingest.
    pub received: Micros,
    /// Its order among the readings of its point.
    pub ordinal: Ordinal,
}

impl Reading {
    /// Returns whether this reading replaces `shown` as the latest one.
    ///
    /// When a reading arrives, ingest decides by [`crate::Arrival`] which one is present, and numbers it. Hubs, APIs, alarms and the database follow
    /// these numbers, because a device's clock can step. The source time decides only between readings without such a number, which are from an
    /// earlier release. `writer/upsert_latest.sql` implements the same rule.
    pub fn supersedes(&self, shown: &Self) -> bool {
        let place = |reading: &Self| (reading.ordinal.given(), reading.source, reading.ordinal);
        place(self) > place(shown)
    }
}

/// Largest accepted lead of a source time over the receive time, ms. A value with a larger lead is refused (docs/ARCHITECTURE.md, Refused source times).
pub const FUTURE_LIMIT_MS: i64 = 5 * 60 * 1_000;

/// Whether a source time is so far ahead of the receive time that the message is refused.
pub fn is_from_the_future(source: Micros, received: Micros) -> bool {
    source.millis_since(received) > FUTURE_LIMIT_MS
}

/// Largest lead of a source time at which the clock of the device is still trusted, ms. The clocks of a substation are synchronised to within a second.
pub const AHEAD_LIMIT_MS: i64 = 2_000;

/// Returns whether a source time is so far ahead of `at` that its clock is in doubt.
pub fn is_ahead(source: Micros, at: Micros) -> bool {
    source.millis_since(at) > AHEAD_LIMIT_MS
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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

    fn numbered(source: i64, term: i64, count: i64) -> Reading {
        Reading { ordinal: Ordinal::of_term(Term(term), count), ..reading(source, 0, 0) }
    }

    #[test]
    fn place_of_ingest_orders_readings_before_source_time() {
        let shown = numbered(100, 3, 5);
        for (next, expected, why) in [
            (numbered(101, 3, 6), true, "taken later"),
            (numbered(1, 3, 6), true, "taken later, with a clock that was set back"),
            (numbered(900, 3, 4), false, "taken earlier, with a clock that was ahead"),
            (numbered(100, 3, 5), false, "itself, resent"),
            (numbered(101, 3, 5), true, "another value of the same message"),
            (numbered(1, 4, 0), true, "taken by the next leader"),
            (numbered(900, 2, 99), false, "taken by the former leader"),
            (reading(900, i64::MAX, 99), false, "from a release that numbered otherwise"),
        ] {
            assert_eq!(next.supersedes(&shown), expected, "{why}");
        }
    }

    #[test]
    fn source_time_orders_readings_of_earlier_releases() {
        let shown = reading(100, 1, 5);
        let cases = [
            (reading(101, 1, 1), true, "a newer source time"),
            (reading(100, 1, 6), true, "the same time, later in the gateway's order"),
            (reading(100, 2, 0), true, "the same time, after a reboot"),
            (reading(100, 1, 5), false, "itself, resent"),
            (reading(99, 9, 9), false, "an older source time"),
            (numbered(1, 1, 1), true, "numbered by ingest"),
        ];
        for (next, expected, why) in cases {
            assert_eq!(next.supersedes(&shown), expected, "{why}");
        }
    }

    #[test]
    fn only_places_that_ingest_gave_are_proven_to_be_later() {
        let (of_term, outbox) = (|term, count| Ordinal::of_term(Term(term), count), |epoch, seq| Ordinal { epoch, seq });
        for (next, before, expected) in [
            (of_term(3, 6), of_term(3, 5), true),
            (of_term(4, 1), of_term(3, 5), true),
            (of_term(3, 5), of_term(3, 5), false),
            (of_term(2, 9), of_term(3, 5), false),
            (outbox(7, 6), outbox(7, 5), false),
            (of_term(3, 6), outbox(7, 5), false),
            (outbox(7, 5), of_term(3, 6), false),
        ] {
            assert_eq!(next.is_after(before), expected, "{next:?} after {before:?}");
        }
    }

    prop_compose! {
        fn any_reading()(source in 0_i64..4, term in 0_i64..3, count in 0_i64..3, is_numbered in any::<bool>()) -> Reading {
            if is_numbered { numbered(source, term, count) } else { reading(source, term, count) }
        }
    }

    proptest! {
        #[test]
        fn readings_are_in_one_total_order(a in any_reading(), b in any_reading(), c in any_reading()) {
            prop_assert!(!(a.supersedes(&b) && b.supersedes(&a)));
            prop_assert_eq!(a.supersedes(&b) || b.supersedes(&a), (a.source, a.ordinal) != (b.source, b.ordinal));
            prop_assert!(!(a.supersedes(&b) && b.supersedes(&c)) || a.supersedes(&c));
        }
    }

    #[test]
    fn five_minutes_ahead_is_still_taken() {
        let now = Micros::from_millis(1_000_000);
        assert!(!is_from_the_future(now.plus_millis(FUTURE_LIMIT_MS), now));
        assert!(is_from_the_future(now.plus_millis(FUTURE_LIMIT_MS + 1), now));
    }
}
