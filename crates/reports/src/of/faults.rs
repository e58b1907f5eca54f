//! FAULT_DATA: the faults of feeders, oldest first. One week is in memory at a time.

use std::time::Duration;

use grid::Micros;
use grid::fault::{Fault, FaultRecord};
use grid::reliability::{Class, Threshold};
use store::kept::Level;
use wire::reliability::ReliabilityConfiguration;

use crate::definition::{Column, ColumnKind, Definition, Input, Places, Running};
use crate::of::ANY;
use crate::rows::{Rows, Stop};
use crate::valid_request::ValidRequest;

const WEEK_MS: i64 = 7 * 24 * 3_600_000;
/// Maximum number of faults per week and area.
const WEEK_MAX: i64 = 100_000;

pub(crate) static FAULT_DATA: Definition = Definition {
    id: 13,
    key: "FAULT_DATA",
    name: "Fault Data",
    about: "Faults that began in the period, by place and time. A breaker that opens, recloses and opens again within the dead time is one fault. Since when \
            faults are kept is in the head of the file if the period begins before it.",
    frequencies: ANY,
    of: Places::Any,
    historic: true,
    real_time: false,
    input: Input::None,
    levels: &[Level::Fault],
    columns: &[
        Column::text("Substation", "The substation of the feeder at that time"),
        Column::text("Feeder", "The feeder whose breaker opened"),
        Column::time("Started", "The first opening, by the device's clock"),
        Column::time("Ended", "When the breaker was closed again; empty while it is open"),
        Column {
            name: "Duration",
            unit: "",
            kind: ColumnKind::Duration,
            meaning: "Ended - Started, to the millisecond; empty while the fault is open",
        },
        Column::text("Fault type", "LG, LL, LLG or LLL by the phases with fault current; empty while these are not known"),
        Column::text("Trip type", "The relay function by the numbers of IEEE C37.2, and the result"),
        Column::count("Openings", "Openings of the breaker that belong to it"),
        Column::number("Fault current R", "A", 0, "As reported by the relay"),
        Column::number("Fault current Y", "A", 0, "As reported by the relay"),
        Column::number("Fault current B", "A", 0, "As reported by the relay"),
        Column::text(
            "Momentary",
            "Yes if it ended within the utility's momentary threshold, as in its indices; default five minutes (IEEE 1366)",
        ),
        Column::count("Customers", "Customers supplied through the feeder at that time"),
    ],
    rows: |request, rows| -> Running { Box::pin(read(request, rows)) },
};

async fn read(request: ValidRequest, rows: Rows) -> Result<(), Stop> {
    let threshold = threshold(&request);
    for area in 0..request.areas.len() {
        let mut weeks = Weeks::of(&request);
        while let Some(faults) = weeks.next(&request, area).await? {
            for record in &faults {
                rows.put(row(record, threshold, request.calendar.now)).await?;
            }
        }
    }
    Ok(())
}

/// Returns the threshold of momentary interruptions of the utility, as in its reliability indices.
pub(crate) fn threshold(request: &ValidRequest) -> Threshold {
    ReliabilityConfiguration::of(&request.view.field.client().config).threshold()
}

/// Returns whether a fault was momentary; for an open fault, whether it may still end as one.
pub(crate) fn is_momentary(fault: &Fault, threshold: Threshold, now: Micros) -> bool {
    threshold.class(fault.minutes(now)) == Class::Momentary
}

fn row(record: &FaultRecord, threshold: Threshold, now: Micros) -> Vec<crate::rows::Value> {
    let fault = &record.fault;
    let [r, y, b] = fault.currents;
    let lasted = fault.end.map(|end| Duration::from_micros(end.0.abs_diff(fault.start.0)));
    vec![
        record.location_name.as_str().into(),
        record.asset_name.as_str().into(),
        fault.start.into(),
        fault.end.into(),
        lasted.map_or(crate::rows::Value::Absent, crate::rows::Value::Lasting),
        fault.fault_type().map(grid::fault::FaultType::as_str).into(),
        fault.trip_type().into(),
        i64::from(fault.trips).into(),
        r.into(),
        y.into(),
        b.into(),
        if is_momentary(fault, threshold, now) { "Yes" } else { "No" }.into(),
        i64::from(record.customers).into(),
    ]
}

/// Reads the faults of an area week by week.
pub(crate) struct Weeks {
    at: Micros,
    to: Micros,
}

impl Weeks {
    /// Starts at the first week of the period. Weeks in the future are not read.
    pub(crate) fn of(request: &ValidRequest) -> Self {
        Self { at: request.span.0, to: request.span.1.min(request.calendar.now) }
    }

    /// Returns the next week with faults, oldest first.
    pub(crate) async fn next(&mut self, request: &ValidRequest, area: usize) -> Result<Option<Vec<FaultRecord>>, Stop> {
        while self.at < self.to {
            let end = self.at.plus_millis(WEEK_MS).min(self.to);
            let store = request.reports.store();
            let mut faults = store.faults_between(request.client(), request.areas[area].0, (self.at, end), WEEK_MAX + 1).await?;
            if faults.len() as i64 > WEEK_MAX {
                let message = format!("more than {WEEK_MAX} faults in a week: ask for a lower level");
                return Err(crate::error::Error::BadRequest(message).into());
            }
            self.at = end;
            if !faults.is_empty() {
                faults.reverse();
                return Ok(Some(faults));
            }
            // Weeks without a fault are skipped in one query.
            let next = if end < self.to { store.next_fault(request.client(), request.areas[area].0, (end, self.to)).await? } else { None };
            self.at = next.map_or(self.to, |next| end.plus_millis(next.millis_since(end).div_euclid(WEEK_MS) * WEEK_MS));
        }
        Ok(None)
    }
}
