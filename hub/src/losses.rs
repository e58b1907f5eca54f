//! Decides when to read everything from the database again after bus messages were lost. A read after one loss must not
//! cause the next loss. Pure.

use std::time::Duration;

use grid::lease::LEASE;
use tokio::time::Instant;

/// If there was no loss for this long, the next loss causes a read at once.
const CALM: Duration = Duration::from_secs(30);
/// The pause between the first two reads. It doubles with each further loss.
const SHORTEST: Duration = Duration::from_millis(500);
/// The longest pause. It is a second shorter than [`LEASE`], so that the read can end in time.
const LONGEST: Duration = Duration::from_secs(2);

/// The recent losses and reads.
#[derive(Debug, Default)]
pub(crate) struct Losses {
    due: Option<Instant>,
    pause: Duration,
    /// The end of the last read; while it runs, its start.
    read: Option<Instant>,
    /// Times of the first and the last loss since the start of the last read.
    unread: Option<(Instant, Instant)>,
}

impl Losses {
    /// Records that messages were lost.
    pub(crate) fn note(&mut self, now: Instant) {
        self.unread = Some((self.unread.map_or(now, |(first, _)| first), now));
        if self.due.is_some() {
            return;
        }
        let lately = self.read.filter(|read| now.duration_since(*read) < CALM);
        self.pause = if lately.is_some() { (self.pause * 2).clamp(SHORTEST, LONGEST) } else { Duration::ZERO };
        self.due = Some(lately.map_or(now, |read| now.max(read + self.pause)));
    }

    /// Records the end of a read that started at `began`. The next pause starts now. Losses after `began` need another
    /// read.
    pub(crate) fn note_read(&mut self, began: Instant, now: Instant) {
        self.unread = self.unread.filter(|(_, last)| *last >= began).map(|(first, last)| (first.max(began), last));
        self.read = self.read.map(|_| now);
        self.due = self.due.map(|due| due.max(now + self.pause));
    }

    /// Returns whether to read now; true once for all losses since the last read.
    pub(crate) fn take_due(&mut self, now: Instant) -> bool {
        let is_due = self.due.is_some_and(|due| due <= now);
        if is_due {
            (self.due, self.read) = (None, Some(now));
        }
        is_due
    }

    /// Returns whether no read has followed a loss for longer than [`LEASE`]. Then a gateway may be offline, or a
    /// switch may have moved, and the hub does not have the change.
    pub(crate) fn is_overdue(&self, now: Instant) -> bool {
        self.unread.is_some_and(|(first, _)| now.duration_since(first) > LEASE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constant_loss_is_read_for_ever_more_seldom() {
        let (mut losses, start) = (Losses::default(), Instant::now());
        let mut reads = Vec::new();
        for tenth in 0..200_u64 {
            let now = start + Duration::from_millis(tenth * 100);
            losses.note(now);
            if losses.take_due(now) {
                reads.push(tenth);
            }
        }
        assert_eq!(reads, [0, 5, 15, 35, 55, 75, 95, 115, 135, 155, 175, 195], "at most every 2 s, with a loss noticed each 100 ms");
    }

    #[test]
    fn pause_counts_from_the_end_of_a_read() {
        let (mut losses, start) = (Losses::default(), Instant::now());
        let at = |tenth: u64| start + Duration::from_millis(tenth * 100);
        losses.note(at(0));
        assert!(losses.take_due(at(0)));
        losses.note(at(10));
        losses.note_read(at(1), at(50));
        assert!(!losses.take_due(at(54)));
        assert!(losses.take_due(at(55)));
    }

    #[test]
    fn loss_is_overdue_until_a_read_that_began_after_it_has_ended() {
        let (mut losses, start) = (Losses::default(), Instant::now());
        let at = |tenth: u64| start + Duration::from_millis(tenth * 100);
        losses.note(at(0));
        assert!(losses.take_due(at(0)));
        assert!(!losses.is_overdue(at(30)) && losses.is_overdue(at(31)), "the database does not answer");
        losses.note(at(35));
        losses.note_read(at(1), at(40));
        assert!(losses.is_overdue(at(40)), "the read had begun before the second loss");
        losses.note_read(at(36), at(44));
        assert!(!losses.is_overdue(at(999)));
    }

    #[test]
    fn loss_after_a_calm_time_is_read_for_at_once() {
        let (mut losses, start) = (Losses::default(), Instant::now());
        for second in [0, 40, 80] {
            let now = start + Duration::from_secs(second);
            assert!(!losses.take_due(now), "nothing was lost");
            losses.note(now);
            assert!(losses.take_due(now));
        }
    }
}
