//! GET /api/digiops/cbstatus/{deviceId}/{assetToDiSettingId}: the position of a breaker, and whether it may be operated now.

use axum::Json;
use axum::extract::State;
use wire::Envelope;
use wire::control::BreakerStatus;

use crate::error::Error;
use crate::extract::Scoped;
use crate::routes::digiops::StatusPoint;
use crate::state::Services;

/// Returns the position of a breaker, and everything that prevents operating it. Each command checks all of it again.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/digiops/cbstatus/{deviceId}/{assetToDiSettingId}", tag = "digiops", operation_id = "breakerStatus", security(("bearer" = [])),
    params(
        ("deviceId" = i64, Path, description = "The gateway of the breaker"),
        ("assetToDiSettingId" = i64, Path, description = "The point of its position"),
    ),
    responses((status = 200, description = "The status", body = Envelope<BreakerStatus>))
))]
pub(crate) async fn handle(State(services): State<Services>, scoped: Scoped<StatusPoint>) -> Result<Json<Envelope<BreakerStatus>>, Error> {
    let (view, StatusPoint(point)) = (&scoped.view, &scoped.target);
    let status = services.control().status(&view.field, &view.principal, point).await?;
    Ok(Json(Envelope::ok(status)))
}
