//! Finds the times in which a measured value was beyond an alarm limit, from the history. Days without a value beyond a limit are skipped;
//! the others are checked by minutes, or by the finest rollup that is stored. One day of one point is in memory at a time. Days before the
//! first and after the last value are not read.

use std::collections::{HashMap, HashSet};

use grid::alarm::rated::{self, Indicator};
use grid::alarm::{AlarmKind, Rule};
use grid::downsample::{MINUTE_MS, Resolution};
use grid::measure::Quantity;
use grid::{AssetId, Micros, Point, PointId};
use store::rating::EnteredRating;
use store::series::{Line, Registers, Wanted};

use crate::error::Error;
use crate::link_losses::{LinkLosses, read_link_losses};
use crate::stretches::{Holding, Stretch, Tracker, is_above};
use crate::valid_request::ValidRequest;

/// Number of points whose days are read at once. Ten years of them are some ten megabytes.
pub(crate) const POINTS_AT_ONCE: usize = 16;

const DAY_MS: i64 = 24 * 60 * MINUTE_MS;

/// A point with its limits.
pub(crate) struct Watched {
    pub point: Point,
    pub asset: String,
    pub location: String,
    pub rules: Vec<Rule>,
}

/// Returns the label of a limit.
pub(crate) fn limit_name(kind: AlarmKind) -> &'static str {
    match kind {
        AlarmKind::High => "High",
        AlarmKind::HighHigh => "High-high",
        AlarmKind::Low => "Low",
        AlarmKind::LowLow => "Low-low",
        AlarmKind::State
        | AlarmKind::Trip
        | AlarmKind::Opened
        | AlarmKind::Infeed
        | AlarmKind::Command
        | AlarmKind::Comm
        | AlarmKind::Data => "",
    }
}

/// Returns the requested points with enabled limits, of some quantities or of all, sorted by substation, asset and point.
pub(crate) async fn watched(request: &ValidRequest, quantities: Option<&[Quantity]>) -> Result<Vec<Watched>, Error> {
    let (store, client) = (request.reports.store(), request.client());
    let mut rules: HashMap<PointId, Vec<Rule>> = HashMap::new();
    for rule in store.alarm_rules(client, None).await? {
        rules.entry(rule.point).or_default().push(rule);
    }
    let plates: HashMap<AssetId, EnteredRating> = store.plates(client, None).await?.into_iter().collect();
    let (locations, only) = request.place();
    let locations: HashSet<_> = locations.into_iter().collect();
    let is_requested = |point: &&Point| {
        only.as_ref().is_none_or(|only| only.contains(&point.asset))
            && quantities.is_none_or(|quantities| quantities.contains(&point.quantity))
    };
    let mut found = Vec::new();
    for point in locations.iter().flat_map(|location| request.view.field.points_at(*location)).filter(is_requested) {
        let mut rules = rules.remove(&point.id).unwrap_or_default();
        if let Some(plate) = plates.get(&point.asset) {
            let oil = Indicator { alarm: plate.limits.oil_alarm, trip: plate.limits.oil_trip };
            let winding = Indicator { alarm: plate.limits.winding_alarm, trip: plate.limits.winding_trip };
            rules.extend(rated::rules(point, oil, winding, &rules));
        }
        rules.retain(|rule| rule.enabled && rule.limit.is_some() && is_above(rule).is_some());
        if rules.is_empty() {
            continue;
        }
        let asset = request.view.field.asset(point.asset).map(|asset| asset.name.clone()).unwrap_or_default();
        found.push(Watched { point: point.clone(), asset, location: request.location_name(point.location), rules });
    }
    found.sort_by(|a, b| (&a.location, &a.asset, &a.point.metric, a.point.id).cmp(&(&b.location, &b.asset, &b.point.metric, b.point.id)));
    Ok(found)
}

/// The days of some points.
pub(crate) struct Days {
    begin: Micros,
    registers: Registers,
    link_losses: HashMap<PointId, LinkLosses>,
    end: Micros,
}

impl Days {
    /// Reads at most [`POINTS_AT_ONCE`] points; `None` if the period is in the future.
    pub(crate) async fn read(request: &ValidRequest, watched: &[Watched]) -> Result<Option<Self>, Error> {
        let (from, end) = (request.span.0, request.span.1.min(request.calendar.now));
        if from >= end {
            return Ok(None);
        }
        let points: Vec<PointId> = watched.iter().map(|watched| watched.point.id).collect();
        let (store, client) = (request.reports.store(), request.client());
        // A value of the previous day that is not in the rollups yet may be valid at the start.
        let presence = store.presence(client, &points, (from.plus_millis(-DAY_MS), end), false).await?;
        let values = presence.iter().filter_map(|presence| presence.values);
        let known = values.reduce(|(first, until), (earlier, later)| (first.min(earlier), until.max(later)));
        let (first, until) = known.unwrap_or((from, from));
        let first = request.calendar.midnight(request.calendar.day(first))?.max(from);
        let span = (first, until.min(end).max(first.plus_millis(1)));
        let registers = store.registers(client, &points, span, Wanted::Of(Resolution::Day)).await?;
        let link_losses = read_link_losses(request, watched.iter().map(|watched| &watched.point), (from, end)).await?;
        Ok(Some(Self { begin: from, registers, link_losses, end }))
    }

    fn line(&self, point: PointId) -> Option<&Line> {
        self.registers.lines.iter().find(|line| line.point == point)
    }
}

/// The state of a point while its days are processed.
pub(crate) struct Course<'a> {
    watched: &'a Watched,
    days: &'a Days,
    trackers: Vec<Tracker>,
}

impl<'a> Course<'a> {
    pub(crate) fn new(watched: &'a Watched, days: &'a Days) -> Self {
        let holding = match watched.point.age_limit_ms() {
            Some(ms) => Holding::For(ms),
            None => Holding::WhileOnline(days.link_losses.get(&watched.point.id).cloned().unwrap_or_default()),
        };
        let lasting = days.line(watched.point.id).and_then(|line| line.lasting);
        let tracker = |rule: &Rule| {
            let mut tracker = Tracker::new(rule.clone(), holding.clone())?;
            if let Some(lasting) = lasting {
                tracker.begin(days.begin, lasting);
            }
            Some(tracker)
        };
        Self { watched, days, trackers: watched.rules.iter().filter_map(tracker).collect() }
    }

    /// Returns the days on which the point has values.
    pub(crate) fn days(&self) -> Vec<usize> {
        let cells = self.days.line(self.watched.point.id).map(|line| &line.cells[..line.cells.len().min(self.days.registers.count)]);
        cells.into_iter().flatten().enumerate().filter(|(_, cell)| cell.is_some()).map(|(nth, _)| nth).collect()
    }

    /// Returns the violations that ended on a day, in the order of the rules.
    pub(crate) async fn day(&mut self, request: &ValidRequest, nth: usize) -> Result<Vec<Stretch>, Error> {
        let registers = &self.days.registers;
        let of_day = self.days.line(self.watched.point.id).and_then(|line| Some((line.cells.get(nth)?.as_ref()?, *line.lasts.get(nth)?)));
        let Some((day, last)) = of_day else { return Ok(Vec::new()) };
        let (from, end) = (registers.edges[nth], registers.edges[nth + 1].min(self.days.end));
        if !self.trackers.iter().any(|tracker| tracker.concerns(day)) {
            // Its first value ends an open violation.
            let first = day.first.map_or(from, |(at, _)| at.max(from));
            return Ok(self.trackers.iter_mut().flat_map(|tracker| tracker.step((first, end), day, last)).collect());
        }
        let minutes = usize::try_from(end.millis_since(from) / MINUTE_MS + 2).unwrap_or(2);
        let series = request.reports.store().bucketed(request.client(), &[self.watched.point.id], (from, end), minutes).await?;
        let Some(line) = series.lines.first() else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        let ends = series.times.iter().skip(1).copied().chain([end]);
        for (((start, end), bucket), last) in series.times.iter().zip(ends).zip(&line.cells).zip(&line.lasts) {
            // The first bucket may begin before its day.
            let span = ((*start).max(from), end.min(self.days.end));
            let Some(bucket) = bucket.as_ref().filter(|_| span.0 < span.1) else { continue };
            found.extend(self.trackers.iter_mut().flat_map(|tracker| tracker.step(span, bucket, *last)));
        }
        Ok(found)
    }

    /// Returns the violations that are open at the end, or whose end is unknown.
    pub(crate) fn finish(&mut self) -> Vec<Stretch> {
        let end = self.days.end;
        self.trackers.iter_mut().flat_map(|tracker| tracker.finish(end)).collect()
    }
}
