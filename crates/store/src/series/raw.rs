//! Series of raw values, for periods with at most as many values as buckets.

use std::collections::{BTreeSet, HashMap};

use grid::downsample::{Bucket, Resolution};
use grid::{Micros, PointId};
use tokio_postgres::Row;

use super::before::Before;
use super::line::{Line, Series};
use super::read::Scope;
use crate::convert::{Stamp, micros, micros_or_null, quality, sql};
use crate::kept::Level;
use crate::{Result, Store};

/// Number of reporting intervals for which a value is valid.
const HOLDS: i64 = 3;

impl Store {
    /// Returns the series; `None` if there are more than `most` values.
    pub(super) async fn raw_series(&self, scope: &Scope, from: Micros, to: Micros, most: i64) -> Result<Option<Series>> {
        let ids: Vec<i64> = scope.points.iter().map(|point| point.0).collect();
        let of = self.of(scope.client);
        let kept_from = Stamp(from.max(scope.kept.floor(Level::Raw)));
        let rows = of.query(sql!("history/raw"), &[&scope.client.0, &ids, &kept_from, &Stamp(to), &(most + 1)]).await?;
        let mut values: Vec<Vec<(Micros, Bucket)>> = vec![Vec::new(); scope.points.len()];
        for row in &rows {
            let (point, at, bucket) = read(row)?;
            if let Some(line) = scope.points.iter().position(|other| *other == point) {
                values[line].push((at, bucket));
            }
        }
        let limits: Vec<Option<i64>> =
            scope.points.iter().map(|point| scope.expected_of(*point).map(|ms| ms.saturating_mul(HOLDS))).collect();
        let mut times: BTreeSet<Micros> = BTreeSet::new();
        for (line, limit) in values.iter().zip(&limits) {
            times.extend(line.iter().map(|(at, _)| *at));
            times.extend(limit.iter().flat_map(|limit| ends(line, *limit, to)));
        }
        if times.len() as i64 > most {
            return Ok(None);
        }
        let times: Vec<Micros> = times.into_iter().collect();
        let before = self.last_before(scope, from).await?;
        let lines = scope.points.iter().zip(values.iter().zip(&limits)).map(|(point, (line, limit))| Line {
            point: *point,
            before: before.get(point).and_then(|before| before.last),
            lasting: before.get(point).and_then(Before::lasting),
            lasts: Vec::new(),
            cells: held(line, *limit, &times),
        });
        let series = Series { source: Resolution::Raw, bucket_ms: None, lines: lines.collect(), times, kept_since: None };
        Ok(Some(series.kept(&scope.kept, from)))
    }

    /// Returns the state of each point before a time, from the values of the day before it.
    pub(super) async fn last_before(&self, scope: &Scope, from: Micros) -> Result<HashMap<PointId, Before>> {
        let ids: Vec<i64> = scope.points.iter().map(|point| point.0).collect();
        let floor = Stamp(scope.kept.floor(Level::Raw));
        let rows = self.of(scope.client).query(sql!("history/raw_before"), &[&scope.client.0, &ids, &Stamp(from), &floor]).await?;
        let before = |row: &Row| {
            let last = micros_or_null(row, "ts")?.zip(row.try_get("value")?);
            Ok((PointId(row.try_get("point_id")?), Before { last, heard: micros(row, "heard")? }))
        };
        rows.iter().map(before).collect()
    }
}

fn read(row: &Row) -> Result<(PointId, Micros, Bucket)> {
    let at = micros(row, "ts")?;
    Ok((PointId(row.try_get("point_id")?), at, Bucket::of(at, row.try_get("value")?, quality(row)?)))
}

/// Returns the times at which a value stops being valid before the next value begins, or before the end of the period.
fn ends(line: &[(Micros, Bucket)], limit_ms: i64, to: Micros) -> impl Iterator<Item = Micros> + '_ {
    let nexts = line.iter().skip(1).map(|(at, _)| *at).chain([to]);
    line.iter().zip(nexts).filter_map(move |((at, _), next)| {
        let end = at.plus_millis(limit_ms);
        (end < next).then_some(end)
    })
}

/// Returns the value at each of the times: the last value before it, if it is still valid.
fn held(line: &[(Micros, Bucket)], limit_ms: Option<i64>, times: &[Micros]) -> Vec<Option<Bucket>> {
    let mut next = 0;
    times
        .iter()
        .map(|time| {
            while line.get(next).is_some_and(|(at, _)| at <= time) {
                next += 1;
            }
            let (at, bucket) = line.get(next.checked_sub(1)?)?;
            let holds = limit_ms.is_none_or(|limit| time.millis_since(*at) < limit);
            holds.then_some(*bucket)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use grid::Quality;

    use super::*;

    #[test]
    fn a_value_holds_until_the_next_one_and_not_for_ever() {
        let second = |at: i64| Micros(at * 1_000_000);
        let line: Vec<(Micros, Bucket)> =
            [0, 10, 100, 110].map(|at| (second(at), Bucket::of(second(at), Some(at as f64), Quality::Good))).into();
        let ends: Vec<Micros> = ends(&line, 30_000, second(150)).collect();
        assert_eq!(ends, [second(40), second(140)]);
        let values = |limit| -> Vec<Option<f64>> {
            held(&line, limit, &[-5, 0, 5, 10, 39, 40, 99, 100, 139, 140].map(second))
                .iter()
                .map(|cell| cell.and_then(|cell| cell.max))
                .collect()
        };
        let (a, b, c, d) = (Some(0.0), Some(10.0), Some(100.0), Some(110.0));
        assert_eq!(values(Some(30_000)), [None, a, a, b, b, None, None, c, d, None]);
        assert_eq!(values(None), [None, a, a, b, b, b, b, c, d, d]);
    }
}
