//! Reads the values of measures of an asset as lines of a chart.

use grid::downsample::Resolution;
use grid::energy::{bound, kilo};
use grid::register::Bound;
use grid::{AssetId, Micros, Point};
use identity::View;
use store::Store;
use store::registry::AssetRecord;

use crate::energy_meters::FEEDER;
use crate::error::Error;
use crate::measure::{Measure, Shows};

/// One day, ms.
const DAY_MS: i64 = 86_400_000;

/// The lines of one or several measures over a span.
#[derive(Debug)]
pub struct Lines {
    /// The resolution of the values that were read.
    pub source: Resolution,
    /// The length of a bucket, ms; `None` for single values.
    pub bucket_ms: Option<i64>,
    /// The starts of the buckets.
    pub times: Vec<Micros>,
    /// The lines, in the order of the measures.
    pub each: Vec<Line>,
    /// The time since which values of this resolution are kept, if the span begins before it.
    pub kept_since: Option<Micros>,
}

/// The line of one point.
#[derive(Debug)]
pub struct Line {
    /// The point.
    pub point: Point,
    /// Its display name.
    pub name: &'static str,
    /// Its phase.
    pub phase: Option<&'static str>,
    /// Mean, minimum and maximum of each bucket.
    pub shown: Vec<[Option<f64>; 3]>,
    /// The worst quality of each bucket.
    pub quality: Vec<Option<u8>>,
}

impl Lines {
    /// Returns mean, minimum and maximum of a code in the bucket at an index; absent if the asset has no such point.
    pub fn at(&self, code: &str, place: usize) -> [Option<f64>; 3] {
        self.each.iter().find(|line| line.point.code == code).map_or([None; 3], |line| line.shown[place])
    }

    /// Returns the range of bucket indices from the first to the last bucket with any value.
    pub fn reported_range(&self) -> std::ops::Range<usize> {
        let any = |place: &usize| self.each.iter().any(|line| line.quality[*place].is_some());
        let first = (0..self.times.len()).find(any);
        let last = (0..self.times.len()).rev().find(any);
        first.zip(last).map_or(0..0, |(first, last)| first..last + 1)
    }
}

/// Reads the lines of several measures at the same times. Each point of the asset has at most one line per measure.
pub async fn lines(
    store: &Store,
    view: &View,
    asset: AssetId,
    measures: &[Measure],
    (from, to): (Micros, Micros),
    width: usize,
) -> Result<Lines, Error> {
    let of_asset: Vec<&Point> = view.field.points_of(asset).collect();
    let mut points_by_measure = Vec::new();
    for measure in measures {
        for &(code, name, phase) in measure.points {
            let points = of_asset.iter().filter(|point| point.code == code && point.encoding().is_none());
            points_by_measure.extend(points.map(|point| (*measure, (*point).clone(), name, phase)));
        }
    }
    // If an asset has more points, the first ones are used.
    points_by_measure.truncate(store::series::POINTS_MAX);
    let ids: Vec<_> = points_by_measure.iter().map(|(_, point, ..)| point.id).collect();
    let series = store.series(view.principal.client, &ids, from, to, width).await?;
    let counts = |measure: &Measure| matches!(measure.shows, Shows::Consumed | Shows::Accumulated);
    let registers: Vec<_> = points_by_measure.iter().filter(|(measure, ..)| counts(measure)).map(|(_, point, ..)| point.id).collect();
    let confirmed = if registers.is_empty() {
        Vec::new()
    } else {
        // Buckets can begin before the period and end after it.
        let around = (from.plus_millis(-DAY_MS), to.plus_millis(DAY_MS));
        store.confirmed_steps(view.principal.client, &registers, around).await?
    };
    let lines = points_by_measure.into_iter().filter_map(|(measure, point, name, phase)| {
        let line = series.lines.iter().find(|line| line.point == point.id)?;
        let steps: Vec<_> = confirmed.iter().filter(|confirmed| confirmed.point == point.id).map(|confirmed| confirmed.step).collect();
        let shown = measure.shows.of(line.before, &line.cells, &bound_of(view, &point).confirming(&steps));
        let quality = line.cells.iter().map(|cell| cell.map(|bucket| bucket.worst.code())).collect();
        Some(Line { point, name, phase, shown, quality })
    });
    let each = lines.collect();
    Ok(Lines { each, source: series.source, bucket_ms: series.bucket_ms, times: series.times, kept_since: series.kept_since })
}

/// Returns the largest energy that the line of a register can carry. For reactive energy, the same apparent power is
/// the bound.
fn bound_of(view: &View, point: &Point) -> Bound<'static> {
    let asset = view.field.asset(point.asset);
    let Some((asset, kwh)) = asset.zip(kilo(&point.unit.replace("VAr", "W").replace("VA", "W"))) else { return Bound::NONE };
    bound(asset.kv, asset.type_id == FEEDER, point.expected_ms.unwrap_or(0)).of_unit(kwh)
}

/// Returns an asset by an id from the query or body, if the caller may see it.
pub fn seen(view: &View, id: i64) -> Result<AssetRecord, Error> {
    let asset = view.field.asset(AssetId(id));
    let seen = asset.filter(|asset| view.field.node(asset.location).is_some_and(|location| view.sees(location)));
    seen.cloned().ok_or(Error::NotFound)
}
