//! PRODUCT_DATA_STREAM_INT: the values of each asset by interval, with the usual quantities in columns. Some assets of one day are in
//! memory at a time.

use std::collections::HashMap;

use grid::{AssetId, Point};
use store::kept::Level;

use crate::definition::{Column, Definition, Input, Places, Running};
use crate::fill_forward::Cell;
use crate::of::ANY;
use crate::rows::{Row, Rows, Stop, Value};
use crate::sampled::{Day, MINUTE_MS, Sampled, at_once, bad_percent, is_any_of, points, times};
use crate::valid_request::ValidRequest;
use crate::value_days::ValueDays;

/// The codes in the order of the columns, each with the base of its unit and the size of the column's unit in it.
const CODES: [(&str, &str, f64); 15] = [
    ("Vry", "V", 1e3),
    ("Vyb", "V", 1e3),
    ("Vbr", "V", 1e3),
    ("Vr", "V", 1e3),
    ("Vy", "V", 1e3),
    ("Vb", "V", 1e3),
    ("Ir", "A", 1.0),
    ("Iy", "A", 1.0),
    ("Ib", "A", 1.0),
    ("P", "W", 1e3),
    ("Q", "VAr", 1e3),
    ("S", "VA", 1e3),
    ("Pf", "", 1.0),
    ("Hz", "Hz", 1.0),
    (REGISTER, "Wh", 1e3),
];
/// The code whose last reading is shown in place of a mean.
const REGISTER: &str = "EImp";

pub(crate) static PRODUCT_DATA_STREAM_INT: Definition = Definition {
    id: 32,
    key: "PRODUCT_DATA_STREAM_INT",
    name: "Product Data Stream by Interval",
    about: "One row for each asset and interval of each day on which the asset has one of these values, by day, substation, asset and interval. Intervals \
            begin at midnight. If finer values are no longer kept, intervals are as long as the kept ones. Of two points with one code, the one with the lower \
            id is used; a point with a unit of another kind is not used. A value reported by exception is valid until the next one while its link is online.",
    frequencies: ANY,
    of: Places::Any,
    historic: true,
    real_time: false,
    input: Input::Sample,
    levels: &[Level::Day],
    columns: &[
        Column::time("Interval", "Its start"),
        Column::count("Length", "Minutes"),
        Column::text("Substation", "The substation of the asset"),
        Column::text("Asset", "The asset"),
        Column::number("Voltage R-Y", "kV", 3, "Mean of Vry over the known time"),
        Column::number("Voltage Y-B", "kV", 3, "Mean of Vyb over the known time"),
        Column::number("Voltage B-R", "kV", 3, "Mean of Vbr over the known time"),
        Column::number("Voltage R", "kV", 3, "Mean of Vr over the known time"),
        Column::number("Voltage Y", "kV", 3, "Mean of Vy over the known time"),
        Column::number("Voltage B", "kV", 3, "Mean of Vb over the known time"),
        Column::number("Current R", "A", 1, "Mean of Ir over the known time"),
        Column::number("Current Y", "A", 1, "Mean of Iy over the known time"),
        Column::number("Current B", "A", 1, "Mean of Ib over the known time"),
        Column::number("Active power", "kW", 1, "Mean of P over the known time"),
        Column::number("Reactive power", "kVAr", 1, "Mean of Q over the known time"),
        Column::number("Apparent power", "kVA", 1, "Mean of S over the known time"),
        Column::number("Power factor", "", 3, "Mean of Pf over the known time"),
        Column::number("Frequency", "Hz", 2, "Mean of Hz over the known time"),
        Column::number("Energy imported", "kWh", 1, "The last reading of register EImp in the interval, or the one that is still valid"),
        Column::count("Values", "The number of received values of all these points; 0 without values"),
        Column::number("Bad", "%", 1, "The share of them that is stale or worse, or absent: these are in no figure; empty without values"),
    ],
    rows: |request, rows| -> Running { Box::pin(read(request, rows)) },
};

/// The points of an asset by code, each with the factor to the unit of its column.
struct Wide<'a> {
    first: &'a Point,
    points: [Option<(&'a Point, f64)>; CODES.len()],
}

impl<'a> Wide<'a> {
    fn points(&self) -> impl Iterator<Item = &'a Point> {
        self.points.iter().flatten().map(|(point, _)| *point)
    }
}

fn factor(point: &Point, (_, base, column): (&str, &str, f64)) -> Option<f64> {
    // A power factor is a plain number, whatever unit its point has.
    if base.is_empty() { Some(1.0) } else { times(&point.unit, base).map(|times| times / column) }
}

/// Groups points by asset, in the order of the points.
fn wide<'a>(points: &[&'a Point]) -> Vec<Wide<'a>> {
    let mut at: HashMap<AssetId, usize> = HashMap::new();
    let mut found: Vec<Wide<'a>> = Vec::new();
    for point in points {
        let Some(nth) = CODES.iter().position(|(code, ..)| *code == point.code) else { continue };
        let Some(factor) = factor(point, CODES[nth]) else { continue };
        let asset = *at.entry(point.asset).or_insert_with(|| {
            found.push(Wide { first: point, points: [None; CODES.len()] });
            found.len() - 1
        });
        let held = &mut found[asset].points[nth];
        if held.is_none_or(|(held, _)| point.id < held.id) {
            *held = Some((point, factor));
        }
    }
    found
}

async fn read(request: ValidRequest, rows: Rows) -> Result<(), Stop> {
    let points = points(&request, |point| CODES.iter().any(|(code, ..)| *code == point.code));
    let assets = wide(&points);
    let sample_ms = request.sample_minutes * MINUTE_MS;
    let mut value_days = ValueDays::new(&request, assets.iter().flat_map(Wide::points)).with_held();
    for day in Day::all(&request) {
        let present = value_days.within(day.reach()).await?;
        for part in assets.chunks((at_once(day, sample_ms) / CODES.len()).max(1)) {
            let points: Vec<&Point> = part.iter().flat_map(Wide::points).collect();
            if !is_any_of(&points, &present) {
                continue;
            }
            let sampled = Sampled::read(&request, &points, day, sample_ms).await?;
            for wide in part {
                put(&request, &rows, wide, &sampled).await?;
            }
        }
    }
    Ok(())
}

async fn put(request: &ValidRequest, rows: &Rows, wide: &Wide<'_>, sampled: &Sampled) -> Result<(), Stop> {
    let cells = wide.points.map(|point| point.and_then(|(point, factor)| Some((sampled.samples(point.id)?, factor))));
    if cells.iter().all(Option::is_none) {
        return Ok(());
    }
    let place = request.location_name(wide.first.location);
    for (nth, start) in sampled.starts.iter().enumerate() {
        let mut row: Row = vec![(*start).into(), sampled.minutes().into(), place.as_str().into(), wide.first.asset_name.as_str().into()];
        let (mut n, mut n_good) = (0, 0);
        for ((code, ..), cells) in CODES.iter().zip(&cells) {
            let cell = cells.as_ref().and_then(|(cells, factor)| Some((cells.get(nth)?.as_ref()?, factor)));
            let Some((Cell { bucket, is_held }, factor)) = cell else {
                row.push(Value::Absent);
                continue;
            };
            let figure = if *code == REGISTER { bucket.last.map(|(_, value)| value) } else { bucket.mean() };
            row.push(figure.map(|figure| figure * factor).into());
            if !is_held {
                n += bucket.n;
                n_good += bucket.n_good;
            }
        }
        row.extend([n.into(), bad_percent(n, n_good).into()]);
        rows.put(row).await?;
    }
    Ok(())
}
