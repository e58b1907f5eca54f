//! GET /api/assethealth/assetpermissibleloadnew/{id}/{months}: what might have been loaded on a transformer, and how much of its life was used.

use analysis::permissible_load;
use axum::Json;
use axum::extract::{RawPathParams, State};
use wire::Envelope;
use wire::loading::PermissibleLoadRow;

use crate::error::Error;
use crate::extract::{Asset, Scoped};
use crate::state::Services;

/// Returns the permissible loading of a transformer over the last months, oldest first.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/assethealth/assetpermissibleloadnew/{id}/{months}", tag = "assethealth", operation_id = "assetPermissibleLoad",
    security(("bearer" = [])),
    params(("id" = i64, Path, description = "A transformer"), ("months" = i64, Path, description = "1, 6, 12, or 0 for all rows")),
    responses((status = 200, description = "At most 2,000 rows; none for an asset that is not a transformer", body = Envelope<Vec<PermissibleLoadRow>>))
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    scoped: Scoped<Asset>,
    params: RawPathParams,
) -> Result<Json<Envelope<Vec<PermissibleLoadRow>>>, Error> {
    // Read behind the asset, so that an id that is not the caller's answers the same whatever stands behind it.
    let months = params.iter().find(|(name, _)| *name == "months").and_then(|(_, months)| months.parse().ok());
    Ok(Json(Envelope::ok(permissible_load::rows(services.store(), &scoped.view, &scoped.target.0, months).await?)))
}
