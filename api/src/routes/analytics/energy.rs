//! GET /api/analytics/getenergyovertime/{type}/{id}: energy into and out of an area, and its losses, over time.

#![allow(unused_qualifications, reason = "the path macro repeats the type of the query")]

use analysis::calendar::Calendar;
use analysis::energy_meters::Metered;
use analysis::energy_sums::{all_flags, energy, flags, sum};
use axum::Json;
use axum::extract::{Query, State};
use grid::Micros;
use grid::downsample::Resolution;
use grid::energy::Total;
use identity::Area;
use serde::Deserialize;
use store::series::{BUCKETS_MAX, Wanted};
use wire::Envelope;
use wire::energy::{EnergyOverTime, EnergyRow};
use wire::flag::Flag;
use wire::time::iso;

use crate::error::Error;
use crate::extract::Scoped;
use crate::routes::history::asset::instant;
use crate::state::Services;

/// Default of `width`.
const WIDTH_DEFAULT: usize = 400;
const SPAN_DEFAULT_MS: i64 = 7 * 24 * 3_600_000;
/// The longest period, ms: ten years with up to three leap days.
const SPAN_MAX_MS: i64 = 3_653 * 24 * 3_600_000;

/// The period of the answer.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub(crate) struct Span {
    /// Start, ISO 8601; default: seven days before the end.
    from: Option<String>,
    /// End, ISO 8601; default: now. At most ten years after the start.
    to: Option<String>,
    /// Maximum of rows: 2 to 4000; default 400.
    width: Option<usize>,
}

/// Parses the period of a query. Both ends have defaults.
pub(super) fn span(from: Option<&str>, to: Option<&str>, default_ms: i64, max_ms: i64) -> Result<(Micros, Micros), Error> {
    let to = instant("to", to)?.unwrap_or_else(Services::now);
    let from = instant("from", from)?.unwrap_or_else(|| to.plus_millis(-default_ms));
    if (1..=max_ms).contains(&to.millis_since(from)) {
        return Ok((from, to));
    }
    let days = max_ms / (24 * 3_600_000);
    Err(Error::BadRequest(format!("from must lie before to, by at most {days} days")))
}

/// Returns energy and losses of an area over time, balanced for each row. An asset has only the energy that it carried.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/analytics/getenergyovertime/{type}/{id}", tag = "analytics", operation_id = "energyOverTime", security(("bearer" = [])),
    params(("type" = String, Path, description = "`client`, `division`, `location`, another level, or `asset`"), ("id" = i64, Path, description = "The id of the area or asset"), Span),
    responses((status = 200, description = "Rows that have ended, oldest first", body = Envelope<EnergyOverTime>), (status = 400, description = "The period or the width cannot be used"))
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    scoped: Scoped<Area>,
    Query(query): Query<Span>,
) -> Result<Json<Envelope<EnergyOverTime>>, Error> {
    let view = &scoped.view;
    let width = query.width.unwrap_or(WIDTH_DEFAULT);
    if !(2..=BUCKETS_MAX).contains(&width) {
        return Err(Error::BadRequest(format!("width must lie between 2 and {BUCKETS_MAX}")));
    }
    let (from, to) = span(query.from.as_deref(), query.to.as_deref(), SPAN_DEFAULT_MS, SPAN_MAX_MS)?;
    let (calendar, metered) = (Calendar::of(view, Services::now()), Metered::of(services.store(), view, scoped.target).await?);
    let energy = energy(services.store(), view.principal.client, &metered, (from, to), Wanted::Buckets(width)).await?;
    let settled = Services::now().plus_millis(-metered.settles_ms());
    let row = |(nth, units): (usize, &[Total])| {
        let (start, total) = (energy.edges[nth * energy.times], sum(units));
        let flags = flags(&total);
        let hours = if energy.of == Resolution::Day { calendar.short_day(start) } else { calendar.clock(start) };
        let row = EnergyRow {
            time_ms: start.millis(),
            time: iso(start),
            hours,
            energy_in: total.energy_in,
            energy_out: total.energy_out,
            loss: total.loss(),
            efficiency: total.efficiency(),
            coverage: total.coverage(),
            flags,
        };
        (row, total)
    };
    // A row that has not ended yet has no balance.
    let mut over = energy.edges.iter().skip(1).take_while(|end| **end <= settled).count().min(energy.units.len());
    if over < energy.units.len() {
        over -= over % energy.times.max(1);
    }
    let (rows, totals): (Vec<EnergyRow>, Vec<Total>) = energy.units[..over].chunks(energy.times.max(1)).enumerate().map(row).unzip();
    let whole = sum(&totals);
    let mut flags = all_flags(rows.iter().map(|row| &row.flags), &metered.missing);
    // Rows without values are included, unless no row has values.
    if whole.known_ms > 0 {
        flags.retain(|flag| *flag != Flag::NoData);
    } else if rows.is_empty() {
        flags.insert(0, Flag::NoData);
    }
    let kept_since = services.store().kept().await?.of_series(energy.of, whole.known_ms > 0, from);
    let answer = EnergyOverTime {
        bucket_ms: energy.of.ms() * energy.times as i64,
        time_zone: calendar.name,
        coverage: whole.coverage(),
        flags,
        missing: metered.missing,
        rows,
    };
    Ok(Json(Envelope::ok(answer).kept_since(kept_since)))
}
