//! GET and POST /api/member/logout/{memberId}: ends the session of the token. The id in the path must be the caller's own.

use axum::Json;
use axum::extract::{Path, State};
use identity::{RequestOrigin, session};
use wire::Envelope;

use crate::error::Error;
use crate::extract::Caller;
use crate::state::Services;

/// Signs out. Only the caller's own id is accepted.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/member/logout/{memberId}", tag = "member", operation_id = "signOut", security(("bearer" = [])),
    params(("memberId" = i64, Path, description = "The caller")),
    responses((status = 200, description = "Signed out", body = Envelope<String>))
))]
pub(crate) async fn get(
    State(services): State<Services>,
    caller: Caller,
    trail: RequestOrigin,
    Path(member): Path<String>,
) -> Result<Json<Envelope<String>>, Error> {
    end(&services, &caller, &trail, &member).await
}

/// The same as a POST, because browsers prefetch links.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/member/logout/{memberId}", tag = "member", operation_id = "signOutByPost", security(("bearer" = [])),
    params(("memberId" = i64, Path, description = "The caller")),
    responses((status = 200, description = "Signed out", body = Envelope<String>))
))]
pub(crate) async fn post(
    State(services): State<Services>,
    caller: Caller,
    trail: RequestOrigin,
    Path(member): Path<String>,
) -> Result<Json<Envelope<String>>, Error> {
    end(&services, &caller, &trail, &member).await
}

async fn end(
    services: &Services,
    Caller(principal): &Caller,
    trail: &RequestOrigin,
    member: &str,
) -> Result<Json<Envelope<String>>, Error> {
    if member.parse() != Ok(principal.member.0) {
        return Err(Error::Forbidden("you can only sign yourself out"));
    }
    session::end(services.identity(), principal, &trail.origin).await?;
    Ok(Json(Envelope::ok("Signed out".to_owned())))
}
