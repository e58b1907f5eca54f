//! GET /api/eealerts/{type}/{id}.

use axum::Json;
use axum::extract::State;
use identity::Area;
use wire::Envelope;
use wire::alarms::AlertRow;

use crate::error::Error;
use crate::extract::Scoped;
use crate::state::Services;

/// Returns the alerts of an area or asset, the most urgent first: active alarms that are not shelved, feeders with an unbalance above 10 % or a power factor
/// below 0.85, and transformers that carry more than they can permanently (`overload`, priority 2) or for two hours (priority 1). A value that cannot be shown
/// as live raises no alert.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/eealerts/{type}/{id}", tag = "eealerts", operation_id = "eeAlerts", security(("bearer" = [])),
    params(
        ("type" = String, Path, description = "client, circle, division, town, subdivision, section, location or asset"),
        ("id" = i64, Path, description = "The id of the area or asset")
    ),
    responses((status = 200, description = "At most 2000 alerts", body = Envelope<Vec<AlertRow>>))
))]
pub(crate) async fn handle(State(services): State<Services>, scoped: Scoped<Area>) -> Result<Json<Envelope<Vec<AlertRow>>>, Error> {
    Ok(Json(Envelope::ok(analysis::alerts::alerts(services.store(), &scoped.view, scoped.target).await?)))
}
