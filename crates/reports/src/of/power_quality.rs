//! PQ: the power quality of each asset by day, compared with the limits of EN 50160, or its newest values. Some assets of one day are in
//! memory at a time.

use std::time::Duration;

use grid::downsample::Bucket;
use grid::power_quality::flicker::{SHORT_TERMS, plt};
use grid::power_quality::supply::{INTERRUPTED, Judged, Limit, judge};
use grid::power_quality::unbalance::vuf_of_lines_percent;
use grid::register::Bound;
use grid::{Micros, Point, Quality, register};
use store::kept::Level;

use crate::definition::{Column, ColumnKind, Definition, Input, Places, Running};
use crate::of::ANY;
use crate::rows::{Row, Rows, Stop, Value};
use crate::sampled::{Day, MINUTE_MS, Newest, Sampled, at_once, by_location, is_any_of, newest, points, quality_word, signal, times};
use crate::valid_request::ValidRequest;
use crate::value_days::ValueDays;

/// The codes of power quality, in the order of the rows.
const CODES: [&str; 19] = [
    "V", "Vry", "Vyb", "Vbr", "Vr", "Vy", "Vb", "Hz", "ThdVr", "ThdVy", "ThdVb", "ThdIr", "ThdIy", "ThdIb", "Vuf", "Pst", "Plt", "Dips",
    "Swells",
];
const LINES: [&str; 3] = ["Vry", "Vyb", "Vbr"];
const TEN_MINUTES_MS: i64 = 10 * MINUTE_MS;

pub(crate) static PQ: Definition = Definition {
    id: 22,
    key: "PQ",
    name: "Power Quality",
    about: "One row for each asset, day and measure of power quality, by day, substation and asset, from means of ten minutes, or from what is still kept. \
            Unbalance is computed from the voltages between lines, and long-term flicker from twelve short-term values, if there is no point for it. A voltage \
            below 5 % of its nominal value is an interruption and is not evaluated. EN 50160 evaluates weeks, and for frequency years: for days these are \
            figures to compare with its limits. Now: one row for each point that was ever received, with its latest value.",
    frequencies: ANY,
    of: Places::Any,
    historic: true,
    real_time: true,
    input: Input::None,
    levels: &[Level::Day],
    columns: &[
        Column::day("Day", "The day of the utility's clock; now: today"),
        Column::text("Substation", "The substation of the asset"),
        Column::text("Asset", "The asset"),
        Column::text("Measure", "The measured or computed quantity"),
        Column::text("Unit", "Of its values"),
        Column::number("Last", "", 3, "The last valid value of the day; now: the latest, valid or not; empty for computed quantities"),
        Column::time("Measured", "When that was, by the device's clock"),
        Column::number("Mean", "", 3, "Mean of the means of ten minutes; empty for now, and for dips and swells"),
        Column::number("Least", "", 3, "The smallest of them"),
        Column::number("Largest", "", 3, "The largest of them"),
        Column::number("95 %", "", 3, "The smallest value that 95 % of them do not exceed"),
        Column::number("Lower limit", "", 3, "Voltage: 90 % of nominal; frequency: 99 % of 50 or 60 Hz"),
        Column::number(
            "Upper limit",
            "",
            3,
            "Voltage: 110 % of nominal; frequency: 101 %; distortion of voltage 8 %, unbalance 2 %, long-term flicker 1",
        ),
        Column::number("Within", "%", 1, "Share of the known intervals of ten minutes that are within the limits"),
        Column::number("Required", "%", 1, "The share that the standard requires: 95, for frequency 99.5"),
        Column::text("The remark is stored", "Yes if Within is at least Required; now: if a valid value is within the limits"),
        Column::number(
            "Known",
            "%",
            1,
            "The share of the day's ten minutes (for today, of those that have started) with a value; empty for now",
        ),
        Column::count("Times", "Dips or swells that the device counted on the day; empty for others, if not known, and for now"),
        Column::text("Quality", "The worst reported quality of the day; now: the quality to show, by age and link"),
        Column { name: "Age", unit: "", kind: ColumnKind::Duration, meaning: "Now: the age of the latest value" },
    ],
    rows: |request, rows| -> Running { Box::pin(read(request, rows)) },
};

async fn read(request: ValidRequest, rows: Rows) -> Result<(), Stop> {
    let mut points = points(&request, |point| point.encoding().is_none() && rank(point).is_some());
    // Within an asset in the order of the codes.
    let of: Vec<(usize, usize)> = chunks(&points);
    for (from, to) in of.iter().copied() {
        points[from..to].sort_by_key(|point| (rank(point), point.id));
    }
    if request.real_time {
        return now(&request, &points, &rows).await;
    }
    let mut value_days = ValueDays::new(&request, points.iter().copied());
    for day in Day::all(&request) {
        let present = value_days.within(day.reach()).await?;
        let most = at_once(day, TEN_MINUTES_MS);
        // For a day without values, no assets are read.
        let mut from = if present.is_empty() { of.len() } else { 0 };
        while from < of.len() {
            // Whole assets up to the limit of points, and at least one.
            let count = of[from..].iter().take_while(|(_, to)| to - of[from].0 <= most).count().max(1);
            let part = &of[from..from + count];
            from += count;
            let of_part = &points[part[0].0..part[count - 1].1];
            if !is_any_of(of_part, &present) {
                continue;
            }
            let sampled = Sampled::read(&request, of_part, day, TEN_MINUTES_MS).await?;
            for (from, to) in part {
                put(&request, &rows, &points[*from..*to], day, &sampled).await?;
            }
        }
    }
    Ok(())
}

fn rank(point: &Point) -> Option<usize> {
    CODES.iter().position(|code| *code == point.code)
}

/// Returns the index range of the points of each asset.
fn chunks(points: &[&Point]) -> Vec<(usize, usize)> {
    let mut from = 0;
    let part = |asset: &[&Point]| {
        from += asset.len();
        (from - asset.len(), from)
    };
    points.chunk_by(|a, b| a.asset == b.asset).map(part).collect()
}

/// Returns the nominal value of a voltage, in the unit of its point.
fn nominal(request: &ValidRequest, point: &Point) -> Option<f64> {
    let between = request.view.field.asset(point.asset)?.kv.filter(|kv| *kv > 0.0)?;
    let kv = if matches!(point.code.as_str(), "Vr" | "Vy" | "Vb") { between / 3.0_f64.sqrt() } else { between };
    Some(kv * 1e3 / times(&point.unit, "V")?)
}

/// Returns the limit that applies to a value of a point.
fn limit(request: &ValidRequest, point: &Point, value: f64) -> Option<Limit> {
    match point.code.as_str() {
        "Hz" => Some(Limit::frequency(value)),
        "Vuf" => Some(Limit::UNBALANCE),
        "Plt" => Some(Limit::LONG_FLICKER),
        code if code.starts_with("ThdV") => Some(Limit::DISTORTION),
        code if code.starts_with('V') => nominal(request, point).map(Limit::voltage),
        _ => None,
    }
}

/// A row before its values are formatted.
struct Measure<'a> {
    name: &'a str,
    unit: &'a str,
    last: Option<f64>,
    measured: Option<Micros>,
    judged: Option<Judged>,
    limit: Option<Limit>,
    kept: Option<bool>,
    known_percent: Option<f64>,
    times: Option<f64>,
    quality: Option<Quality>,
    age: Option<Duration>,
}

impl Measure<'_> {
    fn named<'a>(name: &'a str, unit: &'a str) -> Measure<'a> {
        let (last, measured, judged, limit, kept) = (None, None, None, None, None);
        Measure { name, unit, last, measured, judged, limit, kept, known_percent: None, times: None, quality: None, age: None }
    }

    /// Creates a row from means; `possible` is the number of means without gaps.
    fn of<'a>(name: &'a str, unit: &'a str, values: &[f64], possible: usize, limit: impl Fn(f64) -> Option<Limit>) -> Measure<'a> {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let limit = if values.is_empty() { None } else { limit(mean) };
        let known_percent = (possible > 0).then(|| 100.0 * values.len() as f64 / possible as f64);
        let judged = judge(values, limit);
        let kept = judged.and_then(|judged| judged.kept);
        Measure { judged, limit, kept, known_percent, ..Measure::named(name, unit) }
    }

    fn row(&self, request: &ValidRequest, day: Day, point: &Point) -> Row {
        let judged = |figure: fn(&Judged) -> f64| Value::from(self.judged.as_ref().map(figure));
        vec![
            day.from.into(),
            request.location_name(point.location).into(),
            point.asset_name.as_str().into(),
            self.name.into(),
            self.unit.into(),
            self.last.into(),
            self.measured.into(),
            judged(|judged| judged.mean),
            judged(|judged| judged.least),
            judged(|judged| judged.largest),
            judged(|judged| judged.quantile),
            self.limit.and_then(|limit| limit.from).into(),
            self.limit.map(|limit| limit.to).into(),
            self.judged.and_then(|judged| judged.within_percent).into(),
            self.limit.map(|limit| limit.required_percent).into(),
            self.kept.map(|kept| if kept { "Yes" } else { "No" }).into(),
            self.known_percent.into(),
            self.times.into(),
            self.quality.map(quality_word).into(),
            self.age.map_or(Value::Absent, Value::age),
        ]
    }
}

async fn put(request: &ValidRequest, rows: &Rows, asset: &[&Point], day: Day, sampled: &Sampled) -> Result<(), Stop> {
    let has = |code: &str| asset.iter().any(|point| point.code == code && sampled.cells(point.id).is_some());
    for point in asset {
        let Some(cells) = sampled.cells(point.id) else { continue };
        rows.put(of_point(request, point, cells, sampled.before(point.id)).row(request, day, point)).await?;
        // After the row of the values from which it is computed.
        if point.code == "Pst" && !has("Plt") && sampled.length_ms == TEN_MINUTES_MS {
            let values = long_flicker(cells);
            if !values.is_empty() {
                let possible = cells.len() / SHORT_TERMS;
                let name = "Flicker, long term, of short terms";
                let measure = Measure::of(name, "", &values, possible, |_| Some(Limit::LONG_FLICKER));
                rows.put(measure.row(request, day, point)).await?;
            }
        }
        if point.code == "Vbr" && !has("Vuf") {
            let values = unbalance(request, asset, sampled);
            if !values.is_empty() {
                let name = "Unbalance of voltage (V2/V1), of lines";
                let measure = Measure::of(name, "%", &values, sampled.starts.len(), |_| Some(Limit::UNBALANCE));
                rows.put(measure.row(request, day, point)).await?;
            }
        }
    }
    Ok(())
}

fn of_point<'a>(request: &ValidRequest, point: &'a Point, cells: &[Option<Bucket>], before: Option<f64>) -> Measure<'a> {
    let buckets = || cells.iter().flatten();
    let last = buckets().filter_map(|bucket| bucket.last).next_back();
    let quality = buckets().map(|bucket| bucket.worst).max();
    let is_count = matches!(point.code.as_str(), "Dips" | "Swells");
    let judged = |at: usize| judged_value(request, point, cells[at].as_ref()?.mean()?);
    let values: Vec<f64> = if is_count { Vec::new() } else { (0..cells.len()).filter_map(judged).collect() };
    let mut measure = Measure::of(signal(point), &point.unit, &values, cells.len(), |mean| limit(request, point, mean));
    (measure.measured, measure.last) = last.unzip();
    measure.quality = quality;
    if is_count {
        let day = buckets().copied().reduce(|mut all, next| {
            all.merge(&next);
            all
        });
        measure.times = day.and_then(|day| register::consumed(before.map(|count| (Micros(0), count)), &day, &Bound::NONE));
        measure.known_percent = Some(100.0 * buckets().count() as f64 / cells.len().max(1) as f64);
    }
    measure
}

/// Returns the mean if it can be compared with the limit. During an interruption there is neither a voltage nor a frequency to compare.
fn judged_value(request: &ValidRequest, point: &Point, mean: f64) -> Option<f64> {
    let least = match point.code.as_str() {
        "Hz" => f64::MIN_POSITIVE,
        code if code.starts_with('V') && code != "Vuf" => {
            nominal(request, point).map_or(f64::MIN_POSITIVE, |nominal| INTERRUPTED * nominal)
        }
        _ => return Some(mean),
    };
    (mean >= least).then_some(mean)
}

/// Returns the long-term flicker of each two hours from midnight on whose short-term values are all known.
fn long_flicker(cells: &[Option<Bucket>]) -> Vec<f64> {
    let hours = |cells: &[Option<Bucket>]| {
        let mut short = [0.0; SHORT_TERMS];
        for (short, cell) in short.iter_mut().zip(cells) {
            *short = cell.as_ref()?.mean()?;
        }
        Some(plt(&short))
    };
    cells.chunks_exact(SHORT_TERMS).filter_map(hours).collect()
}

/// Returns the unbalance of each ten minutes in which all three line voltages are known.
fn unbalance(request: &ValidRequest, asset: &[&Point], sampled: &Sampled) -> Vec<f64> {
    let line = |code: &str| {
        let point = asset.iter().find(|point| point.code == code && sampled.cells(point.id).is_some())?;
        Some((*point, sampled.cells(point.id)?, times(&point.unit, "V")?))
    };
    let [Some(ry), Some(yb), Some(br)] = LINES.map(line) else { return Vec::new() };
    let at = |nth: usize| {
        let volts = |(point, cells, volts): (&Point, &[Option<Bucket>], f64)| {
            Some(judged_value(request, point, cells.get(nth)?.as_ref()?.mean()?)? * volts)
        };
        vuf_of_lines_percent([volts(ry)?, volts(yb)?, volts(br)?])
    };
    (0..sampled.starts.len()).filter_map(at).collect()
}

async fn now(request: &ValidRequest, points: &[&Point], rows: &Rows) -> Result<(), Stop> {
    let Some(day) = Day::all(request).into_iter().next() else { return Ok(()) };
    for part in by_location(points) {
        let latest = newest(request, part[0].location, part).await?;
        for point in part {
            if let Some(newest) = latest.get(&point.id) {
                rows.put(newest_row(request, day, point, newest)).await?;
            }
        }
    }
    Ok(())
}

fn newest_row(request: &ValidRequest, day: Day, point: &Point, Newest { reading, age }: &Newest) -> Row {
    let limit = reading.value.and_then(|value| limit(request, point, value));
    let valid = reading.value.filter(|_| reading.quality < Quality::Stale);
    let measure = Measure {
        last: reading.value,
        measured: Some(reading.source),
        kept: limit.zip(valid).map(|(limit, value)| limit.has(value)),
        limit,
        quality: Some(reading.quality),
        age: Some(*age),
        ..Measure::named(signal(point), &point.unit)
    };
    measure.row(request, day, point)
}
