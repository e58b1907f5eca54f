//! LIMIT_VIOLATION and ASSET_VIOLATION_REPORT: violations of alarm limits, each with its time, and their number and total duration.

use std::collections::HashMap;
use std::time::Duration;

use analysis::latest::{Picture, picture};
use grid::alarm::{AlarmRecord, Judge};
use grid::freshness::shown_quality;
use grid::measure::Quantity;
use grid::{Micros, NodeId, PointId, Reading};
use store::alarm::Seen;
use store::kept::Level;

use crate::capital::capital;
use crate::definition::{Column, ColumnKind, Definition, Input, Places, Running};
use crate::of::ANY;
use crate::rows::{Row, Rows, Stop, Value};
use crate::stretches::{Stretch, farther};
use crate::valid_request::ValidRequest;
use crate::violations::{Course, Days, POINTS_AT_ONCE, Watched, limit_name, watched};

pub(crate) static VIOLATIONS: Definition = Definition {
    id: 4,
    key: "LIMIT_VIOLATION",
    name: "Limit Violation",
    about: "Historic: one row for each time in which a voltage or current was beyond a limit of the present alarm settings, by substation, asset and point, in \
            the order of its end. Times are exact to a minute, or to the interval of the stored values. The delays of alarms are not used; the deadband is. A \
            value reported by exception is valid until the next one, and after a loss of the link when the link is back. Realtime: the points that are beyond \
            a limit by their latest values.",
    frequencies: ANY,
    of: Places::Any,
    historic: true,
    real_time: true,
    input: Input::Quantity,
    levels: &[Level::Day],
    columns: &[
        Column::text("Substation", "The substation of the asset"),
        Column::text("Asset", "What is measured"),
        Column::text("Point", "The code of the measured value, such as Ir or Vry"),
        Column::text("Limit kind", "High, High-high, Low or Low-low"),
        Column::time(
            "From",
            "When the limit was exceeded, at the earliest the start of the period; realtime: when the active alarm was raised, otherwise the time of the \
             latest value",
        ),
        Column::time(
            "To",
            "When the value was back behind limit and deadband, or communication was lost; empty if it continues at the end of the period",
        ),
        Column {
            name: "Lasted",
            unit: "",
            kind: ColumnKind::Duration,
            meaning: "Duration from the time in column From to that in To; without To, until the end of the period or now, whichever is earlier",
        },
        Column::number("Limit", "", 3, "The limit, in the unit of the row"),
        Column::number("Extreme", "", 3, "The value farthest beyond the limit in that time; realtime: the latest value"),
        Column::text("Unit", "Of limit and extreme"),
        Column::text(
            "Quality",
            "The worst quality of the values in that time; empty without values in the period; realtime: that of the latest value",
        ),
        Column::count("Priority", "Of the alarm, 1 to 3; 1 is the most urgent"),
        Column::text("Acknowledged by", "Who first acknowledged the alarm"),
        Column::time("Acknowledged", "When it was acknowledged"),
    ],
    rows: |request, rows| -> Running { Box::pin(violations(request, rows)) },
};

pub(crate) static ASSET_VIOLATIONS: Definition = Definition {
    id: 18,
    key: "ASSET_VIOLATION_REPORT",
    name: "Asset Violation",
    about: "One row for each measurand and limit that was exceeded within the period, by substation, asset, point and kind of limit: all limits of the present \
            alarm settings, and those of the indicators in the ratings of transformers. Times are computed as in LIMIT_VIOLATION.",
    frequencies: ANY,
    of: Places::Any,
    historic: true,
    real_time: false,
    input: Input::None,
    levels: &[Level::Day],
    columns: &[
        Column::text("Substation", "The substation of the asset"),
        Column::text("Asset", "What is measured"),
        Column::text("Point", "The code of the measured value"),
        Column::text("Quantity", "What is measured"),
        Column::text("Limit kind", "High, High-high, Low or Low-low"),
        Column::number("Limit", "", 3, "The limit, in the unit of the row"),
        Column::text("Unit", "Of limit and worst value"),
        Column::count("Times", "How often the limit was exceeded"),
        Column { name: "Lasted", unit: "", kind: ColumnKind::Duration, meaning: "The total time within the period" },
        Column { name: "Longest", unit: "", kind: ColumnKind::Duration, meaning: "The longest single time" },
        Column::number("Worst", "", 3, "The value farthest beyond the limit"),
        Column::time("First", "The start of the first time"),
        Column::time("Last", "The start of the last time"),
        Column::text("Goes on", "Yes if the limit is exceeded at the end of the period"),
    ],
    rows: |request, rows| -> Running { Box::pin(of_assets(request, rows)) },
};

async fn violations(request: ValidRequest, rows: Rows) -> Result<(), Stop> {
    let quantities = request.quantity.map_or_else(|| vec![Quantity::Voltage, Quantity::Current], |quantity| vec![quantity]);
    let watched = watched(&request, Some(&quantities)).await?;
    if request.real_time {
        return put_present_violations(&request, &rows, &watched).await;
    }
    for part in watched.chunks(POINTS_AT_ONCE) {
        let Some(days) = Days::read(&request, part).await? else { return Ok(()) };
        let ids: Vec<PointId> = part.iter().map(|watched| watched.point.id).collect();
        let seen = request.reports.store().alarms_acknowledged(request.client(), &ids, request.span.0, request.span.1).await?;
        for watched in part {
            let mut course = Course::new(watched, &days);
            for nth in course.days() {
                for stretch in course.day(&request, nth).await? {
                    rows.put(row(watched, &stretch, &seen)).await?;
                }
            }
            for stretch in course.finish() {
                rows.put(row(watched, &stretch, &seen)).await?;
            }
        }
    }
    Ok(())
}

fn row(watched: &Watched, stretch: &Stretch, seen: &[Seen]) -> Row {
    // An acknowledgement belongs to the violation if the alarm was raised before its end, and acknowledged after its start.
    let of_it = |seen: &&Seen| {
        let is_same = seen.point == watched.point.id && seen.kind == stretch.rule.kind;
        is_same && seen.at >= stretch.from && stretch.to.is_none_or(|to| seen.raised <= to)
    };
    let seen = seen.iter().find(of_it);
    let mut row = head(watched);
    row.extend([
        limit_name(stretch.rule.kind).into(),
        stretch.from.into(),
        stretch.to.into(),
        Value::Lasting(stretch.lasted),
        stretch.rule.limit.into(),
        stretch.extreme.into(),
        watched.point.unit.as_str().into(),
        stretch.quality.map(|quality| format!("{quality:?}")).into(),
        i64::from(stretch.rule.priority).into(),
        seen.and_then(|seen| seen.by.clone()).into(),
        seen.map(|seen| seen.at).into(),
    ]);
    row
}

fn head(watched: &Watched) -> Row {
    vec![watched.location.as_str().into(), watched.asset.as_str().into(), watched.point.code.as_str().into()]
}

/// Puts the present violations, from the newest values. A stale value counts as unknown, and the state of the alarm is shown.
async fn put_present_violations(request: &ValidRequest, rows: &Rows, watched: &[Watched]) -> Result<(), Stop> {
    let now = request.calendar.now;
    let active = request.reports.store().alarms_active(request.client()).await?;
    let active: HashMap<&str, &AlarmRecord> = active.iter().map(|alarm| (alarm.source.as_str(), alarm)).collect();
    let mut held: Option<(NodeId, Picture)> = None;
    for watched in watched {
        let location = watched.point.location;
        if held.as_ref().is_none_or(|(of, _)| *of != location) {
            held = Some((location, picture(request.reports.store(), &request.view, location).await?));
        }
        let Some(reading) = held.as_ref().and_then(|(_, picture)| picture.get(&watched.point.id)) else { continue };
        let quality = shown_quality(reading.quality, reading.source, now, watched.point.age_limit_ms(), true);
        let reading = Reading { quality, ..*reading };
        for rule in &watched.rules {
            let alarm = active.get(rule.source().as_str());
            let Some(condition) = rule.condition() else { continue };
            let mut judge = Judge::new(condition, 0, 0, alarm.is_some());
            judge.value(&reading);
            if !judge.is_active() {
                continue;
            }
            let from = alarm.and_then(|alarm| alarm.life.raised).unwrap_or(reading.source);
            let acknowledged = alarm.and_then(|alarm| alarm.life.acknowledged);
            let mut row = head(watched);
            row.extend([
                limit_name(rule.kind).into(),
                from.into(),
                Value::Absent,
                Value::age(Duration::from_micros(u64::try_from(now.0.saturating_sub(from.0)).unwrap_or(0))),
                rule.limit.into(),
                reading.value.into(),
                watched.point.unit.as_str().into(),
                format!("{quality:?}").into(),
                i64::from(rule.priority).into(),
                acknowledged.and(alarm.and_then(|alarm| alarm.acknowledged_by.clone())).into(),
                acknowledged.into(),
            ]);
            rows.put(row).await?;
        }
    }
    Ok(())
}

/// The violations of one limit.
struct Summed {
    times: i64,
    lasted: Duration,
    longest: Duration,
    worst: f64,
    first: Micros,
    last: Micros,
    goes_on: bool,
}

async fn of_assets(request: ValidRequest, rows: Rows) -> Result<(), Stop> {
    let watched = watched(&request, None).await?;
    for part in watched.chunks(POINTS_AT_ONCE) {
        let Some(days) = Days::read(&request, part).await? else { return Ok(()) };
        for watched in part {
            let mut course = Course::new(watched, &days);
            let mut sums: Vec<Option<Summed>> = watched.rules.iter().map(|_| None).collect();
            for nth in course.days() {
                course.day(&request, nth).await?.iter().for_each(|stretch| add(watched, &mut sums, stretch));
            }
            course.finish().iter().for_each(|stretch| add(watched, &mut sums, stretch));
            for (rule, summed) in watched.rules.iter().zip(sums) {
                let Some(summed) = summed else { continue };
                let mut row = head(watched);
                row.extend([
                    capital(&watched.point.quantity.as_str().replace('_', " ")).into(),
                    limit_name(rule.kind).into(),
                    rule.limit.into(),
                    watched.point.unit.as_str().into(),
                    summed.times.into(),
                    Value::Lasting(summed.lasted),
                    Value::Lasting(summed.longest),
                    summed.worst.into(),
                    summed.first.into(),
                    summed.last.into(),
                    if summed.goes_on { "Yes" } else { "No" }.into(),
                ]);
                rows.put(row).await?;
            }
        }
    }
    Ok(())
}

fn add(watched: &Watched, sums: &mut [Option<Summed>], stretch: &Stretch) {
    let Some(nth) = watched.rules.iter().position(|rule| rule.kind == stretch.rule.kind) else { return };
    let summed = sums[nth].get_or_insert(Summed {
        times: 0,
        lasted: Duration::ZERO,
        longest: Duration::ZERO,
        worst: stretch.extreme,
        first: stretch.from,
        last: stretch.from,
        goes_on: false,
    });
    summed.times += 1;
    summed.lasted += stretch.lasted;
    summed.longest = summed.longest.max(stretch.lasted);
    summed.worst = farther(stretch.rule.kind, summed.worst, stretch.extreme);
    summed.last = stretch.from;
    summed.goes_on |= stretch.to.is_none();
}
