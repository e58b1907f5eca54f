//! Lists of substations: by user, by client, by section, by division.

use grid::Level;
use wire::hierarchy::LocationRow;

use crate::error::Error;
use crate::extract::{NamedNode, OwnClient, OwnMember, Scoped};
use crate::hierarchy::{Answer, Question};

/// Returns the substations that the caller can see.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/substation/substationsbyuser/{id}", tag = "substation", operation_id = "substationsByUser", security(("bearer" = [])),
    params(("id" = i64, Path, description = "The caller")),
    responses((status = 200, description = "Substations by name", body = wire::Envelope<Vec<LocationRow>>))
))]
pub(crate) async fn by_user(scoped: Scoped<OwnMember>) -> Answer<LocationRow> {
    Question::from(scoped).nodes()
}

/// Returns the substations that the caller can see; the path has the utility.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/substation/substationsbyclient/{id}", tag = "substation", operation_id = "substationsByClient", security(("bearer" = [])),
    params(("id" = i64, Path, description = "The caller's utility")),
    responses((status = 200, description = "Substations by name", body = wire::Envelope<Vec<LocationRow>>))
))]
pub(crate) async fn by_client(scoped: Scoped<OwnClient>) -> Answer<LocationRow> {
    Question::from(scoped).nodes()
}

/// Returns the substations of a section that the caller can see.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/substation/substationsbysection/{id}", tag = "substation", operation_id = "substationsBySection", security(("bearer" = [])),
    params(("id" = i64, Path, description = "A section")),
    responses((status = 200, description = "Substations by name", body = wire::Envelope<Vec<LocationRow>>))
))]
pub(crate) async fn by_section(scoped: Scoped<NamedNode>) -> Result<Answer<LocationRow>, Error> {
    Ok(Question::below(scoped, Level::Section)?.nodes())
}

/// Returns the substations of a division that the caller can see.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/substation/substationsbydivision/{id}", tag = "substation", operation_id = "substationsByDivision", security(("bearer" = [])),
    params(("id" = i64, Path, description = "A division")),
    responses((status = 200, description = "Substations by name", body = wire::Envelope<Vec<LocationRow>>))
))]
pub(crate) async fn by_division(scoped: Scoped<NamedNode>) -> Result<Answer<LocationRow>, Error> {
    Ok(Question::below(scoped, Level::Division)?.nodes())
}
