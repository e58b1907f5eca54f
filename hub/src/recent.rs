//! The newest rows of one utility's stream in memory, in order and by substation, for clients that reconnect. Pure.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use store::newest::Newest;

use crate::config::{EVENTS_RING, EVENTS_RING_BYTES};
use crate::placed::Placed;

/// Rows without a gap. Beyond [`EVENTS_RING`] rows or [`EVENTS_RING_BYTES`], the oldest are dropped; the database has
/// them.
#[derive(Debug)]
pub(crate) struct Recent<R> {
    rows: VecDeque<Arc<R>>,
    bytes: usize,
    /// The same rows by substation. Bounded by the numbers of rows and of substations.
    stations: HashMap<i64, Station<R>>,
    /// The offset from which `before` is complete for each substation (0 where there is none). `None` if nothing is
    /// known about rows that are not in memory.
    known_from: Option<i64>,
}

/// The rows of a substation.
#[derive(Debug)]
struct Station<R> {
    rows: VecDeque<Arc<R>>,
    /// The newest offset of this substation that is not in memory.
    before: i64,
}

impl<R> Default for Recent<R> {
    fn default() -> Self {
        Self { rows: VecDeque::new(), bytes: 0, stations: HashMap::new(), known_from: None }
    }
}

impl<R> Default for Station<R> {
    fn default() -> Self {
        Self { rows: VecDeque::new(), before: 0 }
    }
}

impl<R: Placed> Recent<R> {
    /// Creates the memory from rows of the database, and from the newest offset of each substation before these rows.
    /// The rows must be oldest first, and without a gap up to the last offset.
    pub(crate) fn read(rows: Vec<Arc<R>>, before: &Newest) -> Self {
        let mut recent = Self { known_from: before.oldest, ..Self::default() };
        for (station, offset) in &before.of_stations {
            recent.stations.entry(station.0).or_default().before = *offset;
        }
        recent.extend(rows);
        recent
    }

    /// Appends rows.
    pub(crate) fn extend(&mut self, rows: Vec<Arc<R>>) {
        for row in rows {
            self.bytes += row.bytes();
            self.stations.entry(row.station()).or_default().rows.push_back(row.clone());
            self.rows.push_back(row);
        }
        while self.rows.len() > EVENTS_RING || self.bytes > EVENTS_RING_BYTES {
            let Some(oldest) = self.rows.pop_front() else { return };
            self.bytes -= oldest.bytes();
            if let Some(station) = self.stations.get_mut(&oldest.station()) {
                station.rows.pop_front();
                station.before = oldest.offset();
            }
        }
    }

    /// Returns whether all rows after an offset are in memory.
    fn reaches(&self, offset: i64) -> bool {
        self.rows.front().is_some_and(|first| first.offset() <= offset + 1)
    }

    /// Returns the rows after an offset, oldest first; `None` if the memory does not reach back that far.
    pub(crate) fn after(&self, offset: i64) -> Option<impl Iterator<Item = &Arc<R>>> {
        self.reaches(offset).then(|| newer(&self.rows, offset))
    }

    /// Returns the rows of a substation after an offset, oldest first. The offset can also be older than the memory, if
    /// the substation has no rows between the offset and the memory.
    pub(crate) fn after_at(&self, station: i64, offset: i64) -> Option<impl Iterator<Item = &Arc<R>>> {
        let known = self.stations.get(&station);
        let is_complete = self.known_from.is_some_and(|from| from <= offset + 1) && known.is_none_or(|station| station.before <= offset);
        (is_complete || self.reaches(offset)).then(|| known.into_iter().flat_map(move |station| newer(&station.rows, offset)))
    }
}

fn newer<R: Placed>(rows: &VecDeque<Arc<R>>, offset: i64) -> impl Iterator<Item = &Arc<R>> {
    rows.range(rows.partition_point(|row| row.offset() <= offset)..)
}

#[cfg(test)]
mod tests {
    use grid::NodeId;
    use proptest::prelude::*;

    use super::*;

    /// A row of a test: offset, substation, size in bytes.
    #[derive(Debug)]
    struct Row(i64, i64, usize);

    impl Placed for Row {
        fn offset(&self) -> i64 {
            self.0
        }

        fn station(&self) -> i64 {
            self.1
        }

        fn bytes(&self) -> usize {
            self.2
        }
    }

    fn offsets<'a>(rows: Option<impl Iterator<Item = &'a Arc<Row>>>) -> Option<Vec<i64>> {
        rows.map(|rows| rows.map(|row| row.0).collect())
    }

    proptest! {
        /// The rows of a history by substation. The last ones are read at the start, the rest arrive later. Rows are
        /// large, so only a few are kept.
        #[test]
        fn answer_from_memory_is_what_the_history_has(
            stations in prop::collection::vec(0_i64..4, 1..60),
            read in 0_usize..20,
            come in 0_usize..30,
            kept in 1_usize..20,
            forgotten in 0_i64..10,
        ) {
            let top = stations.len().saturating_sub(come);
            let from = top.saturating_sub(read);
            let all: Vec<(i64, i64)> = stations.iter().zip(1_i64..).map(|(station, offset)| (offset, *station)).collect();
            let rows = |span: &[(i64, i64)]| -> Vec<Arc<Row>> {
                span.iter().map(|(offset, station)| Arc::new(Row(*offset, *station, EVENTS_RING_BYTES / kept))).collect()
            };
            // The oldest rows of alarms and faults are deleted over time.
            let stored = || all[..from].iter().filter(|(offset, _)| *offset > forgotten);
            let mut of_stations: HashMap<NodeId, i64> = HashMap::new();
            of_stations.extend(stored().map(|(offset, station)| (NodeId(*station), *offset)));
            let oldest = stored().next().map(|(offset, _)| *offset);
            let newest = Newest { of_stations: of_stations.into_iter().collect(), oldest };
            let mut recent = Recent::read(rows(&all[from..top]), &newest);
            for row in &all[top..] {
                recent.extend(rows(&[*row]));
            }
            for offset in 0..=stations.len() as i64 {
                let missed = |at: Option<i64>| -> Vec<i64> {
                    let missed = all.iter().filter(|(of, station)| *of > offset && at.is_none_or(|at| at == *station));
                    missed.map(|(offset, _)| *offset).collect()
                };
                if let Some(answer) = offsets(recent.after(offset)) {
                    prop_assert_eq!(answer, missed(None));
                }
                for station in 0..4 {
                    if let Some(answer) = offsets(recent.after_at(station, offset)) {
                        prop_assert_eq!(answer, missed(Some(station)));
                    }
                }
            }
        }
    }

    #[test]
    fn quiet_station_is_answered_from_beyond_the_memory() {
        let newest = Newest { of_stations: vec![(NodeId(1), 3), (NodeId(2), 90)], oldest: Some(2) };
        let rows = (91..=100).map(|offset| Arc::new(Row(offset, 2, 1))).collect();
        let recent = Recent::read(rows, &newest);
        assert_eq!(offsets(recent.after(3)), None, "the memory begins at 91");
        assert_eq!(offsets(recent.after_at(1, 3)), Some(vec![]), "nothing happened there since");
        assert_eq!(offsets(recent.after_at(3, 3)), Some(vec![]), "nothing ever happened there");
        assert_eq!(offsets(recent.after_at(1, 2)), None, "row 3 is in the database");
        assert_eq!(offsets(recent.after_at(3, 0)), None, "row 1 is deleted: it may have been there");
        assert_eq!(offsets(recent.after_at(2, 89)), None, "row 90 is in the database");
        assert_eq!(offsets(recent.after_at(2, 98)), Some(vec![99, 100]));
    }
}
