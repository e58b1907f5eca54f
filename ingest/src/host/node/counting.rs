//! Communication statistics of a gateway. They are written every ten seconds together with the rows of a message, so
//! they need no additional COMMIT. A crash loses the counts since the last write.

use std::time::Duration;

use grid::flash::LIVE_MS;
use grid::{GatewayId, Micros, Reading};
use store::writer::GatewayCount;

use crate::clock::Moment;
use crate::config::after;
use crate::host::output::Out;
use crate::node_index::NodeIndex;
use crate::parcel::Parcel;

/// Time between two writes of one gateway's counts.
const INTERVAL: Duration = Duration::from_secs(10);

/// The counts since the last write.
#[derive(Debug, Default)]
pub(in crate::host) struct Counting {
    taken: i64,
    late: i64,
    missing: i64,
    /// How far the gateway's clock is ahead, ms. A delay of a message makes the clock look slow, so the maximum of all
    /// messages is the best estimate.
    skew_ms: Option<i64>,
    /// The receive time of the last message, by the wall clock.
    last: Option<Micros>,
    /// The time since which there are counts to write.
    since: Option<Micros>,
}

impl Counting {
    /// Counts a message, with its sending time if it has one. A message from an outbox is not used to check the clock.
    pub(super) fn message(&mut self, sent_ms: Option<u64>, is_history: bool, now: Moment) {
        self.since.get_or_insert(now.steady);
        self.last = Some(now.wall);
        if let Some(sent) = sent_ms.filter(|_| !is_history) {
            let skew = i64::try_from(sent).unwrap_or(i64::MAX).saturating_sub(now.wall.millis());
            self.skew_ms = self.skew_ms.max(Some(skew));
        }
    }

    /// Counts a value that had not arrived before.
    pub(super) fn value(&mut self, reading: &Reading) {
        self.taken += 1;
        self.late += i64::from(reading.received.millis_since(reading.source) > LIVE_MS);
    }

    /// Counts messages that did not arrive.
    pub(super) fn missing(&mut self, messages: u64, now: Moment) {
        self.since.get_or_insert(now.steady);
        self.missing = self.missing.saturating_add(i64::try_from(messages).unwrap_or(i64::MAX));
    }

    /// Adds the counts to a parcel if they are due, or if the link has changed.
    pub(super) fn enter(&mut self, gateway: Option<GatewayId>, parcel: &mut Parcel, now: Moment, at_once: bool) {
        let Some(gateway) = gateway else { return };
        parcel.rows.counts.extend(self.take(gateway, now, at_once));
    }

    /// Adds the due counts as a parcel without a message.
    pub(in crate::host) fn report(&mut self, gateway: Option<GatewayId>, index: NodeIndex, now: Moment, out: &mut Out) {
        let mut parcel = Parcel { node: Some(index), ..Parcel::default() };
        self.enter(gateway, &mut parcel, now, false);
        if !parcel.is_empty() {
            out.parcels.push(parcel);
        }
    }

    /// Takes the counts if they are due or the link has changed.
    fn take(&mut self, gateway: GatewayId, now: Moment, at_once: bool) -> Option<GatewayCount> {
        let since = self.since?;
        if !at_once && now.steady < after(since, INTERVAL) {
            return None;
        }
        let Self { taken, late, missing, skew_ms, last, .. } = std::mem::take(self);
        Some(GatewayCount { gateway, at: last.unwrap_or(now.wall), taken, late, missing, skew_ms, heard: last.is_some() })
    }
}

#[cfg(test)]
mod tests {
    use grid::{Ordinal, Quality};

    use super::*;

    fn now(s: i64) -> Moment {
        Moment { wall: Micros(1_000_000_000_000 + s * 1_000_000), steady: Micros(s * 1_000_000) }
    }

    #[test]
    fn what_is_counted_is_entered_every_ten_seconds_and_when_the_link_changes() {
        let gateway = GatewayId(1);
        let mut counting = Counting::default();
        assert_eq!(counting.take(gateway, now(100), true), None, "nothing was counted");
        let value = |late_s: i64| Reading {
            value: Some(1.0),
            quality: Quality::Good,
            source: Micros(now(0).wall.0 - late_s * 1_000_000),
            received: now(0).wall,
            ordinal: Ordinal::default(),
        };
        // A slow message, a fast one, and one from an outbox, which says nothing about the clock.
        let sent = |s: i64, behind_ms: i64| u64::try_from(now(s).wall.millis() - behind_ms).ok();
        counting.message(sent(0, 900), false, now(0));
        counting.message(sent(1, 300), false, now(1));
        counting.message(sent(2, -3_600_000), true, now(2));
        counting.message(None, false, now(3));
        for late in [0, 60, 61, 7_200] {
            counting.value(&value(late));
        }
        counting.missing(3, now(4));
        assert_eq!(counting.take(gateway, now(9), false), None, "not yet");
        let count = GatewayCount { gateway, at: now(3).wall, taken: 4, late: 2, missing: 3, skew_ms: Some(-300), heard: true };
        assert_eq!(counting.take(gateway, now(10), false), Some(count));
        assert_eq!(counting.take(gateway, now(60), false), None, "once");

        counting.missing(1, now(61));
        let missed = GatewayCount { gateway, at: now(62).wall, taken: 0, late: 0, missing: 1, skew_ms: None, heard: false };
        assert_eq!(counting.take(gateway, now(62), true), Some(missed));
        counting.message(Some(u64::MAX), false, now(70));
        assert!(counting.take(gateway, now(70), true).is_some_and(|count| count.skew_ms > Some(1 << 60)), "a hostile time wraps nothing");
    }
}
