//! Stretches of time in which a measured value was beyond a limit that alarms have, from the history: days that show nothing beyond one are passed over, the
//! others are looked at by minutes, or by what is kept of them. One day of one point is held at a time.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use grid::alarm::rated::{self, Indicator};
use grid::alarm::{Kind, Rule};
use grid::downsample::{Bucket, MINUTE_MS, Resolution};
use grid::measure::Quantity;
use grid::{AssetId, Micros, Point, PointId, Quality};
use store::rating::Plate;
use store::series::{Registers, Wanted};

use super::request::Asked;
use crate::error::Error;

/// Points whose days are read at once: ten years of as many are some ten megabytes.
pub(super) const POINTS_AT_ONCE: usize = 16;

/// A point with the limits that it has.
pub(super) struct Watched {
    pub(super) point: Point,
    pub(super) asset: String,
    pub(super) location: String,
    pub(super) rules: Vec<Rule>,
}

/// Whether a rule has a limit above which, or below which, something is wrong.
fn is_above(rule: &Rule) -> Option<bool> {
    match rule.kind {
        Kind::High | Kind::HighHigh => Some(true),
        Kind::Low | Kind::LowLow => Some(false),
        Kind::State | Kind::Trip | Kind::Comm | Kind::Data => None,
    }
}

/// What a limit is called.
pub(super) fn limit_name(kind: Kind) -> &'static str {
    match kind {
        Kind::High => "High",
        Kind::HighHigh => "High-high",
        Kind::Low => "Low",
        Kind::LowLow => "Low-low",
        Kind::State | Kind::Trip | Kind::Comm | Kind::Data => "",
    }
}

/// The points within what is asked about that have limits in force, of some quantities or of all: by substation, asset and point.
pub(super) async fn watched(asked: &Asked, quantities: Option<&[Quantity]>) -> Result<Vec<Watched>, Error> {
    let (store, client) = (asked.services.store(), asked.client());
    let mut rules: HashMap<PointId, Vec<Rule>> = HashMap::new();
    for rule in store.alarm_rules(client, None).await? {
        rules.entry(rule.point).or_default().push(rule);
    }
    let plates: HashMap<AssetId, Plate> = store.plates(client, None).await?.into_iter().collect();
    let (locations, only) = asked.place();
    let locations: HashSet<_> = locations.into_iter().collect();
    let is_asked = |point: &&Point| {
        locations.contains(&point.location)
            && only.as_ref().is_none_or(|only| only.contains(&point.asset))
            && quantities.is_none_or(|quantities| quantities.contains(&point.quantity))
    };
    let mut found = Vec::new();
    for point in asked.view.field.points().filter(is_asked) {
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
        let asset = asked.view.field.asset(point.asset).map(|asset| asset.name.clone()).unwrap_or_default();
        found.push(Watched { point: point.clone(), asset, location: asked.location_name(point.location), rules });
    }
    found.sort_by(|a, b| (&a.location, &a.asset, &a.point.metric, a.point.id).cmp(&(&b.location, &b.asset, &b.point.metric, b.point.id)));
    Ok(found)
}

/// A stretch of time beyond a limit.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Stretch {
    pub(super) rule: Rule,
    pub(super) from: Micros,
    /// `None` where it goes on at the end of the span.
    pub(super) to: Option<Micros>,
    /// How long it lasted within the span.
    pub(super) lasted: Duration,
    /// The value farthest beyond the limit.
    pub(super) extreme: f64,
    /// The worst quality of its values.
    pub(super) quality: Quality,
}

/// The farther beyond the limit of two values.
pub(super) fn farther(kind: Kind, a: f64, b: f64) -> f64 {
    if matches!(kind, Kind::Low | Kind::LowLow) { a.min(b) } else { a.max(b) }
}

#[derive(Debug, Clone, Copy)]
struct Open {
    from: Micros,
    /// Up to where values are known.
    known: Micros,
    extreme: f64,
    quality: Quality,
}

/// Follows one rule of one point through buckets in the order of their times.
#[derive(Debug)]
struct Tracker {
    rule: Rule,
    is_above: bool,
    /// For how long a value holds, ms; `None` until the next.
    holds_ms: Option<i64>,
    open: Option<Open>,
}

impl Tracker {
    fn new(rule: Rule, holds_ms: Option<i64>) -> Option<Self> {
        Some(Self { is_above: is_above(&rule)?, rule, holds_ms, open: None })
    }

    /// The value of a bucket that lies farthest to the wrong side.
    fn figure(&self, bucket: &Bucket) -> Option<f64> {
        if self.is_above { bucket.max } else { bucket.min }
    }

    fn is_beyond(&self, figure: f64, deadband: f64) -> bool {
        let limit = self.rule.limit.unwrap_or(f64::NAN);
        if self.is_above { figure > limit - deadband } else { figure < limit + deadband }
    }

    /// Whether a day has to be looked at closely.
    fn concerns(&self, day: &Bucket) -> bool {
        let deadband = if self.open.is_some() { self.rule.deadband } else { 0.0 };
        self.figure(day).is_some_and(|figure| self.is_beyond(figure, deadband))
    }

    fn closed(&self, open: Open, to: Option<Micros>, end: Micros) -> Stretch {
        let us = to.unwrap_or(end).0.saturating_sub(open.from.0);
        Stretch {
            rule: self.rule.clone(),
            from: open.from,
            to,
            lasted: Duration::from_micros(u64::try_from(us).unwrap_or(0)),
            extreme: open.extreme,
            quality: open.quality,
        }
    }

    fn has_lapsed(&self, open: Open, at: Micros) -> bool {
        self.holds_ms.is_some_and(|holds| at.millis_since(open.known) > holds)
    }

    /// Takes the next bucket. Answers what has ended by it.
    fn step(&mut self, (start, end): (Micros, Micros), bucket: &Bucket) -> Option<Stretch> {
        let figure = self.figure(bucket)?;
        let lapsed = self.open.take_if(|open| self.holds_ms.is_some_and(|holds| start.millis_since(open.known) > holds));
        let ended = lapsed.map(|open| self.closed(open, Some(open.known), start));
        let deadband = if self.open.is_some() { self.rule.deadband } else { 0.0 };
        if !self.is_beyond(figure, deadband) {
            let over = self.open.take();
            return over.map(|open| self.closed(open, Some(start), start)).or(ended);
        }
        let before = self.open.unwrap_or(Open { from: start, known: end, extreme: figure, quality: bucket.worst });
        self.open = Some(Open {
            known: end,
            extreme: farther(self.rule.kind, before.extreme, figure),
            quality: before.quality.worst(bucket.worst),
            ..before
        });
        ended
    }

    /// What holds at the end.
    fn finish(&mut self, end: Micros) -> Option<Stretch> {
        let open = self.open.take()?;
        let to = self.has_lapsed(open, end).then_some(open.known);
        Some(self.closed(open, to, end))
    }
}

/// The days of some points.
pub(super) struct Days {
    registers: Registers,
    end: Micros,
}

impl Days {
    /// Of at most [`POINTS_AT_ONCE`] points; `None` where nothing of the span has begun.
    pub(super) async fn read(asked: &Asked, watched: &[Watched]) -> Result<Option<Self>, Error> {
        let (from, end) = (asked.span.0, asked.span.1.min(asked.calendar.now));
        if from >= end {
            return Ok(None);
        }
        let points: Vec<PointId> = watched.iter().map(|watched| watched.point.id).collect();
        let registers = asked.services.store().registers(asked.client(), &points, (from, end), Wanted::Of(Resolution::Day)).await?;
        Ok(Some(Self { registers, end }))
    }

    pub(super) fn count(&self) -> usize {
        self.registers.count
    }
}

/// A point on its way through the days.
pub(super) struct Course<'a> {
    watched: &'a Watched,
    days: &'a Days,
    trackers: Vec<Tracker>,
}

impl<'a> Course<'a> {
    pub(super) fn new(watched: &'a Watched, days: &'a Days) -> Self {
        let holds_ms = watched.point.age_limit_ms();
        let trackers = watched.rules.iter().filter_map(|rule| Tracker::new(rule.clone(), holds_ms)).collect();
        Self { watched, days, trackers }
    }

    /// What ended on a day, in the order of rules.
    pub(super) async fn day(&mut self, asked: &Asked, nth: usize) -> Result<Vec<Stretch>, Error> {
        let registers = &self.days.registers;
        let cells = registers.lines.iter().find(|line| line.point == self.watched.point.id).map(|line| &line.cells);
        let Some(day) = cells.and_then(|cells| cells.get(nth)?.as_ref()) else { return Ok(Vec::new()) };
        let (from, end) = (registers.edges[nth], registers.edges[nth + 1].min(self.days.end));
        if !self.trackers.iter().any(|tracker| tracker.concerns(day)) {
            // Its first value ends what went on.
            let first = day.first.map_or(from, |(at, _)| at.max(from));
            return Ok(self.trackers.iter_mut().filter_map(|tracker| tracker.step((first, end), day)).collect());
        }
        let minutes = usize::try_from(end.millis_since(from) / MINUTE_MS + 2).unwrap_or(2);
        let series = asked.services.store().bucketed(asked.client(), &[self.watched.point.id], (from, end), minutes).await?;
        let Some(line) = series.lines.first() else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        let ends = series.times.iter().skip(1).copied().chain([end]);
        for ((start, end), bucket) in series.times.iter().zip(ends).zip(&line.cells) {
            // The first bucket may begin before its day.
            let span = ((*start).max(from), end.min(self.days.end));
            let Some(bucket) = bucket.as_ref().filter(|_| span.0 < span.1) else { continue };
            found.extend(self.trackers.iter_mut().filter_map(|tracker| tracker.step(span, bucket)));
        }
        Ok(found)
    }

    /// What goes on at the end, or is not known any more.
    pub(super) fn finish(&mut self) -> Vec<Stretch> {
        let end = self.days.end;
        self.trackers.iter_mut().filter_map(|tracker| tracker.finish(end)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn minute(minute: i64) -> Micros {
        Micros::from_millis(minute * MINUTE_MS)
    }

    fn rule(kind: Kind, limit: f64, deadband: f64) -> Rule {
        Rule {
            point: PointId(1),
            kind,
            enabled: true,
            limit: Some(limit),
            deadband,
            state_value: None,
            on_delay_s: 0,
            off_delay_s: 0,
            priority: 1,
            text: String::new(),
        }
    }

    /// From, to, minutes and extreme of what a rule finds in single values by minutes.
    fn found(rule: Rule, holds_ms: Option<i64>, values: &[(i64, f64)], end: i64) -> Vec<(i64, Option<i64>, u64, f64)> {
        let mut tracker = Tracker::new(rule, holds_ms).expect("a limit");
        let mut stretches: Vec<Stretch> = Vec::new();
        for (at, value) in values {
            let bucket = Bucket::of(minute(*at), Some(*value), Quality::Good);
            stretches.extend(tracker.step((minute(*at), minute(at + 1)), &bucket));
        }
        stretches.extend(tracker.finish(minute(end)));
        let at = |at: Micros| at.millis() / MINUTE_MS;
        stretches.iter().map(|s| (at(s.from), s.to.map(at), s.lasted.as_secs() / 60, s.extreme)).collect()
    }

    #[test]
    fn a_stretch_ends_behind_the_deadband_where_values_end_or_not_at_all() {
        let high = || rule(Kind::High, 400.0, 20.0);
        let values = [(0, 390.0), (1, 410.0), (2, 450.0), (3, 390.0), (4, 379.0), (5, 390.0), (6, 401.0)];
        assert_eq!(found(high(), Some(120_000), &values, 7), [(1, Some(4), 3, 450.0), (6, None, 1, 401.0)]);
        // Nothing is heard from 2 to 9: the value held for three minutes is not beyond for eight.
        assert_eq!(
            found(high(), Some(180_000), &[(1, 410.0), (9, 420.0), (10, 300.0)], 11),
            [(1, Some(2), 1, 410.0), (9, Some(10), 1, 420.0)]
        );
        // By exception it holds until the next.
        assert_eq!(found(high(), None, &[(1, 410.0), (9, 420.0), (10, 300.0)], 11), [(1, Some(10), 9, 420.0)]);
        assert_eq!(found(high(), Some(60_000), &[(1, 410.0)], 9), [(1, Some(2), 1, 410.0)]);
        let low = rule(Kind::Low, 10.0, 0.5);
        assert_eq!(found(low, None, &[(1, 9.9), (2, 9.0), (3, 10.4), (4, 10.5)], 5), [(1, Some(4), 3, 9.0)]);
    }
}
