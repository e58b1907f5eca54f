//! POST /api/feedback.

use axum::Json;
use axum::extract::State;
use identity::throttle;
use wire::Envelope;
use wire::admin::NewFeedback;

use crate::body::Body;
use crate::error::Error;
use crate::extract::Caller;
use crate::state::Services;

const TEXT_MAX: usize = 2_000;
const PAGE_MAX: usize = 200;
/// Maximum number of remarks of one user per hour.
const PER_HOUR: i64 = 20;

/// Stores a remark for the super users, as plain text.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/feedback", tag = "feedback", operation_id = "sendFeedback", security(("bearer" = [])), request_body = NewFeedback,
    responses(
        (status = 200, description = "The remark is stored", body = Envelope<String>),
        (status = 400, description = "Too long or empty", body = wire::envelope::Failure),
        (status = 429, description = "More than twenty in an hour; see Retry-After", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    Caller(principal): Caller,
    Body(NewFeedback { text, page }): Body<NewFeedback>,
) -> Result<Json<Envelope<String>>, Error> {
    let (text, page) = (text.trim(), page.trim());
    if !(1..=TEXT_MAX).contains(&text.chars().count()) || text.contains('\0') {
        return Err(Error::BadRequest(format!("text must have 1 to {TEXT_MAX} characters, none of them NUL")));
    }
    if page.chars().count() > PAGE_MAX || page.contains('\0') {
        return Err(Error::BadRequest(format!("page may have {PAGE_MAX} characters, none of them NUL")));
    }
    throttle::hourly(services.store(), "feedback", principal.member, PER_HOUR).await?;
    services.store().put_feedback(principal.client, principal.member, page, text, Services::now()).await?;
    Ok(Json(Envelope::ok("Thank you. Your feedback has been kept.".to_owned())))
}
