//! GET /api/appsconfig/primsubstbyclient/{id}.

use wire::hierarchy::AssetPointRow;

use crate::extract::{OwnClient, Scoped};
use crate::hierarchy::{Answer, Question};

/// Returns the names of the substations that the caller can see.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/appsconfig/primsubstbyclient/{id}", tag = "appsconfig", operation_id = "primarySubstations", security(("bearer" = [])),
    params(("id" = i64, Path, description = "The caller's utility")),
    responses((status = 200, description = "Substations by name", body = wire::Envelope<Vec<AssetPointRow>>))
))]
pub(crate) async fn handle(scoped: Scoped<OwnClient>) -> Answer<AssetPointRow> {
    Question::from(scoped).nodes()
}
