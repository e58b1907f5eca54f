//! GET /api/appsconfig/division.

use identity::View;
use wire::hierarchy::DivisionRow;

use crate::hierarchy::{Answer, Question};

/// Returns the divisions that the caller can see.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/appsconfig/division", tag = "appsconfig", operation_id = "divisions", security(("bearer" = [])),
    responses((status = 200, description = "Divisions by name", body = wire::Envelope<Vec<DivisionRow>>))
))]
pub(crate) async fn handle(view: View) -> Answer<DivisionRow> {
    Question::from(view).nodes()
}
