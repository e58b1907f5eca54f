//! Decides which of two readings of a point is the present one. Ingest decides when a reading arrives; all later parts follow its order
//! ([`Reading::supersedes`]).
//!
//! The source time alone cannot decide, because a device's clock can step. After its clock was set back, a device's new values look older than its
//! previous ones, and the old position of a breaker would stay on the screen with good quality.

use crate::reading::is_ahead;
use crate::{Micros, Ordinal, Quality, Reading};

/// A reading with the facts of its message that order it among the readings of its point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Arrival {
    /// The reading. Its ordinal numbers the message that brought it.
    pub reading: Reading,
    /// Its number in the outbox of its gateway, if the gateway keeps one.
    pub outbox: Option<Ordinal>,
    /// Whether it is part of a birth that was sent now: a birth reports present values.
    pub is_birth: bool,
    /// Whether the sender's sequence numbers prove that it was sent after everything that arrived before.
    pub in_sequence: bool,
    /// When it was sent, by the sender's clock.
    pub sent: Option<Micros>,
    /// Whether the sender gave the source time. If absent, the receive time is used.
    pub is_timed: bool,
}

impl Arrival {
    /// Creates an arrival from a stored reading. The facts of its message are no longer known.
    pub fn stored(reading: Reading) -> Self {
        Self { reading, outbox: None, is_birth: false, in_sequence: false, sent: None, is_timed: true }
    }

    /// Returns whether this reading replaces `known`, which arrived before. The caller excludes readings that the sender flagged as historical. The
    /// first rule that applies decides:
    ///
    /// 1. Both are in one message, or have the same outbox number: the later source time wins.
    /// 2. This one is in a birth: yes.
    /// 3. Both are from one outbox and this one has the lower number: no.
    /// 4. The numbers show that this one was sent later: yes, unless both times are reliable (rule 5) and its source time and its measuring time
    ///    are both earlier. Some gateways send buffered values without the flag.
    /// 5. One of the two has no source time, or a source time ahead of its receive time: yes, because this one arrived later.
    /// 6. Otherwise the later source time wins. With equal times it is this one, because it arrived later.
    pub fn replaces(&self, known: &Self) -> bool {
        let (next, before) = (&self.reading, &known.reading);
        let places = self.outbox.zip(known.outbox).filter(|(own, other)| own.epoch == other.epoch);
        if next.ordinal == before.ordinal || places.is_some_and(|(own, other)| own == other) {
            return next.source > before.source;
        }
        if self.is_birth {
            return true;
        }
        if places.is_some_and(|(own, other)| own.seq < other.seq) {
            return false;
        }
        let is_doubtful = self.has_doubtful_time() || known.has_doubtful_time();
        if places.is_some() || self.in_sequence {
            return is_doubtful || next.source >= before.source || self.measured() >= known.measured();
        }
        is_doubtful || is_ahead(next.source, next.received) || is_ahead(before.source, before.received) || next.source >= before.source
    }

    /// Returns this reading with quality questionable. Call it when a newer value of the point was refused because of its source time. Returns `None`
    /// if the refused value was sent before this reading, or in the same message.
    ///
    /// `message` is the ordinal of that value's message, `outbox` its number in the outbox of its gateway. The result is for subscribers and for the
    /// stored latest value, never for the history.
    pub fn doubted(&self, message: Ordinal, outbox: Option<Ordinal>) -> Option<Reading> {
        let is_sent_before = self.outbox.zip(outbox).is_some_and(|(own, other)| own.epoch == other.epoch && other.seq <= own.seq);
        let doubted = Reading { quality: self.reading.quality.worst(Quality::Questionable), ordinal: message, ..self.reading };
        (!is_sent_before && doubted.supersedes(&self.reading)).then_some(doubted)
    }

    /// Returns when it was measured, by the clock of ingest: the receive time minus the age that the value had when it was sent. A step of the
    /// sender's clock does not change the result.
    fn measured(&self) -> Micros {
        let Reading { source, received, .. } = self.reading;
        Micros(self.sent.map_or(source.0, |sent| source.0.saturating_add(received.0.saturating_sub(sent.0))))
    }

    fn has_doubtful_time(&self) -> bool {
        !self.is_timed || is_ahead(self.measured(), self.reading.received)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Term;

    const NOW: Micros = Micros(1_800_000_000_000_000);

    /// Creates an arrival with receive time NOW and a source time `millis` later, as message `count` of ingest.
    fn at(millis: i64, count: i64) -> Arrival {
        Arrival::stored(Reading {
            value: Some(1.0),
            quality: Quality::Good,
            source: NOW.plus_millis(millis),
            received: NOW,
            ordinal: Ordinal::of_term(Term(3), count),
        })
    }

    /// Returns an arrival whose time of sending equals its source time.
    fn sent(millis: i64, count: i64) -> Arrival {
        Arrival { sent: Some(NOW.plus_millis(millis)), ..at(millis, count) }
    }

    fn boxed(millis: i64, count: i64, epoch: i64, seq: i64) -> Arrival {
        Arrival { outbox: Some(Ordinal { epoch, seq }), ..sent(millis, count) }
    }

    #[test]
    fn birth_that_is_sent_now_says_what_is() {
        let known = Arrival { in_sequence: true, ..at(-1_000, 5) };
        let birth = Arrival { is_birth: true, ..at(-60_000, 6) };
        assert!(birth.replaces(&known), "the clock was set back before it was measured");
        assert!(!Arrival { is_birth: false, ..birth }.replaces(&known));
        assert!(!Arrival { is_birth: true, ..at(-2_000, 5) }.replaces(&known), "of one message the later one counts");
    }

    #[test]
    fn value_without_an_acceptable_time_casts_doubt_on_the_one_before() {
        let (message, place) = (|count| Ordinal::of_term(Term(3), count), |epoch, seq| Some(Ordinal { epoch, seq }));
        let invalid = Arrival { reading: Reading { quality: Quality::Invalid, ..at(0, 1).reading }, ..at(0, 1) };
        for (known, number, outbox, expected, why) in [
            (at(0, 1), message(2), None, Some(Quality::Questionable), "of a client without an outbox"),
            (boxed(0, 1, 7, 5), message(2), place(7, 6), Some(Quality::Questionable), "the next of the outbox"),
            (boxed(0, 1, 7, 5), message(2), place(8, 1), Some(Quality::Questionable), "of another outbox"),
            (boxed(0, 1, 7, 5), message(2), None, Some(Quality::Questionable), "of a birth"),
            (boxed(0, 1, 7, 5), message(2), place(7, 4), None, "sent before"),
            (boxed(0, 1, 7, 5), message(2), place(7, 5), None, "the same message again"),
            (at(0, 2), message(2), None, None, "of the same message"),
            (invalid, message(2), None, Some(Quality::Invalid), "no quality gets better"),
        ] {
            let doubted = known.doubted(number, outbox);
            assert_eq!(doubted.map(|reading| reading.quality), expected, "{why}");
            assert!(doubted.is_none_or(|reading| reading.supersedes(&known.reading) && reading.source == known.reading.source), "{why}");
            assert!(doubted.is_none_or(|reading| at(1, 3).reading.supersedes(&reading)), "{why}: until the next one");
        }
    }

    #[test]
    fn first_proof_decides_which_reading_is_present() {
        let in_sequence = |arrival: Arrival| Arrival { in_sequence: true, ..arrival };
        let late = |arrival: Arrival| Arrival { sent: Some(NOW), ..arrival };
        let untimed = |arrival: Arrival| Arrival { is_timed: false, ..arrival };
        for (known, next, expected, why) in [
            (boxed(0, 1, 7, 5), boxed(-240_000, 2, 7, 6), true, "the clock was set back between two numbers"),
            (boxed(240_000, 1, 7, 5), boxed(0, 2, 7, 6), true, "the clock was ahead and was corrected"),
            (boxed(0, 1, 7, 5), boxed(10, 2, 7, 4), false, "a lower number of the outbox"),
            (boxed(0, 1, 7, 5), in_sequence(boxed(10, 2, 7, 4)), false, "a lower number, whatever the sequence is"),
            (boxed(240_000, 1, 7, 5), boxed(0, 2, 7, 4), false, "a lower number, whatever the clock is"),
            (boxed(0, 1, 7, 5), boxed(0, 2, 7, 5), false, "the same message again"),
            (boxed(0, 1, 7, 5), boxed(1, 1, 7, 5), true, "a later value of the same message"),
            (boxed(0, 1, 7, 5), boxed(-1, 2, 8, 1), false, "another outbox, measured earlier"),
            (boxed(0, 1, 7, 5), in_sequence(boxed(-1, 2, 8, 1)), true, "another outbox, sent later"),
            (boxed(0, 1, 7, 5), late(boxed(-240_000, 2, 7, 6)), false, "a buffered value without a flag"),
            (boxed(-240_000, 1, 7, 5), late(boxed(-200_000, 2, 7, 6)), true, "a buffered value that is newer"),
            (late(boxed(240_000, 1, 7, 5)), boxed(0, 2, 7, 6), true, "the clock of the device alone was ahead"),
            (boxed(0, 1, 7, 5), in_sequence(sent(-240_000, 2)), true, "a birth after the clock was set back"),
            (in_sequence(at(0, 1)), boxed(-1, 2, 7, 5), false, "a resend of what was measured before the birth"),
            (at(0, 1), at(-1, 2), false, "a plain client, overtaken on its way"),
            (at(0, 1), at(0, 2), true, "a plain client, two values of one time"),
            (sent(0, 1), in_sequence(sent(-240_000, 2)), true, "a plain client whose clock was set back"),
            (at(0, 1), in_sequence(sent(-240_000, 2)), true, "the same after a restart of ingest"),
            (sent(0, 1), in_sequence(late(at(-240_000, 2))), false, "a buffered value of a plain client"),
            (sent(0, 1), in_sequence(at(-240_000, 2)), false, "a client that does not say when it sends"),
            (at(2_001, 1), at(0, 2), true, "a plain client whose clock was ahead and was corrected"),
            (at(2_000, 1), at(0, 2), false, "clocks differ by so much"),
            (at(0, 1), untimed(at(-1, 2)), true, "no time: received later"),
            (untimed(at(0, 1)), at(-1, 2), true, "the receive time of a value without one blocks nothing"),
            (at(5, 1), at(0, 1), false, "an earlier value of the same message"),
        ] {
            assert_eq!(next.replaces(&known), expected, "{why}");
        }
    }

    proptest! {
        #[test]
        fn highest_number_of_an_outbox_is_present_in_any_order(
            clocks in proptest::collection::vec((-400_000_i64..300_000, any::<bool>()), 1..8),
            order in proptest::collection::vec(any::<proptest::sample::Index>(), 16),
        ) {
            let all: Vec<Arrival> = (1_i64..).zip(&clocks)
                .map(|(seq, (millis, in_sequence))| Arrival { in_sequence: *in_sequence, ..boxed(*millis, seq, 7, seq) })
                .collect();
            for (a, b) in all.iter().zip(&all[1..]) {
                prop_assert!(b.replaces(a) && !a.replaces(b));
            }
            let mut latest = all[0];
            for next in order.iter().map(|index| index.get(&all)).chain(&all) {
                if next.replaces(&latest) {
                    latest = *next;
                }
            }
            prop_assert_eq!(latest, all[all.len() - 1]);
        }

        #[test]
        fn step_of_a_clock_never_keeps_what_is_sent_next_from_view(before in -400_000_i64..300_000, after in -400_000_i64..300_000) {
            prop_assert!(boxed(after, 2, 7, 2).replaces(&boxed(before, 1, 7, 1)));
            let next = Arrival { in_sequence: true, ..sent(after, 2) };
            prop_assert!(next.replaces(&sent(before, 1)));
        }
    }
}
