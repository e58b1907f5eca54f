//! POST /api/member/setpassword: the last step of a password reset, by the link of a mail.

use axum::Json;
use axum::extract::State;
use identity::{RequestOrigin, reset};
use wire::Envelope;
use wire::admin::SetPassword;

use crate::body::Body;
use crate::error::Error;
use crate::state::Services;

/// Sets the password. The link works once; a refused password does not use it. All sessions of the user end.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/member/setpassword", tag = "member", operation_id = "setPassword", request_body = SetPassword,
    responses(
        (status = 200, description = "The password is set", body = Envelope<String>),
        (status = 400, description = "The password is refused; the message says why", body = wire::envelope::Failure),
        (status = 403, description = "The link is no longer valid", body = wire::envelope::Failure),
        (status = 429, description = "Too many unknown links; see Retry-After", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    trail: RequestOrigin,
    Body(SetPassword { token, password }): Body<SetPassword>,
) -> Result<Json<Envelope<String>>, Error> {
    reset::set(services.identity(), &token, &password, trail).await?;
    Ok(Json(Envelope::ok("The password has been set. You can sign in with it.".to_owned())))
}
