//! Computes the number up to which all outbox messages of a gateway are durable, so that the gateway may delete them
//! (docs/reference/mqtt.md, Outbox). Pure.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::time::Duration;

use grid::Micros;

use crate::config::after;

/// Maximum number of messages that are remembered above a gap. Further ones are dropped, and arrive again when the node
/// resends its messages from the gap on.
const BEYOND_LIMIT: usize = 100_000;

/// Maximum number of epochs that are remembered for one node: the current one, and some whose messages are still in its
/// outbox.
const EPOCH_LIMIT: usize = 8;

/// If a gap stays open this long, its messages are reported as missing.
const OVERDUE: Duration = Duration::from_secs(30);

/// The position of a message in its node's outbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutboxPosition {
    /// The outbox epoch.
    pub epoch: u64,
    /// The number within it, from 1.
    pub seq: u64,
}

/// An acknowledgement that is due: all messages up to `seq` of `epoch` are durable.
pub type Acknowledgement = OutboxPosition;

/// The received and durable messages of one node's outbox.
#[derive(Debug, Default)]
pub struct Ledger {
    epochs: BTreeMap<u64, Epoch>,
    /// The next message is the first that the node resends; see [`Ledger::reborn`].
    begins_anew: bool,
}

#[derive(Debug, Default)]
struct Epoch {
    /// The messages that have arrived.
    arrived: Run,
    /// The messages that are durable.
    durable: Run,
    /// An acknowledgement is due, or must be repeated because the node has not received it.
    due: bool,
    /// The time since which a durable message waits behind a gap.
    held_up: Option<Micros>,
    /// Whether that gap has been reported.
    is_logged: bool,
}

/// The numbers up to the first gap, and the numbers above it.
#[derive(Debug, Default)]
struct Run {
    /// The end of the numbers without a gap. `None` until the node has reported where its outbox begins, because
    /// messages from before the start of this process must not be acknowledged without knowing that they are stored.
    end: Option<u64>,
    beyond: BTreeSet<u64>,
}

impl Run {
    /// Marks all numbers up to `end` as covered.
    fn begin(&mut self, end: u64) {
        self.end = self.end.max(Some(end));
        self.close_up();
    }

    /// Adds a number. Returns whether the run has grown.
    fn add(&mut self, number: u64) -> bool {
        if self.covers(number) {
            return false;
        }
        self.beyond.insert(number);
        let before = self.end;
        self.close_up();
        if self.beyond.len() > BEYOND_LIMIT {
            self.beyond.pop_last();
        }
        self.end > before
    }

    fn covers(&self, number: u64) -> bool {
        self.end.is_some_and(|end| number <= end)
    }

    fn knows(&self, number: u64) -> bool {
        self.covers(number) || self.beyond.contains(&number)
    }

    fn close_up(&mut self) {
        let Some(end) = &mut self.end else { return };
        while let Some(&first) = self.beyond.first() {
            if first > end.saturating_add(1) {
                break;
            }
            *end = first.max(*end);
            self.beyond.pop_first();
        }
    }
}

impl Ledger {
    /// Records a birth. The next message has the lowest number that the node still keeps.
    pub fn reborn(&mut self) {
        self.begins_anew = true;
    }

    /// Returns whether this message has arrived before or is no longer needed.
    pub fn knows(&self, place: OutboxPosition) -> bool {
        self.epochs.get(&place.epoch).is_some_and(|epoch| epoch.arrived.knows(place.seq))
    }

    /// Records the arrival of a message. `acked` is the last number for which the node has received an acknowledgement.
    pub fn arrived(&mut self, place: OutboxPosition, acked: Option<u64>) {
        let begins = if std::mem::take(&mut self.begins_anew) || place.seq == 1 { place.seq.checked_sub(1) } else { None };
        if !self.epochs.contains_key(&place.epoch) && self.epochs.len() >= EPOCH_LIMIT {
            self.epochs.pop_first();
        }
        let epoch = self.epochs.entry(place.epoch).or_default();
        let begins = if epoch.durable.end.is_none() { begins } else { None };
        if let Some(end) = acked.or(begins) {
            let before = epoch.durable.end;
            epoch.arrived.begin(end);
            epoch.durable.begin(end);
            epoch.due |= epoch.durable.end > before.max(Some(end));
            epoch.close_up(None);
        }
        epoch.arrived.add(place.seq);
    }

    /// Returns whether everything up to this message has arrived.
    pub fn is_complete(&self, place: OutboxPosition) -> bool {
        self.epochs.get(&place.epoch).is_some_and(|epoch| epoch.arrived.covers(place.seq))
    }

    /// Records that a message is durable.
    pub fn durable(&mut self, place: OutboxPosition, now: Micros) {
        // The epoch was dropped meanwhile: the node will send the message again.
        let Some(epoch) = self.epochs.get_mut(&place.epoch) else { return };
        // The node sent a covered message again, so it did not receive the acknowledgement.
        let repeated = epoch.durable.covers(place.seq);
        epoch.due |= epoch.durable.add(place.seq) || repeated;
        epoch.close_up(Some(now));
    }

    /// Takes the acknowledgements to send now. Each is returned once.
    pub fn take_due(&mut self) -> Vec<Acknowledgement> {
        let due = |(&epoch, state): (&u64, &mut Epoch)| {
            std::mem::take(&mut state.due).then_some(OutboxPosition { epoch, seq: state.durable.end? })
        };
        self.epochs.iter_mut().filter_map(due).collect()
    }

    /// Makes an acknowledgement due again, because it could not be sent.
    pub fn not_sent(&mut self, place: Acknowledgement) {
        if let Some(epoch) = self.epochs.get_mut(&place.epoch) {
            epoch.due = true;
        }
    }

    /// Returns the time since which a durable message waits behind a gap; `None` if no message waits.
    pub fn held_up_since(&self) -> Option<Micros> {
        self.epochs.values().filter_map(|epoch| epoch.held_up).min()
    }
}

impl Ledger {
    /// Returns the first gap that has been open for [`OVERDUE`]: the epoch and the missing numbers. Each gap is
    /// returned once.
    pub fn take_overdue(&mut self, now: Micros) -> Option<(u64, Range<u64>)> {
        let overdue = |state: &Epoch| !state.is_logged && state.held_up.is_some_and(|since| now >= after(since, OVERDUE));
        let (&epoch, state) = self.epochs.iter_mut().find(|(_, state)| overdue(state))?;
        state.is_logged = true;
        Some((epoch, state.durable.end.map_or(1, |end| end + 1)..*state.durable.beyond.first()?))
    }
}

impl Epoch {
    /// Updates the time since which a message waits behind a gap.
    fn close_up(&mut self, now: Option<Micros>) {
        self.held_up = if self.durable.beyond.is_empty() { None } else { self.held_up.or(now) };
        self.is_logged &= self.held_up.is_some();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Micros = Micros(1);

    fn at(seq: u64) -> OutboxPosition {
        OutboxPosition { epoch: 7, seq }
    }

    /// A step of the tables below.
    enum Do {
        Reborn,
        Arrived(u64),
        ArrivedAcked(u64, u64),
        Durable(u64),
        Ack(Option<u64>),
    }

    fn play(steps: &[Do]) -> Ledger {
        let mut ledger = Ledger::default();
        for (number, step) in steps.iter().enumerate() {
            match *step {
                Do::Reborn => ledger.reborn(),
                Do::Arrived(seq) => ledger.arrived(at(seq), None),
                Do::ArrivedAcked(seq, acked) => ledger.arrived(at(seq), Some(acked)),
                Do::Durable(seq) => ledger.durable(at(seq), NOW),
                Do::Ack(expected) => {
                    let due: Vec<u64> = ledger.take_due().into_iter().map(|place| place.seq).collect();
                    assert_eq!(due, expected.into_iter().collect::<Vec<_>>(), "step {number}");
                }
            }
        }
        ledger
    }

    #[test]
    fn acknowledged_is_what_is_durable_without_a_gap() {
        use Do::{Ack, Arrived, ArrivedAcked, Durable, Reborn};
        for steps in [
            &[Arrived(1), Ack(None), Durable(1), Ack(Some(1)), Ack(None)][..],
            // Two writers may commit out of order.
            &[Arrived(1), Arrived(2), Arrived(3), Durable(3), Durable(1), Ack(Some(1)), Durable(2), Ack(Some(3))],
            // The process started in the middle: 40 to 44 may never have arrived.
            &[Arrived(45), Durable(45), Ack(None), Arrived(46), Durable(46), Ack(None)],
            // The node reports what has been acknowledged.
            &[ArrivedAcked(45, 39), Durable(45), Ack(None), ArrivedAcked(40, 39), Durable(40), Ack(Some(40))],
            &[Arrived(45), Durable(45), ArrivedAcked(46, 44), Ack(Some(45)), Durable(46), Ack(Some(46))],
            // A node that does not report it resends from its lowest number after its birth.
            &[Arrived(45), Durable(45), Reborn, Arrived(44), Durable(44), Ack(Some(45))],
            // A lost acknowledgement is repeated when the message comes again.
            &[Arrived(1), Durable(1), Ack(Some(1)), Arrived(1), Durable(1), Ack(Some(1))],
            // A gap remains until the missing message arrives.
            &[Arrived(1), Durable(1), Arrived(3), Durable(3), Ack(Some(1)), Durable(3), Ack(None)],
        ] {
            play(steps);
        }
    }

    #[test]
    fn a_hole_is_noticed_until_it_closes() {
        let mut ledger = play(&[Do::Arrived(1), Do::Durable(1), Do::Arrived(3), Do::Durable(3)]);
        assert_eq!(ledger.held_up_since(), Some(NOW));
        ledger.arrived(at(2), None);
        ledger.durable(at(2), Micros(9));
        assert_eq!(ledger.held_up_since(), None);
    }

    #[test]
    fn a_hole_that_stays_is_told_of_once() {
        let mut ledger = play(&[Do::Arrived(1), Do::Durable(1), Do::Arrived(5), Do::Durable(5)]);
        assert_eq!(ledger.take_overdue(after(NOW, Duration::from_secs(29))), None);
        assert_eq!(ledger.take_overdue(after(NOW, OVERDUE)), Some((7, 2..5)));
        assert_eq!(ledger.take_overdue(after(NOW, OVERDUE * 9)), None);
    }

    #[test]
    fn a_message_that_comes_again_is_known() {
        let mut ledger = Ledger::default();
        for seq in [1, 2, 5] {
            assert!(!ledger.knows(at(seq)));
            ledger.arrived(at(seq), None);
            assert!(ledger.knows(at(seq)), "{seq}");
        }
        assert!(!ledger.knows(at(3)), "in the hole");
        ledger.arrived(at(9), Some(7));
        assert!(ledger.knows(at(3)), "acknowledged by another, as its node says");
        assert!(!ledger.knows(OutboxPosition { epoch: 99, seq: 1 }));
    }

    #[test]
    fn what_has_arrived_is_known_before_it_is_durable() {
        let ledger = play(&[Do::ArrivedAcked(3, 2), Do::Arrived(5)]);
        assert!(ledger.is_complete(at(3)) && !ledger.is_complete(at(5)));
        let ledger = play(&[Do::ArrivedAcked(3, 2), Do::Arrived(5), Do::Arrived(4)]);
        assert!(ledger.is_complete(at(5)));
    }

    #[test]
    fn epochs_are_followed_apart_and_only_a_few() {
        let mut ledger = Ledger::default();
        for epoch in 0..100 {
            let place = OutboxPosition { epoch, seq: 1 };
            ledger.arrived(place, None);
            ledger.durable(place, NOW);
        }
        assert_eq!(ledger.take_due().len(), EPOCH_LIMIT);
        ledger.not_sent(OutboxPosition { epoch: 99, seq: 1 });
        assert_eq!(ledger.take_due(), [OutboxPosition { epoch: 99, seq: 1 }]);
    }
}
