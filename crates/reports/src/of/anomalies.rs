//! ANOMALIES_REPORT: problems in the values of each point, by the rules of the quality check. One asset is checked at a time.

use std::time::Duration;

use analysis::quality_check::{Stored, judged_of};
use grid::check::{AnomalyKind as Wrong, Stretch};
use grid::{Micros, Point, PointId};
use store::kept::Level;

use crate::definition::{Column, ColumnKind, Definition, Input, Places, Running};
use crate::of::ANY;
use crate::rows::{Row, Rows, Stop, Value};
use crate::sampled::{Day, by_asset, points, signal_of};
use crate::valid_request::ValidRequest;
use crate::value_days::ValueDays;

/// Number of days that are checked together. For longer spans the check has no single values.
const DAYS: usize = 31;
/// Number of points of an asset that are checked at once. By rollups, each point may have some thousand buckets.
const AT_ONCE: usize = 16;

/// Length of the longest bucket, a day with a clock change, ms.
const BUCKET_MAX_MS: i64 = 25 * 3_600_000;

pub(crate) static ANOMALIES: Definition = Definition {
    id: 20,
    key: "ANOMALIES_REPORT",
    name: "Anomalies",
    about: "One row for each stretch of time in which the values of a point were wrong, by month of 31 days, substation, asset, point and time, by the rules \
            of the quality check of analytics. The 20 longest of each point, kind and month are listed.",
    frequencies: ANY,
    of: Places::Any,
    historic: true,
    real_time: false,
    input: Input::None,
    levels: &[Level::Day],
    columns: &[
        Column::text("Substation", "The substation of the asset"),
        Column::text("Asset", "The asset of the point"),
        Column::text("Signal", "What the point measures or signals"),
        Column::text("Anomaly", "Gap, Flat line, Outlier, Quality, Clock or Limit; More after those of a point with further ones"),
        Column::time("From", "The start, by source time"),
        Column::time("To", "The end; the same as From for a single value"),
        Column { name: "Duration", unit: "", kind: ColumnKind::Duration, meaning: "To - From; empty for a single value" },
        Column::text("Remark", "Details"),
        Column::text(
            "Judged by",
            "Values; Rollups if single values are no longer kept, or are too many: clocks cannot be checked then, and outliers only by extremes",
        ),
    ],
    rows: |request, rows| -> Running { Box::pin(read(request, rows)) },
};

async fn read(request: ValidRequest, rows: Rows) -> Result<(), Stop> {
    let points = points(&request, |_| true);
    let assets = by_asset(&points);
    let mut value_days = ValueDays::new(&request, points.iter().copied()).with_single_values();
    let ids: Vec<PointId> = points.iter().map(|point| point.id).collect();
    let coverage = request.reports.store().coverage(request.client(), &ids).await?;
    for days in Day::all(&request).chunks(DAYS) {
        let (Some(first), Some(last)) = (days.first(), days.last()) else { continue };
        let span = (first.from, last.until(&request));
        // The first bucket may begin before the span and the last may end after it.
        let present = value_days.within((span.0.plus_millis(-BUCKET_MAX_MS), span.1.plus_millis(BUCKET_MAX_MS))).await?;
        for asset in &assets {
            for part in asset.chunks(AT_ONCE) {
                put(&request, &rows, part, span, &Stored { coverage: &coverage, present: &present }).await?;
            }
        }
    }
    Ok(())
}

async fn put(request: &ValidRequest, rows: &Rows, points: &[&Point], span: (Micros, Micros), stored: &Stored<'_>) -> Result<(), Stop> {
    let Some(asset) = points.first().and_then(|point| request.view.field.asset(point.asset)) else { return Ok(()) };
    let place = request.location_name(asset.location);
    let found = judged_of(request.reports.store(), &request.view, asset.kv, points, span, stored).await?;
    for (point, (report, coarse)) in points.iter().zip(found) {
        let by = if coarse { "Rollups" } else { "Values" };
        for stretch in &report.stretches {
            let mut row: Row = vec![place.as_str().into(), asset.name.as_str().into(), signal_of(point).into()];
            row.extend(cells(stretch));
            row.push(by.into());
            rows.put(row).await?;
        }
        if report.cut > 0 {
            let remark = format!("{} shorter ones are not listed", report.cut);
            let mut row: Row = vec![place.as_str().into(), asset.name.as_str().into(), signal_of(point).into(), "More".into()];
            row.extend([Value::Absent, Value::Absent, Value::Absent, remark.into(), by.into()]);
            rows.put(row).await?;
        }
    }
    Ok(())
}

fn cells(stretch: &Stretch) -> [Value; 5] {
    let us = u64::try_from(stretch.to.0.saturating_sub(stretch.from.0)).unwrap_or(0);
    let lasted = if us == 0 { Value::Absent } else { Value::Lasting(Duration::from_micros(us)) };
    [word(stretch.kind).into(), stretch.from.into(), stretch.to.into(), lasted, stretch.note.as_str().into()]
}

fn word(wrong: Wrong) -> &'static str {
    match wrong {
        Wrong::Gap => "Gap",
        Wrong::Flat => "Flat line",
        Wrong::Outlier => "Outlier",
        Wrong::Quality => "Quality",
        Wrong::Clock => "Clock",
        Wrong::Limit => "Limit",
    }
}
