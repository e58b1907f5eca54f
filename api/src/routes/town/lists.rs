//! Lists of towns: by user, by client, by division.

use grid::Level;
use wire::hierarchy::TownRow;

use crate::error::Error;
use crate::extract::{NamedNode, OwnClient, OwnMember, Scoped};
use crate::hierarchy::{Answer, Question};

/// Returns the towns that the caller can see.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/town/townsbyuser/{id}", tag = "town", operation_id = "townsByUser", security(("bearer" = [])),
    params(("id" = i64, Path, description = "The caller")),
    responses((status = 200, description = "Towns by name", body = wire::Envelope<Vec<TownRow>>))
))]
pub(crate) async fn by_user(scoped: Scoped<OwnMember>) -> Answer<TownRow> {
    Question::from(scoped).nodes()
}

/// Returns the towns that the caller can see; the path has the utility.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/town/townsbyclient/{id}", tag = "town", operation_id = "townsByClient", security(("bearer" = [])),
    params(("id" = i64, Path, description = "The caller's utility")),
    responses((status = 200, description = "Towns by name", body = wire::Envelope<Vec<TownRow>>))
))]
pub(crate) async fn by_client(scoped: Scoped<OwnClient>) -> Answer<TownRow> {
    Question::from(scoped).nodes()
}

/// Returns the towns of a division that the caller can see.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/town/townsbydivision/{id}", tag = "town", operation_id = "townsByDivision", security(("bearer" = [])),
    params(("id" = i64, Path, description = "A division")),
    responses((status = 200, description = "Towns by name", body = wire::Envelope<Vec<TownRow>>))
))]
pub(crate) async fn by_division(scoped: Scoped<NamedNode>) -> Result<Answer<TownRow>, Error> {
    Ok(Question::below(scoped, Level::Division)?.nodes())
}
