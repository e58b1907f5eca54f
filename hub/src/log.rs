//! The events of one utility in memory: the newest of them without a gap, for clients that come back soon. Pure.

use std::collections::VecDeque;
use std::sync::Arc;

use wire::control::CommandRow;
use wire::rows::EventRow;

use crate::config::EVENTS_RING;

/// A row with a place in its stream.
pub(crate) trait Placed {
    /// That place.
    fn offset(&self) -> i64;
}

impl Placed for EventRow {
    fn offset(&self) -> i64 {
        self.offset
    }
}

impl Placed for CommandRow {
    fn offset(&self) -> i64 {
        self.offset
    }
}

/// The events of one utility in memory, or its commands.
#[derive(Debug)]
pub(crate) struct EventLog<R = EventRow> {
    epoch: String,
    top: i64,
    /// Without a gap up to `top`. Beyond [`EVENTS_RING`] the oldest go; the database has them.
    ring: VecDeque<Arc<R>>,
    /// What was missed is being read; until it is here, what comes is not taken.
    recovering: bool,
}

/// What becomes of rows that arrived.
#[derive(Debug)]
pub(crate) enum Taken<R = EventRow> {
    /// They continue the log and go to the rooms.
    Rows(Vec<Arc<R>>),
    /// Something before them is missing: the rows after `top` are to be read.
    Missing {
        /// The epoch held.
        epoch: String,
        /// The last row held.
        top: i64,
    },
    /// Continuity is lost: subscribers have to ask again.
    Broken {
        /// The epoch from now on.
        epoch: String,
        /// Up to where it goes.
        top: i64,
    },
    /// They are known, or will come with what is being read.
    Nothing,
}

impl<R: Placed> EventLog<R> {
    pub(crate) fn new(epoch: String, top: i64) -> Self {
        Self { epoch, top, ring: VecDeque::new(), recovering: false }
    }

    pub(crate) fn epoch(&self) -> &str {
        &self.epoch
    }

    /// Rows from the bus, which go from `from + 1` to `offset`.
    pub(crate) fn append(&mut self, epoch: &str, from: i64, offset: i64, rows: Vec<Arc<R>>) -> Taken<R> {
        if self.recovering || offset <= self.top && self.epoch == epoch {
            return Taken::Nothing;
        }
        if self.epoch != epoch || from > self.top {
            return self.missing();
        }
        self.extend(rows)
    }

    /// How far the database goes: rows that were committed but never reached the bus, as when ingest died in between, are missing.
    pub(crate) fn compare(&mut self, epoch: &str, top: i64) -> Taken<R> {
        if !self.recovering && (self.epoch != epoch || self.top < top) { self.missing() } else { Taken::Nothing }
    }

    fn missing(&mut self) -> Taken<R> {
        self.recovering = true;
        Taken::Missing { epoch: self.epoch.clone(), top: self.top }
    }

    /// What was missing, as the database has it. Where it is more than the memory keeps, only its end comes.
    pub(crate) fn recovered(&mut self, epoch: &str, rows: Vec<Arc<R>>) -> Taken<R> {
        self.recovering = false;
        let continues = rows.first().is_none_or(|first| first.offset() <= self.top + 1);
        if self.epoch == epoch && continues {
            return self.extend(rows);
        }
        *self = Self::new(epoch.to_owned(), rows.last().map_or(0, |row| row.offset()));
        self.keep(rows);
        Taken::Broken { epoch: self.epoch.clone(), top: self.top }
    }

    fn extend(&mut self, mut rows: Vec<Arc<R>>) -> Taken<R> {
        rows.retain(|row| row.offset() > self.top);
        let Some(last) = rows.last() else { return Taken::Nothing };
        self.top = last.offset();
        self.keep(rows.clone());
        Taken::Rows(rows)
    }

    fn keep(&mut self, rows: Vec<Arc<R>>) {
        self.ring.extend(rows);
        let excess = self.ring.len().saturating_sub(EVENTS_RING);
        self.ring.drain(..excess);
    }

    /// Whether a client may go on from an offset of this epoch: none that lies ahead.
    pub(crate) fn knows(&self, epoch: &str, offset: i64) -> bool {
        self.epoch == epoch && (0..=self.top).contains(&offset)
    }

    /// All rows after an offset; `None` when the memory does not reach back so far.
    pub(crate) fn after(&self, offset: i64) -> Option<impl Iterator<Item = &Arc<R>>> {
        let reaches = offset == self.top || self.ring.front().is_some_and(|first| first.offset() <= offset + 1);
        reaches.then(|| self.ring.iter().filter(move |row| row.offset() > offset))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::room::SharedRow;

    fn rows(from: i64, to: i64) -> Vec<SharedRow> {
        let row = |offset| EventRow {
            asset_name: "CB".into(),
            signal: "Position".into(),
            event_time: String::new(),
            change_to: "Open".into(),
            value: Some(1.0),
            asset_id: 1,
            point_id: 2,
            location_id: 3,
            location_name: "S".into(),
            received_time: String::new(),
            quality: 0,
            offset,
        };
        (from..=to).map(|offset| Arc::new(row(offset))).collect()
    }

    fn offsets(taken: &Taken) -> Vec<i64> {
        match taken {
            Taken::Rows(rows) => rows.iter().map(|row| row.offset).collect(),
            _ => Vec::new(),
        }
    }

    fn after(log: &EventLog, offset: i64) -> Option<Vec<i64>> {
        log.after(offset).map(|rows| rows.map(|row| row.offset).collect())
    }

    #[test]
    fn rows_are_taken_once_and_in_order() {
        let mut log = EventLog::new("e".into(), 10);
        assert_eq!(offsets(&log.append("e", 10, 12, rows(11, 12))), [11, 12]);
        assert!(matches!(log.append("e", 10, 12, rows(11, 12)), Taken::Nothing), "again");
        assert_eq!(offsets(&log.append("e", 11, 14, rows(12, 14))), [13, 14], "what is known of them is left out");
        assert_eq!((after(&log, 12), after(&log, 14)), (Some(vec![13, 14]), Some(vec![])));
        assert_eq!(after(&log, 9), None, "before the memory");
        assert!(log.knows("e", 14) && !log.knows("e", 15) && !log.knows("f", 14) && !log.knows("e", -1));
    }

    #[test]
    fn a_gap_is_read_once_and_filled() {
        let mut log = EventLog::new("e".into(), 10);
        assert!(matches!(log.append("e", 12, 13, rows(13, 13)), Taken::Missing { top: 10, .. }));
        assert!(matches!(log.append("e", 13, 14, rows(14, 14)), Taken::Nothing), "it comes with what is read");
        assert!(matches!(log.compare("e", 14), Taken::Nothing), "asked once");
        assert_eq!(offsets(&log.recovered("e", rows(11, 14))), [11, 12, 13, 14]);
        assert!(matches!(log.compare("e", 15), Taken::Missing { top: 14, .. }), "the database has more");
        assert!(matches!(log.recovered("e", rows(15, 14)), Taken::Nothing), "nothing after all");
        assert!(matches!(log.compare("e", 14), Taken::Nothing));
    }

    #[test]
    fn what_cannot_be_continued_begins_afresh() {
        let mut log = EventLog::new("e".into(), 10);
        assert!(matches!(log.append("f", 0, 1, rows(1, 1)), Taken::Missing { .. }), "another epoch");
        assert!(matches!(log.recovered("f", rows(7, 7)), Taken::Broken { top: 7, .. }));
        assert_eq!((log.epoch(), log.top), ("f", 7));
        let ring = i64::try_from(EVENTS_RING).unwrap();
        assert!(matches!(log.compare("f", 3 * ring), Taken::Missing { .. }));
        assert!(matches!(log.recovered("f", rows(2 * ring + 1, 3 * ring)), Taken::Broken { .. }), "more was missed than is kept");
        assert_eq!(after(&log, 2 * ring).map(|rows| rows.len()), Some(EVENTS_RING));
        assert_eq!(after(&log, 2 * ring - 1), None);
    }
}
