//! What the database is asked for a series.

use std::collections::{HashMap, HashSet};

use grid::downsample::{Bucket, Resolution};
use grid::{ClientId, Micros, PointId};

use super::before::Before;
use super::limits::REGISTERS_MAX;
use crate::convert::{Stamp, micros, micros_or_null, sql};
use crate::rollup::{Range, block, bucket, columns, level};
use crate::{Result, Store};

/// Since when each resolution has values of some points of a utility.
#[derive(Debug)]
pub struct Coverage {
    client: ClientId,
    /// The utility's time zone, as the server names it.
    zone: String,
    /// Only points of the utility.
    points: HashMap<PointId, Reach>,
}

/// Since when each resolution has values of one point.
#[derive(Debug, Clone, Copy)]
struct Reach {
    expected_ms: Option<i64>,
    /// By resolution, raw first.
    since: [Option<Micros>; 5],
}

impl Coverage {
    /// Returns [`Store::finest`] for some of the points, as of the time of reading.
    pub fn finest(&self, points: &[PointId], wanted: Resolution, from: Micros) -> Resolution {
        self.scope(points).map_or(wanted, |scope| scope.finest(wanted, from))
    }

    /// `None` if the coverage has none of the points.
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

/// The points of a question that are the utility's own.
#[derive(Debug)]
pub(super) struct Scope {
    pub(super) client: ClientId,
    /// In the order asked for, each once.
    pub(super) points: Vec<PointId>,
    /// The utility's time zone, as the server names it.
    pub(super) zone: String,
    expected: HashMap<PointId, i64>,
    /// Since when there is anything at each resolution, raw first.
    since: [Option<Micros>; 5],
}

impl Scope {
    /// How far the values of the slowest point are apart.
    pub(super) fn expected_ms(&self) -> Option<i64> {
        self.expected.values().copied().max()
    }

    /// How far the values of a point are apart; `None` for report by exception.
    pub(super) fn expected_of(&self, point: PointId) -> Option<i64> {
        self.expected.get(&point).copied()
    }

    /// For how long a value of a point holds at most, ms; `None` until the next one.
    pub(super) fn holds_of(&self, point: PointId) -> Option<i64> {
        grid::freshness::age_limit_ms(self.expected_of(point))
    }

    /// `wanted`, or the coarser resolution that shows what finer ones do not have any more, or never had.
    pub(super) fn finest(&self, wanted: Resolution, from: Micros) -> Resolution {
        let reach = |of: Resolution| {
            let since = self.since[level(of).unwrap_or(0) as usize];
            // What is not worked out yet is worked out from single values on reading.
            let since = if of == Resolution::Raw { since } else { [since, self.since[0]].into_iter().flatten().min() };
            since.map(|since| since.max(from))
        };
        let mut best = wanted;
        for coarser in Resolution::BUCKETS.into_iter().filter(|of| *of > wanted) {
            // The first bucket begins before the first value in it: that alone is no gain.
            let gains = |reached: Micros| reach(best).is_none_or(|best| reached.plus_millis(coarser.ms()) <= best);
            if reach(coarser).is_some_and(gains) {
                best = coarser;
            }
        }
        best
    }
}

/// Buckets of a rollup, and what it does not have yet.
pub(super) struct Rows {
    /// As they are stored: the point, the start and the bucket.
    pub(super) stored: Vec<(PointId, Micros, Bucket)>,
    /// What was before the span, as it is stored.
    pub(super) before: HashMap<PointId, Before>,
    /// Parts of buckets as they would be stored now.
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

    /// `None` if no point belongs to the utility.
    pub(super) async fn series_scope(&self, client: ClientId, points: &[PointId]) -> Result<Option<Scope>> {
        Ok(self.coverage(client, points).await?.scope(points))
    }

    /// The midnights of the utility's time zone around a span: the first before it or at its start, the last not before its end.
    pub(super) async fn midnights(&self, scope: &Scope, from: Micros, to: Micros) -> Result<Vec<Micros>> {
        let rows = self.of(scope.client).query(sql!("history/days"), &[&scope.zone, &Stamp(from), &Stamp(to)]).await?;
        rows.iter().map(|row| micros(row, "start")).collect()
    }

    /// Ranges that the rollup of a resolution may lack, and the levels from which on they do.
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

    /// Buckets of a rollup over a span; fresh ones from ranges of which the minutes are there, and of which they are not.
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
                // Whatever followed came later than anything that is in the bucket.
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
