//! PDS: the values of each point by sample, or its newest value. Some points of one day are in memory at a time.

use grid::measure::Quantity;
use grid::point::PointKind;
use grid::{NodeId, Point};
use store::kept::Level;

use crate::definition::{Column, ColumnKind, Definition, Input, Places, Running};
use crate::fill_forward::Cell;
use crate::of::ANY;
use crate::rows::{Row, Rows, Stop, Value};
use crate::sampled::{Day, MINUTE_MS, Newest, Sampled, at_once, bad_percent, by_location, is_any_of, newest, points, quality_word, signal};
use crate::valid_request::ValidRequest;
use crate::value_days::ValueDays;

pub(crate) static PDS: Definition = Definition {
    id: 31,
    key: "PDS",
    name: "Product Data Stream",
    about: "One row for each point and sample of each day on which the point has a value, by day, substation, asset and point. Samples begin at midnight. If \
            finer values are no longer kept, samples are as long as the kept ones. A value reported by exception is valid until the next one while its link is \
            online. Now: one row for each point that was ever received, with its latest value.",
    frequencies: ANY,
    of: Places::Any,
    historic: true,
    real_time: true,
    input: Input::Sample,
    levels: &[Level::Day],
    columns: &[
        Column::time("Sample", "Start of the sample; realtime: source time of the latest value"),
        Column::count("Length", "Minutes; empty for now"),
        Column::text("Substation", "The substation of the asset"),
        Column::text("Asset", "The asset of the point"),
        Column::text("Signal", "What the point measures"),
        Column::text("Unit", "Of its values"),
        Column::number(
            "Mean",
            "",
            3,
            "Mean over the known time of the sample; empty for registers and counts, which only increase, and for now",
        ),
        Column::number("Least", "", 3, "The smallest value in the sample; without values, the valid one; empty for now"),
        Column::number("Largest", "", 3, "The largest; otherwise the same"),
        Column::number(
            "Last",
            "",
            3,
            "The last valid value of the sample, or the one that is still valid; now: the latest value, valid or not",
        ),
        Column::count("Values", "The number of received values; 0 without values; empty for now"),
        Column::number("Bad", "%", 1, "The share of them that is stale or worse, or absent: these are in no figure; empty without values"),
        Column::text(
            "Quality",
            "The worst reported quality of the sample; empty without values; now: the quality to show, by age and link",
        ),
        Column { name: "Age", unit: "", kind: ColumnKind::Duration, meaning: "Now: the age of the latest value" },
    ],
    rows: |request, rows| -> Running { Box::pin(read(request, rows)) },
};

async fn read(request: ValidRequest, rows: Rows) -> Result<(), Stop> {
    let points = points(&request, |point| point.kind == PointKind::Measurand);
    if request.real_time {
        return now(&request, &points, &rows).await;
    }
    let sample_ms = request.sample_minutes * MINUTE_MS;
    let mut value_days = ValueDays::new(&request, points.iter().copied()).with_held();
    for day in Day::all(&request) {
        let present = value_days.within(day.reach()).await?;
        for part in points.chunks(at_once(day, sample_ms)).filter(|part| is_any_of(part, &present)) {
            let sampled = Sampled::read(&request, part, day, sample_ms).await?;
            for point in part {
                let place = request.location_name(point.location);
                let Some(cells) = sampled.samples(point.id) else { continue };
                for (start, cell) in sampled.starts.iter().zip(&cells) {
                    let mut row: Row = vec![(*start).into(), sampled.minutes().into()];
                    row.extend(named(&place, point));
                    row.extend(figures(point, cell.as_ref()));
                    rows.put(row).await?;
                }
            }
        }
    }
    Ok(())
}

fn named(place: &str, point: &Point) -> [Value; 4] {
    [place.into(), point.asset_name.as_str().into(), signal(point).into(), point.unit.as_str().into()]
}

/// Returns whether the values of a point only increase. A mean of such values has no meaning.
fn counts(point: &Point) -> bool {
    matches!(point.quantity, Quantity::ActiveEnergy | Quantity::ReactiveEnergy | Quantity::Count)
}

fn figures(point: &Point, cell: Option<&Cell>) -> [Value; 8] {
    let Some(Cell { bucket, is_held }) = cell else {
        return [Value::Absent, Value::Absent, Value::Absent, Value::Absent, 0.into(), Value::Absent, Value::Absent, Value::Absent];
    };
    [
        bucket.mean().filter(|_| !counts(point)).into(),
        bucket.min.into(),
        bucket.max.into(),
        bucket.last.map(|(_, value)| value).into(),
        if *is_held { 0 } else { bucket.n }.into(),
        bad_percent(bucket.n, bucket.n_good).filter(|_| !is_held).into(),
        (!is_held).then(|| quality_word(bucket.worst)).into(),
        Value::Absent,
    ]
}

async fn now(request: &ValidRequest, points: &[&Point], rows: &Rows) -> Result<(), Stop> {
    for part in by_location(points) {
        let location: NodeId = part[0].location;
        let (place, latest) = (request.location_name(location), newest(request, location, part).await?);
        for point in part {
            let Some(Newest { reading, age }) = latest.get(&point.id) else { continue };
            let mut row: Row = vec![reading.source.into(), Value::Absent];
            row.extend(named(&place, point));
            row.extend([Value::Absent, Value::Absent, Value::Absent, reading.value.into(), Value::Absent, Value::Absent]);
            row.extend([quality_word(reading.quality).into(), Value::age(*age)]);
            rows.put(row).await?;
        }
    }
    Ok(())
}
