//! Tracks the sequence numbers of an edge node (0 to 255, then 0 again; Sparkplug 3.0, 6.4.7) and finds missing
//! messages.
//!
//! Values have their own times. So a delayed message is processed when it arrives, and no message waits for another
//! one. A missing message counts as lost only after the reorder timeout.

use std::time::Duration;

use grid::Micros;

use crate::config::after;

/// How long a delayed message may take (the standard's reorder timeout, 6.4.8).
const REORDER: Duration = Duration::from_secs(2);

/// If a number is at most this far behind the highest number, its message is delayed or repeated. Otherwise the number
/// is ahead.
const REPEATED: u8 = 64;

/// Maximum number of missing numbers. There are only 256 different numbers.
const MISSING_LIMIT: usize = 256;

/// The numbering of one node.
#[derive(Debug, Default)]
pub(super) struct Sequence {
    last: Option<u8>,
    missing: Vec<u8>,
    since: Option<Micros>,
}

impl Sequence {
    /// Starts again with a birth.
    pub(super) fn begin(&mut self, number: Option<u8>) {
        *self = Self { last: number, ..Self::default() };
    }

    /// Applies the number of a message, if it has one. Returns whether it is the next number after the highest one.
    /// Only the next number proves that the message was sent after all earlier ones. A higher number can belong to a
    /// message from before the birth.
    pub(super) fn take(&mut self, number: Option<u8>, now: Micros) -> bool {
        let (Some(number), Some(last)) = (number, self.last) else {
            self.last = number.or(self.last);
            return false;
        };
        let ahead = number.wrapping_sub(last.wrapping_add(1));
        if ahead <= u8::MAX - REPEATED {
            // Bounds the missing numbers of a node with random numbers.
            let room = MISSING_LIMIT.saturating_sub(self.missing.len());
            self.missing.extend((0..ahead).take(room).map(|step| last.wrapping_add(1).wrapping_add(step)));
            self.last = Some(number);
            if ahead > 0 {
                self.since.get_or_insert(now);
            }
        } else if let Some(place) = self.missing.iter().position(|missing| *missing == number) {
            self.missing.remove(place);
        }
        // Other numbers are repetitions, which QoS 1 allows.
        if self.missing.is_empty() {
            self.since = None;
        }
        ahead == 0
    }

    /// Returns the numbers that did not arrive within the reorder timeout. Each is returned once.
    pub(super) fn lost(&mut self, now: Micros) -> Vec<u8> {
        if self.since.is_none_or(|since| now < after(since, REORDER)) {
            return Vec::new();
        }
        self.since = None;
        std::mem::take(&mut self.missing)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: Micros = Micros(1_000_000_000);

    fn lost(numbers: &[u8]) -> Vec<u8> {
        let mut sequence = Sequence::default();
        sequence.begin(Some(0));
        for number in numbers {
            sequence.take(Some(*number), NOW);
        }
        assert!(sequence.lost(after(NOW, Duration::from_millis(1_999))).is_empty(), "it may still be on its way");
        sequence.lost(after(NOW, REORDER))
    }

    #[test]
    fn what_does_not_come_is_lost() {
        for (numbers, expected) in [
            (&[1, 2, 3][..], &[][..]),
            (&[1, 3, 2, 4], &[]),
            (&[1, 4], &[2, 3]),
            (&[1, 4, 3], &[2]),
            (&[1, 2, 2, 1, 3], &[]),
            (&[2, 4, 6], &[1, 3, 5]),
        ] {
            assert_eq!(lost(numbers), expected, "{numbers:?}");
        }
        let mut sequence = Sequence::default();
        sequence.begin(Some(254));
        for number in [255, 1] {
            sequence.take(Some(number), NOW);
        }
        assert_eq!(sequence.lost(after(NOW, REORDER)), [0], "past the end of a round");
        assert!(sequence.lost(after(NOW, REORDER)).is_empty(), "told once");
    }

    #[test]
    fn only_the_next_number_is_in_sequence() {
        let mut sequence = Sequence::default();
        assert!(!sequence.take(Some(9), NOW), "nothing is known of what came before");
        sequence.begin(Some(254));
        for (number, expected) in [
            (Some(255), true),
            (Some(0), true),
            (Some(0), false),
            (Some(255), false),
            (Some(3), false),
            (None, false),
            (Some(2), false),
            (Some(4), true),
        ] {
            assert_eq!(sequence.take(number, NOW), expected, "{number:?}");
        }
    }

    #[test]
    fn without_a_beginning_or_numbers_nothing_is_missing() {
        let mut sequence = Sequence::default();
        for number in [Some(77), None, Some(78), None] {
            sequence.take(number, NOW);
        }
        assert!(sequence.lost(after(NOW, REORDER)).is_empty());
    }

    proptest! {
        #[test]
        fn whatever_a_network_reorders_within_reach_is_not_lost(swaps in proptest::collection::vec(0_usize..599, 0..60), drop in 1_usize..600) {
            let mut numbers: Vec<usize> = (1..600).collect();
            for at in swaps.into_iter().filter(|at| *at < 598) {
                numbers.swap(at, at + 1);
            }
            numbers.retain(|number| *number != drop);
            let mut sequence = Sequence::default();
            sequence.begin(Some(0));
            for number in &numbers {
                sequence.take(Some((*number % 256) as u8), NOW);
            }
            let lost = sequence.lost(after(NOW, REORDER));
            // A missing last message is not detected before a later one arrives.
            let expected: &[u8] = if numbers.iter().any(|number| *number > drop) { &[(drop % 256) as u8] } else { &[] };
            prop_assert_eq!(lost, expected);
        }
    }
}
