//! POST /api/client/switch/{clientId}: moves the session of a super user to another utility.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::AppendHeaders;
use grid::ClientId;
use identity::{RequestOrigin, session};
use wire::people::Login;

use crate::error::Error;
use crate::extract::Caller;
use crate::routes::token::cookies;
use crate::state::Services;

/// The role that may switch.
const SUPER_USER: i32 = 1;

/// Ends the present session and starts one in the other utility, which lasts no longer than the present one would have. The caller then sees only that utility.
/// With the header `X-Switchyard-Session: cookie`, the refresh secret is in the session cookie, as for signing in.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/client/switch/{clientId}", tag = "client", operation_id = "switchClient", security(("bearer" = [])),
    params(
        ("clientId" = i64, Path, description = "A utility"),
        ("X-Switchyard-Session" = Option<String>, Header, description = "`cookie`: keep the refresh secret in a cookie that scripts cannot read"),
    ),
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
    headers: HeaderMap,
    Path(client): Path<String>,
) -> Result<(AppendHeaders<Option<(HeaderName, HeaderValue)>>, Json<Login>), Error> {
    if principal.role_id != SUPER_USER || principal.demo {
        return Err(Error::Forbidden("only a super user may switch the utility"));
    }
    let client = client.parse().map(ClientId).map_err(|_| Error::NotFound)?;
    let mut login = session::switch(services.identity(), &principal, client, &trail.origin).await?;
    let cookie = cookies::keeps_session(&headers).then(|| cookies::take_secret(&services, &mut login)).transpose()?;
    Ok((AppendHeaders(cookie.map(|cookie| (header::SET_COOKIE, cookie))), Json(login)))
}
