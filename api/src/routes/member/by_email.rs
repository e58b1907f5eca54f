//! GET /api/member/memberbyemail/{email}: the first step of a password reset.

use axum::Json;
use axum::extract::{Path, State};
use identity::reset;
use wire::Envelope;
use wire::admin::ResetHandle;

use crate::error::Error;
use crate::peer::ClientAddress;
use crate::state::Services;

/// Returns a handle for an e-mail address. Every address gets one, so the answer does not show whether it is known.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/member/memberbyemail/{email}", tag = "member", operation_id = "memberByEmail",
    params(("email" = String, Path, description = "An e-mail address")),
    responses(
        (status = 200, description = "The handle", body = Envelope<ResetHandle>),
        (status = 429, description = "More than ten in an hour; see Retry-After", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    ClientAddress(from): ClientAddress,
    Path(email): Path<String>,
) -> Result<Json<Envelope<ResetHandle>>, Error> {
    Ok(Json(Envelope::ok(ResetHandle { id: reset::handle_for(services.identity(), &email, from).await? })))
}
