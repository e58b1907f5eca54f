//! Lists of divisions: by user, by client, by circle.

use grid::Level;
use wire::hierarchy::DivisionRow;

use crate::error::Error;
use crate::extract::{NamedNode, OwnClient, OwnMember, Scoped};
use crate::hierarchy::{Answer, Question};

/// Returns the divisions that the caller can see.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/division/divisionsbyuser/{id}", tag = "division", operation_id = "divisionsByUser", security(("bearer" = [])),
    params(("id" = i64, Path, description = "The caller")),
    responses((status = 200, description = "Divisions by name", body = wire::Envelope<Vec<DivisionRow>>))
))]
pub(crate) async fn by_user(scoped: Scoped<OwnMember>) -> Answer<DivisionRow> {
    Question::from(scoped).nodes()
}

/// Returns the divisions that the caller can see; the path has the utility.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/division/divisionsbyclient/{id}", tag = "division", operation_id = "divisionsByClient", security(("bearer" = [])),
    params(("id" = i64, Path, description = "The caller's utility")),
    responses((status = 200, description = "Divisions by name", body = wire::Envelope<Vec<DivisionRow>>))
))]
pub(crate) async fn by_client(scoped: Scoped<OwnClient>) -> Answer<DivisionRow> {
    Question::from(scoped).nodes()
}

/// Returns the divisions of a circle that the caller can see.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/division/divisionsbycircle/{id}", tag = "division", operation_id = "divisionsByCircle", security(("bearer" = [])),
    params(("id" = i64, Path, description = "A circle")),
    responses((status = 200, description = "Divisions by name", body = wire::Envelope<Vec<DivisionRow>>))
))]
pub(crate) async fn by_circle(scoped: Scoped<NamedNode>) -> Result<Answer<DivisionRow>, Error> {
    Ok(Question::below(scoped, Level::Circle)?.nodes())
}
