//! GET /api/areas.

use axum::Json;
use axum::extract::State;
use identity::View;
use wire::Envelope;
use wire::areas::AreasRow;

use crate::error::Error;
use crate::state::Services;

/// Returns the areas of responsibility and desks of the utility: who holds what, what waits for an answer, and at which desk the caller's session sits. The
/// stream `areas/client/{id}` has the version, which is raised with each change.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/areas", tag = "areas", operation_id = "areas", security(("bearer" = [])),
    responses((status = 200, description = "The areas and desks", body = Envelope<AreasRow>))
))]
pub(crate) async fn handle(State(services): State<Services>, view: View) -> Result<Json<Envelope<AreasRow>>, Error> {
    Ok(Json(Envelope::ok(super::rows(&services, &view).await?)))
}
