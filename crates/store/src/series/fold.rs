//! Combines stored buckets, and buckets computed from dirty ranges, into the buckets of an answer.

use std::collections::HashMap;

use grid::downsample::{Bucket, Buckets, MINUTE_MS, Resolution, floor};
use grid::{Micros, PointId};

use super::before::Before;
use super::line::{Line, Series};
use super::read::{Rows, Scope};
use crate::rollup::{Range, merged};
use crate::{Result, Store};

/// To find the register reading at the start of a period, raw values are read from this long before it, ms (raw_before.sql).
const BEFORE_MS: i64 = 24 * 60 * MINUTE_MS;

/// The starts of the buckets of a rollup over a period, and the end of the last bucket.
struct Units {
    /// Starts, then the end of the last one; for days only.
    days: Vec<Micros>,
    from: Micros,
    to: Micros,
    ms: i64,
}

impl Units {
    /// Returns the unit that contains a time; `None` outside of the period.
    fn at(&self, at: Micros) -> Option<usize> {
        if at < self.from || at >= self.to {
            return None;
        }
        if self.days.is_empty() {
            return usize::try_from(at.millis_since(self.from) / self.ms).ok();
        }
        Some(self.days.partition_point(|day| *day <= at) - 1)
    }

    fn count(&self) -> usize {
        if self.days.is_empty() { (self.to.millis_since(self.from) / self.ms) as usize } else { self.days.len() - 1 }
    }

    fn start(&self, unit: usize) -> Micros {
        if self.days.is_empty() { self.from.plus_millis(unit as i64 * self.ms) } else { self.days[unit] }
    }

    /// Returns the range extended to whole units, within the period; `None` if it is outside.
    fn aligned(&self, range: Range) -> Option<Range> {
        let (lo, hi) = (range.lo.max(self.from), range.hi.min(self.to));
        if lo >= hi {
            return None;
        }
        let first = self.at(lo)?;
        let last = self.at(Micros(hi.0 - 1))?;
        let end = if last + 1 < self.count() { self.start(last + 1) } else { self.to };
        Some(Range { lo: self.start(first), hi: end, ..range })
    }
}

impl Store {
    async fn units(&self, scope: &Scope, from: Micros, to: Micros, buckets: Buckets) -> Result<Units> {
        let ms = buckets.of.ms();
        if buckets.of == Resolution::Day {
            let days = self.midnights(scope, from, to).await?;
            let ends = (days.first().copied().unwrap_or(from), days.last().copied().unwrap_or(to));
            return Ok(Units { days, from: ends.0, to: ends.1, ms });
        }
        // From the start of a whole bucket of the answer to the end of one.
        let from = floor(from, buckets.ms());
        let last = floor(Micros(to.0 - 1), buckets.ms());
        Ok(Units { days: Vec::new(), from, to: last.plus_millis(buckets.ms()), ms })
    }

    /// Returns buckets over a period. A value that is valid at the start of a bucket is included in the bucket; with `alone` only for points that report by
    /// exception.
    pub(super) async fn bucket_series(&self, scope: &Scope, from: Micros, to: Micros, buckets: Buckets, alone: bool) -> Result<Series> {
        let units = self.units(scope, from, to, buckets).await?;
        self.series_of_units(scope, &units, to, buckets, alone).await
    }

    /// As `bucket_series`, but from the unit that contains `from`, without alignment to whole buckets. The last bucket can have fewer units.
    pub(super) async fn bucket_series_from(&self, scope: &Scope, from: Micros, to: Micros, buckets: Buckets) -> Result<Series> {
        let units = self.units(scope, from, to, Buckets { times: 1, ..buckets }).await?;
        self.series_of_units(scope, &units, to, buckets, false).await
    }

    async fn series_of_units(&self, scope: &Scope, units: &Units, to: Micros, buckets: Buckets, alone: bool) -> Result<Series> {
        // Dirty ranges are read first: buckets that are computed between the two queries are then in both answers, never in neither.
        let lacking = self.lacking(scope, buckets.of, units.from.plus_millis(-BEFORE_MS), units.to).await?;
        let whole = merged(lacking.iter().filter_map(|(_, range)| units.aligned(*range)).collect());
        let values = merged(lacking.iter().filter(|(level, _)| *level == 1).map(|(_, range)| *range).collect());
        let minutes = if buckets.of == Resolution::Minute { Vec::new() } else { without(&whole, &values) };
        let values = within(&values, &whole);
        let start_of = |at: Micros| units.at(at).map(|unit| units.start(unit));
        let mut rows = self.buckets(scope, buckets.of, (units.from, units.to), (&minutes, &values), start_of).await?;
        if lacking.iter().any(|(_, range)| range.lo < units.from) {
            // The stored bucket before the period can lack its last values. Then a register would seem to have counted them within the period.
            for (point, newest) in self.last_before(scope, units.from).await? {
                let known = rows.before.entry(point).or_insert(newest);
                known.last = [known.last, newest.last].into_iter().flatten().max_by_key(|(at, _)| *at);
                // The raw values of the last day are complete.
                known.heard = newest.heard;
            }
        }
        Ok(fold(scope, units, buckets, &rows, (to, alone)))
    }
}

/// Returns the parts of `ranges` outside of `others`. Both are in order and do not overlap.
fn without(ranges: &[Range], others: &[Range]) -> Vec<Range> {
    let mut left = Vec::new();
    for range in ranges {
        let mut lo = range.lo;
        for other in others.iter().filter(|other| other.block == range.block && other.lo < range.hi && other.hi > range.lo) {
            if other.lo > lo {
                left.push(Range { lo, hi: other.lo, ..*range });
            }
            lo = lo.max(other.hi);
        }
        if lo < range.hi {
            left.push(Range { lo, ..*range });
        }
    }
    left
}

/// Returns the parts of `ranges` inside of `others`.
fn within(ranges: &[Range], others: &[Range]) -> Vec<Range> {
    let both = |range: &Range, other: &Range| {
        let (lo, hi) = (range.lo.max(other.lo), range.hi.min(other.hi));
        (range.block == other.block && lo < hi).then_some(Range { lo, hi, ..*range })
    };
    ranges.iter().flat_map(|range| others.iter().filter_map(move |other| both(range, other))).collect()
}

fn fold(scope: &Scope, units: &Units, buckets: Buckets, rows: &Rows, (to, alone): (Micros, bool)) -> Series {
    let times = (buckets.times as usize).max(1);
    let count = units.count().div_ceil(times);
    let starts: Vec<Micros> = (0..count).map(|at| units.start(at * times)).collect();
    let ends: Vec<Micros> = starts.iter().skip(1).copied().chain([units.to]).map(|end| end.min(to)).collect();
    let line_of: HashMap<PointId, usize> = scope.points.iter().enumerate().map(|(at, point)| (*point, at)).collect();
    let limit_of: Vec<Option<i64>> = scope.points.iter().map(|point| scope.holds_of(*point)).collect();
    let mut fresh: HashMap<(usize, usize), Vec<&Bucket>> = HashMap::new();
    for (point, start, bucket) in &rows.fresh {
        let (Some(line), Some(unit)) = (line_of.get(point), units.at(*start)) else { continue };
        fresh.entry((*line, unit)).or_default().push(bucket);
    }
    let mut found: Vec<(usize, usize, Bucket)> = Vec::with_capacity(rows.stored.len() + fresh.len());
    let mut fresh: HashMap<(usize, usize), Bucket> =
        fresh.into_iter().filter_map(|((line, unit), parts)| Some(((line, unit), in_order(parts, limit_of[line])?))).collect();
    for (point, start, bucket) in &rows.stored {
        let (Some(line), Some(unit)) = (line_of.get(point), units.at(*start)) else { continue };
        // Values are only added, so the bucket with more values is the newer one. The stored bucket can also have more because raw values have expired.
        if fresh.get(&(*line, unit)).is_some_and(|fresh| fresh.n > bucket.n) {
            continue;
        }
        fresh.remove(&(*line, unit));
        found.push((*line, unit, *bucket));
    }
    found.extend(fresh.into_iter().map(|((line, unit), bucket)| (line, unit, bucket)));
    // The order decides which value is still valid in the next bucket.
    found.sort_unstable_by_key(|(line, unit, _)| (*line, *unit));
    let line = |point: &PointId| {
        let before = rows.before.get(point);
        Line {
            point: *point,
            before: before.and_then(|before| before.last),
            lasting: before.and_then(Before::lasting),
            lasts: vec![None; count],
            cells: vec![None; count],
        }
    };
    let mut lines: Vec<Line> = scope.points.iter().map(line).collect();
    for (line, unit, bucket) in &found {
        match &mut lines[*line].cells[unit / times] {
            Some(cell) => cell.append(bucket, limit_of[*line]),
            empty => *empty = Some(*bucket),
        }
    }
    for (line, limit) in lines.iter_mut().zip(&limit_of) {
        let mut lasting = line.lasting;
        let spans = starts.iter().copied().zip(ends.iter().copied());
        for ((cell, kept), span) in line.cells.iter_mut().zip(&mut line.lasts).zip(spans) {
            let Some(cell) = cell else { continue };
            let last = cell.lasting();
            *kept = last;
            cell.spread(lasting.filter(|_| !alone || limit.is_none()), span, *limit);
            lasting = last;
        }
    }
    let start = starts.first().copied().unwrap_or(to);
    let series = Series { source: buckets.of, bucket_ms: Some(buckets.ms()), times: starts, lines, kept_since: None };
    series.kept(&scope.kept, start)
}

/// Combines the parts of a bucket, which do not overlap in time, into one bucket.
fn in_order(mut parts: Vec<&Bucket>, limit_ms: Option<i64>) -> Option<Bucket> {
    parts.sort_by_key(|part| part.held.map(|held| held.from));
    parts.into_iter().copied().reduce(|mut all, next| {
        all.append(&next, limit_ms);
        all
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(block: i64, lo: i64, hi: i64) -> Range {
        Range { block, lo: Micros(lo), hi: Micros(hi) }
    }

    #[test]
    fn ranges_are_cut_by_others_of_their_block() {
        let whole = [range(1, 0, 100), range(1, 200, 300), range(2, 0, 100)];
        let values = [range(1, 10, 20), range(1, 90, 210), range(3, 0, 50)];
        assert_eq!(without(&whole, &values), [range(1, 0, 10), range(1, 20, 90), range(1, 210, 300), range(2, 0, 100)]);
        assert_eq!(within(&values, &whole), [range(1, 10, 20), range(1, 90, 100), range(1, 200, 210)]);
    }
}
