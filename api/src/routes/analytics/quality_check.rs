//! GET /api/analytics/qualitycheck/{id}: the data quality of an asset's points.

#![allow(unused_qualifications, reason = "the path macro repeats the type of the query")]

use std::collections::HashSet;

use analysis::calendar::Calendar;
use analysis::measure;
use analysis::quality_check::judged;
use axum::Json;
use axum::extract::{Query, State};
use grid::check::Report;
use grid::{AssetId, Point};
use identity::View;
use serde::Deserialize;
use store::kept::Level;
use wire::Envelope;
use wire::check::{QualityCheck, QualityCheckRow};
use wire::flag::Flag;
use wire::time::iso;

use crate::error::Error;
use crate::extract::{Asset, Scoped};
use crate::routes::analytics::past::Past;
use crate::state::Services;

const SPAN_DEFAULT_MS: i64 = 24 * 3_600_000;
/// Maximum number of codes in one request.
const CODES_MAX: usize = store::series::POINTS_MAX;

/// The points and the period of the check.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub(crate) struct Question {
    /// Start, ISO 8601; default: one day before the end.
    from: Option<String>,
    /// End, ISO 8601; default: now, and never later. At most ten years after the start.
    to: Option<String>,
    /// Codes, such as `Ir,Iy,Ib`; at most 64; default: all.
    codes: Option<String>,
}

/// Checks the quality of the values of an asset's points: gaps, flat lines, impossible values, wrong times. The definitions are ours.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/analytics/qualitycheck/{id}", tag = "analytics", operation_id = "qualityCheck", security(("bearer" = [])),
    params(("id" = i64, Path, description = "An asset"), Question),
    responses((status = 200, description = "At most 64 rows, one for each point", body = Envelope<QualityCheck>))
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    scoped: Scoped<Asset>,
    Query(question): Query<Question>,
) -> Result<Json<Envelope<QualityCheck>>, Error> {
    let (view, Asset(asset)) = (&scoped.view, &scoped.target);
    let past = Past { from: question.from, to: question.to };
    let (from, to) = past.read(Services::now(), |to| to.plus_millis(-SPAN_DEFAULT_MS))?;
    let points = points(view, asset.id, question.codes.as_deref())?;
    let found = judged(services.store(), view, asset.kv, &points, (from, to)).await?;
    let row = |(point, (report, coarse)): (&&Point, (Report, bool))| {
        QualityCheckRow::of(point, measure::name_of(&point.code).unwrap_or(&point.code), coarse, &report)
    };
    let rows: Vec<QualityCheckRow> = points.iter().zip(found).map(row).collect();
    let known: Vec<f64> = rows.iter().filter_map(|row| row.completeness).collect();
    let coverage = (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64);
    let flags = Flag::that_apply([
        (rows.iter().all(|row| row.values == 0), Flag::NoData),
        (coverage.is_some_and(|coverage| coverage < 100.0), Flag::Partial),
        (rows.iter().any(|row| row.coarse), Flag::Coarse),
    ]);
    // Rollups replace single values that have expired.
    let is_of_values = rows.iter().any(|row| row.values > 0 && !row.coarse);
    let kept_since = services.kept_since(&[if is_of_values { Level::Raw } else { Level::Day }], from).await?;
    let answer = QualityCheck {
        asset_id: asset.id.0,
        asset_name: asset.name.clone(),
        from: iso(from),
        to: iso(to),
        time_zone: Calendar::of(view, to).name,
        coverage,
        cut: rows.iter().map(|row| row.cut).sum(),
        rows,
        flags,
    };
    Ok(Json(Envelope::ok(answer).kept_since(kept_since)))
}

/// Returns the requested points of an asset, sorted by code.
fn points<'a>(view: &'a View, asset: AssetId, codes: Option<&str>) -> Result<Vec<&'a Point>, Error> {
    let codes: HashSet<&str> =
        codes.into_iter().flat_map(|codes| codes.split(',')).map(str::trim).filter(|code| !code.is_empty()).collect();
    if codes.len() > CODES_MAX {
        return Err(Error::BadRequest(format!("codes may be {CODES_MAX} at most, with commas between them, such as Ir,Iy,Ib")));
    }
    let is_selected = |point: &&Point| codes.is_empty() || codes.contains(point.code.as_str());
    let mut points: Vec<&Point> = view.field.points_of(asset).filter(is_selected).collect();
    points.sort_by(|a, b| (&a.code, a.id).cmp(&(&b.code, b.id)));
    points.truncate(store::series::POINTS_MAX);
    Ok(points)
}
