//! GDSDataSingleDateBySampleTime: all values of assets by sample. Some points of one day are in memory at a time.

use std::collections::HashMap;

use grid::position::{Encoding, Position};
use grid::{Micros, Point, PointId};
use store::events::StatusPeriod;
use store::kept::Level;

use crate::definition::{Column, Definition, Input, Places, Running};
use crate::error::Error;
use crate::rows::{Row, Rows, Stop, Value};
use crate::sampled::{Day, MINUTE_MS, Sampled, at_once, is_any_of, points, quality_word, signal_of};
use crate::valid_request::ValidRequest;
use crate::value_days::ValueDays;

/// Maximum number of changes of status points in one query. If there are more, the time or the points are split.
const CHANGES_MAX: usize = 100_000;
/// The shortest span that is read by one query, µs. If a point has too many changes even in this span, it is defective.
const SHORTEST_US: i64 = 1_000_000;

pub(crate) static GDS: Definition = Definition {
    id: 37,
    key: "GDSDataSingleDateBySampleTime",
    name: "GDS Data by Sample Time",
    about: "One row for each point and sample, by day, substation, asset and point: for measurands on each day on which they have a value, and for positions \
            and signals from the first known change. Samples begin at midnight. If finer values of measurands are no longer kept, their samples are as long as \
            the kept ones. A measurand reported by exception is valid until the next value while its link is online.",
    frequencies: &[6, 7],
    of: Places::Any,
    historic: true,
    real_time: false,
    input: Input::SampleOfGds,
    levels: &[Level::Event, Level::Day],
    columns: &[
        Column::time("Sample", "Its start"),
        Column::text("Substation", "The substation of the asset"),
        Column::text("Asset", "The asset of the point"),
        Column::text("Point", "The address under which the gateway reports it: device, asset and code"),
        Column::text("Signal", "What it measures or signals"),
        Column::number(
            "Value",
            "",
            3,
            "The last valid value of the sample, or the one that is still valid; for positions and signals the raw one at its end",
        ),
        Column::text("Unit", "Of the value"),
        Column::text("State", "OPEN, CLOSED, INTERMEDIATE, INVALID, ACTIVE or INACTIVE at the end of the sample; empty for measurands"),
        Column::time("Since", "When that value was measured, or the state began, by the device's clock"),
        Column::text(
            "Quality",
            "The worst quality of the values in the sample, empty without values; for positions and signals that of their last change, as reported",
        ),
    ],
    rows: |request, rows| -> Running { Box::pin(read(request, rows)) },
};

async fn read(request: ValidRequest, rows: Rows) -> Result<(), Stop> {
    let points = points(&request, |_| true);
    let sample_ms = request.sample_minutes * MINUTE_MS;
    let is_status = |point: &&Point| point.encoding().is_some();
    let mut value_days = ValueDays::new(&request, points.iter().copied().filter(|point| !is_status(point))).with_held();
    let status: Vec<PointId> = points.iter().copied().filter(is_status).map(|point| point.id).collect();
    let first_changes = request.reports.store().first_changes(request.client(), &status).await?;
    for day in Day::all(&request) {
        let present = value_days.within(day.reach()).await?;
        let has_changed = |point: &&Point| first_changes.get(&point.id).is_some_and(|first| *first < day.until(&request));
        for part in points.chunks(at_once(day, sample_ms)) {
            let (status, measured): (Vec<&Point>, Vec<&Point>) = part.iter().copied().partition(is_status);
            let (is_known, is_changed) = (is_any_of(&measured, &present), status.iter().any(has_changed));
            if !is_known && !is_changed {
                continue;
            }
            let sampled = if is_known { Some(Sampled::read(&request, &measured, day, sample_ms).await?) } else { None };
            let changes = if is_changed { changes(&request, &status, day, sample_ms).await? } else { HashMap::new() };
            for point in part {
                match (point.encoding(), &sampled) {
                    (Some(encoding), _) => {
                        let changes = changes.get(&point.id).map(Vec::as_slice).unwrap_or_default();
                        put_status(&request, &rows, (point, encoding), changes, (day, sample_ms)).await?;
                    }
                    (None, Some(sampled)) => put_measured(&request, &rows, point, sampled).await?,
                    (None, None) => {}
                }
            }
        }
    }
    Ok(())
}

/// Returns the last change of each point in each sample, and the last one before the day.
async fn changes(request: &ValidRequest, points: &[&Point], day: Day, sample_ms: i64) -> Result<HashMap<PointId, Vec<StatusPeriod>>, Stop> {
    let mut found: HashMap<PointId, Vec<StatusPeriod>> = HashMap::new();
    let ids: Vec<PointId> = points.iter().map(|point| point.id).collect();
    let mut parts = vec![Part { points: ids, from: day.from, to: day.until(request) }];
    while let Some(part) = parts.pop() {
        if part.points.is_empty() || part.from >= part.to {
            continue;
        }
        match request.reports.store().status_changes(request.client(), &part.points, (part.from, part.to), CHANGES_MAX).await? {
            Some(changes) => {
                for change in changes {
                    keep(found.entry(change.point).or_default(), change, day.from, sample_ms);
                }
            }
            None => parts.extend(part.halves().ok_or_else(|| {
                Error::BadRequest(format!("a position or signal changed more than {CHANGES_MAX} times within a second: ask for others"))
            })?),
        }
    }
    Ok(found)
}

/// Some points and a span of time.
#[derive(Debug, Clone, PartialEq)]
struct Part {
    points: Vec<PointId>,
    from: Micros,
    to: Micros,
}

impl Part {
    /// Splits the part into two halves: by time, with the earlier half last so that it is read first, or by points if the time is short. `None` if it cannot be
    /// split.
    fn halves(self) -> Option<[Self; 2]> {
        let lasts = self.to.0 - self.from.0;
        if lasts > SHORTEST_US {
            let middle = Micros(self.from.0 + lasts / 2);
            return Some([Self { points: self.points.clone(), from: middle, to: self.to }, Self { to: middle, ..self }]);
        }
        let (one, other) = self.points.split_at(self.points.len() / 2);
        (!one.is_empty()).then(|| [other, one].map(|points| Self { points: points.to_vec(), ..self }))
    }
}

/// Adds the next change of a point. If a sample has several changes, the last one is kept. The state before a later part is ignored, because it is already
/// known.
fn keep(known: &mut Vec<StatusPeriod>, change: StatusPeriod, begin: Micros, sample_ms: i64) {
    let sample = |at: Micros| at.millis_since(begin).div_euclid(sample_ms);
    match known.last_mut() {
        Some(last) if change.at < last.at || *last == change => {}
        Some(last) if last.at >= begin && sample(last.at) == sample(change.at) => *last = change,
        _ => known.push(change),
    }
}

fn named(request: &ValidRequest, start: Micros, point: &Point) -> Row {
    let place = request.location_name(point.location);
    vec![start.into(), place.into(), point.asset_name.as_str().into(), point.address().into(), signal_of(point).into()]
}

async fn put_measured(request: &ValidRequest, rows: &Rows, point: &Point, sampled: &Sampled) -> Result<(), Stop> {
    let Some(cells) = sampled.samples(point.id) else { return Ok(()) };
    for (start, cell) in sampled.starts.iter().zip(cells) {
        let last = cell.and_then(|cell| cell.bucket.last);
        let mut row = named(request, *start, point);
        row.extend([last.map(|(_, value)| value).into(), point.unit.as_str().into(), Value::Absent, last.map(|(at, _)| at).into()]);
        row.push(cell.filter(|cell| !cell.is_held).map(|cell| quality_word(cell.bucket.worst)).into());
        rows.put(row).await?;
    }
    Ok(())
}

async fn put_status(
    request: &ValidRequest,
    rows: &Rows,
    (point, encoding): (&Point, Encoding),
    changes: &[StatusPeriod],
    (day, sample_ms): (Day, i64),
) -> Result<(), Stop> {
    let until = day.until(request);
    let (mut start, mut next) = (day.from, 0);
    while start < until {
        let end = start.plus_millis(sample_ms);
        while changes.get(next).is_some_and(|change| change.at < end) {
            next += 1;
        }
        if let Some(change) = next.checked_sub(1).and_then(|last| changes.get(last)) {
            let state = change.value.map_or(Position::Bad, |raw| Position::decode(encoding, raw)).text();
            let mut row = named(request, start, point);
            row.extend([
                change.value.into(),
                point.unit.as_str().into(),
                state.into(),
                change.at.into(),
                quality_word(change.quality).into(),
            ]);
            rows.put(row).await?;
        }
        start = end;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use grid::Quality;

    use super::*;

    #[test]
    fn what_is_too_much_at_once_is_read_in_parts_in_the_order_of_time() {
        let points = |ids: &[i64]| ids.iter().map(|id| PointId(*id)).collect::<Vec<_>>();
        let part = |ids: &[i64], from: i64, to: i64| Part { points: points(ids), from: Micros(from), to: Micros(to) };
        let second = SHORTEST_US;
        let halves = part(&[1, 2, 3], 0, 4 * second).halves();
        assert_eq!(halves, Some([part(&[1, 2, 3], 2 * second, 4 * second), part(&[1, 2, 3], 0, 2 * second)]));
        assert_eq!(part(&[1, 2, 3], 0, second).halves(), Some([part(&[2, 3], 0, second), part(&[1], 0, second)]));
        assert_eq!(part(&[1], 0, second).halves(), None);
    }

    #[test]
    fn of_the_changes_in_a_sample_the_last_stays() {
        let at = |minute: i64| Micros(minute * 60_000_000);
        let change =
            |minute: i64, value: f64| StatusPeriod { point: PointId(1), at: at(minute), value: Some(value), quality: Quality::Good };
        let mut known = Vec::new();
        // From minute 100 on in two parts; the second part repeats the state before it.
        for (minute, value) in [(90, 1.0), (100, 2.0), (114, 1.0), (115, 2.0), (115, 2.0), (120, 1.0), (150, 2.0)] {
            keep(&mut known, change(minute, value), at(100), 15 * MINUTE_MS);
        }
        assert_eq!(known, [change(90, 1.0), change(114, 1.0), change(120, 1.0), change(150, 2.0)]);
    }
}
