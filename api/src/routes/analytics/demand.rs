//! GET /api/analytics/getdemandovertimegraph/{type}/{id}: demand over time.

#![allow(unused_qualifications, reason = "the path macro repeats the type of the query")]

use analysis::calendar::{Calendar, days_before};
use analysis::demand::{Demand, Powers};
use analysis::energy_sums::all_flags;
use axum::Json;
use axum::extract::{Query, State};
use grid::Micros;
use grid::demand::Block;
use grid::downsample::MINUTE_MS;
use identity::Area;
use serde::Deserialize;
use wire::Envelope;
use wire::energy::{DemandOverTime, DemandRow};
use wire::time::iso;

use crate::error::Error;
use crate::extract::Scoped;
use crate::routes::analytics::energy::span;
use crate::state::Services;

/// The longest span with a row for each block: 8,832 rows of a quarter of an hour. Longer spans have a row for each day.
const BLOCKS_MAX_MS: i64 = 92 * 24 * 60 * MINUTE_MS;
/// The longest span of one answer: twenty years.
const SPAN_MAX_MS: i64 = 20 * 366 * 24 * 60 * MINUTE_MS;

/// The period of the answer.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub(crate) struct Span {
    /// Start, ISO 8601; default: midnight of yesterday.
    from: Option<String>,
    /// End, ISO 8601; default: now. At most twenty years (7,320 days) after the start. A span of more than 92 days has a row for each day.
    to: Option<String>,
}

/// Returns the demand of an area or asset: power averaged over blocks of time.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/analytics/getdemandovertimegraph/{type}/{id}", tag = "analytics", operation_id = "demandOverTime", security(("bearer" = [])),
    params(("type" = String, Path, description = "`client`, `division`, `location`, another level, or `asset`"), ("id" = i64, Path, description = "The id of the area or asset"), Span),
    responses((status = 200, description = "A row for each block; for a span of more than 92 days, a row for each day", body = Envelope<DemandOverTime>), (status = 400, description = "The period cannot be used"))
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    scoped: Scoped<Area>,
    Query(query): Query<Span>,
) -> Result<Json<Envelope<DemandOverTime>>, Error> {
    let view = &scoped.view;
    let calendar = Calendar::of(view, Services::now());
    let now = Services::now();
    let yesterday = now.millis_since(calendar.midnight(days_before(calendar.day(now), 1))?);
    let default_ms = if query.to.is_none() { yesterday } else { 2 * 24 * 60 * MINUTE_MS };
    let (from, to) = span(query.from.as_deref(), query.to.as_deref(), default_ms, SPAN_MAX_MS)?;
    let powers = Powers::of(services.store(), view, scoped.target).await?;
    let demand = powers.demand(services.store(), view, &calendar, (from, to.min(now).max(from.plus_millis(1)))).await?;
    let kept_since = demand.kept_since(&services.store().kept().await?, from);
    let by_day = to.millis_since(from) > BLOCKS_MAX_MS;
    let rows = if by_day {
        demand.by_day(&calendar).iter().map(|(start, day)| of_day(*start, day, &calendar)).collect()
    } else {
        demand.blocks.iter().map(|block| of_block(block, &calendar)).collect()
    };
    let answer = DemandOverTime {
        unit: powers.unit.to_owned(),
        block_minutes: demand.minutes(),
        by_day,
        coverage: demand.coverage(),
        flags: all_flags([&demand.flags()], &powers.missing),
        missing: powers.missing,
        rows,
        time_zone: calendar.name,
    };
    Ok(Json(Envelope::ok(answer).kept_since(kept_since)))
}

fn of_block(block: &Block, calendar: &Calendar) -> DemandRow {
    DemandRow {
        time_ms: block.start.millis(),
        time: iso(block.start),
        hour: calendar.hour(block.start),
        demand: block.demand,
        lowest: None,
        highest: None,
        coverage: 100.0 * block.share,
    }
}

fn of_day(start: Micros, day: &Demand, calendar: &Calendar) -> DemandRow {
    DemandRow {
        time_ms: start.millis(),
        time: iso(start),
        hour: calendar.hour(start),
        demand: day.mean(),
        lowest: day.lowest(),
        highest: day.peak().map(|(_, peak)| peak),
        coverage: day.coverage(),
    }
}
