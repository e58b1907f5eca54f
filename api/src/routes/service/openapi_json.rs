//! GET /api/openapi.json: the OpenAPI document.

use axum::http::header;
use axum::response::IntoResponse;

use crate::peer::LocalCaller;

/// Returns the OpenAPI 3.1 document; from this machine only.
#[cfg_attr(test, utoipa::path(get, path = "/api/openapi.json", tag = "service", operation_id = "openapi", responses((status = 200, description = "The document"))))]
pub(crate) async fn handle(_: LocalCaller) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json")], crate::openapi::document())
}
