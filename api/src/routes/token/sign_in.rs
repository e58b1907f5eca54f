//! POST /api/token: by user name and password, or by the refresh secret of the last answer.

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::AppendHeaders;
use axum::{Form, Json};
use wire::envelope::Failure;
use wire::people::{Login, TokenRequest};

use crate::audit::Trail;
use crate::error::Error;
use crate::session;
use crate::state::Services;

/// Longer input is refused before it is hashed.
const INPUT_MAX_BYTES: usize = 256;
/// The cookie by which a browser is known again: a person who has signed in on it is not slowed down by others who guess their password.
const DEVICE: &str = "switchyard-device";
/// Characters of its value.
const DEVICE_LENGTH: usize = 64;

type Answer = (AppendHeaders<Option<(header::HeaderName, HeaderValue)>>, Json<Login>);

/// Signs in, or renews with `ref`. The refresh secret works once; using it again ends the session. A sign-in sets the cookie `switchyard-device`.
#[utoipa::path(
    post, path = "/api/token", tag = "token", operation_id = "signIn",
    request_body(content = TokenRequest, content_type = "application/x-www-form-urlencoded"),
    responses(
        (status = 200, description = "Signed in; not wrapped in the envelope", body = Login),
        (status = 400, description = "Something is missing or too long", body = Failure),
        (status = 403, description = "Refused", body = Failure),
        (status = 429, description = "Too many failures; see Retry-After", body = Failure),
    )
)]
pub(crate) async fn handle(
    State(services): State<Services>,
    trail: Trail,
    headers: HeaderMap,
    Form(request): Form<TokenRequest>,
) -> Result<Answer, Error> {
    let TokenRequest { username, password, refresh, .. } = request;
    let given = [username.as_str(), &password, refresh.as_deref().unwrap_or_default()];
    if given.iter().any(|text| text.len() > INPUT_MAX_BYTES) {
        return Err(Error::BadRequest(format!("username, password and ref may have {INPUT_MAX_BYTES} bytes")));
    }
    if given.iter().any(|text| text.contains('\0')) {
        return Err(Error::BadRequest("username, password and ref may not hold NUL".to_owned()));
    }
    if let Some(secret) = refresh.filter(|secret| !secret.is_empty()) {
        let login = session::renew(&services, &secret, trail).await?;
        return Ok((AppendHeaders(None), Json(login)));
    }
    for (text, message) in [(username.trim(), "Please enter username"), (&password, "Please enter password")] {
        if text.is_empty() {
            return Err(Error::BadRequest(message.to_owned()));
        }
    }
    let begun = session::begin(&services, &username, &password, device(&headers), trail).await?;
    let cookie = cookie(&services, &begun.device)?;
    Ok((AppendHeaders(Some((header::SET_COOKIE, cookie))), Json(begun.login)))
}

/// The secret of the browser, if it has one of our form.
fn device(headers: &HeaderMap) -> Option<String> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(';'));
    let values = cookies.filter_map(|cookie| cookie.trim().strip_prefix(DEVICE)?.strip_prefix('='));
    values.map(str::to_owned).find(|value| value.len() == DEVICE_LENGTH && value.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Sent back to this call alone, never to scripts, and where the portal speaks TLS only there.
fn cookie(services: &Services, device: &str) -> Result<HeaderValue, Error> {
    let deps = &services.0.deps;
    let seconds = deps.lifetimes.device_ms / 1_000;
    let secure = if deps.public_url.starts_with("https:") { "; Secure" } else { "" };
    let cookie = format!("{DEVICE}={device}; Max-Age={seconds}; Path=/api/token; HttpOnly; SameSite=Strict{secure}");
    HeaderValue::from_str(&cookie).map_err(|_| Error::Internal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_secret_of_our_form_is_taken_from_the_cookies() {
        let good = "0123456789abcdef".repeat(4);
        for (cookies, found) in [
            (format!("a=b; switchyard-device={good}; c=d"), true),
            (format!("switchyard-device={good}"), true),
            (format!("switchyard-devices={good}"), false),
            (format!("switchyard-device={good}0"), false),
            (format!("switchyard-device={}", good.replace('a', "'")), false),
            (String::new(), false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::COOKIE, HeaderValue::from_str(&cookies).expect("a header"));
            assert_eq!(device(&headers).is_some(), found, "{cookies}");
        }
    }
}
