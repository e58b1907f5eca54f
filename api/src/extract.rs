//! Who calls, and what they ask about. A handler names these types, so that one without authorisation does not compile (trust.md S10).

use analysis::link_history::Under;
use auth::Principal;
use axum::extract::rejection::ExtensionRejection;
use axum::extract::{Extension, FromRequestParts, MatchedPath, RawPathParams, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use grid::{AssetId, Level, NodeId, Scope};
use identity::{Area, Region, View};
use store::registry::{AssetRecord, NodeRecord};
use wire::second_factor::Wanted;

use crate::audit;
use crate::error::Error;
use crate::peer::Peer;
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

impl FromRequestParts<Services> for View {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, services: &Services) -> Result<Self, Error> {
        let Caller(principal) = Caller::from_request_parts(parts, services).await?;
        let field = services.field(principal.client).await?;
        Ok(Self { principal, field })
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

impl Target for Area {
    fn find(view: &View, params: &RawPathParams) -> Option<Self> {
        Self::named(view, text(params, "type")?, id(params)?)
    }
}

impl Target for Region {
    fn find(view: &View, params: &RawPathParams) -> Option<Self> {
        Self::of(Area::find(view, params)?)
    }
}

impl Target for Under {
    fn find(view: &View, params: &RawPathParams) -> Option<Self> {
        let id = id(params)?;
        if id == 0 {
            return Some(Self(None));
        }
        view.field.node(NodeId(id)).filter(|node| view.sees(node)).cloned().map(|node| Self(Some(node)))
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
