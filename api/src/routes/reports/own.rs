//! POST /api/reports/show and /api/reports/download: any report, by its key.

#![allow(unused_qualifications, reason = "the path macro repeats the type of the query")]

use axum::Json;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use identity::{RequestOrigin, View};
use reports::download::file;
use reports::request::ReportQuestion;
use reports::show::{Shown, shown};
use serde::Deserialize;
use sheet::Format;
use wire::Envelope;

use crate::body::Body;
use crate::error::Error;
use crate::file_answer::file_answer;
use crate::heavy::Slot;
use crate::page::{PageAccess, ReportExport};
use crate::state::Services;

/// The kind of file.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub(crate) struct FileQuery {
    /// `pdf` (default), `xlsx`, `xls` or `csv`.
    format: Option<String>,
}

/// Returns the first 5000 rows of a report, and whether there are more.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/reports/show", tag = "reports", operation_id = "showReport", security(("bearer" = [])), request_body = ReportQuestion,
    responses(
        (status = 200, description = "Columns and rows", body = Envelope<Shown>),
        (status = 400, description = "The input cannot be used; the message names what is wrong", body = wire::envelope::Failure),
        (status = 403, description = "The caller's role does not have the page", body = wire::envelope::Failure),
        (status = 404, description = "There is no such area", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn show(
    State(services): State<Services>,
    view: View,
    _: PageAccess<ReportExport>,
    Body(question): Body<ReportQuestion>,
) -> Result<Json<Envelope<Shown>>, Error> {
    let definition = question.definition()?;
    let request = question.check(definition, services.reports(), &view).await?;
    let kept_since = request.kept_since;
    Ok(Json(Envelope::ok(shown(definition, request).await?).kept_since(kept_since)))
}

/// Returns a report as a file, with at most as many rows as the settings allow; a file that is cut says so. It is entered in the audit.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/reports/download", tag = "reports", operation_id = "downloadReport", security(("bearer" = [])), params(FileQuery),
    request_body = ReportQuestion,
    responses(
        (status = 200, description = "The file, with its name in Content-Disposition", content_type = "application/octet-stream", body = Vec<u8>),
        (status = 204, description = "There are no rows"),
        (status = 400, description = "The input cannot be used; the message names what is wrong", body = wire::envelope::Failure),
        (status = 403, description = "The caller's role does not have the page", body = wire::envelope::Failure),
        (status = 404, description = "There is no such area", body = wire::envelope::Failure),
        (status = 429, description = "Too many long reads of the caller or of all wait; see Retry-After", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn download(
    State(services): State<Services>,
    view: View,
    _: PageAccess<ReportExport>,
    trail: RequestOrigin,
    Slot(slot): Slot,
    Query(kind): Query<FileQuery>,
    Body(question): Body<ReportQuestion>,
) -> Result<Response, Error> {
    let format = kind.format.map_or(Ok(Format::default()), |text| text.parse()).map_err(Error::BadRequest)?;
    let definition = question.definition()?;
    let request = question.check(definition, services.reports(), &view).await?;
    let file = file(definition, request, format, trail.origin, slot).await?;
    Ok(file.map_or_else(|| StatusCode::NO_CONTENT.into_response(), file_answer))
}
