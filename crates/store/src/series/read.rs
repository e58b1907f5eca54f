//! The database queries of a series.

use std::collections::{HashMap, HashSet};

use grid::downsample::{Bucket, Resolution};
use grid::{ClientId, Micros, PointId};

use super::before::Before;
use super::limits::REGISTERS_MAX;
use crate::convert::{Stamp, micros, micros_or_null, sql};
use crate::rollup::{Range, block, bucket, columns, level};
use crate::{Result, Store};

/// The start of the stored values of some points of a utility at each resolution.
#[derive(Debug)]
pub struct Coverage {
    client: ClientId,
    /// The utility's time zone, as named by the server.
    zone: String,
    /// Only points of the utility.
    points: HashMap<PointId, Reach>,
}

/// The start of the stored values of one point at each resolution.
#[derive(Debug, Clone, Copy)]
struct Reach {
    expected_ms: Option<i64>,
    /// By resolution, raw values first.
    since: [Option<Micros>; 5],
}

impl Coverage {
    /// Returns [`Store::finest`] for some of the points, with the data at the time of reading.
    pub fn finest(&self, points: &[PointId], wanted: Resolution, from: Micros) -> Resolution {
        self.scope(points).map_or(wanted, |scope| scope.finest(wanted, from))
    }

    /// Returns the scope of these points; `None` if the coverage has none of them.
    pub(super) fn scope(&self, points: &[PointId]) -> Option<Scope> {
        let mut scope =
            Scope { client: self.client, points: Vec::new(), zone: self.zone.clone(), expected: HashMap::new(), since: [None; 5] };
        let mut known = HashSet::with_capacity(points.len());
        for point in points {
            let Some(reach) = self.points.get(point).filter(|_| known.insert(*point)) else { continue };
            scope.points.push(*point);
            scope.expected.extend(reach.expected_ms.map(|expected_ms| (*point, expected_ms)));
            for (all, since) in scope.since.iter_mut().zip(reach.since) {
                *all = [*all, since].into_iter().flatten().min();
            }
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
    expected: HashMap<PointId, i64>,
    /// The start of the stored values at each resolution, raw values first.
    since: [Option<Micros>; 5],
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

    /// Returns how long a value of a point is valid at most, ms; `None` if until the next value.
    pub(super) fn holds_of(&self, point: PointId) -> Option<i64> {
        grid::freshness::age_limit_ms(self.expected_of(point))
    }

    /// Returns `wanted`, or a coarser resolution that has values which finer ones have lost or never had.
    pub(super) fn finest(&self, wanted: Resolution, from: Micros) -> Resolution {
        let reach = |of: Resolution| {
            let since = self.since[level(of).unwrap_or(0) as usize];
            // Missing buckets are computed from raw values when reading, so each resolution reaches at least as far back as they do.
            let since = if of == Resolution::Raw { since } else { [since, self.since[0]].into_iter().flatten().min() };
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

/// Buckets of a rollup, and the buckets that it lacks.
pub(super) struct Rows {
    /// Stored buckets: point, start and bucket.
    pub(super) stored: Vec<(PointId, Micros, Bucket)>,
    /// The stored state of the points before the period.
    pub(super) before: HashMap<PointId, Before>,
    /// Parts of buckets, computed from dirty ranges.
    pub(super) fresh: Vec<(PointId, Micros, Bucket)>,
}

impl Store {
    /// Returns since when each resolution has values of some points. One statement reads up to [`REGISTERS_MAX`] of them, which keeps it within its time limit.
    pub async fn coverage(&self, client: ClientId, points: &[PointId]) -> Result<Coverage> {
        let mut coverage = Coverage { client, zone: String::new(), points: HashMap::with_capacity(points.len()) };
        for some in points.chunks(REGISTERS_MAX) {
            let ids: Vec<i64> = some.iter().map(|point| point.0).collect();
            for row in &self.of(client).query(sql!("history/scope"), &[&client.0, &ids]).await? {
                row.try_get::<_, &str>("zone")?.clone_into(&mut coverage.zone);
                let mut reach = Reach { expected_ms: row.try_get("expected_ms")?, since: [None; 5] };
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

    /// Returns the buckets of a rollup over a period. Fresh buckets are computed in two ways: from minutes where these are complete, otherwise from raw values.
    pub(super) async fn buckets(
        &self,
        scope: &Scope,
        of: Resolution,
        (from, to): (Micros, Micros),
        (minutes, values): (&[Range], &[Range]),
    ) -> Result<Rows> {
        let statement = match of {
            Resolution::Raw | Resolution::Minute => sql!("history/stored_1m"),
            Resolution::TenMinutes => sql!("history/stored_10m"),
            Resolution::Hour => sql!("history/stored_1h"),
            Resolution::Day => sql!("history/stored_1d"),
        };
        let ids: Vec<i64> = scope.points.iter().map(|point| point.0).collect();
        let stored = self.of(scope.client).query(statement, &[&scope.client.0, &ids, &Stamp(from), &Stamp(to)]).await?;
        let mut rows = Rows { stored: Vec::with_capacity(stored.len()), before: HashMap::new(), fresh: Vec::new() };
        for row in &stored {
            let (point, start, bucket) = bucket(row)?;
            if start < from {
                // A value that follows was measured after every value in the bucket.
                let heard = if row.try_get("followed")? {
                    from
                } else {
                    bucket.held.map(|held| held.to).or(bucket.last.map(|last| last.0)).unwrap_or(start)
                };
                rows.before.insert(point, Before { last: bucket.last, heard });
            } else {
                rows.stored.push((point, start, bucket));
            }
        }
        if minutes.is_empty() && values.is_empty() {
            return Ok(rows);
        }
        let (blocks, starts, ends) = columns(minutes);
        let (raw_blocks, raw_starts, raw_ends) = columns(values);
        let zone = (of == Resolution::Day).then_some(&scope.zone);
        let fresh = self
            .of(scope.client)
            .query(
                sql!("history/fresh"),
                &[&scope.client.0, &ids, &blocks, &starts, &ends, &raw_blocks, &raw_starts, &raw_ends, &zone, &of.ms()],
            )
            .await?;
        rows.fresh = fresh.iter().map(bucket).collect::<Result<_>>()?;
        Ok(rows)
    }
}
