//! GET /api/circle/circlesbyuser/{id}.

use axum::Json;
use grid::Level;
use wire::Envelope;
use wire::people::CircleRow;

use crate::extract::{OwnMember, Scoped};

/// The circles that the caller may choose from.
#[utoipa::path(
    get, path = "/api/circle/circlesbyuser/{id}", tag = "circle", operation_id = "circlesByUser", security(("bearer" = [])),
    params(("id" = i64, Path, description = "The caller")),
    responses((status = 200, description = "Circles by name", body = Envelope<Vec<CircleRow>>))
)]
pub(crate) async fn handle(scoped: Scoped<OwnMember>) -> Json<Envelope<Vec<CircleRow>>> {
    let mut rows: Vec<CircleRow> =
        scoped.view.nodes(Level::Circle).map(|circle| CircleRow { circle_id: circle.id.0, circle_name: circle.name.clone() }).collect();
    rows.sort_by(|a, b| a.circle_name.cmp(&b.circle_name));
    Json(Envelope::ok(rows))
}
