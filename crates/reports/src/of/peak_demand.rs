//! PEAK_DEMAND_REPORT: the peak demand of each quarter of the day, day by day, computed as for the analytics screen.

use std::collections::HashSet;

use analysis::calendar::Calendar;
use analysis::demand::Powers;
use analysis::demand_peaks::PeakRows;
use grid::PointId;
use jiff::ToSpan as _;
use store::kept::Level;
use wire::time::parse_iso;

use crate::definition::{Column, Definition, Input, Places, Running};
use crate::of::ANY;
use crate::of::highest::Highest;
use crate::rows::{Rows, Stop};
use crate::valid_request::ValidRequest;
use crate::value_days::ValueDays;

/// The columns of the band and of its peak demand.
const BAND: usize = 2;
const DEMAND: usize = 3;
/// Length of the longest block, ms.
const BLOCK_MAX_MS: i64 = 3_600_000;

pub(crate) static PEAK_DEMAND: Definition = Definition {
    id: 19,
    key: "PEAK_DEMAND_REPORT",
    name: "Peak Demand",
    about: "Four rows for each place and day: night (0 to 6), morning (6 to 12), day (12 to 18) and evening (18 to 24), by the utility's clock. After those of each place, the peak of the period.",
    frequencies: ANY,
    of: Places::Any,
    historic: true,
    real_time: false,
    input: Input::None,
    levels: &[Level::Hour],
    columns: &[
        Column::text("Place", "The requested place"),
        Column::day("Day", "The day"),
        Column::text("Band", "Night, Morning, Day or Evening, or Peak of the period"),
        Column::number(
            "Peak demand",
            "",
            3,
            "The highest mean of the sum of the feeders' active power over a block of 15 minutes or longer; for an asset its own power",
        ),
        Column::text("Unit", "kW for an asset, otherwise MW"),
        Column::time("At", "The start of that block"),
        Column::number("Block", "min", 0, "The length of the blocks"),
        Column::number("Coverage", "%", 1, "The share of values that are present in the band's blocks"),
    ],
    rows: |request, rows| -> Running { Box::pin(read(request, rows)) },
};

async fn read(request: ValidRequest, rows: Rows) -> Result<(), Stop> {
    let calendar = Calendar::of(&request.view, request.calendar.now);
    for area in &request.areas {
        let mut highest = Highest::default();
        let powers = Powers::of(request.reports.store(), &request.view, *area).await?;
        let all: HashSet<PointId> = powers.points.iter().map(|(point, _)| *point).collect();
        let mut value_days = ValueDays::new(&request, request.points(&all));
        let coverage = powers.coverage(request.reports.store(), &request.view).await?;
        for day in request.period.days() {
            let from = request.calendar.midnight(day)?;
            let to = day.checked_add(1.day()).map_err(|_| crate::error::Error::Internal)?;
            let to = request.calendar.midnight(to)?.min(request.calendar.now);
            if from >= to {
                break;
            }
            // The first block may begin before the day and the last may end after it.
            let present = value_days.within((from.plus_millis(-BLOCK_MAX_MS), to.plus_millis(BLOCK_MAX_MS))).await?;
            let blocks = if present.is_empty() {
                powers.no_blocks(&coverage, (from, to))?
            } else {
                powers.blocks(request.reports.store(), &request.view, (from, to)).await?
            };
            for band in PeakRows::of(&request.view, *area, &calendar, &blocks).bands(&blocks) {
                let row = vec![
                    band.name.into(),
                    from.into(),
                    band_name(&band.time_interval).into(),
                    band.peak_demand.into(),
                    powers.unit.into(),
                    band.reported_date_time.as_deref().and_then(parse_iso).into(),
                    band.block_minutes.into(),
                    band.coverage.into(),
                ];
                highest.compare(&row, DEMAND);
                rows.put(row).await?;
            }
        }
        if let Some(row) = highest.labelled(BAND, "Peak of the period") {
            rows.put(row).await?;
        }
    }
    Ok(())
}

/// Returns a band as the screens name it.
fn band_name(band: &str) -> &str {
    match band {
        "night" => "Night 12AM-06AM",
        "morning" => "Morning 06AM-12PM",
        "day" => "Day 12PM-06PM",
        "evening" => "Evening 06PM-12AM",
        other => other,
    }
}
