//! GET /api/network/version/{number}/export/{format}: a version as a file for another tool.

use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use network_files::{Positions, pandapower, power_grid_model};

use super::check::{computed, description};
use crate::error::Error;
use crate::routes::admin::Administrator;
use crate::state::Services;

/// A format of files.
#[derive(Debug, Clone, Copy)]
enum Format {
    Pandapower,
    Pgm,
    Json,
}

/// Returns a version as a file, in the normal state of its switches; for roles 1 and 2.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/network/version/{number}/export/{format}", tag = "network", operation_id = "exportNetwork", security(("bearer" = [])),
    params(
        ("number" = i32, Path, description = "The number of the version"),
        ("format" = String, Path, description = "`pandapower`, `pgm` for power-grid-model, or `json` for everything that is stored")
    ),
    responses((status = 200, description = "The file", body = String, content_type = "application/json"))
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    Administrator(principal): Administrator,
    Path((number, format)): Path<(i32, String)>,
) -> Result<Response, Error> {
    let format = match format.as_str() {
        "pandapower" => Format::Pandapower,
        "pgm" => Format::Pgm,
        "json" => Format::Json,
        _ => return Err(Error::NotFound),
    };
    let description = description(&services, principal.client, number).await?;
    let text = computed(move || match format {
        Format::Pandapower => Ok(pandapower::export(&description, &Positions::normal(&description)).text),
        Format::Pgm => Ok(power_grid_model::export(&description, &Positions::normal(&description)).text),
        Format::Json => serde_json::to_string(&description),
    });
    let text = text.await?.map_err(|error| {
        tracing::error!("{error}");
        Error::Internal
    })?;
    let name = format!("attachment; filename=\"network-{number}.json\"");
    let headers = [
        (header::CONTENT_TYPE, "application/json".to_owned()),
        (header::CONTENT_DISPOSITION, name),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    Ok((headers, text).into_response())
}
