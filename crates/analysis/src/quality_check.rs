//! Data quality of an asset's points: missing, frozen and implausible values, and wrong times.

use std::collections::HashSet;

use grid::check::{Checker, Expectation, Report, Value};
use grid::downsample::Resolution;
use grid::{Micros, Point, PointId};
use identity::View;
use store::Store;
use store::series::Coverage;

use crate::calendar::Calendar;
use crate::error::Error;
use crate::hours_of_day::HoursOfDay;

/// Longer spans are checked by rollups.
const RAW_SPAN_MAX_MS: i64 = 31 * 24 * 3_600_000;
/// Maximum number of single values per call. Points beyond it are checked by rollups.
const VALUES_MAX: u64 = 1_000_000;
/// The length of the shortest bucket.
const MINUTE_MS: i64 = 60_000;

/// Checks up to 64 points of an asset with a rated voltage of `kv` between lines. Returns for each point its report, and whether it is
/// based on rollups.
pub async fn judged(
    store: &Store,
    view: &View,
    kv: Option<f64>,
    points: &[&Point],
    span: (Micros, Micros),
) -> Result<Vec<(Report, bool)>, Error> {
    let ids: Vec<PointId> = points.iter().map(|point| point.id).collect();
    let coverage = store.coverage(view.principal.client, &ids).await?;
    let present = ids.into_iter().collect();
    judged_of(store, view, kv, points, span, &Stored { coverage: &coverage, present: &present }).await
}

/// The data about the points that are known before their values are read.
pub struct Stored<'a> {
    /// The time from which each resolution has values.
    pub coverage: &'a Coverage,
    /// Points that may have values within the span or one day before or after it. Other points are not read.
    pub present: &'a HashSet<PointId>,
}

/// Like [`judged`], but does not read points without values.
pub async fn judged_of(
    store: &Store,
    view: &View,
    kv: Option<f64>,
    points: &[&Point],
    span: (Micros, Micros),
    stored: &Stored<'_>,
) -> Result<Vec<(Report, bool)>, Error> {
    Check { store, view, kv, span, stored, hours: HoursOfDay::of(Calendar::of(view, span.1)), left: VALUES_MAX }.reports(points).await
}

/// A running check.
struct Check<'a> {
    store: &'a Store,
    view: &'a View,
    kv: Option<f64>,
    span: (Micros, Micros),
    stored: &'a Stored<'a>,
    hours: HoursOfDay,
    /// Number of single values that may still be read.
    left: u64,
}

impl Check<'_> {
    async fn reports(&mut self, points: &[&Point]) -> Result<Vec<(Report, bool)>, Error> {
        let by_values = self.by_values(points);
        let mut reports: Vec<Option<Report>> = Vec::with_capacity(points.len());
        for point in points {
            reports.push(if by_values { self.values_of(point).await? } else { None });
        }
        let missing: Vec<&Point> = points.iter().zip(&reports).filter(|(_, report)| report.is_none()).map(|(point, _)| *point).collect();
        let mut rest = self.rollups_of(&missing).await?.into_iter();
        // Each point has either a report from single values or one from rollups.
        let either = |report: Option<Report>| report.map(|report| (report, false)).or_else(|| Some((rest.next()?, true)));
        reports.into_iter().map(either).collect::<Option<_>>().ok_or(Error::Internal)
    }

    /// Returns whether single values are stored for the span and few enough to be read.
    fn by_values(&self, points: &[&Point]) -> bool {
        let (from, to) = self.span;
        let span_ms = to.millis_since(from);
        let expected: i64 = points.iter().filter_map(|point| point.expected_ms).map(|ms| span_ms / ms.max(1)).sum();
        if span_ms > RAW_SPAN_MAX_MS || expected.unsigned_abs() > VALUES_MAX {
            return false;
        }
        // Points with report by exception do not show how far back the others are stored.
        let ids: Vec<PointId> = points.iter().filter(|point| point.expected_ms.is_some()).map(|point| point.id).collect();
        if ids.is_empty() {
            return true;
        }
        // Values that retention has deleted are not missing; rollups that reach further back are used.
        self.stored.coverage.finest(&ids, Resolution::Raw, from) == Resolution::Raw
    }

    /// Checks the single values of a point; `None` if they exceed the limit.
    async fn values_of(&mut self, point: &Point) -> Result<Option<Report>, Error> {
        if self.left == 0 {
            return Ok(None);
        }
        let (from, to) = self.span;
        let mut checker = Checker::new(Expectation::of(point, self.kv), from, to);
        let hours = &mut self.hours;
        let look = |stored: &store::samples::StoredSample| {
            let store::samples::StoredSample { source, value, quality, received } = *stored;
            checker.take(&Value { at: source, received, value, quality, hour: hours.at(source) });
        };
        if !self.stored.present.contains(&point.id) {
            return Ok(Some(checker.finish()));
        }
        let seen = self.store.each_sample(self.view.principal.client, point.id, self.span, self.left, look).await?;
        let is_whole = seen < self.left;
        self.left -= seen;
        Ok(is_whole.then(|| checker.finish()))
    }

    /// Checks the rollups of some points. The reports are in the same order.
    async fn rollups_of(&mut self, points: &[&Point]) -> Result<Vec<Report>, Error> {
        if points.is_empty() {
            return Ok(Vec::new());
        }
        let (from, to) = self.span;
        let ids: Vec<PointId> = points.iter().map(|point| point.id).collect();
        if !ids.iter().any(|point| self.stored.present.contains(point)) {
            return Ok(points.iter().map(|point| Checker::new(Expectation::of(point, self.kv), from, to).finish()).collect());
        }
        let buckets = (to.millis_since(from) / MINUTE_MS).clamp(2, store::series::BUCKETS_MAX as i64);
        let series = self.store.bucketed(self.view.principal.client, &ids, self.span, buckets as usize).await?;
        let mut reports = Vec::with_capacity(points.len());
        for point in points {
            let mut checker = Checker::new(Expectation::of(point, self.kv), from, to);
            let cells = series.lines.iter().find(|line| line.point == point.id).map_or(&[][..], |line| &line.cells);
            for (at, (start, cell)) in series.times.iter().zip(cells).enumerate() {
                let Some(bucket) = cell else { continue };
                // A bucket of one day is not always 24 hours long.
                let nominal = series.bucket_ms.unwrap_or(MINUTE_MS);
                let width = series.times.get(at + 1).map_or(nominal, |next| next.millis_since(*start));
                checker.take_bucket(*start, width, bucket, self.hours.at(*start));
            }
            reports.push(checker.finish());
        }
        Ok(reports)
    }
}
