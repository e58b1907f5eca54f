//! CB_TRIPPING and HIGH_ACTIVITY_BREAKER: the numbers of trips of breakers, and the numbers of all their operations.

use std::collections::BTreeMap;
use std::time::Duration;

use grid::position::Position;
use grid::{AssetId, Micros};
use store::events::EventScope;
use store::kept::Level;

use crate::definition::{Column, ColumnKind, Definition, Input, Places, Running};
use crate::of::ANY;
use crate::of::faults::{Weeks, is_momentary, threshold};
use crate::rows::{Rows, Stop, Value};
use crate::valid_request::ValidRequest;

pub(crate) static CB_TRIPPING: Definition = Definition {
    id: 6,
    key: "CB_TRIPPING",
    name: "Circuit Breaker Tripping",
    about: "One row for each feeder whose breaker tripped in the period, by substation and name, from the faults that began in it. Faults that are no longer \
            kept are not counted; since when they are kept is then in the head of the file.",
    frequencies: ANY,
    of: Places::Any,
    historic: true,
    real_time: false,
    input: Input::None,
    levels: &[Level::Fault],
    columns: &[
        Column::text("Substation", "The substation of the feeder"),
        Column::text("Feeder", "The feeder whose breaker tripped"),
        Column::count("Trips", "Openings that belong to faults, including those after a reclosing"),
        Column::count("Faults", "The number of these faults"),
        Column::count(
            "Momentary",
            "Faults that ended within the utility's momentary threshold, as in its indices; default five minutes (IEEE 1366)",
        ),
        Column::count("Lockouts", "Faults after which the breaker did not reclose automatically"),
        Column {
            name: "Open for",
            unit: "",
            kind: ColumnKind::Duration,
            meaning: "The sum of the durations of the faults; an open fault counts up to now",
        },
        Column::time("First", "The first opening in the period"),
        Column::time("Last", "The start of the last fault"),
    ],
    rows: |request, rows| -> Running { Box::pin(tripping(request, rows)) },
};

pub(crate) static HIGH_ACTIVITY: Definition = Definition {
    id: 9,
    key: "HIGH_ACTIVITY_BREAKER",
    name: "High Activity Breaker",
    about: "Switching devices with at least as many operations as the limit, the most frequent first. For an asset, those of its bay. A repeated position, or \
            one with a quality that cannot be trusted, is no operation.",
    frequencies: ANY,
    of: Places::Any,
    historic: true,
    real_time: false,
    input: Input::Limit,
    levels: &[Level::Event],
    columns: &[
        Column::text("Substation", "The substation of the device"),
        Column::text("Device", "The breaker or isolator"),
        Column::count("Operations", "Openings + Closings"),
        Column::count("Openings", "How often it changed to OPEN from another position, or from an unknown one"),
        Column::count("Closings", "How often it changed to CLOSED in the same way"),
        Column::time("First", "The first of these operations"),
        Column::time("Last", "The last of them"),
    ],
    rows: |request, rows| -> Running { Box::pin(activity(request, rows)) },
};

/// The trips of a feeder's breaker.
struct Tripped {
    names: (String, String),
    trips: i64,
    faults: i64,
    momentary: i64,
    lockouts: i64,
    open_us: u64,
    first: Micros,
    last: Micros,
}

async fn tripping(request: ValidRequest, rows: Rows) -> Result<(), Stop> {
    let (now, threshold) = (request.calendar.now, threshold(&request));
    let mut of: BTreeMap<AssetId, Tripped> = BTreeMap::new();
    for area in 0..request.areas.len() {
        let mut weeks = Weeks::of(&request);
        while let Some(faults) = weeks.next(&request, area).await? {
            for record in faults {
                let fault = &record.fault;
                let tripped = of.entry(record.asset).or_insert_with(|| Tripped {
                    names: (record.location_name.clone(), record.asset_name.clone()),
                    trips: 0,
                    faults: 0,
                    momentary: 0,
                    lockouts: 0,
                    open_us: 0,
                    first: fault.start,
                    last: fault.start,
                });
                tripped.trips += i64::from(fault.trips);
                tripped.faults += 1;
                tripped.momentary += i64::from(is_momentary(fault, threshold, now));
                tripped.lockouts += i64::from(fault.lockout);
                tripped.open_us += u64::try_from(fault.end.unwrap_or(now).0 - fault.start.0).unwrap_or(0);
                tripped.first = tripped.first.min(fault.start);
                tripped.last = tripped.last.max(fault.start);
            }
        }
    }
    let mut all: Vec<Tripped> = of.into_values().collect();
    all.sort_by(|a, b| a.names.cmp(&b.names));
    for tripped in all {
        let (substation, feeder) = tripped.names;
        let row = vec![
            substation.into(),
            feeder.into(),
            tripped.trips.into(),
            tripped.faults.into(),
            tripped.momentary.into(),
            tripped.lockouts.into(),
            Value::Lasting(Duration::from_micros(tripped.open_us)),
            tripped.first.into(),
            tripped.last.into(),
        ];
        rows.put(row).await?;
    }
    Ok(())
}

async fn activity(request: ValidRequest, rows: Rows) -> Result<(), Stop> {
    let (locations, assets) = request.bays();
    let place = EventScope { locations: &locations, assets: assets.as_deref() };
    let operations = request.reports.store().operations(request.client(), &place, request.span).await?;
    // Number of openings, number of closings, first time, last time.
    let mut of: BTreeMap<AssetId, (i64, i64, Micros, Micros)> = BTreeMap::new();
    for found in operations.iter().filter(|found| matches!(found.position, Position::Open | Position::Closed)) {
        let (openings, closings, first, last) = of.entry(found.asset).or_insert((0, 0, found.first, found.last));
        *(if found.position == Position::Open { openings } else { closings }) += found.times;
        *first = (*first).min(found.first);
        *last = (*last).max(found.last);
    }
    let mut all: Vec<_> = of.into_iter().filter(|(_, (openings, closings, ..))| openings + closings >= request.limit).collect();
    all.sort_by_key(|(asset, (openings, closings, ..))| (-(openings + closings), *asset));
    for (asset, (openings, closings, first, last)) in all {
        let Some(asset) = request.view.field.asset(asset) else { continue };
        let row = vec![
            request.location_name(asset.location).into(),
            asset.name.as_str().into(),
            (openings + closings).into(),
            openings.into(),
            closings.into(),
            first.into(),
            last.into(),
        ];
        rows.put(row).await?;
    }
    Ok(())
}
