//! Which changes of a status flash on the diagram until somebody acknowledges them, and which of them are trips.

use crate::Micros;
use crate::position::{Encoding, Position};

/// A change that reached us later than this after it happened belongs to history: who looks at the diagram then has the newer picture, and the event log
/// tells the rest. As long as a gateway may take that was only out of reach for a moment.
pub const LIVE_MS: i64 = 60_000;

/// What flashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A status has changed.
    Change,
    /// A breaker was opened by its protection, or by nobody that we know of.
    Trip,
}

/// A change that nobody has acknowledged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// Whether it is the position of a breaker.
    pub of_breaker: bool,
    /// How the value is encoded.
    pub encoding: Encoding,
    /// The status it changed to.
    pub value: Option<f64>,
    /// When, by the device's clock.
    pub source: Micros,
    /// When it was received.
    pub received: Micros,
    /// Whether a relay of the same bay operated in the seconds before.
    pub by_protection: bool,
    /// Whether we had ordered it.
    pub ordered: bool,
}

impl Change {
    fn is_live(&self) -> bool {
        self.received.millis_since(self.source) <= LIVE_MS
    }

    /// A relay that operates opens the breaker whatever else was ordered.
    fn kind(&self) -> Kind {
        let has_opened = self.value.is_some_and(|raw| Position::decode(self.encoding, raw) == Position::Open);
        if self.of_breaker && has_opened && (self.by_protection || !self.ordered) { Kind::Trip } else { Kind::Change }
    }
}

/// How a point flashes: as a trip if any of its changes is one, at the time of the last of that kind. `None` when nothing of it is live.
pub fn of(changes: &[Change]) -> Option<(Kind, Micros)> {
    changes.iter().filter(|change| change.is_live()).map(|change| (change.kind(), change.source)).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trips_changes_and_what_is_history() {
        use Encoding::{DoublePoint, Signal, SinglePoint};
        // Of a breaker, encoding, value, received so many ms after, by protection, ordered.
        let change = |of_breaker, encoding, value: f64, late_ms, by_protection, ordered| {
            let source = Micros::from_millis(1_000);
            Change { of_breaker, encoding, value: Some(value), source, received: source.plus_millis(late_ms), by_protection, ordered }
        };
        let cases = [
            (change(true, DoublePoint, 1.0, 5, true, false), Some(Kind::Trip), "opened by protection"),
            (change(true, DoublePoint, 1.0, 5, false, false), Some(Kind::Trip), "opened by nobody that we know of"),
            (change(true, DoublePoint, 1.0, 5, false, true), Some(Kind::Change), "ordered"),
            (change(true, DoublePoint, 1.0, 5, true, true), Some(Kind::Trip), "ordered, but protection was there as well"),
            (change(true, DoublePoint, 2.0, 5, true, false), Some(Kind::Change), "closed"),
            (change(true, DoublePoint, 0.0, 5, true, false), Some(Kind::Change), "on its way"),
            (change(true, SinglePoint, 0.0, 5, false, false), Some(Kind::Trip), "opened, one contact"),
            (change(false, DoublePoint, 1.0, 5, true, false), Some(Kind::Change), "an isolator"),
            (change(false, Signal, 1.0, 5, false, false), Some(Kind::Change), "a relay"),
            (change(true, DoublePoint, 1.0, LIVE_MS, true, false), Some(Kind::Trip), "just live"),
            (change(true, DoublePoint, 1.0, LIVE_MS + 1, true, false), None, "history"),
            (change(true, DoublePoint, 1.0, -5_000, true, false), Some(Kind::Trip), "a clock that is ahead"),
        ];
        for (change, expected, name) in cases {
            assert_eq!(of(&[change]).map(|flash| flash.0), expected, "{name}");
        }
        assert_eq!(of(&[]), None);
        let absent = Change { value: None, ..cases[0].0 };
        assert_eq!(of(&[absent]).map(|flash| flash.0), Some(Kind::Change), "no value is no position");
    }

    #[test]
    fn a_trip_stays_one_when_the_breaker_closes_again() {
        let change = |value, second: i64| {
            let at = Micros::from_millis(second * 1_000);
            Change {
                of_breaker: true,
                encoding: Encoding::DoublePoint,
                value: Some(value),
                source: at,
                received: at,
                by_protection: true,
                ordered: false,
            }
        };
        let (tripped, closed, again) = (change(1.0, 1), change(2.0, 2), change(1.0, 3));
        assert_eq!(of(&[closed, tripped]), Some((Kind::Trip, Micros::from_millis(1_000))));
        assert_eq!(of(&[again, closed, tripped]), Some((Kind::Trip, Micros::from_millis(3_000))), "the last trip");
    }
}
