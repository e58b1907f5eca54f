//! Who calls, and what they ask about. A handler names these types, so that one without authorisation does not compile (trust.md S10).

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use auth::Principal;
use axum::extract::rejection::ExtensionRejection;
use axum::extract::{ConnectInfo, Extension, FromRequestParts, MatchedPath, RawPathParams, Request, State};
use axum::http::request::Parts;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, StatusCode, Version, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use grid::{AssetId, Level, Micros, NodeId, Scope};
use registry::Field;
use std::net::{IpAddr, SocketAddr};
use store::registry::{AssetRecord, NodeRecord};
use wire::second_factor::Wanted;

use crate::audit;
use crate::error::Error;
use crate::state::Services;

/// What is open to everybody who has signed in, whatever their role.
const SIGN_OUT: &str = "/api/member/logout/{memberId}";

/// What else a limited session is good for.
const SECOND_FACTOR: &str = "/api/member/secondfactor";

/// Enters its refusals into the audit itself, because it knows more about them.
const CREDENTIALS: &str = "/api/sld/validatecredentialsfordocontrol";

/// With `1`, a call that a timer makes and nobody asked for: it does not keep a session from ending that nobody uses.
const BACKGROUND: &str = "x-switchyard-background";

/// A session is marked as used at most this often.
const TOUCH_MS: i64 = 60_000;

/// Layered around every route that is not on the short open list: finds out who calls before anything else happens.
pub(crate) async fn authenticate(State(services): State<Services>, route: MatchedPath, request: Request, next: Next) -> Response {
    let (principal, is_limited) = match principal(&services, request.headers()).await {
        Ok(found) => found,
        Err(error) => return error.into_response(),
    };
    let (mut parts, body) = request.into_parts();
    let from = match Peer::from_request_parts(&mut parts, &services).await {
        Ok(Peer(from)) => from,
        Err(error) => return error.into_response(),
    };
    let origin = audit::origin(from, &parts.extensions, Some(&principal));
    // In a limited session nobody has a role.
    let may_enter = principal.has_role() || route.as_str() == SIGN_OUT || is_limited && route.as_str().starts_with(SECOND_FACTOR);
    parts.extensions.insert(principal);
    let response = if may_enter {
        next.run(Request::from_parts(parts, body)).await
    } else if is_limited {
        return Error::wants(StatusCode::FORBIDDEN, Wanted::SecondFactorSetup).into_response();
    } else {
        Error::Forbidden("your role has no rights here").into_response()
    };
    if response.status() == StatusCode::FORBIDDEN && route.as_str() != CREDENTIALS {
        audit::refused(&services, &origin, &route).await;
    }
    response
}

/// Who calls, and whether the session is good for setting up a second factor alone.
async fn principal(services: &Services, headers: &HeaderMap) -> Result<(Principal, bool), Error> {
    let token = bearer(headers).ok_or(Error::Unauthorised)?;
    let hash = auth::hash_token(token);
    let now = Services::now();
    let session = services.store().session_by_access(&hash, now).await?.ok_or(Error::Unauthorised)?;
    let by_a_timer = headers.get(BACKGROUND).is_some_and(|value| value == "1");
    if !by_a_timer && now.millis_since(session.last_seen) > TOUCH_MS {
        services.store().touch_session(session.id, now).await?;
    }
    Ok((principal_of(&session), session.limited))
}

/// The token of the one `Authorization` header.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let token = auth::bearer(values.next()?.as_bytes());
    // Two headers could be read differently here and in a proxy.
    token.filter(|_| values.next().is_none())
}

fn principal_of(session: &store::people::SessionRecord) -> Principal {
    let member = &session.member;
    Principal {
        session: session.id,
        member: member.id,
        client: member.client,
        role_id: member.role_id,
        node: member.node,
        can_operate: member.can_operate,
        demo: member.demo,
    }
}

/// The signed-in caller.
#[derive(Debug, Clone)]
pub(crate) struct Caller(pub Principal);

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Error> {
        let found: Result<Extension<Principal>, ExtensionRejection> = Extension::from_request_parts(parts, state).await;
        found.map(|Extension(principal)| Self(principal)).map_err(|_| Error::Unauthorised)
    }
}

/// The caller's utility through the caller's eyes.
#[derive(Debug, Clone)]
pub(crate) struct View {
    /// Who looks.
    pub principal: Principal,
    /// The utility's field; not all of it need be visible.
    pub field: Arc<Field>,
}

impl FromRequestParts<Services> for View {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, services: &Services) -> Result<Self, Error> {
        let Caller(principal) = Caller::from_request_parts(parts, services).await?;
        let field = services.field(principal.client).await?;
        Ok(Self { principal, field })
    }
}

impl View {
    /// Whether the data of a node may be seen.
    pub(crate) fn sees(&self, node: &NodeRecord) -> bool {
        self.principal.may_see(node.client, &node.path)
    }

    /// Whether a node may be named on the way to what may be seen: it lies below the caller's own node, or above it.
    pub(crate) fn may_pass(&self, node: &NodeRecord) -> bool {
        let own = self.principal.node.and_then(|id| self.field.node(id));
        self.sees(node) || own.is_some_and(|own| own.path.contains(&node.id))
    }

    /// Nodes of a level that may be named.
    pub(crate) fn nodes(&self, level: Level) -> impl Iterator<Item = &NodeRecord> {
        self.field.nodes().iter().filter(move |node| node.level == level && self.may_pass(node))
    }
}

/// Something that a path names by its parameters, and that the caller may see.
#[derive(Debug, Clone)]
pub(crate) struct Scoped<T> {
    /// The caller's view.
    pub view: View,
    /// What is asked about.
    pub target: T,
}

/// How a target is found among what the caller may see. `None` is "not found", whether it exists or not.
pub(crate) trait Target: Sized {
    /// Looks it up.
    fn find(view: &View, params: &RawPathParams) -> Option<Self>;
}

impl<T: Target> FromRequestParts<Services> for Scoped<T> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, services: &Services) -> Result<Self, Error> {
        let view = View::from_request_parts(parts, services).await?;
        let params = RawPathParams::from_request_parts(parts, services).await.map_err(|_| Error::NotFound)?;
        let target = T::find(&view, &params).ok_or(Error::NotFound)?;
        Ok(Self { view, target })
    }
}

fn id(params: &RawPathParams) -> Option<i64> {
    text(params, "id")?.parse().ok()
}

fn text<'a>(params: &'a RawPathParams, name: &str) -> Option<&'a str> {
    params.iter().find(|(key, _)| *key == name).map(|(_, value)| value)
}

fn seen_node(view: &View, params: &RawPathParams) -> Option<NodeRecord> {
    view.field.node(NodeId(id(params)?)).filter(|node| view.sees(node)).cloned()
}

fn seen_asset(view: &View, params: &RawPathParams) -> Option<AssetRecord> {
    let asset = view.field.asset(AssetId(id(params)?))?;
    let location = view.field.node(asset.location)?;
    view.sees(location).then(|| asset.clone())
}

/// `{id}` is the caller's own utility.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OwnClient;

impl Target for OwnClient {
    fn find(view: &View, params: &RawPathParams) -> Option<Self> {
        (id(params)? == view.principal.client.0).then_some(Self)
    }
}

/// `{id}` is the caller.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OwnMember;

impl Target for OwnMember {
    fn find(view: &View, params: &RawPathParams) -> Option<Self> {
        (id(params)? == view.principal.member.0).then_some(Self)
    }
}

/// `{id}` is a node on the way to what the caller may see: good for lists of what hangs below it, not for data.
#[derive(Debug, Clone)]
pub(crate) struct Passed(pub NodeRecord);

impl Target for Passed {
    fn find(view: &View, params: &RawPathParams) -> Option<Self> {
        view.field.node(NodeId(id(params)?)).filter(|node| view.may_pass(node)).cloned().map(Self)
    }
}

/// `{id}` is a node of any level.
#[derive(Debug, Clone)]
pub(crate) struct Node(pub NodeRecord);

impl Target for Node {
    fn find(view: &View, params: &RawPathParams) -> Option<Self> {
        seen_node(view, params).map(Self)
    }
}

/// `{id}` is a substation.
#[derive(Debug, Clone)]
pub(crate) struct Location(pub NodeRecord);

impl Target for Location {
    fn find(view: &View, params: &RawPathParams) -> Option<Self> {
        seen_node(view, params).filter(|node| node.level == Level::Substation).map(Self)
    }
}

/// `{id}` is an asset.
#[derive(Debug, Clone)]
pub(crate) struct Asset(pub AssetRecord);

impl Target for Asset {
    fn find(view: &View, params: &RawPathParams) -> Option<Self> {
        seen_asset(view, params).map(Self)
    }
}

/// `{type}/{id}` is a node of the level that `type` names, or an asset.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Subject(pub Scope);

impl Target for Subject {
    fn find(view: &View, params: &RawPathParams) -> Option<Self> {
        let word = text(params, "type")?;
        if word.eq_ignore_ascii_case("asset") {
            return seen_asset(view, params).map(|asset| Self(Scope::Asset(asset.id)));
        }
        let node = seen_node(view, params)?;
        word.eq_ignore_ascii_case(node.level.word()).then_some(Self(Scope::Node(node.id)))
    }
}

/// Where the call comes from. Forwarded-for headers are believed of the proxies in the settings alone: anybody else can write them (trust.md S7).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub IpAddr);

impl FromRequestParts<Services> for Peer {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, services: &Services) -> Result<Self, Error> {
        let ConnectInfo(peer) = *parts.extensions.get::<ConnectInfo<SocketAddr>>().ok_or(Error::Internal)?;
        let proxies = &services.0.deps.proxies;
        if parts.headers.contains_key(auth::FORWARDED_FOR) && !auth::is_proxy(peer.ip(), proxies) && UNLISTED.is_due(Services::now()) {
            let peer = peer.ip().to_canonical();
            tracing::warn!(%peer, "X-Forwarded-For comes from an address that is not in http.proxies: it is not believed, all behind it count as one");
        }
        let forwarded = parts.headers.get_all(auth::FORWARDED_FOR).iter().filter_map(|value| value.to_str().ok());
        Ok(Self(auth::caller(peer.ip(), forwarded, proxies)))
    }
}

/// Warnings of proxies that nobody has named.
static UNLISTED: OnceAMinute = OnceAMinute::new();

/// Keeps what strangers can cause from filling the log.
struct OnceAMinute(AtomicI64);

impl OnceAMinute {
    const fn new() -> Self {
        Self(AtomicI64::new(i64::MIN))
    }

    /// Whether it is time again; then not before a minute has gone by.
    fn is_due(&self, now: Micros) -> bool {
        let last = self.0.load(Ordering::Relaxed);
        let is_due = now.0.saturating_sub(last) >= 60_000_000;
        is_due && self.0.compare_exchange(last, now.0, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }
}

/// The call comes from this machine itself, not through a proxy on it: such a one says so in a header, keeps the name that the browser asked for, or speaks
/// HTTP/1.0 as nginx does unless told otherwise. Others are told that there is nothing (trust.md S29).
#[derive(Debug, Clone, Copy)]
pub(crate) struct ThisMachine;

impl<S: Send + Sync> FromRequestParts<S> for ThisMachine {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Error> {
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>().ok_or(Error::Internal)?.ip();
        let forwarded = ["forwarded", auth::FORWARDED_FOR, "x-real-ip", "via"].iter().any(|name| parts.headers.contains_key(*name));
        let is_direct = !forwarded && parts.version > Version::HTTP_10 && names_this_machine(parts);
        if peer.to_canonical().is_loopback() && is_direct { Ok(Self) } else { Err(Error::NotFound) }
    }
}

/// Whether a call asks for this machine by its own name or address.
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
        let told = OnceAMinute::new();
        let due: Vec<bool> = [0, 1, 59, 60, 61, 119, 120].map(|second| told.is_due(Micros(second * 1_000_000))).into();
        assert_eq!(due, [true, false, false, true, false, false, true]);
    }
}
