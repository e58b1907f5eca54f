//! DELETE /api/admin/members/{id}/secondfactor: for a member who has lost both the device and the recovery codes.

use axum::Json;
use axum::extract::{Path, State};
use grid::MemberId;
use identity::{RequestOrigin, second_factor};
use wire::Envelope;

use crate::error::Error;
use crate::page::{Administration, Writes};
use crate::routes::admin::{Administrator, draft};
use crate::state::Services;

/// Removes the second factor of another member, who is notified. The password alone is then enough to sign in, until a new one is set up.
#[cfg_attr(test, utoipa::path(
    delete, path = "/api/admin/members/{id}/secondfactor", tag = "admin", operation_id = "removeSecondFactorOfMember", security(("bearer" = [])),
    params(("id" = i64, Path, description = "A member of the caller's utility")),
    responses(
        (status = 200, description = "Removed", body = Envelope<String>),
        (status = 400, description = "The member has no second factor", body = wire::envelope::Failure),
        (status = 403, description = "The caller has no permission", body = wire::envelope::Failure),
        (status = 404, description = "There is no such member", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn remove(
    State(services): State<Services>,
    Administrator(principal): Administrator,
    _: Writes<Administration>,
    trail: RequestOrigin,
    Path(id): Path<String>,
) -> Result<Json<Envelope<String>>, Error> {
    let id = id.parse().map(MemberId).map_err(|_| Error::NotFound)?;
    let member = services.store().member(principal.client, id).await?.ok_or(Error::NotFound)?;
    draft::appoints(&principal, member.role_id)?;
    if id == principal.member {
        return Err(Error::Forbidden("your own is removed with your password"));
    }
    if !services.store().remove_second_factor((principal.client, id), &trail.origin).await? {
        return Err(Error::BadRequest("this member has no second factor".to_owned()));
    }
    services.0.deps.mail.post(second_factor::removed_by("An administrator", &member));
    Ok(Json(Envelope::ok("Removed".to_owned())))
}
