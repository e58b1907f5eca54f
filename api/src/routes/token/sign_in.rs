//! POST /api/token: by user name and password, or by the refresh secret of the last answer.

use axum::extract::State;
use axum::{Form, Json};
use wire::envelope::Failure;
use wire::people::{Login, TokenRequest};

use crate::error::Error;
use crate::extract::Peer;
use crate::session;
use crate::state::Services;

/// Longer input is refused before it is hashed.
const INPUT_MAX_BYTES: usize = 256;

/// Signs in, or renews with `ref`. The refresh secret works once; using it again ends the session.
#[utoipa::path(
    post, path = "/api/token", tag = "token", operation_id = "signIn",
    request_body(content = TokenRequest, content_type = "application/x-www-form-urlencoded"),
    responses(
        (status = 200, description = "Signed in; not wrapped in the envelope", body = Login),
        (status = 403, description = "Refused", body = Failure),
        (status = 429, description = "Too many failures; see Retry-After", body = Failure),
    )
)]
pub(crate) async fn handle(
    State(services): State<Services>,
    Peer(from): Peer,
    Form(request): Form<TokenRequest>,
) -> Result<Json<Login>, Error> {
    let TokenRequest { username, password, refresh, .. } = request;
    let given = [username.as_str(), &password, refresh.as_deref().unwrap_or_default()];
    if given.iter().any(|text| text.len() > INPUT_MAX_BYTES) {
        return Err(Error::BadRequest(format!("username, password and ref may have {INPUT_MAX_BYTES} bytes")));
    }
    match refresh.filter(|secret| !secret.is_empty()) {
        Some(secret) => session::renew(&services, &secret).await.map(Json),
        None => session::begin(&services, &username, &password, from).await.map(Json),
    }
}
