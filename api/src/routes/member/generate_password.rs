//! GET /api/member/generatepwd/{handle}: the second step of a password reset. It only mails a link; it changes nothing, despite its name.

use axum::Json;
use axum::extract::{Path, State};
use identity::{RequestOrigin, reset};
use wire::Envelope;

use crate::error::Error;
use crate::state::Services;

const ON_ITS_WAY: &str = "If this address belongs to an account, a link to set a new password is on its way.";

/// Mails a link to the address of a handle. The answer is always the same.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/member/generatepwd/{handle}", tag = "member", operation_id = "generatePassword",
    params(("handle" = String, Path, description = "From memberbyemail; valid once, for ten minutes")),
    responses(
        (status = 200, description = "A message for the user", body = Envelope<String>),
        (status = 429, description = "Too many unknown handles; see Retry-After", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    trail: RequestOrigin,
    Path(handle): Path<String>,
) -> Result<Json<Envelope<String>>, Error> {
    reset::ask(services.identity(), &handle, trail).await?;
    Ok(Json(Envelope::ok(ON_ITS_WAY.to_owned()).with_message(ON_ITS_WAY)))
}
