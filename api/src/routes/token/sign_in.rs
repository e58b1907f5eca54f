//! POST /api/token: signs in with user name and password, or renews a session with the refresh secret of the previous answer.

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::AppendHeaders;
use axum::{Form, Json};
use identity::RequestOrigin;
use identity::session::{self, Credentials, SecretHolder};
use url::Url;
use wire::people::{Login, TokenRequest};

use super::cookies;
use crate::error::Error;
use crate::state::Services;

/// Maximum length of the input, bytes. Longer input is refused before it is hashed.
const INPUT_MAX_BYTES: usize = 256;
/// The message for a request that another site has started.
const FOREIGN: &str = "Sign in from the portal itself";
/// The message for a browser without a session cookie.
const NO_SESSION: &str = "Your session has ended, sign in again";

type Answer = (AppendHeaders<Vec<(header::HeaderName, HeaderValue)>>, Json<Login>);

/// Signs in, or renews a session with `ref`. A user with a second factor sends its code or a recovery code as `otp`; without it the answer is 401. The refresh
/// secret works once; a second use ends the session, unless the same browser repeats the request within a minute. A sign-in sets the cookie `switchyard-device`
/// (`__Secure-switchyard-device` with TLS). A request from another site is refused.
///
/// With the header `X-Switchyard-Session: cookie`, `ref` of the answer is empty and the refresh secret is in the cookie `switchyard-session`
/// (`__Secure-switchyard-session` with TLS), which all tabs of a browser share. A renewal with this header needs no `ref`. Its secret works once, too; but tabs
/// that renew at the same time all get tokens, and the previous access token stays valid for a minute. A sign-in with this header ends the session of the
/// browser's cookie.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/token", tag = "token", operation_id = "signIn",
    params(("X-Switchyard-Session" = Option<String>, Header, description = "`cookie`: keep the refresh secret in a cookie that scripts cannot read")),
    request_body(content = TokenRequest, content_type = "application/x-www-form-urlencoded"),
    responses(
        (status = 200, description = "Signed in; the answer has no envelope", body = Login),
        (status = 400, description = "Something is missing or too long", body = wire::envelope::Failure),
        (status = 401, description = "The password is correct and a code is required, or the code is wrong; `result` says which", body = wire::envelope::Failure),
        (status = 403, description = "Refused", body = wire::envelope::Failure),
        (status = 429, description = "Too many failures; see Retry-After", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    trail: RequestOrigin,
    headers: HeaderMap,
    Form(request): Form<TokenRequest>,
) -> Result<Answer, Error> {
    if is_foreign(&headers, &services.identity().settings().public_url) {
        return Err(Error::Forbidden(FOREIGN));
    }
    let TokenRequest { username, password, otp, refresh, .. } = request;
    let given = [username.as_str(), &password, otp.as_deref().unwrap_or_default(), refresh.as_deref().unwrap_or_default()];
    if given.iter().any(|text| text.len() > INPUT_MAX_BYTES) {
        return Err(Error::BadRequest(format!("username, password, otp and ref may have {INPUT_MAX_BYTES} bytes")));
    }
    if given.iter().any(|text| text.contains('\0')) {
        return Err(Error::BadRequest("username, password, otp and ref may not hold NUL".to_owned()));
    }
    let keeps_session = cookies::keeps_session(&headers);
    let held = if keeps_session { cookies::session_secret(&services, &headers) } else { None };
    let devices = cookies::devices(&services, &headers);
    if let Some(secret) = refresh.filter(|secret| !secret.is_empty()) {
        let login = session::renew(services.identity(), &secret, &devices, SecretHolder::Program, trail).await?;
        return Ok((AppendHeaders(Vec::new()), Json(login)));
    }
    if keeps_session && username.is_empty() && password.is_empty() {
        // A browser without a cookie is not a guess, so it is not counted.
        let secret = held.ok_or(Error::Forbidden(NO_SESSION))?;
        let mut login = session::renew(services.identity(), &secret, &devices, SecretHolder::Browser, trail).await?;
        let cookie = cookies::take_secret(&services, &mut login)?;
        return Ok((AppendHeaders(vec![(header::SET_COOKIE, cookie)]), Json(login)));
    }
    for (text, message) in [(username.trim(), "Please enter username"), (&password, "Please enter password")] {
        if text.is_empty() {
            return Err(Error::BadRequest(message.to_owned()));
        }
    }
    let credentials = Credentials { username: &username, password: &password, otp: otp.as_deref() };
    let new_session = session::sign_in(services.identity(), credentials, devices, trail.clone()).await?;
    let mut set = vec![(header::SET_COOKIE, cookies::device_cookie(&services, &new_session.devices)?)];
    let mut login = new_session.login;
    if keeps_session {
        if let Some(former) = held {
            session::end_former(services.identity(), &former, &trail.origin).await?;
        }
        set.push((header::SET_COOKIE, cookies::take_secret(&services, &mut login)?));
    }
    Ok((AppendHeaders(set), Json(login)))
}

/// Returns whether the browser reports that another site started the request. The cookie of such a sign-in would replace the user's own cookie (OWASP ASVS 5.0,
/// 3.5.1).
fn is_foreign(headers: &HeaderMap, public_url: &str) -> bool {
    if let Some(site) = headers.get("sec-fetch-site") {
        return site != "same-origin" && site != "none";
    }
    let Some(origin) = headers.get(header::ORIGIN) else { return false };
    let own = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let named = origin.to_str().ok().and_then(|origin| origin.split_once("://")).map(|(_, authority)| authority);
    let is_public = Url::parse(public_url).is_ok_and(|url| *origin == url.origin().ascii_serialization());
    !is_public && (named.is_none() || named != own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_portal_itself_may_have_a_browser_sign_in() {
        for (site, origin, foreign) in [
            (None, None, false),
            (Some("same-origin"), Some("https://portal.example"), false),
            (Some("none"), None, false),
            (Some("cross-site"), Some("https://portal.example"), true),
            (Some("same-site"), Some("https://other.example"), true),
            (None, Some("https://portal.example"), false),
            (None, Some("http://10.0.0.7:8080"), false),
            (None, Some("https://evil.example"), true),
            (None, Some("null"), true),
        ] {
            let mut headers = HeaderMap::from_iter([(header::HOST, HeaderValue::from_static("10.0.0.7:8080"))]);
            headers.extend(site.map(|site| (header::HeaderName::from_static("sec-fetch-site"), HeaderValue::from_static(site))));
            headers.extend(origin.map(|origin| (header::ORIGIN, HeaderValue::from_static(origin))));
            assert_eq!(is_foreign(&headers, "https://portal.example/"), foreign, "{site:?} {origin:?}");
        }
    }
}
