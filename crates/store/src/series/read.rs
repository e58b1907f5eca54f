//! The database queries of a series.

use std::collections::{HashMap, HashSet};

use grid::downsample::{Bucket, Resolution, add};
use grid::{ClientId, Micros, PointId};
use tokio_postgres::Row;

use super::before::Before;
use super::limits::REGISTERS_MAX;
use crate::convert::{Stamp, micros, micros_or_null, sql};
use crate::kept::{Kept, Level};
use crate::pool::Params;
use crate::rollup::{
    NEXT_COLUMN, NEXT_COLUMN_OF_VALUE, Range, STORED, WITHIN, block, columns, layout, level, read_day, read_packed, read_value,
};
use crate::{Result, Store};

/// The start of the stored values of some points of a utility at each resolution. Expired values are ignored.
#[derive(Debug)]
pub struct Coverage {
    client: ClientId,
    /// The utility's time zone, as named by the server.
    zone: String,
    kept: Kept,
    /// Only points of the utility.
    points: HashMap<PointId, Reach>,
}

/// The start of the stored values of one point at each resolution.
#[derive(Debug, Clone, Copy)]
struct Reach {
    expected_ms: Option<i64>,
    /// By resolution, raw values first.
    since: [Option<Micros>; 5],
    /// The first stored value, kept or not.
    first_value: Option<Micros>,
}

impl Coverage {
    /// Returns [`Store::finest`] for some of the points, with the data at the time of reading.
    pub fn finest(&self, points: &[PointId], wanted: Resolution, from: Micros) -> Resolution {
        self.scope(points).map_or(wanted, |scope| scope.finest(wanted, from))
    }

    /// Returns the scope of these points; `None` if the coverage has none of them.
    pub(super) fn scope(&self, points: &[PointId]) -> Option<Scope> {
        let (zone, kept) = (self.zone.clone(), self.kept);
        let mut scope =
            Scope { client: self.client, points: Vec::new(), zone, kept, expected: HashMap::new(), since: [None; 5], first_value: None };
        let mut known = HashSet::with_capacity(points.len());
        for point in points {
            let Some(reach) = self.points.get(point).filter(|_| known.insert(*point)) else { continue };
            scope.points.push(*point);
            scope.expected.extend(reach.expected_ms.map(|expected_ms| (*point, expected_ms)));
            for (all, since) in scope.since.iter_mut().zip(reach.since) {
                *all = [*all, since].into_iter().flatten().min();
            }
            scope.first_value = [scope.first_value, reach.first_value].into_iter().flatten().min();
        }
        (!scope.points.is_empty()).then_some(scope)
    }
}

/// The points of a query that belong to the utility.
#[derive(Debug)]
pub(super) struct Scope {
    pub(super) client: ClientId,
    /// In the order of the request, without duplicates.
    pub(super) points: Vec<PointId>,
    /// The utility's time zone, as named by the server.
    pub(super) zone: String,
    /// The time from which the history is kept.
    pub(super) kept: Kept,
    expected: HashMap<PointId, i64>,
    /// The start of the stored values at each resolution, raw values first.
    since: [Option<Micros>; 5],
    /// The first stored value, kept or not.
    first_value: Option<Micros>,
}

impl Scope {
    /// Returns the longest reporting interval of the points, ms.
    pub(super) fn expected_ms(&self) -> Option<i64> {
        self.expected.values().copied().max()
    }

    /// Returns the reporting interval of a point, ms; `None` for report by exception.
    pub(super) fn expected_of(&self, point: PointId) -> Option<i64> {
        self.expected.get(&point).copied()
    }

    /// Returns the scope of some of its points.
    pub(super) fn part(&self, points: &[PointId]) -> Self {
        let (zone, expected) = (self.zone.clone(), self.expected.clone());
        Self {
            client: self.client,
            points: points.to_vec(),
            zone,
            kept: self.kept,
            expected,
            since: self.since,
            first_value: self.first_value,
        }
    }

    /// Returns the maximum time for which a value of a point is valid, ms; `None` if it is valid until the next value.
    pub(super) fn holds_of(&self, point: PointId) -> Option<i64> {
        grid::freshness::age_limit_ms(self.expected_of(point))
    }

    /// Returns the given resolution. If a coarser resolution begins earlier, because finer values have expired or never existed, returns the coarser one.
    pub(super) fn finest(&self, wanted: Resolution, from: Micros) -> Resolution {
        let reach = |of: Resolution| {
            let since = self.since[level(of).unwrap_or(0) as usize];
            // Missing buckets are computed from stored values when reading, so each resolution reaches as far back as they do, unless it is kept for less.
            let computed = self.first_value.map(|first| first.max(self.kept.floor(of)));
            let since = if of == Resolution::Raw { since } else { [since, computed].into_iter().flatten().min() };
            since.map(|since| since.max(from))
        };
        let mut best = wanted;
        for coarser in Resolution::BUCKETS.into_iter().filter(|of| *of > wanted) {
            // A bucket always starts before its first value. That alone is no reason for a coarser resolution.
            let gains = |reached: Micros| reach(best).is_none_or(|best| reached.plus_millis(coarser.ms()) <= best);
            if reach(coarser).is_some_and(gains) {
                best = coarser;
            }
        }
        best
    }
}

/// Buckets of a rollup, and the buckets that are missing in it.
pub(super) struct Rows {
    /// Stored buckets: point, start and bucket.
    pub(super) stored: Vec<(PointId, Micros, Bucket)>,
    /// The stored state of the points before the period.
    pub(super) before: HashMap<PointId, Before>,
    /// Parts of buckets, computed from dirty ranges.
    pub(super) fresh: Vec<(PointId, Micros, Bucket)>,
}

impl Store {
    /// Returns the start of the stored values of some points at each resolution. One statement reads up to [`REGISTERS_MAX`] points, so that it ends within its
    /// time limit.
    pub async fn coverage(&self, client: ClientId, points: &[PointId]) -> Result<Coverage> {
        let kept = self.kept().await?;
        let floors = Level::VALUES.map(|level| Stamp(kept.floor(level)));
        let mut coverage = Coverage { client, zone: String::new(), kept, points: HashMap::with_capacity(points.len()) };
        for some in points.chunks(REGISTERS_MAX) {
            let ids: Vec<i64> = some.iter().map(|point| point.0).collect();
            let [raw, minutes, ten_minutes, hours, days] = &floors;
            let params: Params<'_> = &[&client.0, &ids, raw, minutes, ten_minutes, hours, days];
            for row in &self.of(client).query(sql!("history/scope"), params).await? {
                row.try_get::<_, &str>("zone")?.clone_into(&mut coverage.zone);
                let mut reach =
                    Reach { expected_ms: row.try_get("expected_ms")?, since: [None; 5], first_value: micros_or_null(row, "first_value")? };
                for (since, column) in reach.since.iter_mut().zip(["since_raw", "since_1m", "since_10m", "since_1h", "since_1d"]) {
                    *since = micros_or_null(row, column)?;
                }
                coverage.points.insert(PointId(row.try_get("id")?), reach);
            }
        }
        Ok(coverage)
    }

    /// Returns the scope of the points; `None` if none belongs to the utility.
    pub(super) async fn series_scope(&self, client: ClientId, points: &[PointId]) -> Result<Option<Scope>> {
        Ok(self.coverage(client, points).await?.scope(points))
    }

    /// Returns the midnights in the utility's time zone around a period: from the last one at or before its start to the first one at or after its end.
    pub(super) async fn midnights(&self, scope: &Scope, from: Micros, to: Micros) -> Result<Vec<Micros>> {
        let rows = self.of(scope.client).query(sql!("history/days"), &[&scope.zone, &Stamp(from), &Stamp(to)]).await?;
        rows.iter().map(|row| micros(row, "start")).collect()
    }

    /// Returns the ranges for which a rollup can be incomplete, each with its level in `rollup_dirty`.
    pub(super) async fn lacking(&self, scope: &Scope, of: Resolution, from: Micros, to: Micros) -> Result<Vec<(i16, Range)>> {
        let mut blocks: Vec<i64> = scope.points.iter().map(|point| block(*point)).collect();
        blocks.sort_unstable();
        blocks.dedup();
        let number = level(of).unwrap_or(1);
        let rows = self.of(scope.client).query(sql!("history/dirty"), &[&blocks, &number, &Stamp(from), &Stamp(to)]).await?;
        rows.iter()
            .map(|row| Ok((row.try_get("level")?, Range { block: row.try_get("block")?, lo: micros(row, "lo")?, hi: micros(row, "hi")? })))
            .collect()
    }

    /// Returns the buckets of a rollup over a period. Missing buckets are computed in two ways: from minutes if these are complete, otherwise from raw values.
    /// `start_of` returns the start of the bucket that contains a time.
    pub(super) async fn buckets(
        &self,
        scope: &Scope,
        of: Resolution,
        (from, to): (Micros, Micros),
        (minutes, values): (&[Range], &[Range]),
        start_of: impl Fn(Micros) -> Option<Micros> + Send + Sync,
    ) -> Result<Rows> {
        // What these buckets are computed from is stored until they are, even if it is not kept for itself any more.
        let minutes = &since(minutes, scope.kept.of(of));
        let values = &since(values, scope.kept.of(of));
        let mut rows = if of == Resolution::Day {
            self.stored_days(scope, (from, to)).await?
        } else {
            self.stored_buckets(scope, of, (from, to)).await?
        };
        let ids: Vec<i64> = scope.points.iter().map(|point| point.0).collect();
        let mut parts = Parts { scope, start_of, found: HashMap::new() };
        if !minutes.is_empty() {
            let layout = layout(Resolution::Minute)?;
            let (blocks, _, ends) = columns(minutes);
            let starts: Vec<Stamp> = minutes.iter().map(|range| Stamp(layout.block(range.lo))).collect();
            let params: Params<'_> = &[&scope.client.0, &ids, &blocks, &starts, &ends];
            let visit = |row: &Row| {
                let nth: i64 = row.try_get(NEXT_COLUMN)?;
                let Some(range) = usize::try_from(nth - 1).ok().and_then(|at| minutes.get(at)) else { return Ok(()) };
                let (point, buckets) = read_packed(layout, row)?;
                for (start, bucket) in buckets.into_iter().filter(|(start, _)| (range.lo..range.hi).contains(start)) {
                    parts.add((nth, point), start, &bucket);
                }
                Ok(())
            };
            self.of(scope.client).each(WITHIN.of(Resolution::Minute)?, params, visit).await?;
        }
        if !values.is_empty() {
            let (blocks, starts, ends) = columns(values);
            let params: Params<'_> = &[&scope.client.0, &ids, &blocks, &starts, &ends];
            let visit = |row: &Row| {
                let (at, bucket) = read_value(row)?;
                // Ranges of minutes and of values have different numbers.
                let nth: i64 = row.try_get(NEXT_COLUMN_OF_VALUE)?;
                parts.add((-nth, PointId(row.try_get(0)?)), at, &bucket);
                Ok(())
            };
            self.of(scope.client).each(sql!("history/values_within"), params, visit).await?;
        }
        for ((_, point), buckets) in parts.found {
            rows.fresh.extend(buckets.into_iter().map(|(start, bucket)| (point, start, bucket)));
        }
        Ok(rows)
    }

    async fn stored_days(&self, scope: &Scope, (from, to): (Micros, Micros)) -> Result<Rows> {
        let ids: Vec<i64> = scope.points.iter().map(|point| point.0).collect();
        let params: Params<'_> = &[&scope.client.0, &ids, &Stamp(from), &Stamp(to)];
        let stored = self.of(scope.client).query(sql!("history/stored_1d"), params).await?;
        let mut rows = Rows { stored: Vec::with_capacity(stored.len()), before: HashMap::new(), fresh: Vec::new() };
        let floor = scope.kept.floor(Level::Day);
        for row in &stored {
            let (point, start, bucket) = read_day(row)?;
            if start < floor {
                continue;
            }
            if start < from {
                rows.before.insert(point, before((start, bucket), row.try_get("followed")?, from));
            } else {
                rows.stored.push((point, start, bucket));
            }
        }
        Ok(rows)
    }

    async fn stored_buckets(&self, scope: &Scope, of: Resolution, (from, to): (Micros, Micros)) -> Result<Rows> {
        let layout = layout(of)?;
        let ids: Vec<i64> = scope.points.iter().map(|point| point.0).collect();
        let mut rows = Rows { stored: Vec::new(), before: HashMap::new(), fresh: Vec::new() };
        // The newest bucket before the period, and the newest one with a value.
        let mut newest: HashMap<PointId, (Micros, Option<(Micros, Bucket)>)> = HashMap::new();
        let floor = scope.kept.floor(of);
        let visit = |row: &Row| {
            let (point, buckets) = read_packed(layout, row)?;
            for (start, bucket) in buckets.into_iter().filter(|(start, _)| (floor..to).contains(start)) {
                if start >= from {
                    rows.stored.push((point, start, bucket));
                    continue;
                }
                let (last, usable) = newest.entry(point).or_insert((start, None));
                *last = start.max(*last);
                if bucket.n_good > 0 && usable.is_none_or(|(newest, _)| newest < start) {
                    *usable = Some((start, bucket));
                }
            }
            Ok(())
        };
        let params: Params<'_> = &[&scope.client.0, &ids, &Stamp(layout.block(from)), &Stamp(to)];
        self.of(scope.client).each(STORED.of(of)?, params, visit).await?;
        for (point, (last, usable)) in newest {
            rows.before.extend(usable.map(|usable| (point, before(usable, last > usable.0, from))));
        }
        Ok(rows)
    }
}

/// Returns the parts of ranges from a time.
fn since(ranges: &[Range], since: Option<Micros>) -> Vec<Range> {
    let Some(since) = since else { return ranges.to_vec() };
    let kept = ranges.iter().filter(|range| range.hi > since);
    kept.map(|range| Range { lo: range.lo.max(since), ..*range }).collect()
}

/// Returns the state before a period, which is the state after the last bucket with a value.
fn before((start, bucket): (Micros, Bucket), is_followed: bool, from: Micros) -> Before {
    // A value that follows was measured after every value in the bucket.
    let heard = || bucket.held.map(|held| held.to).or(bucket.last.map(|last| last.0)).unwrap_or(start);
    Before { last: bucket.last, heard: if is_followed { from } else { heard() } }
}

/// Buckets that are computed from parts: values or minutes.
struct Parts<'a, F> {
    scope: &'a Scope,
    start_of: F,
    /// The parts by range and point. The parts of a range arrive in order of time.
    found: HashMap<(i64, PointId), Vec<(Micros, Bucket)>>,
}

impl<F: Fn(Micros) -> Option<Micros>> Parts<'_, F> {
    fn add(&mut self, key: (i64, PointId), at: Micros, part: &Bucket) {
        if let Some(start) = (self.start_of)(at) {
            add(self.found.entry(key).or_default(), start, part, self.scope.holds_of(key.1));
        }
    }
}
