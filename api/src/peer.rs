//! The address of the client, and whether the request comes from this machine.

use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicI64, Ordering};

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::request::Parts;
use axum::http::uri::Authority;
use axum::http::{Version, header};
use grid::Micros;

use crate::error::Error;
use crate::state::Services;

/// The address of the client. Forwarded-for headers are used only from the proxies in the settings, because any client can write them
/// (OWASP ASVS 5.0, 4.1.3).
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClientAddress(pub IpAddr);

impl FromRequestParts<Services> for ClientAddress {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, services: &Services) -> Result<Self, Error> {
        let ConnectInfo(peer) = *parts.extensions.get::<ConnectInfo<SocketAddr>>().ok_or(Error::Internal)?;
        let proxies = &services.0.deps.proxies;
        if parts.headers.contains_key(auth::FORWARDED_FOR) && !auth::is_proxy(peer.ip(), proxies) && UNLISTED.is_due(Services::now()) {
            let peer = peer.ip().to_canonical();
            tracing::warn!(%peer, "X-Forwarded-For from an address that is not in http.proxies is ignored: all users behind it count as one address. Add the proxy.");
        }
        let forwarded = parts.headers.get_all(auth::FORWARDED_FOR).iter().filter_map(|value| value.to_str().ok());
        Ok(Self(auth::caller(peer.ip(), forwarded, proxies)))
    }
}

/// Limits warnings about proxies that are not configured.
static UNLISTED: OnceAMinute = OnceAMinute::new();

/// Limits a log message to once a minute, so that clients cannot fill the log.
struct OnceAMinute(AtomicI64);

impl OnceAMinute {
    const fn new() -> Self {
        Self(AtomicI64::new(i64::MIN))
    }

    /// Returns whether a message may be logged now. If so, the next call that returns true is at least a minute later.
    fn is_due(&self, now: Micros) -> bool {
        let last = self.0.load(Ordering::Relaxed);
        let is_due = now.0.saturating_sub(last) >= 60_000_000;
        is_due && self.0.compare_exchange(last, now.0, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }
}

/// The request comes from this machine and not through a proxy on it. A request through a proxy is recognised by a forwarding header, by the host name that the
/// browser used, or by HTTP/1.0, which is the default of nginx. Other clients get "not found" (OWASP ASVS 5.0, 13.4.5).
#[derive(Debug, Clone, Copy)]
pub(crate) struct LocalCaller;

impl<S: Send + Sync> FromRequestParts<S> for LocalCaller {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Error> {
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>().ok_or(Error::Internal)?.ip();
        let forwarded = ["forwarded", auth::FORWARDED_FOR, "x-real-ip", "via"].iter().any(|name| parts.headers.contains_key(*name));
        let is_direct = !forwarded && parts.version > Version::HTTP_10 && names_this_machine(parts);
        if peer.to_canonical().is_loopback() && is_direct { Ok(Self) } else { Err(Error::NotFound) }
    }
}

/// Returns whether the host of a request is a name or address of this machine.
fn names_this_machine(parts: &Parts) -> bool {
    let mut hosts = parts.headers.get_all(header::HOST).iter();
    let named = match (hosts.next(), hosts.next()) {
        (Some(host), None) => host.to_str().ok().and_then(|host| host.parse::<Authority>().ok()),
        (None, None) => parts.uri.authority().cloned(),
        _ => None,
    };
    named.is_some_and(|named| {
        let host = named.host().trim_start_matches('[').trim_end_matches(']');
        host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_strangers_cause_is_told_once_a_minute() {
        let limiter = OnceAMinute::new();
        let due: Vec<bool> = [0, 1, 59, 60, 61, 119, 120].map(|second| limiter.is_due(Micros(second * 1_000_000))).into();
        assert_eq!(due, [true, false, false, true, false, false, true]);
    }
}
