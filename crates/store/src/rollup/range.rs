//! Ranges of time for which rollups are incomplete, by blocks of points.

use grid::downsample::{Resolution, floor};
use grid::{Micros, PointId};
use tokio_postgres::Row;

use crate::Result;
use crate::convert::{Stamp, micros};

/// The points of a block have ids that differ only in this number of low bits (`V005__rollups.sql`).
const BLOCK_BITS: u32 = 6;

/// Returns the block of a point.
pub(crate) fn block(point: PointId) -> i64 {
    point.0 >> BLOCK_BITS
}

/// Returns the first id of a block.
pub(super) fn first_point(block: i64) -> i64 {
    block << BLOCK_BITS
}

/// A time range of one block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Range {
    pub(crate) block: i64,
    pub(crate) lo: Micros,
    /// End, exclusive.
    pub(crate) hi: Micros,
}

impl Range {
    pub(super) fn read(row: &Row) -> Result<Self> {
        Ok(Self { block: row.try_get("block")?, lo: micros(row, "lo")?, hi: micros(row, "hi")? })
    }

    /// Returns the range extended to whole buckets.
    pub(super) fn aligned(self, ms: i64) -> Self {
        let end = floor(self.hi, ms);
        let hi = if end == self.hi { end } else { end.plus_millis(ms) };
        Self { lo: floor(self.lo, ms), hi, ..self }
    }
}

/// Returns ranges in order; those that touch or overlap are merged.
pub(crate) fn merged(mut ranges: Vec<Range>) -> Vec<Range> {
    ranges.sort_unstable();
    let mut merged: Vec<Range> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if last.block == range.block && range.lo <= last.hi => last.hi = last.hi.max(range.hi),
            _ => merged.push(range),
        }
    }
    merged
}

/// Returns the level in `rollup_dirty`; `None` for raw values.
pub(crate) fn level(of: Resolution) -> Option<i16> {
    Resolution::BUCKETS.iter().position(|other| *other == of).map(|at| at as i16 + 1)
}

/// Returns ranges as arrays, for statements.
pub(crate) fn columns(ranges: &[Range]) -> (Vec<i64>, Vec<Stamp>, Vec<Stamp>) {
    (
        ranges.iter().map(|range| range.block).collect(),
        ranges.iter().map(|range| Stamp(range.lo)).collect(),
        ranges.iter().map(|range| Stamp(range.hi)).collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_touch_become_one() {
        let range = |block: i64, lo: i64, hi: i64| Range { block, lo: Micros(lo), hi: Micros(hi) };
        let ranges = vec![range(2, 5, 6), range(1, 1, 3), range(1, 3, 4), range(1, 6, 7), range(1, 2, 3)];
        assert_eq!(merged(ranges), [range(1, 1, 4), range(1, 6, 7), range(2, 5, 6)]);
    }
}
