//! Finds what lies near a place without looking at the whole sheet: by columns of it, since substations are drawn wide.

use std::collections::{BTreeSet, HashMap};
use std::ops::RangeInclusive;

/// Width of a column, in drawing units.
const WIDTH: f64 = 256.0;

/// What lies in which columns.
#[derive(Debug, Default)]
pub(super) struct Columns {
    columns: HashMap<i64, Vec<usize>>,
}

fn columns((from, to): (f64, f64)) -> RangeInclusive<i64> {
    // Places on a sheet are within a million units: see `shape`.
    (from / WIDTH).floor() as i64..=(to / WIDTH).floor() as i64
}

impl Columns {
    /// Enters something that reaches from one x to another; answers in how many columns it lies.
    pub(super) fn enter(&mut self, number: usize, extent: (f64, f64)) -> usize {
        columns(extent).map(|column| self.columns.entry(column).or_default().push(number)).count()
    }

    /// What may lie between two x, in the order of the numbers.
    pub(super) fn within(&self, extent: (f64, f64)) -> BTreeSet<usize> {
        columns(extent).filter_map(|column| self.columns.get(&column)).flatten().copied().collect()
    }

    /// What may lie at an x, in the order in which it was entered.
    pub(super) fn at(&self, x: f64) -> impl Iterator<Item = usize> + '_ {
        self.columns.get(columns((x, x)).start()).into_iter().flatten().copied()
    }
}
