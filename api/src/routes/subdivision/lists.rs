//! Lists of subdivisions: by user, by client, by town.

use grid::Level;
use wire::hierarchy::SubdivisionRow;

use crate::error::Error;
use crate::extract::{NamedNode, OwnClient, OwnMember, Scoped};
use crate::hierarchy::{Answer, Question};

/// Returns the subdivisions that the caller can see.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/subdivision/subdivisionsbyuser/{id}", tag = "subdivision", operation_id = "subdivisionsByUser", security(("bearer" = [])),
    params(("id" = i64, Path, description = "The caller")),
    responses((status = 200, description = "Subdivisions by name", body = wire::Envelope<Vec<SubdivisionRow>>))
))]
pub(crate) async fn by_user(scoped: Scoped<OwnMember>) -> Answer<SubdivisionRow> {
    Question::from(scoped).nodes()
}

/// Returns the subdivisions that the caller can see; the path has the utility.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/subdivision/subdivisionsbyclient/{id}", tag = "subdivision", operation_id = "subdivisionsByClient", security(("bearer" = [])),
    params(("id" = i64, Path, description = "The caller's utility")),
    responses((status = 200, description = "Subdivisions by name", body = wire::Envelope<Vec<SubdivisionRow>>))
))]
pub(crate) async fn by_client(scoped: Scoped<OwnClient>) -> Answer<SubdivisionRow> {
    Question::from(scoped).nodes()
}

/// Returns the subdivisions of a town that the caller can see.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/subdivision/subdivisionsbytown/{id}", tag = "subdivision", operation_id = "subdivisionsByTown", security(("bearer" = [])),
    params(("id" = i64, Path, description = "A town")),
    responses((status = 200, description = "Subdivisions by name", body = wire::Envelope<Vec<SubdivisionRow>>))
))]
pub(crate) async fn by_town(scoped: Scoped<NamedNode>) -> Result<Answer<SubdivisionRow>, Error> {
    Ok(Question::below(scoped, Level::Town)?.nodes())
}
