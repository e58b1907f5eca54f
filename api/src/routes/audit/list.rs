//! GET /api/audit: the actions of users in the caller's utility.

#![allow(unused_qualifications, reason = "the path macro repeats the type of the query")]

use axum::Json;
use axum::extract::{Query, State};
use serde::Deserialize;
use store::audit::AuditRecord;
use wire::Envelope;
use wire::admin::AuditRow;
use wire::time::iso;

use crate::error::Error;
use crate::routes::admin::Administrator;
use crate::state::Services;

const LIMIT_DEFAULT: i64 = 200;
const LIMIT_MAX: i64 = 1_000;

/// The page of the list.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub(crate) struct Page {
    /// Maximum of rows; default 200, at most 1000.
    limit: Option<i64>,
    /// `seq` of the last row of the previous page: returns older rows.
    before: Option<i64>,
}

/// Returns the audit of the caller's utility, newest first; for roles 1 and 2.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/audit", tag = "audit", operation_id = "audit", security(("bearer" = [])), params(Page),
    responses(
        (status = 200, description = "Rows", body = Envelope<Vec<AuditRow>>),
        (status = 403, description = "The caller is no administrator", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    Administrator(principal): Administrator,
    Query(page): Query<Page>,
) -> Result<Json<Envelope<Vec<AuditRow>>>, Error> {
    let limit = page.limit.unwrap_or(LIMIT_DEFAULT);
    if !(1..=LIMIT_MAX).contains(&limit) {
        return Err(Error::BadRequest(format!("limit must lie between 1 and {LIMIT_MAX}")));
    }
    let rows = services.store().audit_rows(principal.client, page.before, limit).await?;
    Ok(Json(Envelope::ok(rows.into_iter().map(row).collect())))
}

fn row(record: AuditRecord) -> AuditRow {
    AuditRow {
        seq: record.seq,
        at: iso(record.at),
        actor_id: record.actor.map(|actor| actor.0),
        actor: record.username,
        action: record.action,
        subject: record.subject,
        before: record.before,
        after: record.after,
        from: record.from,
        correlation_id: record.correlation,
    }
}
