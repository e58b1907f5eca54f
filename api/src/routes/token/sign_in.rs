//! POST /api/token: signs in with user name and password, or renews a session with the refresh secret of the previous answer.

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::AppendHeaders;
use axum::{Form, Json};
use identity::RequestOrigin;
use identity::session::{self, Credentials};
use url::Url;
use wire::people::{Login, TokenRequest};

use crate::error::Error;
use crate::state::Services;

/// Maximum length of the input, bytes. Longer input is refused before it is hashed.
const INPUT_MAX_BYTES: usize = 256;
/// The message for a request that another site has started.
const FOREIGN: &str = "Sign in from the portal itself";
/// The cookie that identifies a known browser. A user who has signed in on it is not delayed by attempts of others to guess the password.
const DEVICE: &str = "switchyard-device";
const DEVICE_SECURE: &str = "__Secure-switchyard-device";
/// Length of one secret in the cookie, characters.
const DEVICE_LENGTH: usize = 64;

type Answer = (AppendHeaders<Option<(header::HeaderName, HeaderValue)>>, Json<Login>);

/// Signs in, or renews a session with `ref`. A user with a second factor sends its code or a recovery code as `otp`; without it the answer is 401. The refresh
/// secret works once; a second use ends the session, unless the same browser repeats the request within a minute. A sign-in sets the cookie `switchyard-device`
/// (`__Secure-switchyard-device` with TLS). A request from another site is refused.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/token", tag = "token", operation_id = "signIn",
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
    if let Some(secret) = refresh.filter(|secret| !secret.is_empty()) {
        let login = session::renew(services.identity(), &secret, &devices(&headers, name(&services)), trail).await?;
        return Ok((AppendHeaders(None), Json(login)));
    }
    for (text, message) in [(username.trim(), "Please enter username"), (&password, "Please enter password")] {
        if text.is_empty() {
            return Err(Error::BadRequest(message.to_owned()));
        }
    }
    let credentials = Credentials { username: &username, password: &password, otp: otp.as_deref() };
    let begun = session::sign_in(services.identity(), credentials, devices(&headers, name(&services)), trail).await?;
    let cookie = cookie(&services, &begun.devices)?;
    Ok((AppendHeaders(Some((header::SET_COOKIE, cookie))), Json(begun.login)))
}

/// Returns whether the browser reports that another site started the request. Its cookie would replace the user's own (OWASP ASVS 5.0,
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

/// Returns the name of the cookie. With TLS it has a prefix that pages without TLS cannot set.
fn name(services: &Services) -> &'static str {
    if services.identity().settings().public_url.starts_with("https:") { DEVICE_SECURE } else { DEVICE }
}

/// Returns the secrets of the browser that have the right form.
fn devices(headers: &HeaderMap, name: &str) -> Vec<String> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(';'));
    let values = cookies.filter_map(|cookie| cookie.trim().strip_prefix(name)?.strip_prefix('=')).flat_map(|value| value.split('.'));
    let good = values.filter(|value| value.len() == DEVICE_LENGTH && value.bytes().all(|byte| byte.is_ascii_hexdigit()));
    good.take(session::DEVICES_MAX).map(str::to_owned).collect()
}

/// Returns the cookie. Browsers send it only to this route and never show it to scripts; with TLS they send it only over TLS.
fn cookie(services: &Services, devices: &[String]) -> Result<HeaderValue, Error> {
    let name = name(services);
    let seconds = services.identity().settings().lifetimes.device_ms / 1_000;
    let secure = if name == DEVICE_SECURE { "; Secure" } else { "" };
    let value = devices.join(".");
    let cookie = format!("{name}={value}; Max-Age={seconds}; Path=/api/token; HttpOnly; SameSite=Strict{secure}");
    HeaderValue::from_str(&cookie).map_err(|_| Error::Internal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_secret_of_our_form_is_taken_from_the_cookies() {
        let good = "0123456789abcdef".repeat(4);
        for (cookies, found) in [
            (format!("a=b; switchyard-device={good}; c=d"), 1),
            (format!("switchyard-device={good}"), 1),
            (format!("switchyard-device={good}.{good}.x"), 2),
            (format!("switchyard-device={}", [good.as_str(); 9].join(".")), 8),
            (format!("switchyard-devices={good}"), 0),
            (format!("switchyard-device={good}0"), 0),
            (format!("switchyard-device={}", good.replace('a', "'")), 0),
            (String::new(), 0),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::COOKIE, HeaderValue::from_str(&cookies).expect("a header"));
            assert_eq!(devices(&headers, DEVICE).len(), found, "{cookies}");
        }
    }

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
