//! The history of points for charts: a limited number of buckets over a period. They are read from the coarsest stored resolution that shows the same detail.
//!
//! Spikes stay visible, because each bucket has its smallest and largest value. Buckets that are not in the rollups yet are computed from the level below in
//! the same query. So the newest minutes and late values are included.

use grid::downsample::{Bucket, Buckets, MINUTE_MS, Resolution};
use grid::{ClientId, Micros, PointId};

use crate::{Error, Result, Store};

mod before;
mod demand;
mod fold;
mod holding;
mod limits;
mod line;
mod presence;
mod raw;
mod read;
mod sums;

use limits::{ROWS_MAX, SPAN_MAX_MS};
use read::Scope;

pub use demand::{BlockMeans, Demand};
pub use limits::{BUCKETS_MAX, POINTS_MAX, REGISTERS_MAX};
pub use line::{Line, Series};
pub use presence::Presence;
pub use read::Coverage;
pub use sums::{Registers, Sums, Wanted};

impl Store {
    /// Returns the history of up to 64 points from `from` (inclusive) to `to` (exclusive) in at most `buckets_max` buckets (2 to 4,000).
    ///
    /// Points that do not exist or belong to another utility are left out. Returns an [`Error::Data`] if the period is empty or longer than twenty years, or if
    /// there are too many points.
    pub async fn series(&self, client: ClientId, points: &[PointId], from: Micros, to: Micros, buckets_max: usize) -> Result<Series> {
        self.series_of(client, points, (from, to), buckets_max, true).await
    }

    /// As [`Store::series`], but never with raw values. In a raw series a value is repeated until the next value, so values could not be counted.
    pub async fn bucketed(&self, client: ClientId, points: &[PointId], (from, to): (Micros, Micros), buckets_max: usize) -> Result<Series> {
        self.series_of(client, points, (from, to), buckets_max, false).await
    }

    /// Returns the history of up to 512 points in buckets of a fixed number of units of a resolution, from the unit that contains `from`. A value that is valid
    /// at the start of a bucket is included in the bucket. The last bucket can have fewer units. Returns an [`Error::Data`] if the period is empty or longer
    /// than twenty years, or if there are too many points.
    pub async fn stepped(&self, client: ClientId, points: &[PointId], (from, to): (Micros, Micros), buckets: Buckets) -> Result<Series> {
        if !(1..=SPAN_MAX_MS).contains(&to.millis_since(from)) {
            return Err(Error::Data("a series begins before its end, by at most twenty years".to_owned()));
        }
        if points.len() > REGISTERS_MAX {
            return Err(Error::Data(format!("{} points are more than {REGISTERS_MAX}", points.len())));
        }
        let Some(scope) = self.series_scope(client, points).await? else {
            let (bucket_ms, times) = (Some(buckets.ms()), Vec::new());
            let none = Series { source: buckets.of, bucket_ms, times, lines: Vec::new(), kept_since: None };
            return Ok(none.kept(&self.kept().await?, from));
        };
        self.bucket_series_from(&scope, from, to, buckets).await
    }

    /// Returns the given resolution. If finer values have expired or never existed after `from`, returns a coarser resolution that reaches further back.
    pub async fn finest(&self, client: ClientId, points: &[PointId], resolution: Resolution, from: Micros) -> Result<Resolution> {
        Ok(self.coverage(client, points).await?.finest(points, resolution, from))
    }

    async fn series_of(
        &self,
        client: ClientId,
        points: &[PointId],
        (from, to): (Micros, Micros),
        buckets_max: usize,
        or_values: bool,
    ) -> Result<Series> {
        let span_ms = to.millis_since(from);
        if !(1..=SPAN_MAX_MS).contains(&span_ms) {
            return Err(Error::Data("a series begins before its end, by at most twenty years".to_owned()));
        }
        if points.len() > POINTS_MAX {
            return Err(Error::Data(format!("{} points are more than {POINTS_MAX}", points.len())));
        }
        let most = buckets_max.clamp(2, BUCKETS_MAX) as i64;
        let Some(scope) = self.series_scope(client, points).await? else {
            let none = Series { source: Resolution::Raw, bucket_ms: None, times: Vec::new(), lines: Vec::new(), kept_since: None };
            return Ok(none.kept(&self.kept().await?, from));
        };
        // Buckets shorter than the reporting interval would mostly be gaps.
        let expected_ms = scope.expected_ms().unwrap_or(0);
        let apart = if expected_ms > 0 { (span_ms / expected_ms + 2).min(most) } else { most };
        let values_suffice = span_ms / most < MINUTE_MS || span_ms / most < expected_ms;
        if or_values && values_suffice && scope.finest(Resolution::Raw, from) == Resolution::Raw {
            let series = self.raw_series(&scope, from, to, most).await?;
            if let Some(series) = series {
                return Ok(series);
            }
        }
        let buckets = fitting(&scope, from, span_ms, apart.max(2));
        self.bucket_series(&scope, from, to, buckets, false).await
    }

    /// Returns one bucket for each point over a whole period, such as the smallest and largest value since midnight, in the order of `points`. `None` if there
    /// is no value, or if the utility does not have the point. The start of periods of up to two days is exact to ten minutes. The number of points is not
    /// limited.
    pub async fn extent(&self, client: ClientId, points: &[PointId], from: Micros, to: Micros) -> Result<Vec<Option<Bucket>>> {
        let mut found = Vec::with_capacity(points.len());
        for part in points.chunks(POINTS_MAX) {
            let series = self.series(client, part, from, to, 300).await?;
            for point in part {
                let line = series.lines.iter().find(|line| line.point == *point);
                let cells = line.into_iter().flat_map(|line| line.cells.iter().flatten());
                found.push(cells.copied().reduce(|mut all, next| {
                    all.merge(&next);
                    all
                }));
            }
        }
        Ok(found)
    }
}

/// Returns the buckets to use: the finest buckets that fit. Coarser buckets are used if they reach further back, or if too many rows would be read.
fn fitting(scope: &Scope, from: Micros, span_ms: i64, most: i64) -> Buckets {
    let mut buckets = Buckets::fitting(span_ms, most, Resolution::Minute);
    let kept = scope.finest(buckets.of, from);
    if kept != buckets.of {
        buckets = Buckets::fitting(span_ms, most, kept);
    }
    let too_many = |buckets: Buckets| (span_ms / buckets.of.ms() + 1) * scope.points.len() as i64 > ROWS_MAX;
    while buckets.of != Resolution::Day && too_many(buckets) {
        let coarser = Resolution::BUCKETS.into_iter().find(|of| *of > buckets.of).unwrap_or(Resolution::Day);
        buckets = Buckets::fitting(span_ms, most, coarser);
    }
    buckets
}
