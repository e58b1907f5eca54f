//! GET /api/assethealth/assetpermissibleloadnew/{id}/{months}: the permissible loading of a transformer, and the life that was used.

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
    // Parsed after the asset is found. An asset that the caller may not see therefore gives the same answer, whatever the rest of the path
    // is.
    let months = params.iter().find(|(name, _)| *name == "months").and_then(|(_, months)| months.parse().ok());
    Ok(Json(Envelope::ok(permissible_load::rows(services.store(), &scoped.view, &scoped.target.0, months).await?)))
}
