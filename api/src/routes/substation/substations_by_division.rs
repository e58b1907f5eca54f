//! GET /api/substation/substationsbydivision/{id}.

use axum::Json;
use grid::Level;
use wire::Envelope;
use wire::people::LocationRow;

use crate::error::Error;
use crate::extract::{Passed, Scoped};

/// The substations of a division that the caller may see.
#[utoipa::path(
    get, path = "/api/substation/substationsbydivision/{id}", tag = "substation", operation_id = "substationsByDivision", security(("bearer" = [])),
    params(("id" = i64, Path, description = "A division")),
    responses((status = 200, description = "Substations by name", body = Envelope<Vec<LocationRow>>))
)]
pub(crate) async fn handle(scoped: Scoped<Passed>) -> Result<Json<Envelope<Vec<LocationRow>>>, Error> {
    let Passed(division) = &scoped.target;
    if division.level != Level::Division {
        return Err(Error::NotFound);
    }
    Ok(Json(Envelope::ok(super::rows(&scoped.view, |node| node.path.contains(&division.id)))))
}
