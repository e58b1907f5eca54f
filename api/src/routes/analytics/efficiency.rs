//! GET /api/analytics/realtimeefficiency/{type}/{id} and getefficiencychange/{type}/{id}: the efficiency of the last quarter of an hour,
//! and of earlier times.

use analysis::calendar::Calendar;
use analysis::efficiency::{change_over_time, newest_quarter};
use axum::Json;
use axum::extract::State;
use identity::Area;
use jiff::Span;
use store::kept::Level;
use wire::Envelope;
use wire::energy::{EfficiencyChange, RealTimeEfficiency};

use crate::error::Error;
use crate::extract::Scoped;
use crate::state::Services;

/// Returns the efficiency of an area in the last full quarter of an hour.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/analytics/realtimeefficiency/{type}/{id}", tag = "analytics", operation_id = "realTimeEfficiency", security(("bearer" = [])),
    params(("type" = String, Path, description = "`client`, `division`, `location`, another level, or `asset`"), ("id" = i64, Path, description = "The id of the area or asset")),
    responses((status = 200, description = "The latest quarter with the best coverage", body = Envelope<RealTimeEfficiency>))
))]
pub(crate) async fn real_time(State(services): State<Services>, scoped: Scoped<Area>) -> Result<Json<Envelope<RealTimeEfficiency>>, Error> {
    Ok(Json(Envelope::ok(newest_quarter(services.store(), &scoped.view, scoped.target).await?)))
}

/// Compares the efficiency of the last quarter of an hour with six earlier times.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/analytics/getefficiencychange/{type}/{id}", tag = "analytics", operation_id = "efficiencyChange", security(("bearer" = [])),
    params(("type" = String, Path, description = "`client`, `division`, `location`, another level, or `asset`"), ("id" = i64, Path, description = "The id of the area or asset")),
    responses((status = 200, description = "Six rows, the nearest first", body = Envelope<EfficiencyChange>))
))]
pub(crate) async fn changes(State(services): State<Services>, scoped: Scoped<Area>) -> Result<Json<Envelope<EfficiencyChange>>, Error> {
    let now = Services::now();
    let from = Calendar::of(&scoped.view, now).before(now, Span::new().years(1));
    // Hours are used where minutes have expired.
    let kept_since = services.kept_since(&[Level::Hour], from).await?;
    Ok(Json(Envelope::ok(change_over_time(services.store(), &scoped.view, scoped.target).await?).kept_since(kept_since)))
}
