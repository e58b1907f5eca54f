//! POST /api/admin/cablehealth/import/{kind} and GET /api/admin/cablehealth/template/{kind}: cables, their condition and faults, and plant from files.

#![allow(unused_qualifications, reason = "the path macro repeats the type of the query")]

use analysis::calendar::Calendar;
use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use identity::{RequestOrigin, View};
use serde::Deserialize;
use serde_json::json;
use store::cable::{CableFileKind, Imported};
use wire::Envelope;
use wire::cable_health::{ChangedColumn, HealthImported, ImportFault};

use crate::error::Error;
use crate::page::{Administration, Writes};
use crate::routes::admin::Administrator;
use crate::state::Services;

/// Limit of a file, bytes.
pub(crate) const BODY_MAX_BYTES: usize = 5 * 1024 * 1024;

/// The parameters of an import.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub(crate) struct How {
    /// Validates only, and returns errors or the changes that would be stored.
    #[serde(default, rename = "dryRun")]
    dry_run: bool,
}

/// Imports a file, completely or not at all. A row replaces the stored row with its key, except for columns that the file does not have.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/admin/cablehealth/import/{kind}", tag = "admin", operation_id = "importCableHealth", security(("bearer" = [])),
    params(("kind" = String, Path, description = "register, condition, faults or plant"), How),
    request_body(content = String, content_type = "text/csv", description = "Up to 5 MiB and 20,000 rows below the names of the columns"),
    responses(
        (status = 200, description = "The changes; for a dry run also the errors", body = Envelope<HealthImported>),
        (status = 400, description = "The file has errors and nothing is stored; `result` is the same as for a dry run", body = wire::envelope::Failure),
        (status = 403, description = "The caller has no permission", body = wire::envelope::Failure),
        (status = 404, description = "There is no such kind", body = wire::envelope::Failure),
        (status = 413, description = "The file is too large", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn import(
    State(services): State<Services>,
    Administrator(principal): Administrator,
    _: Writes<Administration>,
    trail: RequestOrigin,
    Path(kind): Path<String>,
    Query(how): Query<How>,
    csv: Bytes,
) -> Result<Json<Envelope<HealthImported>>, Error> {
    let kind = CableFileKind::parse(&kind).ok_or(Error::NotFound)?;
    let view = View { field: services.field(principal.client).await?, principal };
    let today = Calendar::of(&view, Services::now()).today().to_string();
    let imported = services.store().import_cable_health(view.principal.client, (kind, &csv), &today, how.dry_run, &trail.origin).await?;
    let answer = to_answer(kind, how.dry_run, imported);
    match answer.faults.first() {
        Some(first) if !how.dry_run => {
            let at = if first.column.is_empty() { String::new() } else { format!(", column {}", first.column) };
            let message = format!("nothing is stored: line {}{at}: {}", first.line, first.what);
            Err(Error::Operate { status: StatusCode::BAD_REQUEST, message, details: json!(answer) })
        }
        _ => Ok(Json(Envelope::ok(answer))),
    }
}

/// Returns a file without rows that explains each column.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/admin/cablehealth/template/{kind}", tag = "admin", operation_id = "cableHealthTemplate", security(("bearer" = [])),
    params(("kind" = String, Path, description = "register, condition, faults or plant")),
    responses(
        (status = 200, description = "Comment lines, and the column names", body = String, content_type = "text/csv"),
        (status = 403, description = "The caller has no permission", body = wire::envelope::Failure),
        (status = 404, description = "There is no such kind", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn template(_: Administrator, Path(kind): Path<String>) -> Result<impl IntoResponse, Error> {
    let kind = CableFileKind::parse(&kind).ok_or(Error::NotFound)?;
    let name = format!("attachment; filename=\"cable-health-{}.csv\"", kind.as_str());
    Ok(([(header::CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()), (header::CONTENT_DISPOSITION, name)], kind.template()))
}

fn to_answer(kind: CableFileKind, dry_run: bool, imported: Imported) -> HealthImported {
    let Imported { rows, added, changed, same, columns, faults, faults_total } = imported;
    let faults = faults.into_iter().map(|fault| ImportFault { line: fault.line, column: fault.column, what: fault.what });
    let columns = columns.into_iter().map(|(column, rows)| ChangedColumn { column: column.to_owned(), rows });
    HealthImported {
        kind: kind.as_str().to_owned(),
        dry_run,
        rows,
        added,
        changed,
        same,
        columns: columns.collect(),
        faults: faults.collect(),
        faults_total,
    }
}
