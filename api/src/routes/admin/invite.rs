//! POST /api/admin/members/{id}/invite: mails a member a link to set a password.

use axum::Json;
use axum::extract::{Path, State};
use grid::MemberId;
use identity::{RequestOrigin, reset, throttle};
use wire::Envelope;

use crate::error::Error;
use crate::page::{Administration, Writes};
use crate::routes::admin::{Administrator, draft};
use crate::state::Services;

/// Maximum number of invitations to one member per hour.
const PER_HOUR: i64 = 3;

/// Mails the link to set a password, which works once: within a day for a first password, otherwise within ten minutes. Nothing changes until it is used.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/admin/members/{id}/invite", tag = "admin", operation_id = "inviteMember", security(("bearer" = [])),
    params(("id" = i64, Path, description = "A member of the caller's utility")),
    responses(
        (status = 200, description = "The mail will be sent", body = Envelope<String>),
        (status = 400, description = "The member is not allowed to sign in", body = wire::envelope::Failure),
        (status = 403, description = "The caller has no permission", body = wire::envelope::Failure),
        (status = 404, description = "There is no such member", body = wire::envelope::Failure),
        (status = 429, description = "More than three in an hour; see Retry-After", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    Administrator(principal): Administrator,
    _: Writes<Administration>,
    trail: RequestOrigin,
    Path(id): Path<String>,
) -> Result<Json<Envelope<String>>, Error> {
    let id = id.parse().map(MemberId).map_err(|_| Error::NotFound)?;
    let member = services.store().member(principal.client, id).await?.ok_or(Error::NotFound)?;
    draft::appoints(&principal, member.role_id)?;
    throttle::hourly(services.store(), "invitation", id, PER_HOUR).await?;
    let email = reset::invite(services.identity(), id, &trail.origin).await?;
    let email = email.ok_or_else(|| Error::BadRequest("signing in is refused to this member: enable them first".to_owned()))?;
    Ok(Json(Envelope::ok(format!("A link to set a password is on its way to {email}"))))
}
