//! The cookies of this route, which identify the known device and the session of a browser.
//!
//! A browser keeps the refresh secret in a cookie that scripts cannot read, so that all its tabs share one session. That cookie is used only for requests with
//! the header `X-Switchyard-Session: cookie`. A page of another origin cannot send this header (OWASP ASVS 5.0, 3.5.1).

use axum::http::{HeaderMap, HeaderValue, header};
use identity::session;
use wire::people::Login;

use crate::error::Error;
use crate::state::Services;

/// The cookie that identifies a known browser. If a user has signed in on this browser, failed attempts on other devices do not delay the user there.
const DEVICE: &str = "switchyard-device";
const DEVICE_SECURE: &str = "__Secure-switchyard-device";
/// The cookie with the refresh secret of the browser's session.
const SESSION: &str = "switchyard-session";
const SESSION_SECURE: &str = "__Secure-switchyard-session";
/// Length of one secret in a cookie, characters.
const SECRET_LENGTH: usize = 64;
/// The header by which a browser requests the session cookie, and its value.
const HEADER: (&str, &str) = ("x-switchyard-session", "cookie");

/// Returns whether the client keeps its refresh secret in the session cookie.
pub(crate) fn keeps_session(headers: &HeaderMap) -> bool {
    headers.get(HEADER.0).is_some_and(|value| value == HEADER.1)
}

/// Returns the device secrets of the browser that have the right form.
pub(crate) fn devices(services: &Services, headers: &HeaderMap) -> Vec<String> {
    let name = if is_secure(services) { DEVICE_SECURE } else { DEVICE };
    secrets(headers, name).take(session::DEVICES_MAX).map(str::to_owned).collect()
}

/// Returns the refresh secret in the session cookie.
pub(crate) fn session_secret(services: &Services, headers: &HeaderMap) -> Option<String> {
    let name = if is_secure(services) { SESSION_SECURE } else { SESSION };
    secrets(headers, name).next().map(str::to_owned)
}

/// Returns the cookie with the device secrets.
pub(crate) fn device_cookie(services: &Services, devices: &[String]) -> Result<HeaderValue, Error> {
    let name = if is_secure(services) { DEVICE_SECURE } else { DEVICE };
    let seconds = services.identity().settings().lifetimes.device_ms / 1_000;
    cookie(services, &format!("{name}={}; Max-Age={seconds}", devices.join(".")))
}

/// Moves the refresh secret of an answer into the session cookie. The browser forgets the cookie when it is closed.
pub(crate) fn take_secret(services: &Services, login: &mut Login) -> Result<HeaderValue, Error> {
    let name = if is_secure(services) { SESSION_SECURE } else { SESSION };
    cookie(services, &format!("{name}={}", std::mem::take(&mut login.refresh)))
}

/// Whether browsers reach the portal over TLS. Then the names have a prefix that pages without TLS cannot set.
fn is_secure(services: &Services) -> bool {
    services.identity().settings().public_url.starts_with("https:")
}

/// Adds the attributes. Browsers send the cookie only to this route and never show it to scripts; with TLS they send it only over TLS.
fn cookie(services: &Services, content: &str) -> Result<HeaderValue, Error> {
    let secure = if is_secure(services) { "; Secure" } else { "" };
    let cookie = format!("{content}; Path=/api/token; HttpOnly; SameSite=Strict{secure}");
    HeaderValue::from_str(&cookie).map_err(|_| Error::Internal)
}

/// Returns the secrets of a cookie that have the right form.
fn secrets<'a>(headers: &'a HeaderMap, name: &'a str) -> impl Iterator<Item = &'a str> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(';'));
    let values = cookies.filter_map(move |cookie| cookie.trim().strip_prefix(name)?.strip_prefix('=')).flat_map(|value| value.split('.'));
    values.filter(|value| value.len() == SECRET_LENGTH && value.bytes().all(|byte| byte.is_ascii_hexdigit()))
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
            (format!("switchyard-devices={good}"), 0),
            (format!("switchyard-device={good}0"), 0),
            (format!("switchyard-device={}", good.replace('a', "'")), 0),
            (String::new(), 0),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::COOKIE, HeaderValue::from_str(&cookies).expect("a header"));
            assert_eq!(secrets(&headers, DEVICE).count(), found, "{cookies}");
        }
    }

    #[test]
    fn session_cookie_needs_its_header() {
        for (value, is_kept) in [(None, false), (Some("cookie"), true), (Some("1"), false)] {
            let mut headers = HeaderMap::new();
            headers.extend(value.map(|value| (header::HeaderName::from_static(HEADER.0), HeaderValue::from_static(value))));
            assert_eq!(keeps_session(&headers), is_kept, "{value:?}");
        }
    }
}
