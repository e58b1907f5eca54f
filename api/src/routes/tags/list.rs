//! GET /api/tags/location/{id}.

use axum::Json;
use axum::extract::State;
use wire::Envelope;
use wire::control::TagRow;

use crate::error::Error;
use crate::extract::{Location, Scoped};
use crate::state::Services;

/// Returns the tags of a substation, oldest first.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/tags/location/{id}", tag = "tags", operation_id = "tags", security(("bearer" = [])),
    params(("id" = i64, Path, description = "A substation")),
    responses((status = 200, description = "The tags", body = Envelope<Vec<TagRow>>))
))]
pub(crate) async fn handle(State(services): State<Services>, scoped: Scoped<Location>) -> Result<Json<Envelope<Vec<TagRow>>>, Error> {
    let (client, Location(location)) = (scoped.view.principal.client, &scoped.target);
    let (_, tags) = services.store().tags(client, Some(location.id)).await?;
    Ok(Json(Envelope::ok(super::rows(&tags))))
}
