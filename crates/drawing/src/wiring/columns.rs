//! Finds elements near a position without searching the whole sheet. The index divides the sheet into columns, because
//! diagrams are wide.

use std::collections::{BTreeSet, HashMap};
use std::ops::RangeInclusive;

/// Width of a column, drawing units.
const WIDTH: f64 = 256.0;

/// The elements in each column.
#[derive(Debug, Default)]
pub(super) struct Columns {
    columns: HashMap<i64, Vec<usize>>,
}

fn columns((from, to): (f64, f64)) -> RangeInclusive<i64> {
    // Coordinates are limited to a million units; see `shape`.
    (from / WIDTH).floor() as i64..=(to / WIDTH).floor() as i64
}

impl Columns {
    /// Adds an element with its extent in x. Returns the number of columns that it is in.
    pub(super) fn enter(&mut self, number: usize, extent: (f64, f64)) -> usize {
        columns(extent).map(|column| self.columns.entry(column).or_default().push(number)).count()
    }

    /// Returns the elements that may be between two x, ordered by number.
    pub(super) fn within(&self, extent: (f64, f64)) -> BTreeSet<usize> {
        columns(extent).filter_map(|column| self.columns.get(&column)).flatten().copied().collect()
    }

    /// Returns the elements that may be at an x, in the order in which they were added.
    pub(super) fn at(&self, x: f64) -> impl Iterator<Item = usize> + '_ {
        self.columns.get(columns((x, x)).start()).into_iter().flatten().copied()
    }
}
