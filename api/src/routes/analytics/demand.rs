//! GET /api/analytics/getdemandovertimegraph/{type}/{id}: demand over time.

#![allow(unused_qualifications, reason = "the path macro repeats the type of the query")]

use analysis::calendar::{Calendar, days_before};
use analysis::demand::{Blocks, Powers, coverage, flags};
use analysis::energy_sums::all_flags;
use axum::Json;
use axum::extract::{Query, State};
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

/// The longest span of one answer: 8,832 rows of a quarter of an hour.
const SPAN_MAX_MS: i64 = 92 * 24 * 60 * MINUTE_MS;

/// The period of the answer.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub(crate) struct Span {
    /// Start, ISO 8601; default: midnight of yesterday.
    from: Option<String>,
    /// End, ISO 8601; default: now. At most 92 days after the start.
    to: Option<String>,
}

/// Returns the demand of an area or asset: power averaged over blocks of time.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/analytics/getdemandovertimegraph/{type}/{id}", tag = "analytics", operation_id = "demandOverTime", security(("bearer" = [])),
    params(("type" = String, Path, description = "`client`, `division`, `location`, another level, or `asset`"), ("id" = i64, Path, description = "The id of the area or asset"), Span),
    responses((status = 200, description = "A row for each block", body = Envelope<DemandOverTime>), (status = 400, description = "The period cannot be used"))
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
    let blocks = powers.blocks(services.store(), view, (from, to.min(now).max(from.plus_millis(1)))).await?;
    let kept_since = blocks.kept_since(&services.store().kept().await?, from);
    let Blocks { all: blocks, minutes, .. } = blocks;
    let row = |block: &Block| DemandRow {
        time_ms: block.start.millis(),
        time: iso(block.start),
        hour: calendar.hour(block.start),
        demand: block.demand,
        coverage: 100.0 * block.share,
    };
    let answer = DemandOverTime {
        unit: powers.unit.to_owned(),
        block_minutes: minutes,
        coverage: coverage(&blocks),
        flags: all_flags([&flags(&blocks, minutes)], &powers.missing),
        missing: powers.missing,
        rows: blocks.iter().map(row).collect(),
        time_zone: calendar.name,
    };
    Ok(Json(Envelope::ok(answer).kept_since(kept_since)))
}
