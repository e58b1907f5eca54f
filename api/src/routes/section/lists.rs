//! Lists of sections: by user, by client, by subdivision.

use grid::Level;
use wire::hierarchy::SectionRow;

use crate::error::Error;
use crate::extract::{NamedNode, OwnClient, OwnMember, Scoped};
use crate::hierarchy::{Answer, Question};

/// Returns the sections that the caller can see.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/section/sectionsbyuser/{id}", tag = "section", operation_id = "sectionsByUser", security(("bearer" = [])),
    params(("id" = i64, Path, description = "The caller")),
    responses((status = 200, description = "Sections by name", body = wire::Envelope<Vec<SectionRow>>))
))]
pub(crate) async fn by_user(scoped: Scoped<OwnMember>) -> Answer<SectionRow> {
    Question::from(scoped).nodes()
}

/// Returns the sections that the caller can see; the path has the utility.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/section/sectionsbyclient/{id}", tag = "section", operation_id = "sectionsByClient", security(("bearer" = [])),
    params(("id" = i64, Path, description = "The caller's utility")),
    responses((status = 200, description = "Sections by name", body = wire::Envelope<Vec<SectionRow>>))
))]
pub(crate) async fn by_client(scoped: Scoped<OwnClient>) -> Answer<SectionRow> {
    Question::from(scoped).nodes()
}

/// Returns the sections of a subdivision that the caller can see.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/section/sectionsbysubdivision/{id}", tag = "section", operation_id = "sectionsBySubdivision", security(("bearer" = [])),
    params(("id" = i64, Path, description = "A subdivision")),
    responses((status = 200, description = "Sections by name", body = wire::Envelope<Vec<SectionRow>>))
))]
pub(crate) async fn by_subdivision(scoped: Scoped<NamedNode>) -> Result<Answer<SectionRow>, Error> {
    Ok(Question::below(scoped, Level::Subdivision)?.nodes())
}
