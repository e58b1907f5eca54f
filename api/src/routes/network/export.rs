//! GET /api/network/version/{number}/export/{format}: a version as a file for another tool.

use std::fmt::Write as _;

use axum::extract::{Path, State};
use axum::http::{HeaderName, header};
use axum::response::{IntoResponse, Response};
use network::Description;
use network_files::{Exported, Note, Positions, pandapower, power_grid_model};
use serde_json::json;

use super::check::{computed, description};
use crate::error::Error;
use crate::routes::admin::Administrator;
use crate::state::Services;

/// The header with what the file leaves out or changes.
const NOTES: &str = "x-switchyard-notes";

/// Limit of that header, bytes. Proxies accept 4 KiB and more for all headers of an answer.
const NOTES_BYTES_MAX: usize = 2_500;

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
    responses(
        (
            status = 200, description = "The file", body = String, content_type = "application/json",
            headers(("X-Switchyard-Notes" = String, description = "JSON: a list of what the file leaves out or changes, each with place and reason"))
        ),
        (status = 422, description = "Equipment of the version has no place in the file; the message names it", body = wire::envelope::Failure),
    )
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
    let exported = computed(move || exported(&description, format)).await??;
    let name = format!("attachment; filename=\"network-{number}.json\"");
    let headers = [
        (HeaderName::from_static(NOTES), listed(&exported.notes)),
        (header::CONTENT_TYPE, "application/json".to_owned()),
        (header::CONTENT_DISPOSITION, name),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    Ok((headers, exported.text).into_response())
}

/// Returns notes as JSON in ASCII, as headers require. The list is cut at a limit that proxies accept, and says so.
fn listed(notes: &[Note]) -> String {
    let mut list = Vec::new();
    let mut length = 0;
    for (at, Note { place, reason, .. }) in notes.iter().enumerate() {
        let note = ascii(&json!({ "place": place, "reason": reason }).to_string());
        length += note.len() + 1;
        if length > NOTES_BYTES_MAX {
            let rest = format!("{} more notes: `switchyard network export` prints them", notes.len() - at);
            list.push(json!({ "place": "", "reason": rest }).to_string());
            break;
        }
        list.push(note);
    }
    format!("[{}]", list.join(","))
}

/// Writes letters beyond ASCII in a JSON text as escapes.
fn ascii(json: &str) -> String {
    json.chars().fold(String::with_capacity(json.len()), |mut text, letter| {
        if letter.is_ascii() && !letter.is_ascii_control() {
            text.push(letter);
        } else {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                let _ = write!(text, "\\u{unit:04x}");
            }
        }
        text
    })
}

fn exported(description: &Description, format: Format) -> Result<Exported, Error> {
    let positions = Positions::normal(description);
    let exported = match format {
        Format::Pandapower => pandapower::export(description, &positions),
        Format::Pgm => power_grid_model::export(description, &positions),
        Format::Json => return Ok(Exported { text: serde_json::to_string(description).map_err(|_| Error::Internal)?, notes: Vec::new() }),
    };
    exported.map_err(|refused| Error::Impossible(format!("the version cannot be exported. {refused}")))
}
