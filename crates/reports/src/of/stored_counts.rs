//! ASSET_DAILY_COUNT_RECORD: the number of stored values of each asset, by day. Some points are counted at a time.

use std::collections::{HashMap, HashSet};

use grid::downsample::Resolution;
use grid::{Micros, Point, PointId};
use store::kept::Level;
use store::samples::Counted;
use store::series::Wanted;

use crate::definition::{Column, Definition, Input, Places, Running};
use crate::of::ANY;
use crate::rows::{Row, Rows, Stop, Value};
use crate::sampled::{Day, by_asset, points};
use crate::valid_request::ValidRequest;
use crate::value_days::ValueDays;

/// Number of points that are counted at once. A day of one point may have many thousand values.
const AT_ONCE: usize = 64;

pub(crate) static DAILY_COUNT: Definition = Definition {
    id: 33,
    key: "ASSET_DAILY_COUNT_RECORD",
    name: "Asset Daily Record Count",
    about: "One row for each asset with points and day that has started, by day, substation and asset. A value counts on the day on which it was measured, by \
            the device's clock.",
    frequencies: ANY,
    of: Places::Any,
    historic: true,
    real_time: false,
    input: Input::None,
    levels: &[Level::Day],
    columns: &[
        Column::day("Day", "The day of the utility's clock"),
        Column::text("Substation", "The substation of the asset"),
        Column::text("Asset", "The asset"),
        Column::count("Values", "The number of stored values"),
        Column::count("Points", "The number of its points with a value"),
        Column::count("Of points", "The number of its points"),
        Column::count(
            "Expected",
            "For points with a reporting interval: the sum of the day (for today, its past part) / the interval; empty if none has one",
        ),
        Column::number("Received", "%", 1, "100 x received values / Expected; each point counts at most its expected number"),
        Column::count("Good", "Good values; empty if single values are no longer kept"),
        Column::count("Uncertain", "Substituted or questionable values; empty if single values are no longer kept"),
        Column::count("Bad", "Values that are stale or worse, or absent"),
        Column::time("First", "When the first was measured; if single values are no longer kept, the first valid one"),
        Column::time("Last", "When the last was measured; otherwise the same"),
    ],
    rows: |request, rows| -> Running { Box::pin(read(request, rows)) },
};

/// The stored values of a point.
#[derive(Debug, Clone, Copy)]
struct Stored {
    n: i64,
    /// Numbers of good and of questionable values, if single values are stored.
    single: Option<(i64, i64)>,
    bad: i64,
    ends: Option<(Micros, Micros)>,
}

async fn read(request: ValidRequest, rows: Rows) -> Result<(), Stop> {
    let points = points(&request, |_| true);
    let assets = by_asset(&points);
    let mut value_days = ValueDays::new(&request, points.iter().copied()).with_single_values();
    for day in Day::all(&request) {
        let present = value_days.within((day.from, day.to)).await?;
        let mut from = 0;
        while from < assets.len() {
            // Whole assets up to the limit of points, and at least one.
            let mut held = 0;
            let fits = |asset: &&&[&Point]| {
                held += asset.len();
                held <= AT_ONCE
            };
            let count = assets[from..].iter().take_while(fits).count().max(1);
            let part = &assets[from..from + count];
            let stored = stored(&request, part, day, &present).await?;
            for asset in part {
                rows.put(row(&request, day, asset, &stored)).await?;
            }
            from += count;
        }
    }
    Ok(())
}

/// Reads the stored values of the points that may have values that day.
async fn stored(
    request: &ValidRequest,
    part: &[&[&Point]],
    day: Day,
    present: &HashSet<PointId>,
) -> Result<HashMap<PointId, Stored>, Stop> {
    let (store, client) = (request.reports.store(), request.client());
    let ids: Vec<PointId> = part.iter().flat_map(|asset| asset.iter().map(|point| point.id)).collect();
    let mut found = HashMap::with_capacity(ids.len());
    // One asset may have more points than are counted at once.
    for ids in ids.chunks(AT_ONCE).filter(|ids| ids.iter().any(|id| present.contains(id))) {
        if store.finest(client, ids, Resolution::Raw, day.from).await? == Resolution::Raw {
            for Counted { point, n, good, uncertain, first, last } in store.counted(client, ids, (day.from, day.until(request))).await? {
                let bad = n - good - uncertain;
                found.insert(point, Stored { n, single: Some((good, uncertain)), bad, ends: Some((first, last)) });
            }
            continue;
        }
        let days = store.registers(client, ids, (day.from, day.until(request)), Wanted::Of(Resolution::Day)).await?;
        for line in days.lines {
            let of_day = days.edges.iter().zip(&line.cells).find(|(edge, _)| **edge == day.from);
            if let Some(bucket) = of_day.and_then(|(_, cell)| cell.as_ref()) {
                let ends = bucket.first.zip(bucket.last).map(|((first, _), (last, _))| (first, last));
                found.insert(line.point, Stored { n: bucket.n, single: None, bad: bucket.n - bucket.n_good, ends });
            }
        }
    }
    Ok(found)
}

fn row(request: &ValidRequest, day: Day, asset: &[&Point], stored: &HashMap<PointId, Stored>) -> Row {
    let of: Vec<&Stored> = asset.iter().filter_map(|point| stored.get(&point.id)).collect();
    let sum = |what: fn(&Stored) -> i64| of.iter().map(|stored| what(stored)).sum::<i64>();
    let single =
        of.iter().map(|stored| stored.single).try_fold((0, 0), |(a, b), single| single.map(|(good, uncertain)| (a + good, b + uncertain)));
    let begun_ms = day.until(request).millis_since(day.from);
    let mut expected: Option<(i64, i64)> = None;
    for point in asset {
        let Some(period_ms) = point.expected_ms.filter(|ms| *ms > 0) else { continue };
        let (expected_count, came) = expected.unwrap_or_default();
        let of_point = begun_ms / period_ms;
        expected = Some((expected_count + of_point, came + stored.get(&point.id).map_or(0, |stored| stored.n.min(of_point))));
    }
    let received = expected
        .filter(|(expected_count, _)| *expected_count > 0)
        .map(|(expected_count, came)| 100.0 * came as f64 / expected_count as f64);
    let first = of.iter().filter_map(|stored| stored.ends).map(|(first, _)| first).min();
    let last = of.iter().filter_map(|stored| stored.ends).map(|(_, last)| last).max();
    let name = asset.first().map_or(Value::Absent, |point| point.asset_name.as_str().into());
    let place = asset.first().map_or(Value::Absent, |point| request.location_name(point.location).into());
    vec![
        day.from.into(),
        place,
        name,
        sum(|stored| stored.n).into(),
        (of.len() as i64).into(),
        (asset.len() as i64).into(),
        expected.map(|(expected_count, _)| expected_count).into(),
        received.into(),
        single.map(|(good, _)| good).into(),
        single.map(|(_, uncertain)| uncertain).into(),
        sum(|stored| stored.bad).into(),
        first.into(),
        last.into(),
    ]
}
