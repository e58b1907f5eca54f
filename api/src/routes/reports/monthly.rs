//! POST /api/reports/monthly: the monthly performance document.

use analysis::calendar::Calendar;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use identity::{RequestOrigin, View};
use reports::monthly::{KEY, file, month, title};
use reports::request::{Ids, areas};
use reports::valid_request::id_of;
use serde::Deserialize;
use serde_json::json;
use sheet::{Format, file_name};
use store::audit::Entry;

use crate::body::Body;
use crate::error::Error;
use crate::page::{PageAccess, ReportExport};
use crate::state::Services;

/// The month and the areas.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct MonthlyQuestion {
    /// `client`, `circle`, `division`, `town`, `subdivision`, `section`, `location` or `asset`.
    level: String,
    /// Nodes of that level: up to 10, of assets one.
    level_id: Ids,
    /// `YYYY-MM`, a month that has begun by the utility's clock.
    month: String,
}

/// Returns a PDF of A4 pages with charts and tables: reliability, energy, demand, faults, communication and health, compared with the month before and the year
/// before. Unknown figures are marked; a month without data has a file too. It is entered in the audit.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/reports/monthly", tag = "reports", operation_id = "monthlyReport", security(("bearer" = [])), request_body = MonthlyQuestion,
    responses(
        (status = 200, description = "The file, with its name in Content-Disposition", content_type = "application/pdf", body = Vec<u8>),
        (status = 400, description = "The input cannot be used; the message names what is wrong", body = wire::envelope::Failure),
        (status = 403, description = "The caller's role does not have the page", body = wire::envelope::Failure),
        (status = 404, description = "There is no such area", body = wire::envelope::Failure),
        (status = 429, description = "Too many long reads of the caller or of all wait; see Retry-After", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    view: View,
    _: PageAccess<ReportExport>,
    trail: RequestOrigin,
    Body(question): Body<MonthlyQuestion>,
) -> Result<Response, Error> {
    let calendar = Calendar::of(&view, Services::now());
    let places = areas(&view, &question.level, question.level_id)?;
    let month = month(&question.month, &calendar)?;
    let nodes: Vec<i64> = places.iter().map(|area| id_of(&view, *area)).collect();
    let pdf = file(services.reports(), &view, places, month).await?;
    let audit_value = json!({ "level": question.level.to_lowercase(), "nodes": nodes, "month": question.month.trim(), "bytes": pdf.len() });
    // The audit entry is written before the first byte is sent. If it fails, nothing is sent.
    services
        .store()
        .audit(&Entry::new(&trail.origin, "report_exported", format!("report {KEY}")).changing(None, Some(audit_value)))
        .await?;
    let name = file_name(&title(month), calendar.now, calendar.zone(), Format::Pdf);
    let headers = [
        (header::CONTENT_TYPE, Format::Pdf.media_type().to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    Ok((headers, pdf).into_response())
}
