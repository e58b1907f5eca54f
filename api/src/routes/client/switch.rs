//! POST /api/client/switch/{clientId}: moves the session of a super user to another utility.

use axum::Json;
use axum::extract::{Path, State};
use grid::ClientId;
use identity::{RequestOrigin, session};
use wire::people::Login;

use crate::error::Error;
use crate::extract::Caller;
use crate::state::Services;

/// The role that may switch.
const SUPER_USER: i32 = 1;

/// Ends the present session and starts one in the other utility, which lasts no longer than the present one would have. The caller then sees only that utility.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/client/switch/{clientId}", tag = "client", operation_id = "switchClient", security(("bearer" = [])),
    params(("clientId" = i64, Path, description = "A utility")),
    responses(
        (status = 200, description = "As for signing in; the answer has no envelope", body = Login),
        (status = 403, description = "The caller is not a super user", body = wire::envelope::Failure),
        (status = 404, description = "There is no such utility", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    Caller(principal): Caller,
    trail: RequestOrigin,
    Path(client): Path<String>,
) -> Result<Json<Login>, Error> {
    if principal.role_id != SUPER_USER || principal.demo {
        return Err(Error::Forbidden("only a super user may switch the utility"));
    }
    let client = client.parse().map(ClientId).map_err(|_| Error::NotFound)?;
    Ok(Json(session::switch(services.identity(), &principal, client, &trail.origin).await?))
}
