//! GET /api/analytics/feedercurves/{id}: load and voltage of a feeder with their durations, and its protection curves.

#![allow(unused_qualifications, reason = "the path macro repeats the type of the query")]

use analysis::feeder_curves::curves;
use axum::Json;
use axum::extract::{Query, State};
use wire::Envelope;
use wire::curves::FeederCurves;

use crate::error::Error;
use crate::extract::{Asset, Scoped};
use crate::routes::analytics::past::Past;
use crate::state::Services;

const SPAN_DEFAULT_MS: i64 = 7 * 24 * 3_600_000;

/// Returns the curves of a feeder: load, load duration, voltage duration, hours of the day, protection and faults. The default is seven days.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/analytics/feedercurves/{id}", tag = "analytics", operation_id = "feederCurves", security(("bearer" = [])),
    params(("id" = i64, Path, description = "A feeder"), Past),
    responses((status = 200, description = "The curves; without active power there is no demand", body = Envelope<FeederCurves>))
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    scoped: Scoped<Asset>,
    Query(past): Query<Past>,
) -> Result<Json<Envelope<FeederCurves>>, Error> {
    let span = past.read(Services::now(), |to| to.plus_millis(-SPAN_DEFAULT_MS))?;
    let (curves, kept_since) = curves(services.store(), &scoped.view, &scoped.target.0, span).await?;
    Ok(Json(Envelope::ok(curves).kept_since(kept_since)))
}
