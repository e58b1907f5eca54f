//! GDSDataSingleDateBySampleTime: everything that assets report, as it stood sample by sample; a part of the points of a day is held at a time.

use std::collections::HashMap;

use grid::position::{Encoding, Position};
use grid::{Micros, Point, PointId};
use store::events::Stood;

use crate::error::Error;
use crate::reports::definition::{Column, Definition, Input, Running};
use crate::reports::request::Asked;
use crate::reports::rows::{Row, Rows, Stop, Value};
use crate::reports::sampled::{Day, MINUTE_MS, Sampled, at_once, points, quality_word, signal_of};

/// Changes of status points in one part of a day.
const CHANGES_MAX: usize = 100_000;

pub(crate) static GDS: Definition = Definition {
    id: 37,
    key: "GDSDataSingleDateBySampleTime",
    name: "GDS Data by Sample Time",
    about: "A row a point and sample, by day, substation, asset and point: of points that are measured on each day on which they have a value, and of positions \
            and signals from the first change that is known. Samples begin at midnight; where what they are made of is not kept any more, those of measured \
            points are as long as what is.",
    frequencies: &[6, 7],
    of_utility: false,
    of_asset: true,
    historic: true,
    real_time: false,
    input: Input::SampleOfGds,
    columns: &[
        Column::time("Sample", "When it begins"),
        Column::text("Substation", "Where the asset stands"),
        Column::text("Asset", "What the point belongs to"),
        Column::text("Point", "The address under which the gateway reports it: device, asset and code"),
        Column::text("Signal", "What it measures or signals"),
        Column::number(
            "Value",
            "",
            3,
            "The last valid one that was measured in the sample; of positions and signals the raw one at its end",
        ),
        Column::text("Unit", "Of the value"),
        Column::text(
            "State",
            "OPEN, CLOSED, INTERMEDIATE, INVALID, ACTIVE or INACTIVE at the end of the sample; empty of what is measured",
        ),
        Column::time("Since", "When that value was measured, or came to stand so, by the device's clock"),
        Column::text(
            "Quality",
            "The worst of the values in the sample; of positions and signals that of their last change, as devices told",
        ),
    ],
    rows: |asked, rows| -> Running { Box::pin(read(asked, rows)) },
};

async fn read(asked: Asked, rows: Rows) -> Result<(), Stop> {
    let points = points(&asked, |_| true);
    let sample_ms = asked.sample_minutes * MINUTE_MS;
    for day in Day::all(&asked) {
        for part in points.chunks(at_once(day, sample_ms)) {
            let (status, measured): (Vec<&Point>, Vec<&Point>) = part.iter().partition(|point| point.encoding().is_some());
            let sampled = if measured.is_empty() { None } else { Some(Sampled::read(&asked, &measured, day, sample_ms).await?) };
            let changes = changes(&asked, &status, day).await?;
            for point in part {
                match (point.encoding(), &sampled) {
                    (Some(encoding), _) => {
                        let changes = changes.get(&point.id).map(Vec::as_slice).unwrap_or_default();
                        put_status(&asked, &rows, (point, encoding), changes, (day, sample_ms)).await?;
                    }
                    (None, Some(sampled)) => put_measured(&asked, &rows, point, sampled).await?,
                    (None, None) => {}
                }
            }
        }
    }
    Ok(())
}

async fn changes(asked: &Asked, points: &[&Point], day: Day) -> Result<HashMap<PointId, Vec<Stood>>, Stop> {
    let mut found: HashMap<PointId, Vec<Stood>> = HashMap::new();
    if points.is_empty() {
        return Ok(found);
    }
    let ids: Vec<PointId> = points.iter().map(|point| point.id).collect();
    let stood = asked.services.store().stood(asked.client(), &ids, (day.from, day.until(asked)), CHANGES_MAX).await?;
    let stood = stood.ok_or_else(|| {
        Error::BadRequest(format!("more than {CHANGES_MAX} changes of positions and signals in a day: ask for a lower level"))
    })?;
    for change in stood {
        found.entry(change.point).or_default().push(change);
    }
    Ok(found)
}

fn named(asked: &Asked, start: Micros, point: &Point) -> Row {
    let place = asked.location_name(point.location);
    vec![start.into(), place.into(), point.asset_name.as_str().into(), point.address().into(), signal_of(point).into()]
}

async fn put_measured(asked: &Asked, rows: &Rows, point: &Point, sampled: &Sampled) -> Result<(), Stop> {
    let Some(cells) = sampled.cells(point.id) else { return Ok(()) };
    for (start, cell) in sampled.starts.iter().zip(cells) {
        let last = cell.and_then(|bucket| bucket.last);
        let mut row = named(asked, *start, point);
        row.extend([last.map(|(_, value)| value).into(), point.unit.as_str().into(), Value::Absent, last.map(|(at, _)| at).into()]);
        row.push(cell.map(|bucket| quality_word(bucket.worst)).into());
        rows.put(row).await?;
    }
    Ok(())
}

async fn put_status(
    asked: &Asked,
    rows: &Rows,
    (point, encoding): (&Point, Encoding),
    changes: &[Stood],
    (day, sample_ms): (Day, i64),
) -> Result<(), Stop> {
    let until = day.until(asked);
    let (mut start, mut next) = (day.from, 0);
    while start < until {
        let end = start.plus_millis(sample_ms);
        while changes.get(next).is_some_and(|change| change.at < end) {
            next += 1;
        }
        if let Some(change) = next.checked_sub(1).and_then(|last| changes.get(last)) {
            let state = change.value.map_or(Position::Bad, |raw| Position::decode(encoding, raw)).text();
            let mut row = named(asked, start, point);
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
