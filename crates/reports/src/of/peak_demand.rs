//! PEAK_DEMAND_REPORT: the peak demand of each quarter of the day, day by day, computed as for the analytics screen.

use analysis::calendar::Calendar;
use analysis::demand::Powers;
use analysis::demand_peaks::PeakRows;
use jiff::ToSpan as _;
use jiff::civil::Date;
use store::kept::Level;
use wire::time::parse_iso;

use crate::definition::{Column, Definition, Input, Places, Running};
use crate::of::ANY;
use crate::of::highest::Highest;
use crate::rows::{Rows, Stop};
use crate::valid_request::ValidRequest;

/// The columns of the band and of its peak demand.
const BAND: usize = 2;
const DEMAND: usize = 3;
/// Number of days that are read at once.
const DAYS_AT_ONCE: usize = 92;

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
            "The highest mean of the sum of the feeders' active power over a block of the demand-integration period (15 or 30 minutes); for an asset its own power",
        ),
        Column::text("Unit", "kW for an asset, otherwise MW"),
        Column::time("At", "The start of that block, which lies in the band"),
        Column::number("Block", "min", 0, "The demand-integration period of the utility"),
        Column::number("Coverage", "%", 1, "The share of values that are present in the band's blocks"),
    ],
    rows: |request, rows| -> Running { Box::pin(read(request, rows)) },
};

async fn read(request: ValidRequest, rows: Rows) -> Result<(), Stop> {
    let calendar = Calendar::of(&request.view, request.calendar.now);
    let days: Vec<Date> = request.period.days().collect();
    for area in &request.areas {
        let mut highest = Highest::default();
        let powers = Powers::of(request.reports.store(), &request.view, *area).await?;
        let peak_rows = PeakRows::of(&request.view, *area, &calendar);
        for days in days.chunks(DAYS_AT_ONCE) {
            let mut edges = Vec::with_capacity(days.len() + 1);
            for day in days {
                edges.push(request.calendar.midnight(*day)?);
            }
            let next = days[days.len() - 1].checked_add(1.day()).map_err(|_| crate::error::Error::Internal)?;
            edges.push(request.calendar.midnight(next)?);
            if edges[0] >= request.calendar.now {
                break;
            }
            let span = (edges[0], edges[edges.len() - 1].min(request.calendar.now));
            let demand = powers.demand(request.reports.store(), &request.view, &calendar, span).await?;
            for edge in edges.windows(2).filter(|edge| edge[0] < request.calendar.now) {
                for band in peak_rows.bands(&demand.within(edge[0], edge[1])) {
                    let row = vec![
                        band.name.into(),
                        edge[0].into(),
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
