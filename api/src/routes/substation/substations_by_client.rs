//! GET /api/substation/substationsbyclient/{id}.

use axum::Json;
use wire::Envelope;
use wire::people::LocationRow;

use crate::extract::{OwnClient, Scoped};

/// All substations that the caller may see.
#[utoipa::path(
    get, path = "/api/substation/substationsbyclient/{id}", tag = "substation", operation_id = "substationsByClient", security(("bearer" = [])),
    params(("id" = i64, Path, description = "The caller's utility")),
    responses((status = 200, description = "Substations by name", body = Envelope<Vec<LocationRow>>))
)]
pub(crate) async fn handle(scoped: Scoped<OwnClient>) -> Json<Envelope<Vec<LocationRow>>> {
    Json(Envelope::ok(super::rows(&scoped.view, |_| true)))
}
