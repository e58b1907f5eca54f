//! GET /api/division/divisionsbycircle/{id}.

use axum::Json;
use grid::Level;
use wire::Envelope;
use wire::people::DivisionRow;

use crate::error::Error;
use crate::extract::{Passed, Scoped};

/// The divisions of a circle that the caller may choose from.
#[utoipa::path(
    get, path = "/api/division/divisionsbycircle/{id}", tag = "division", operation_id = "divisionsByCircle", security(("bearer" = [])),
    params(("id" = i64, Path, description = "A circle")),
    responses((status = 200, description = "Divisions by name", body = Envelope<Vec<DivisionRow>>))
)]
pub(crate) async fn handle(scoped: Scoped<Passed>) -> Result<Json<Envelope<Vec<DivisionRow>>>, Error> {
    let Passed(circle) = &scoped.target;
    if circle.level != Level::Circle {
        return Err(Error::NotFound);
    }
    let divisions = scoped.view.nodes(Level::Division).filter(|division| division.parent == Some(circle.id));
    let mut rows: Vec<DivisionRow> = divisions
        .map(|division| DivisionRow { division_id: division.id.0, div_name: division.name.clone(), circle_id: circle.id.0 })
        .collect();
    rows.sort_by(|a, b| a.div_name.cmp(&b.div_name));
    Ok(Json(Envelope::ok(rows)))
}
