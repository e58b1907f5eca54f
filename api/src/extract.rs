//! Extracts the caller and the subject of a request. Handlers take these types as parameters, so a handler without authorisation does not
//! compile (OWASP ASVS 5.0, 8.2.1).

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
use wire::second_factor::SecondFactorReason;

use crate::audit;
use crate::error::Error;
use crate::peer::ClientAddress;
use crate::state::Services;

/// The route that every signed-in user may call, whatever their role.
const SIGN_OUT: &str = "/api/member/logout/{memberId}";

/// The prefix of the further routes that a limited session may call.
const SECOND_FACTOR: &str = "/api/member/secondfactor";

/// A route whose handler enters its refusals in the audit, with more details.
const CREDENTIALS: &str = "/api/sld/validatecredentialsfordocontrol";

/// The header of a request that was sent by a timer and not by the user: with value `1`, the request does not prolong the session.
const BACKGROUND: &str = "x-switchyard-background";

/// Minimum time between two writes of the last use of a session.
const TOUCH_MS: i64 = 60_000;

/// The layer around every route that needs a session: authenticates the caller before anything else happens.
pub(crate) async fn authenticate(State(services): State<Services>, route: MatchedPath, request: Request, next: Next) -> Response {
    let (principal, is_limited) = match principal(&services, request.headers()).await {
        Ok(found) => found,
        Err(error) => return error.into_response(),
    };
    let (mut parts, body) = request.into_parts();
    let from = match ClientAddress::from_request_parts(&mut parts, &services).await {
        Ok(ClientAddress(from)) => from,
        Err(error) => return error.into_response(),
    };
    let origin = audit::origin(from, &parts.extensions, Some(&principal));
    // In a limited session, the caller has no role.
    let may_enter = principal.has_role() || route.as_str() == SIGN_OUT || is_limited && route.as_str().starts_with(SECOND_FACTOR);
    parts.extensions.insert(principal);
    let response = if may_enter {
        next.run(Request::from_parts(parts, body)).await
    } else if is_limited {
        return Error::wants(StatusCode::FORBIDDEN, SecondFactorReason::SecondFactorSetup).into_response();
    } else {
        Error::Forbidden("your role has no rights here").into_response()
    };
    if response.status() == StatusCode::FORBIDDEN && route.as_str() != CREDENTIALS {
        audit::refused(&services, &origin, &route).await;
    }
    response
}

/// Returns the caller, and whether the session only permits setting up a second factor.
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

/// Returns the token of the `Authorization` header, which must occur once.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let token = auth::bearer(values.next()?.as_bytes());
    // A proxy and this server could use different ones of two headers.
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

/// The item that a path identifies, if the caller may see it.
#[derive(Debug, Clone)]
pub(crate) struct Scoped<T> {
    /// The caller's view.
    pub view: View,
    /// The item.
    pub target: T,
}

/// Finds an item among those that the caller may see. `None` is answered as "not found", whether the item exists or not.
pub(crate) trait Target: Sized {
    /// Finds the item by the parameters of the path.
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

/// `{id}` is a node whose name the caller may see. Suitable for lists of nodes below it, not for data.
#[derive(Debug, Clone)]
pub(crate) struct NamedNode(pub NodeRecord);

impl Target for NamedNode {
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
        word.eq_ignore_ascii_case(node.level.as_str()).then_some(Self(Scope::Node(node.id)))
    }
}
