//! GET /api/feedback.

use axum::Json;
use axum::extract::State;
use wire::Envelope;
use wire::admin::FeedbackRow;
use wire::time::iso;

use crate::error::Error;
use crate::extract::Caller;
use crate::state::Services;

/// The role that may read feedback.
const SUPER_USER: i32 = 1;
const ROWS_MAX: i64 = 500;

/// Returns the newest five hundred remarks of all utilities, newest first; for role 1.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/feedback", tag = "feedback", operation_id = "feedback", security(("bearer" = [])),
    responses(
        (status = 200, description = "Remarks", body = Envelope<Vec<FeedbackRow>>),
        (status = 403, description = "The caller is not a super user", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn handle(State(services): State<Services>, Caller(principal): Caller) -> Result<Json<Envelope<Vec<FeedbackRow>>>, Error> {
    if principal.role_id != SUPER_USER || principal.demo {
        return Err(Error::Forbidden("only a super user may read the feedback"));
    }
    let records = services.store().feedback(ROWS_MAX).await?;
    let rows = records.into_iter().map(|record| FeedbackRow {
        id: record.id,
        at: iso(record.at),
        member: record.username,
        client: record.client,
        page: record.page,
        text: record.text,
    });
    Ok(Json(Envelope::ok(rows.collect())))
}
