//! Dirty ranges for the rollups: the minutes of points to which a batch adds values. Each range is stored for a block of points, so that a batch of thousands
//! of values needs only a few dozen ranges.

use grid::Micros;
use grid::downsample::{MINUTE_MS, floor};
use tokio_postgres::Transaction;

use super::rows::Sample;
use super::statements::Statements;
use crate::Result;
use crate::convert::{Stamp, is_storable};
use crate::rollup::{Range, block};

/// Largest gap between minutes that are joined to one range, ms. Each superfluous minute needs an index look-up, each separate range a row.
const JOINED_MS: i64 = 2 * 60 * MINUTE_MS;
/// The rollup level that is computed from raw values.
const MINUTES: i16 = 1;

/// Stores the dirty ranges of a batch. `rows` are sorted by point and time.
pub(super) async fn put(transaction: &Transaction<'_>, with: &Statements, rows: &[&Sample]) -> Result<()> {
    let ranges = ranges(rows);
    if ranges.is_empty() {
        return Ok(());
    }
    let blocks: Vec<i64> = ranges.iter().map(|range| range.block).collect();
    let starts: Vec<Stamp> = ranges.iter().map(|range| Stamp(range.lo)).collect();
    let ends: Vec<Stamp> = ranges.iter().map(|range| Stamp(range.hi)).collect();
    transaction.execute(&with.mark_rollups, &[&MINUTES, &blocks, &starts, &ends]).await?;
    Ok(())
}

fn ranges(rows: &[&Sample]) -> Vec<Range> {
    let mut minutes: Vec<(i64, Micros)> = Vec::new();
    for sample in rows {
        let minute = (block(sample.point), floor(sample.reading.source, MINUTE_MS));
        if minutes.last() != Some(&minute) {
            minutes.push(minute);
        }
    }
    minutes.sort_unstable();
    minutes.dedup();
    let mut ranges: Vec<Range> = Vec::new();
    for (block, lo) in minutes {
        let hi = lo.plus_millis(MINUTE_MS);
        // A time at the limits of what can be stored has no dirty range: the value is stored without a rollup.
        if !is_storable(lo) || !is_storable(hi) {
            continue;
        }
        match ranges.last_mut() {
            Some(last) if last.block == block && lo.millis_since(last.hi) <= JOINED_MS => last.hi = hi,
            _ => ranges.push(Range { block, lo, hi }),
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use grid::{ClientId, Ordinal, PointId, Quality, Reading};

    use super::*;

    fn sample(point: i64, second: i64) -> Sample {
        let source = Micros(second * 1_000_000);
        let reading = Reading { value: None, quality: Quality::Good, source, received: source, ordinal: Ordinal::default() };
        Sample { point: PointId(point), client: ClientId(1), reading, historical: false, repeated: false }
    }

    #[test]
    fn neighbours_in_number_and_time_share_a_mark() {
        let samples = [sample(1, 59), sample(1, 61), sample(1, 20_000), sample(63, 130), sample(64, 60), sample(64, i64::MAX / 1_000_000)];
        let found: Vec<(i64, i64, i64)> = ranges(&samples.iter().collect::<Vec<_>>())
            .iter()
            .map(|range| (range.block, range.lo.0 / 1_000_000, range.hi.0 / 1_000_000))
            .collect();
        assert_eq!(found, [(0, 0, 180), (0, 19_980, 20_040), (1, 60, 120)]);
    }
}
