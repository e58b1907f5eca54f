//! Decides which status changes flash on the diagram until a user acknowledges them, and which of them are trips.

use crate::Micros;
use crate::position::{Encoding, Position};

/// A change flashes only if it was received at most this long after it happened, ms. So changes of a gateway that was unreachable for a moment flash. Older
/// changes are only in the event log.
pub const LIVE_MS: i64 = 60_000;

/// The kind of flashing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FlashKind {
    /// A status changed.
    Change,
    /// A breaker was opened by its protection, or without a known command.
    Trip,
}

/// A change that is not acknowledged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// Whether it is the position of a breaker.
    pub of_breaker: bool,
    /// How the value is encoded.
    pub encoding: Encoding,
    /// The new status.
    pub value: Option<f64>,
    /// Source time.
    pub source: Micros,
    /// Receive time.
    pub received: Micros,
    /// Whether a relay of the same bay operated in the seconds before.
    pub by_protection: bool,
    /// Whether a command of this system caused it.
    pub ordered: bool,
}

impl Change {
    fn is_live(&self) -> bool {
        self.received.millis_since(self.source) <= LIVE_MS
    }

    /// A relay that operates opens the breaker regardless of commands.
    fn kind(&self) -> FlashKind {
        let has_opened = self.value.is_some_and(|raw| Position::decode(self.encoding, raw) == Position::Open);
        if self.of_breaker && has_opened && (self.by_protection || !self.ordered) { FlashKind::Trip } else { FlashKind::Change }
    }
}

/// Returns how a point flashes: as a trip if any change is one, with the time of the latest change of that kind. `None` if no change is recent
/// enough.
pub fn of(changes: &[Change]) -> Option<(FlashKind, Micros)> {
    changes.iter().filter(|change| change.is_live()).map(|change| (change.kind(), change.source)).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trips_changes_and_what_is_history() {
        use Encoding::{DoublePoint, Signal, SinglePoint};
        // Of a breaker, encoding, value, delay of the receipt in ms, by protection, by command.
        let change = |of_breaker, encoding, value: f64, late_ms, by_protection, ordered| {
            let source = Micros::from_millis(1_000);
            Change { of_breaker, encoding, value: Some(value), source, received: source.plus_millis(late_ms), by_protection, ordered }
        };
        let cases = [
            (change(true, DoublePoint, 1.0, 5, true, false), Some(FlashKind::Trip), "opened by protection"),
            (change(true, DoublePoint, 1.0, 5, false, false), Some(FlashKind::Trip), "opened by nobody that we know of"),
            (change(true, DoublePoint, 1.0, 5, false, true), Some(FlashKind::Change), "ordered"),
            (change(true, DoublePoint, 1.0, 5, true, true), Some(FlashKind::Trip), "ordered, but protection was there as well"),
            (change(true, DoublePoint, 2.0, 5, true, false), Some(FlashKind::Change), "closed"),
            (change(true, DoublePoint, 0.0, 5, true, false), Some(FlashKind::Change), "on its way"),
            (change(true, SinglePoint, 0.0, 5, false, false), Some(FlashKind::Trip), "opened, one contact"),
            (change(false, DoublePoint, 1.0, 5, true, false), Some(FlashKind::Change), "an isolator"),
            (change(false, Signal, 1.0, 5, false, false), Some(FlashKind::Change), "a relay"),
            (change(true, DoublePoint, 1.0, LIVE_MS, true, false), Some(FlashKind::Trip), "just live"),
            (change(true, DoublePoint, 1.0, LIVE_MS + 1, true, false), None, "history"),
            (change(true, DoublePoint, 1.0, -5_000, true, false), Some(FlashKind::Trip), "a clock that is ahead"),
        ];
        for (change, expected, name) in cases {
            assert_eq!(of(&[change]).map(|flash| flash.0), expected, "{name}");
        }
        assert_eq!(of(&[]), None);
        let absent = Change { value: None, ..cases[0].0 };
        assert_eq!(of(&[absent]).map(|flash| flash.0), Some(FlashKind::Change), "no value is no position");
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
        assert_eq!(of(&[closed, tripped]), Some((FlashKind::Trip, Micros::from_millis(1_000))));
        assert_eq!(of(&[again, closed, tripped]), Some((FlashKind::Trip, Micros::from_millis(3_000))), "the last trip");
    }
}
