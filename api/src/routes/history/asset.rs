//! GET /api/history/asset/{id}: the history of one measure of an asset, for a chart.

#![allow(unused_qualifications, reason = "the path macro repeats the type of the query")]

use analysis::lines as chart;
use analysis::lines::Lines;
use analysis::measure::Measure;
use axum::Json;
use axum::extract::{Query, State};
use grid::Micros;
use serde::Deserialize;
use wire::Envelope;
use wire::history::{HistoryChart, HistorySeries};
use wire::time::{iso, parse_iso};

use crate::error::Error;
use crate::extract::{Asset, Scoped};
use crate::state::Services;

/// Default of `width`.
const WIDTH_DEFAULT: usize = 1_500;
const SPAN_DEFAULT_MS: i64 = 24 * 3_600_000;
/// The longest period, ms: ten years with up to three leap days.
const SPAN_MAX_MS: i64 = 3_653 * 24 * 3_600_000;

/// The measure, the period and the resolution of the answer.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub(crate) struct Span {
    /// current, voltage, voltage_ll, frequency, active, reactive, apparent, power_factor, energy (consumed in each bucket), register, accumulated
    /// (consumed since the start), reactive_energy, temperature, dc, thd_v, thd_i, unbalance, flicker, angle.
    measure: String,
    /// Start, ISO 8601; default: one day before the end.
    from: Option<String>,
    /// End, ISO 8601; default: now. At most ten years after the start.
    to: Option<String>,
    /// Width of the chart in pixels, which is the maximum of buckets: 2 to 4000; default 1500.
    width: Option<usize>,
}

/// Returns the history of one measure of an asset. An asset without such points has no series.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/history/asset/{id}", tag = "history", operation_id = "assetHistory", security(("bearer" = [])),
    params(("id" = i64, Path, description = "An asset"), Span),
    responses((status = 200, description = "Series with common times", body = Envelope<HistoryChart>))
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    scoped: Scoped<Asset>,
    Query(span): Query<Span>,
) -> Result<Json<Envelope<HistoryChart>>, Error> {
    let (view, Asset(asset)) = (&scoped.view, &scoped.target);
    let measure = Measure::named(&span.measure).ok_or_else(|| Error::BadRequest(format!("measure must be one of {}", Measure::words())))?;
    let width = span.width.unwrap_or(WIDTH_DEFAULT);
    if !(2..=store::series::BUCKETS_MAX).contains(&width) {
        return Err(Error::BadRequest(format!("width must lie between 2 and {}", store::series::BUCKETS_MAX)));
    }
    let to = instant("to", span.to.as_deref())?.unwrap_or_else(Services::now);
    let from = instant("from", span.from.as_deref())?.unwrap_or_else(|| to.plus_millis(-SPAN_DEFAULT_MS));
    if !(1..=SPAN_MAX_MS).contains(&to.millis_since(from)) {
        return Err(Error::BadRequest("from must lie before to, by at most ten years".to_owned()));
    }
    let lines = chart::lines(services.store(), view, asset.id, &[measure], (from, to), width).await?;
    let Lines { source, bucket_ms, times, each, kept_since } = lines;
    let part = |shown: &[[Option<f64>; 3]], at: usize| shown.iter().map(|values| values[at]).collect();
    let series = each.into_iter().map(|line| HistorySeries {
        code: line.point.code,
        name: line.name.to_owned(),
        phase: line.phase.map(str::to_owned),
        unit: line.point.unit,
        decimals: line.point.decimals,
        mean: part(&line.shown, 0),
        min: part(&line.shown, 1),
        max: part(&line.shown, 2),
        quality: line.quality,
    });
    let chart = HistoryChart {
        asset_id: asset.id.0,
        asset_name: asset.name.clone(),
        measure: measure.word.to_owned(),
        time_zone: view.field.client().time_zone.clone(),
        from: iso(from),
        to: iso(to),
        bucket_ms,
        source: source.as_str().to_owned(),
        times: times.iter().map(|time| time.millis()).collect(),
        series: series.collect(),
    };
    Ok(Json(Envelope::ok(chart).kept_since(kept_since)))
}

/// Parses a time of the query. It must be within the range of the calendar and of the database.
pub(crate) fn instant(name: &str, text: Option<&str>) -> Result<Option<Micros>, Error> {
    /// The accepted times: 1970 to 2199.
    const KNOWN: std::ops::Range<i64> = 0..7_258_118_400_000_000;
    let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(None) };
    let read = parse_iso(text).filter(|at| KNOWN.contains(&at.0));
    read.map(Some).ok_or_else(|| Error::BadRequest(format!("{name} must be a time such as 2026-11-03T08:00:00Z, between 1970 and 2200")))
}
