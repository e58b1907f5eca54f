//! Decides whether what is received becomes durable and is acknowledged in time. Pure.
//!
//! A writer may be stuck although the database answers and the spool has room, and an acknowledgement that is lost in this process blocks all later ones. In
//! both cases messages are still taken until the hold is full, or the broker sends nothing more.

use std::collections::BTreeMap;
use std::time::Duration;

use grid::Micros;

use crate::config::after;

/// Acknowledgements of a process to the broker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Acknowledgements {
    /// How many have left, of all connections.
    pub sent: u64,
    /// How many wait for that of an earlier message of the present connection.
    pub waiting: usize,
}

/// What does not proceed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stall {
    /// A row is received and not durable.
    Rows,
    /// Everything that is older than the limit is durable, and acknowledgements to the broker wait for an earlier one all the same.
    Acknowledgements,
}

/// What writers have, and how acknowledgements proceed.
#[derive(Debug)]
pub(super) struct Progress {
    limit: Duration,
    /// How many parcels writers have, by the time when they were handed on. Bounded by the hold.
    parcels: BTreeMap<Micros, usize>,
    acknowledged: u64,
    /// When the newest acknowledgement left while others waited, or when none waited.
    proceeded: Micros,
}

impl Progress {
    pub(super) fn new(limit: Duration) -> Self {
        Self { limit, parcels: BTreeMap::new(), acknowledged: 0, proceeded: Micros(0) }
    }

    /// A writer has one more parcel.
    pub(super) fn handed_on(&mut self, at: Micros) {
        *self.parcels.entry(at).or_default() += 1;
    }

    /// Parcels that were handed on at these times are durable.
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

    /// A connection to the broker begins: nothing waits on it yet.
    pub(super) fn begin_connection(&mut self, now: Micros) {
        self.proceeded = now;
    }

    /// Takes how acknowledgements proceed.
    pub(super) fn note_acknowledgements(&mut self, acknowledgements: Acknowledgements, now: Micros) {
        let Acknowledgements { sent, waiting } = acknowledgements;
        if std::mem::replace(&mut self.acknowledged, sent) != sent || waiting == 0 {
            self.proceeded = now;
        }
    }

    /// Returns what has not proceeded for the limit. `parked`: since when the oldest message waits for something else than a writer.
    pub(super) fn stall(&self, parked: Option<Micros>, now: Micros) -> Option<Stall> {
        let is_over = |since: Micros| now >= after(since, self.limit);
        let oldest = self.parcels.first_key_value().map(|(at, _)| *at).into_iter().chain(parked).min();
        if oldest.is_some_and(is_over) {
            return Some(Stall::Rows);
        }
        is_over(self.proceeded).then_some(Stall::Acknowledgements)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(30);

    fn at(second: i64) -> Micros {
        Micros(second * 1_000_000)
    }

    /// Looks each second whether acknowledgements proceed.
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
        assert_eq!(progress.stall(None, at(70)), Some(Stall::Rows), "they wait for a row that is stuck: another connection would not help");
        progress.stored(&[at(40)]);
        progress.begin_connection(at(70));
        assert_eq!(progress.stall(None, at(71)), None);
    }
}
