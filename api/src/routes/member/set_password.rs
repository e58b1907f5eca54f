//! POST /api/member/setpassword: the last step to a new password, by the link of a mail.

use axum::Json;
use axum::extract::State;
use identity::{Trail, reset};
use wire::Envelope;
use wire::admin::SetPassword;

use crate::body::Body;
use crate::error::Error;
use crate::state::Services;

/// Sets the password. The link works once; a password that cannot be taken does not use it up. All sessions of the person end.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/member/setpassword", tag = "member", operation_id = "setPassword", request_body = SetPassword,
    responses(
        (status = 200, description = "Set", body = Envelope<String>),
        (status = 400, description = "The password cannot be taken; the message says why", body = wire::envelope::Failure),
        (status = 403, description = "The link is not good any more", body = wire::envelope::Failure),
        (status = 429, description = "Too many links that are none; see Retry-After", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    trail: Trail,
    Body(SetPassword { token, password }): Body<SetPassword>,
) -> Result<Json<Envelope<String>>, Error> {
    reset::set(services.identity(), &token, &password, trail).await?;
    Ok(Json(Envelope::ok("The password has been set. You can sign in with it.".to_owned())))
}
