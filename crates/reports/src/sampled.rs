//! Values of points in samples of some minutes of local time. One day and some points are read at a time, so that no report is completely
//! in memory.

use std::collections::{HashMap, HashSet};

use analysis::latest::picture;
use analysis::measure::name_of;
use grid::downsample::{Bucket, Buckets, Resolution, floor};
use grid::measure::Phase;
use grid::{Micros, NodeId, Point, PointId, Quality, Reading, freshness};
use jiff::ToSpan as _;
use store::series::{Line, REGISTERS_MAX};

use crate::error::Error;
use crate::fill_forward::{Cell, filled};
use crate::link_losses::{LinkLosses, read_link_losses};
use crate::rows::Stop;
use crate::valid_request::ValidRequest;

/// Maximum number of buckets in memory.
const HELD_MAX: i64 = 30_000;
pub(crate) const MINUTE_MS: i64 = 60_000;
/// The allowed lengths of samples, minutes (specification 3, section 9).
const MINUTES: [i64; 6] = [1, 5, 10, 15, 30, 60];

/// A requested day that has started, from midnight to midnight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Day {
    pub from: Micros,
    pub to: Micros,
}

impl Day {
    /// Returns all days in order.
    pub(crate) fn all(request: &ValidRequest) -> Vec<Self> {
        let midnight = |day| request.calendar.midnight(day).ok();
        let day = |day: jiff::civil::Date| Some(Self { from: midnight(day)?, to: midnight(day.checked_add(1.day()).ok()?)? });
        request.period.days().map_while(day).take_while(|day| request.calendar.now.millis_since(day.from) > 0).collect()
    }

    /// Returns the span of values that the samples need. The last hour of UTC that begins in the day may end after it.
    pub(crate) fn reach(self) -> (Micros, Micros) {
        const HOUR_MS: i64 = 60 * MINUTE_MS;
        (self.from, floor(self.to.plus_millis(HOUR_MS - 1), HOUR_MS))
    }

    /// Returns the end of the part of the day that is over.
    pub(crate) fn until(self, request: &ValidRequest) -> Micros {
        self.to.min(request.calendar.now)
    }
}

/// Returns the points of all requested areas that match, sorted by substation, asset, quantity and phase.
pub(crate) fn points<'a>(request: &'a ValidRequest, takes: impl Fn(&Point) -> bool) -> Vec<&'a Point> {
    let (locations, assets) = request.place();
    let names: HashMap<NodeId, String> = locations.into_iter().map(|location| (location, request.location_name(location))).collect();
    let is_requested = |point: &&Point| assets.as_ref().is_none_or(|only| only.contains(&point.asset));
    let all = names.keys().flat_map(|location| request.view.field.points_at(*location));
    let mut found: Vec<&Point> = all.filter(is_requested).filter(|point| takes(point)).collect();
    found.sort_by(|a, b| {
        let of = |point: &'a Point| (names.get(&point.location), point.location, &point.asset_name, point.asset, point.quantity);
        let last = |point: &'a Point| (Phase::of_code(&point.code), &point.code, point.id);
        (of(a), last(a)).cmp(&(of(b), last(b)))
    });
    found
}

/// Groups points by substation.
pub(crate) fn by_location<'a, 'b>(points: &'b [&'a Point]) -> Vec<&'b [&'a Point]> {
    points.chunk_by(|a, b| a.location == b.location).collect()
}

/// Groups points by asset.
pub(crate) fn by_asset<'a, 'b>(points: &'b [&'a Point]) -> Vec<&'b [&'a Point]> {
    points.chunk_by(|a, b| a.asset == b.asset).collect()
}

/// Returns whether one of the points is in a set.
pub(crate) fn is_any_of(points: &[&Point], present: &HashSet<PointId>) -> bool {
    points.iter().any(|point| present.contains(&point.id))
}

/// Returns the display name of a measurand.
pub(crate) fn signal(point: &Point) -> &str {
    name_of(&point.code).unwrap_or(&point.code)
}

/// Returns the display name of a measurand or of a status point.
pub(crate) fn signal_of(point: &Point) -> String {
    if point.encoding().is_some() { grid::event::signal_name(&point.code) } else { signal(point).to_owned() }
}

/// Returns the name of a quality, as in event logs and files.
pub(crate) fn quality_word(quality: Quality) -> String {
    format!("{quality:?}")
}

/// Returns the size of a unit in W, VA, V or A; `None` if the unit has another base.
pub(crate) fn times(unit: &str, base: &str) -> Option<f64> {
    match unit.strip_suffix(base)? {
        "" => Some(1.0),
        "k" => Some(1e3),
        "M" => Some(1e6),
        "G" => Some(1e9),
        _ => None,
    }
}

/// The newest reading of a point, with the quality after its age and link.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Newest {
    pub reading: Reading,
    pub age: std::time::Duration,
}

/// Returns the newest readings of one substation. Points without a reading are left out.
pub(crate) async fn newest(request: &ValidRequest, location: NodeId, points: &[&Point]) -> Result<HashMap<PointId, Newest>, Stop> {
    let (now, picture) = (request.calendar.now, picture(request.reports.store(), &request.view, location).await?);
    let of = |point: &&Point| {
        let reading = *picture.get(&point.id)?;
        let quality = freshness::shown_quality(reading.quality, reading.source, now, point.age_limit_ms(), true);
        // A source time in the future counts as age 0.
        let age = std::time::Duration::from_micros(u64::try_from(now.0.saturating_sub(reading.source.0)).unwrap_or(0));
        Some((point.id, Newest { reading: Reading { quality, ..reading }, age }))
    };
    Ok(points.iter().filter_map(of).collect())
}

/// Returns the coarsest rollup whose buckets fit into samples that begin at an instant.
fn unit(from: Micros, sample_ms: i64) -> Resolution {
    let fits = |of: &Resolution| sample_ms % of.ms() == 0 && floor(from, of.ms()) == from;
    [Resolution::Hour, Resolution::TenMinutes].into_iter().find(fits).unwrap_or(Resolution::Minute)
}

/// Returns the number of points that can be read at once for a day of samples.
pub(crate) fn at_once(day: Day, sample_ms: i64) -> usize {
    let units = (day.to.millis_since(day.from) / unit(day.from, sample_ms).ms()).max(1);
    usize::try_from(HELD_MAX / units).unwrap_or(1).clamp(1, REGISTERS_MAX)
}

/// The values of some points in the samples of a day.
#[derive(Debug)]
pub(crate) struct Sampled {
    /// The starts of the samples that have started.
    pub starts: Vec<Micros>,
    /// The length of a sample, ms: as requested, or longer if only coarser rollups are stored.
    pub length_ms: i64,
    lines: HashMap<PointId, Line>,
    /// The link losses of points that report by exception.
    link_losses: HashMap<PointId, LinkLosses>,
    until: Micros,
}

impl Sampled {
    /// Reads the values of at most [`at_once`] points.
    pub(crate) async fn read(request: &ValidRequest, points: &[&Point], day: Day, sample_ms: i64) -> Result<Self, Error> {
        let (store, client) = (request.reports.store(), request.client());
        let ids: Vec<PointId> = points.iter().map(|point| point.id).collect();
        // Where finer rollups have been deleted, coarser ones are used.
        let kept = store.finest(client, &ids, unit(day.from, sample_ms), day.from).await?;
        let longer = MINUTES.iter().map(|minutes| minutes * MINUTE_MS).find(|ms| *ms >= sample_ms && ms % kept.ms() == 0);
        let length_ms = longer.unwrap_or(kept.ms());
        // The first full hour of UTC may begin after midnight.
        let first = floor(day.from, kept.ms());
        let from = if kept == Resolution::Day || first == day.from { day.from } else { first.plus_millis(kept.ms()) };
        let until = day.until(request);
        if until.millis_since(from) < 1 {
            return Ok(Self { starts: Vec::new(), length_ms, lines: HashMap::new(), link_losses: HashMap::new(), until });
        }
        let buckets = Buckets { of: kept, times: length_ms / kept.ms() };
        let series = store.stepped(client, &ids, (from, until), buckets).await?;
        let lines = series.lines.into_iter().map(|line| (line.point, line)).collect();
        let link_losses = read_link_losses(request, points.iter().copied(), (from, until)).await?;
        Ok(Self { starts: series.times, length_ms, lines, link_losses, until })
    }

    /// Returns the values of a point, one entry for each sample. A point that reports by exception keeps its last value in samples without
    /// a new one. `None` if no sample has a value.
    pub(crate) fn samples(&self, point: PointId) -> Option<Vec<Option<Cell>>> {
        let line = self.lines.get(&point)?;
        let cells = match self.link_losses.get(&point) {
            Some(link_losses) => {
                let edges: Vec<Micros> = self.starts.iter().copied().chain([self.until]).collect();
                filled(line, &edges, link_losses, self.until)
            }
            None => line.cells.iter().map(|cell| cell.map(|bucket| Cell { bucket, is_held: false })).collect(),
        };
        cells.iter().any(Option::is_some).then_some(cells)
    }

    /// Returns the received values of a point, one entry for each sample; `None` if the day has none.
    pub(crate) fn cells(&self, point: PointId) -> Option<&[Option<Bucket>]> {
        let cells = &self.lines.get(&point)?.cells;
        cells.iter().any(Option::is_some).then_some(cells)
    }

    /// Returns the last value of a point before the day.
    pub(crate) fn before(&self, point: PointId) -> Option<f64> {
        self.lines.get(&point)?.before.map(|(_, value)| value)
    }

    /// Returns the length of a sample, minutes.
    pub(crate) fn minutes(&self) -> i64 {
        self.length_ms / MINUTE_MS
    }
}

/// Returns the share of values that are stale or worse, or absent, %.
pub(crate) fn bad_percent(n: i64, n_good: i64) -> Option<f64> {
    (n > 0).then(|| 100.0 * (n - n_good) as f64 / n as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_made_of_the_coarsest_that_fits_where_the_day_begins() {
        use Resolution::{Hour, Minute, TenMinutes};
        let india = wire::time::parse_iso("2026-06-30T18:30:00Z").expect("a time");
        let nepal = wire::time::parse_iso("2026-06-30T18:15:00Z").expect("a time");
        let utc = wire::time::parse_iso("2026-07-01T00:00:00Z").expect("a time");
        for (from, minutes, expected) in [
            (india, 60, TenMinutes),
            (india, 15, Minute),
            (india, 30, TenMinutes),
            (nepal, 60, Minute),
            (nepal, 10, Minute),
            (utc, 60, Hour),
            (utc, 10, TenMinutes),
            (utc, 1, Minute),
        ] {
            assert_eq!(unit(from, minutes * MINUTE_MS), expected, "{minutes} minutes");
        }
        let day = Day { from: india, to: india.plus_millis(24 * 60 * MINUTE_MS) };
        assert_eq!((at_once(day, MINUTE_MS), at_once(day, 60 * MINUTE_MS)), (20, 208));
    }

    #[test]
    fn units_are_told_by_their_base() {
        for (unit, base, expected) in [
            ("kV", "V", Some(1e3)),
            ("V", "V", Some(1.0)),
            ("MVAr", "VAr", Some(1e6)),
            ("MVA", "VAr", None),
            ("MWh", "Wh", Some(1e6)),
            ("GW", "W", Some(1e9)),
            ("mA", "A", None),
            ("", "V", None),
        ] {
            assert_eq!(times(unit, base), expected, "{unit} of {base}");
        }
        assert_eq!((bad_percent(0, 0), bad_percent(4, 3)), (None, Some(25.0)), "of nothing nobody knows a share");
    }
}
