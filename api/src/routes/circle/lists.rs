//! Lists of circles: by user, by client.

use wire::hierarchy::CircleRow;

use crate::extract::{OwnClient, OwnMember, Scoped};
use crate::hierarchy::{Answer, Question};

/// Returns the circles that the caller can see.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/circle/circlesbyuser/{id}", tag = "circle", operation_id = "circlesByUser", security(("bearer" = [])),
    params(("id" = i64, Path, description = "The caller")),
    responses((status = 200, description = "Circles by name", body = wire::Envelope<Vec<CircleRow>>))
))]
pub(crate) async fn by_user(scoped: Scoped<OwnMember>) -> Answer<CircleRow> {
    Question::from(scoped).nodes()
}

/// Returns the circles that the caller can see; the path has the utility.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/circle/circlesbyclient/{id}", tag = "circle", operation_id = "circlesByClient", security(("bearer" = [])),
    params(("id" = i64, Path, description = "The caller's utility")),
    responses((status = 200, description = "Circles by name", body = wire::Envelope<Vec<CircleRow>>))
))]
pub(crate) async fn by_client(scoped: Scoped<OwnClient>) -> Answer<CircleRow> {
    Question::from(scoped).nodes()
}
