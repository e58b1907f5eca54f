//! Decides whether received messages become durable and are acknowledged in time. Pure.
//!
//! A writer can hang although the database and the spool are available. An acknowledgement that is lost within this
//! process blocks all later ones. In both cases messages are still received, until the hold is full or the broker stops
//! sending.

use std::collections::BTreeMap;
use std::time::Duration;

use grid::Micros;

use crate::config::after;

/// Counts of acknowledgements to the broker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Acknowledgements {
    /// Number sent on all connections.
    pub sent: u64,
    /// Number of acknowledgements on the current connection that wait for the one of an earlier message.
    pub waiting: usize,
}

/// What has stalled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stall {
    /// A received row is not durable.
    Rows,
    /// All rows older than the limit are durable, but acknowledgements still wait for an earlier one.
    Acknowledgements,
}

/// Maximum time between two renewals of the connection.
const LONGEST_PAUSE: Duration = Duration::from_mins(5);

/// The parcels of writers, and the progress of acknowledgements.
#[derive(Debug)]
pub(super) struct Progress {
    limit: Duration,
    /// Number of waiting parcels, by the time when they were passed to a writer. Bounded by the hold.
    parcels: BTreeMap<Micros, usize>,
    acknowledged: u64,
    /// When the last acknowledgement was sent while others waited, or when none waited.
    proceeded: Micros,
    /// Number of renewals of the connection since the last acknowledgement. If the next connection stalls too, renewing
    /// does not help.
    renewals: u32,
    /// The time since which no acknowledgement waits.
    idle_since: Option<Micros>,
    /// Whether rows are stalled, so that acknowledgements may wait for them.
    are_rows_stalled: bool,
}

impl Progress {
    pub(super) fn new(limit: Duration) -> Self {
        Self {
            limit,
            parcels: BTreeMap::new(),
            acknowledged: 0,
            proceeded: Micros(0),
            renewals: 0,
            idle_since: None,
            are_rows_stalled: false,
        }
    }

    /// Adds a parcel.
    pub(super) fn handed_on(&mut self, at: Micros) {
        *self.parcels.entry(at).or_default() += 1;
    }

    /// Removes parcels that are durable.
    pub(super) fn stored(&mut self, handed_on: &[Micros]) {
        for at in handed_on {
            if let Some(count) = self.parcels.get_mut(at) {
                *count -= 1;
                if *count == 0 {
                    self.parcels.remove(at);
                }
            }
        }
    }

    /// Starts a new connection to the broker, without waiting acknowledgements.
    pub(super) fn begin_connection(&mut self, now: Micros) {
        (self.proceeded, self.idle_since) = (now, None);
    }

    /// Updates the progress of acknowledgements.
    pub(super) fn note_acknowledgements(&mut self, acknowledgements: Acknowledgements, now: Micros) {
        let Acknowledgements { sent, waiting } = acknowledgements;
        let has_left = std::mem::replace(&mut self.acknowledged, sent) != sent;
        if has_left || waiting == 0 {
            self.proceeded = now;
        }
        self.idle_since = if waiting == 0 { self.idle_since.or(Some(now)) } else { None };
        if has_left || self.idle_since.is_some_and(|since| now >= after(since, self.limit)) {
            self.renewals = 0;
        }
    }

    /// Returns the part that has stalled for longer than the limit. `parked` is the time since which the oldest message
    /// waits for something other than a writer.
    ///
    /// After a renewal of the connection, acknowledgements count as stalled until one is sent, or until no
    /// acknowledgement has waited for the time of the limit.
    pub(super) fn stall(&mut self, parked: Option<Micros>, now: Micros) -> Option<Stall> {
        let is_over = |since: Micros| now >= after(since, self.limit);
        let oldest = self.parcels.first_key_value().map(|(at, _)| *at).into_iter().chain(parked).min();
        self.are_rows_stalled = oldest.is_some_and(is_over);
        if self.are_rows_stalled {
            // They may wait for these rows, and get the whole limit once those are stored.
            self.proceeded = now;
            return Some(Stall::Rows);
        }
        (self.renewals > 0 || is_over(self.proceeded)).then_some(Stall::Acknowledgements)
    }

    /// Returns whether to renew the connection now because acknowledgements have stalled. The pause doubles with each
    /// renewal.
    pub(super) fn take_renewal(&mut self, now: Micros) -> bool {
        let pause = self.limit.saturating_mul(1 << self.renewals.min(16)).min(LONGEST_PAUSE.max(self.limit));
        let is_due = !self.are_rows_stalled && now >= after(self.proceeded, pause);
        if is_due {
            self.renewals = self.renewals.saturating_add(1);
            self.begin_connection(now);
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(30);

    fn at(second: i64) -> Micros {
        Micros(second * 1_000_000)
    }

    /// Updates the progress once in each second.
    fn watch(progress: &mut Progress, seconds: std::ops::Range<i64>, acknowledgements: Acknowledgements) {
        seconds.for_each(|second| progress.note_acknowledgements(acknowledgements, at(second)));
    }

    #[test]
    fn row_that_is_not_durable_within_the_limit_is_a_stall() {
        let mut progress = Progress::new(LIMIT);
        progress.handed_on(at(1));
        progress.handed_on(at(1));
        progress.handed_on(at(5));
        watch(&mut progress, 0..40, Acknowledgements::default());
        assert_eq!(progress.stall(None, at(30)), None);
        assert_eq!(progress.stall(None, at(31)), Some(Stall::Rows));
        progress.stored(&[at(1)]);
        assert_eq!(progress.stall(None, at(31)), Some(Stall::Rows), "there were two");
        progress.stored(&[at(1)]);
        assert_eq!(progress.stall(None, at(34)), None);
        assert_eq!(progress.stall(None, at(35)), Some(Stall::Rows), "the next one");
        progress.stored(&[at(5)]);
        assert_eq!(progress.stall(None, at(39)), None);
        assert_eq!(progress.stall(Some(at(9)), at(39)), Some(Stall::Rows), "one that writers do not have yet");
    }

    #[test]
    fn pause_before_each_renewal_in_a_row_doubles_up_to_five_minutes() {
        let mut progress = Progress::new(LIMIT);
        let renewals = |progress: &mut Progress, from: i64, until: i64| -> Vec<i64> {
            let mut watched = |second| {
                progress.note_acknowledgements(Acknowledgements { sent: 0, waiting: 1 }, at(second));
                progress.take_renewal(at(second))
            };
            (from..until).filter(|second| watched(*second)).map(|second| second - from).collect()
        };
        assert_eq!(renewals(&mut progress, 0, 1_400), [30, 90, 210, 450, 750, 1_050, 1_350]);
        progress.note_acknowledgements(Acknowledgements { sent: 1, waiting: 1 }, at(1_400));
        progress.acknowledged = 0;
        assert_eq!(renewals(&mut progress, 1_400, 1_500), [30, 90]);
    }

    #[test]
    fn acknowledgements_that_wait_without_progress_are_a_stall() {
        let mut progress = Progress::new(LIMIT);
        let waiting = |sent| Acknowledgements { sent, waiting: 3 };
        watch(&mut progress, 0..20, Acknowledgements { sent: 7, waiting: 0 });
        watch(&mut progress, 20..40, waiting(7));
        watch(&mut progress, 40..70, waiting(8));
        assert_eq!(progress.stall(None, at(69)), None, "one has left in between");
        watch(&mut progress, 70..71, waiting(8));
        assert_eq!(progress.stall(None, at(70)), Some(Stall::Acknowledgements));
        progress.handed_on(at(40));
        assert_eq!(progress.stall(None, at(70)), Some(Stall::Rows));
        assert!(!progress.take_renewal(at(70)), "they wait for a row that is stuck: another connection would not help");
        progress.stored(&[at(40)]);
        assert_eq!(progress.stall(None, at(71)), None, "the row is stored only now");
    }
}
