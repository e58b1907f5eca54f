//! The newest events of one utility in memory, without a gap, for clients that reconnect soon. Pure.

use std::collections::BTreeMap;
use std::sync::Arc;

use grid::NodeId;
use tokio::time::Instant;
use wire::rows::EventRow;

use crate::config::{EVENTS_GRACE, EVENTS_HELD_MAX};
use crate::placed::Placed;
use crate::recent::Recent;

/// The newest events, commands, alarms or faults of one utility in memory.
#[derive(Debug)]
pub(crate) struct EventLog<R = EventRow> {
    epoch: String,
    top: i64,
    /// Complete up to `top`.
    recent: Recent<R>,
    /// Whether missed rows are being read. Until they arrive, rows from the bus are ignored.
    recovering: bool,
    /// Rows that arrived before earlier ones, by the offset before their first row. Bounded by [`EVENTS_HELD_MAX`]
    /// rows.
    held: BTreeMap<i64, Held<R>>,
}

/// Rows that wait for earlier ones.
#[derive(Debug)]
struct Held<R> {
    rows: Vec<Arc<R>>,
    since: Instant,
}

/// What to do after rows arrived.
#[derive(Debug)]
pub(crate) enum AppendResult<R = EventRow> {
    /// The rows continue the log: send them to the rooms.
    Rows(Vec<Arc<R>>),
    /// Earlier rows are missing: read the rows after `top`.
    Missing {
        /// The epoch of the log.
        epoch: String,
        /// The offset of the last row of the log.
        top: i64,
    },
    /// Rows are lost, so subscribers must subscribe again.
    Broken {
        /// The new epoch.
        epoch: String,
        /// The new last offset.
        top: i64,
    },
    /// Nothing to do: the rows are known already, or the running read will return them.
    Nothing,
}

impl<R: Placed> EventLog<R> {
    pub(crate) fn new(epoch: String, top: i64) -> Self {
        Self::read(epoch, top, Recent::default())
    }

    /// Creates a log from the newest rows of the database.
    pub(crate) fn read(epoch: String, top: i64, recent: Recent<R>) -> Self {
        Self { epoch, top, recent, recovering: false, held: BTreeMap::new() }
    }

    pub(crate) fn epoch(&self) -> &str {
        &self.epoch
    }

    pub(crate) fn top(&self) -> i64 {
        self.top
    }

    /// Appends rows from the bus, from `from + 1` to `offset`. Rows that arrive before earlier ones are held for
    /// [`EVENTS_GRACE`].
    pub(crate) fn append(&mut self, epoch: &str, from: i64, offset: i64, rows: Vec<Arc<R>>, now: Instant) -> AppendResult<R> {
        if self.recovering || offset <= self.top && self.epoch == epoch {
            return AppendResult::Nothing;
        }
        if self.epoch != epoch {
            return self.missing();
        }
        if from > self.top {
            return self.hold(from, rows, now);
        }
        let mut all = rows;
        let mut top = offset;
        while let Some(next) = self.held.first_entry().filter(|next| *next.key() <= top) {
            let rows = next.remove().rows;
            // Skip known rows: some may have arrived twice.
            let before = top;
            top = top.max(rows.last().map_or(top, |row| row.offset()));
            all.extend(rows.into_iter().filter(|row| row.offset() > before));
        }
        self.extend(all)
    }

    fn hold(&mut self, from: i64, rows: Vec<Arc<R>>, now: Instant) -> AppendResult<R> {
        match self.held.get_mut(&from) {
            // The same rows again, or the same with later ones.
            Some(held) if held.rows.len() >= rows.len() => return AppendResult::Nothing,
            Some(held) => held.rows = rows,
            None => drop(self.held.insert(from, Held { rows, since: now })),
        }
        if self.held.values().map(|held| held.rows.len()).sum::<usize>() > EVENTS_HELD_MAX { self.missing() } else { AppendResult::Nothing }
    }

    /// Returns [`AppendResult::Missing`] if rows have been held too long for an earlier one.
    pub(crate) fn expire(&mut self, now: Instant) -> AppendResult<R> {
        let is_due = self.held.values().any(|held| now.duration_since(held.since) >= EVENTS_GRACE);
        if is_due { self.missing() } else { AppendResult::Nothing }
    }

    /// Compares the log with the last offset of the database. Rows are missing if they were committed but never
    /// published, for example because ingest crashed in between.
    pub(crate) fn compare(&mut self, epoch: &str, top: i64) -> AppendResult<R> {
        // While rows are held, the missing ones are expected from the bus, or are read when the grace period ends.
        let is_behind = self.top < top && self.held.is_empty();
        if !self.recovering && (self.epoch != epoch || is_behind) { self.missing() } else { AppendResult::Nothing }
    }

    fn missing(&mut self) -> AppendResult<R> {
        self.recovering = true;
        // The database has the held rows: they were committed before they were published.
        self.held.clear();
        AppendResult::Missing { epoch: self.epoch.clone(), top: self.top }
    }

    /// Adds the missing rows that were read from the database. If there are more rows than the memory can hold, only
    /// the newest were read.
    pub(crate) fn recovered(&mut self, epoch: &str, rows: Vec<Arc<R>>) -> AppendResult<R> {
        self.recovering = false;
        let continues = rows.first().is_none_or(|first| first.offset() <= self.top + 1);
        if self.epoch == epoch && continues {
            return self.extend(rows);
        }
        *self = Self::new(epoch.to_owned(), rows.last().map_or(0, |row| row.offset()));
        self.recent.extend(rows);
        AppendResult::Broken { epoch: self.epoch.clone(), top: self.top }
    }

    fn extend(&mut self, mut rows: Vec<Arc<R>>) -> AppendResult<R> {
        rows.retain(|row| row.offset() > self.top);
        let Some(last) = rows.last() else { return AppendResult::Nothing };
        self.top = last.offset();
        self.recent.extend(rows.clone());
        AppendResult::Rows(rows)
    }

    /// Returns whether a client may continue from an offset of this epoch. It may not if the offset is above `top`.
    pub(crate) fn reaches(&self, offset: i64) -> bool {
        (0..=self.top).contains(&offset)
    }

    /// Returns the rows after an offset for which `is_inside` is true, oldest first; `None` if the memory does not
    /// reach back that far. If `station` is given, `is_inside` must be false for all rows of other stations.
    pub(crate) fn after(&self, offset: i64, station: Option<NodeId>, is_inside: impl Fn(&R) -> bool) -> Option<Vec<&Arc<R>>> {
        if offset == self.top {
            return Some(Vec::new());
        }
        match station {
            Some(station) => Some(self.recent.after_at(station.0, offset)?.filter(|row| is_inside(row)).collect()),
            None => Some(self.recent.after(offset)?.filter(|row| is_inside(row)).collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::EVENTS_RING;
    use crate::row::SharedRow;

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

    fn offsets(taken: &AppendResult) -> Vec<i64> {
        match taken {
            AppendResult::Rows(rows) => rows.iter().map(|row| row.offset).collect(),
            _ => Vec::new(),
        }
    }

    fn after(log: &EventLog, offset: i64) -> Option<Vec<i64>> {
        log.after(offset, None, |_| true).map(|rows| rows.iter().map(|row| row.offset).collect())
    }

    #[test]
    fn rows_are_taken_once_and_in_order() {
        let mut log = EventLog::new("e".into(), 10);
        assert_eq!(offsets(&log.append("e", 10, 12, rows(11, 12), Instant::now())), [11, 12]);
        assert!(matches!(log.append("e", 10, 12, rows(11, 12), Instant::now()), AppendResult::Nothing), "again");
        assert_eq!(offsets(&log.append("e", 11, 14, rows(12, 14), Instant::now())), [13, 14], "what is known of them is left out");
        assert_eq!((after(&log, 12), after(&log, 14)), (Some(vec![13, 14]), Some(vec![])));
        assert_eq!(after(&log, 9), None, "before the memory");
        assert!(log.reaches(14) && !log.reaches(15) && !log.reaches(-1));
    }

    #[test]
    fn a_gap_is_read_once_and_filled() {
        let mut log = EventLog::new("e".into(), 10);
        let start = Instant::now();
        assert!(matches!(log.append("e", 12, 13, rows(13, 13), start), AppendResult::Nothing), "held");
        assert!(matches!(log.expire(start + EVENTS_GRACE), AppendResult::Missing { top: 10, .. }));
        assert!(matches!(log.expire(start + 2 * EVENTS_GRACE), AppendResult::Nothing), "asked once");
        assert!(matches!(log.append("e", 13, 14, rows(14, 14), Instant::now()), AppendResult::Nothing), "it comes with what is read");
        assert!(matches!(log.compare("e", 14), AppendResult::Nothing), "asked once");
        assert_eq!(offsets(&log.recovered("e", rows(11, 14))), [11, 12, 13, 14]);
        assert!(matches!(log.compare("e", 15), AppendResult::Missing { top: 14, .. }), "the database has more");
        assert!(matches!(log.recovered("e", rows(15, 14)), AppendResult::Nothing), "nothing after all");
        assert!(matches!(log.compare("e", 14), AppendResult::Nothing));
    }

    #[test]
    fn what_cannot_be_continued_begins_afresh() {
        let mut log = EventLog::new("e".into(), 10);
        assert!(matches!(log.append("f", 0, 1, rows(1, 1), Instant::now()), AppendResult::Missing { .. }), "another epoch");
        assert!(matches!(log.recovered("f", rows(7, 7)), AppendResult::Broken { top: 7, .. }));
        assert_eq!((log.epoch(), log.top), ("f", 7));
        let ring = i64::try_from(EVENTS_RING).unwrap();
        assert!(matches!(log.compare("f", 3 * ring), AppendResult::Missing { .. }));
        assert!(matches!(log.recovered("f", rows(2 * ring + 1, 3 * ring)), AppendResult::Broken { .. }), "more was missed than is kept");
        assert_eq!(after(&log, 2 * ring).map(|rows| rows.len()), Some(EVENTS_RING));
        assert_eq!(after(&log, 2 * ring - 1), None);
    }

    /// A step of a test with a log that ends at offset 10 of epoch `e`.
    enum Step {
        /// Rows of an epoch arrive: after the first offset, up to the second, at this many ms after the start.
        Append(&'static str, i64, i64, u64),
        /// The core's tick at this many ms after the start.
        Expire(u64),
        /// The last offset of the database is known.
        Compare(&'static str, i64),
    }

    #[derive(Debug, PartialEq, Eq)]
    enum Came {
        Rows(Vec<i64>),
        Missing(i64),
        Nothing,
    }

    /// Applies the steps of each case to a new log.
    fn walk(cases: Vec<(&str, Vec<(Step, Came)>)>) {
        use Came::{Missing, Nothing, Rows};
        use Step::{Append, Compare, Expire};
        for (name, steps) in cases {
            let (mut log, start) = (EventLog::new("e".into(), 10), Instant::now());
            let at = |ms| start + std::time::Duration::from_millis(ms);
            for (number, (step, expected)) in steps.into_iter().enumerate() {
                let taken = match step {
                    Append(epoch, from, to, ms) => log.append(epoch, from, to, rows(from + 1, to), at(ms)),
                    Expire(ms) => log.expire(at(ms)),
                    Compare(epoch, top) => log.compare(epoch, top),
                };
                let came = match taken {
                    AppendResult::Rows(rows) => Rows(rows.iter().map(|row| row.offset).collect()),
                    AppendResult::Missing { top, .. } => Missing(top),
                    AppendResult::Nothing => Nothing,
                    AppendResult::Broken { .. } => panic!("{name}: broken"),
                };
                assert_eq!(came, expected, "{name}, step {number}");
            }
        }
    }

    #[test]
    fn rows_that_come_too_early_are_held_for_a_while() {
        use Came::{Missing, Nothing, Rows};
        use Step::{Append, Expire};
        walk(vec![
            (
                "hole filled in time",
                vec![
                    (Append("e", 12, 13, 0), Nothing),
                    (Expire(249), Nothing),
                    (Append("e", 10, 12, 249), Rows(vec![11, 12, 13])),
                    (Expire(1_000), Nothing),
                ],
            ),
            (
                "two holes, filled one after the other",
                vec![
                    (Append("e", 14, 15, 0), Nothing),
                    (Append("e", 12, 13, 100), Nothing),
                    (Append("e", 10, 12, 200), Rows(vec![11, 12, 13])),
                    (Expire(240), Nothing),
                    (Append("e", 13, 14, 240), Rows(vec![14, 15])),
                ],
            ),
            (
                "the first hole filled, the second not",
                vec![
                    (Append("e", 14, 15, 0), Nothing),
                    (Append("e", 10, 12, 200), Rows(vec![11, 12])),
                    (Expire(250), Missing(12)),
                    (Append("e", 12, 14, 260), Nothing),
                ],
            ),
            (
                "hole not filled",
                vec![
                    (Append("e", 12, 13, 0), Nothing),
                    (Append("e", 13, 14, 200), Nothing),
                    (Expire(250), Missing(10)),
                    (Append("e", 10, 12, 260), Nothing),
                    (Expire(1_000), Nothing),
                ],
            ),
        ]);
    }

    #[test]
    fn held_rows_are_bounded_and_go_with_their_epoch() {
        use Came::{Missing, Nothing, Rows};
        use Step::{Append, Compare, Expire};
        let full = i64::try_from(EVENTS_HELD_MAX).unwrap();
        walk(vec![
            ("as many as may be held", vec![(Append("e", 11, 11 + full, 0), Nothing), (Expire(249), Nothing)]),
            (
                "more than may be held",
                vec![(Append("e", 11, 12, 0), Nothing), (Append("e", 13, 13 + full, 1), Missing(10)), (Expire(1_000), Nothing)],
            ),
            (
                "another epoch while rows are held",
                vec![
                    (Append("e", 12, 13, 0), Nothing),
                    (Append("f", 0, 1, 10), Missing(10)),
                    (Append("e", 10, 12, 20), Nothing),
                    (Expire(1_000), Nothing),
                ],
            ),
            (
                "another epoch in the database while rows are held",
                vec![(Append("e", 12, 13, 0), Nothing), (Compare("f", 1), Missing(10)), (Expire(1_000), Nothing)],
            ),
            (
                "the same rows twice",
                vec![
                    (Append("e", 12, 13, 0), Nothing),
                    (Append("e", 12, 13, 200), Nothing),
                    (Append("e", 12, 14, 210), Nothing),
                    (Append("e", 11, 13, 220), Nothing),
                    (Append("e", 10, 12, 240), Rows(vec![11, 12, 13, 14])),
                    (Append("e", 10, 12, 245), Nothing),
                    (Expire(1_000), Nothing),
                ],
            ),
            (
                "the same rows twice do not prolong the wait",
                vec![(Append("e", 12, 13, 0), Nothing), (Append("e", 12, 13, 240), Nothing), (Expire(250), Missing(10))],
            ),
            (
                "the database is ahead while rows are held",
                vec![
                    (Append("e", 12, 13, 0), Nothing),
                    (Compare("e", 13), Nothing),
                    (Append("e", 10, 12, 100), Rows(vec![11, 12, 13])),
                    (Compare("e", 14), Missing(13)),
                ],
            ),
        ]);
    }
}
