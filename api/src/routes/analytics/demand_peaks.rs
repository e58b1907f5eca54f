//! GET /api/analytics/peakdemandprofiledatabyid/{type}/{id} and getpeakdemandtable/{type}/{id}: when demand was highest.

#![allow(unused_qualifications, reason = "the path macro repeats the type of the query")]

use analysis::calendar::Calendar;
use analysis::demand::Powers;
use analysis::demand_peaks::PeakRows;
use analysis::energy_sums::all_flags;
use axum::Json;
use axum::extract::{Query, State};
use grid::Micros;
use identity::Area;
use serde::Deserialize;
use wire::Envelope;
use wire::energy::PeakDemand;

use crate::error::Error;
use crate::extract::Scoped;
use crate::state::Services;

/// Returns the start of the current day, month or year.
fn begin(calendar: &Calendar, period: &str, now: Micros) -> Option<Micros> {
    let today = calendar.day(now);
    let first = match period {
        "day" => today,
        "month" => today.first_of_month(),
        "year" => today.first_of_year(),
        _ => return None,
    };
    // At midnight the day has no past yet, so the period starts 1 ms earlier.
    Some(calendar.midnight(first).ok()?.min(now.plus_millis(-1)))
}

/// The period of the answer.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub(crate) struct Period {
    /// `day` (default), `month` or `year`, up to now.
    period: Option<String>,
}

/// Returns the highest demand of each quarter of the day: today, or on any day of this month or year.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/analytics/peakdemandprofiledatabyid/{type}/{id}", tag = "analytics", operation_id = "peakDemandProfile", security(("bearer" = [])),
    params(("type" = String, Path, description = "`client`, `division`, `location`, another level, or `asset`"), ("id" = i64, Path, description = "The id of the area or asset"), Period),
    responses((status = 200, description = "Four rows, from night to evening", body = Envelope<PeakDemand>), (status = 400, description = "There is no such period"))
))]
pub(crate) async fn profile(
    State(services): State<Services>,
    scoped: Scoped<Area>,
    Query(query): Query<Period>,
) -> Result<Json<Envelope<PeakDemand>>, Error> {
    let (view, now) = (&scoped.view, Services::now());
    let calendar = Calendar::of(view, Services::now());
    let from = begin(&calendar, query.period.as_deref().unwrap_or("day"), now);
    let from = from.ok_or_else(|| Error::BadRequest("period must be day, month or year".to_owned()))?;
    let powers = Powers::of(services.store(), view, scoped.target).await?;
    let demand = powers.demand(services.store(), view, &calendar, (from, now)).await?;
    let kept_since = demand.kept_since(&services.store().kept().await?, from);
    let answer = PeakDemand {
        unit: powers.unit.to_owned(),
        block_minutes: demand.minutes(),
        coverage: demand.coverage(),
        flags: all_flags([&demand.flags()], &powers.missing),
        missing: powers.missing,
        rows: PeakRows::of(view, scoped.target, &calendar).bands(&demand),
    };
    Ok(Json(Envelope::ok(answer).kept_since(kept_since)))
}

/// Returns the highest demand of today and its quarters, of this month and of this year.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/analytics/getpeakdemandtable/{type}/{id}", tag = "analytics", operation_id = "peakDemandTable", security(("bearer" = [])),
    params(("type" = String, Path, description = "`client`, `division`, `location`, another level, or `asset`"), ("id" = i64, Path, description = "The id of the area or asset")),
    responses((status = 200, description = "Seven rows: today, night to evening, month, year", body = Envelope<PeakDemand>))
))]
pub(crate) async fn table(State(services): State<Services>, scoped: Scoped<Area>) -> Result<Json<Envelope<PeakDemand>>, Error> {
    let (view, now) = (&scoped.view, Services::now());
    let calendar = Calendar::of(view, Services::now());
    let powers = Powers::of(services.store(), view, scoped.target).await?;
    let begin = |period: &str| begin(&calendar, period, now).ok_or(Error::Internal);
    let year = powers.demand(services.store(), view, &calendar, (begin("year")?, now)).await?;
    let peak_rows = PeakRows::of(view, scoped.target, &calendar);
    let kept_since = year.kept_since(&services.store().kept().await?, begin("year")?);
    let today = year.within(begin("day")?, now);
    let mut rows = vec![peak_rows.row("today", &today)];
    rows.extend(peak_rows.bands(&today));
    rows.push(peak_rows.row("month", &year.within(begin("month")?, now)));
    rows.push(peak_rows.row("year", &year));
    let answer = PeakDemand {
        unit: powers.unit.to_owned(),
        block_minutes: today.minutes(),
        coverage: today.coverage(),
        flags: all_flags([&today.flags()], &powers.missing),
        missing: powers.missing,
        rows,
    };
    Ok(Json(Envelope::ok(answer).kept_since(kept_since)))
}
