//! POST /api/tags.

use axum::Json;
use axum::extract::State;
use grid::control::interlock::Class;
use grid::control::tag::{TagKind, TagScope};
use grid::{AssetId, Level, Micros, NodeId, Point};
use identity::{RequestOrigin, View};
use store::control::NewTag as Draft;
use wire::Envelope;
use wire::control::{NewTag, TagRow};

use crate::body::Body;
use crate::error::Error;
use crate::page::{Diagram, Writes};
use crate::state::Services;

/// The longest lifetime of a tag with an end: one year, min.
const MINUTES_MAX: i64 = 366 * 24 * 60;
/// The message for an inhibit on a device with a published command.
const UNDER_WAY: &str = "The tag hangs. A command that was given before is on its way to the device and is not called back.";

/// Places a tag on a switch, a bay or a substation; for users with permission to operate. An inhibit blocks all users, also its holder, until it is removed.
/// It needs a switch that it can block: its own, one of its bay, or, for equipment of the network, those that could energise it. It cancels selections; the message says if a command was already published.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/tags", tag = "tags", operation_id = "placeTag", security(("bearer" = [])), request_body = NewTag,
    responses(
        (status = 200, description = "The tag", body = Envelope<TagRow>),
        (status = 400, description = "The input cannot be used; the message names what is wrong", body = wire::envelope::Failure),
        (status = 403, description = "The caller has no permission, or another desk holds the area", body = wire::envelope::Failure),
        (status = 404, description = "There is no such asset or substation", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    view: View,
    _: Writes<Diagram>,
    trail: RequestOrigin,
    Body(NewTag { asset_id, location_id, kind, reason, expires_at, for_minutes }): Body<NewTag>,
) -> Result<Json<Envelope<TagRow>>, Error> {
    let bad = |message: &str| Error::BadRequest(message.to_owned());
    let place = place(&view, asset_id, location_id)?;
    if !view.principal.can_operate {
        return Err(Error::Forbidden("You need permission to operate to place a tag."));
    }
    let kind = TagKind::parse(&kind).ok_or_else(|| bad("kind must be caution or inhibit"))?;
    let reason = super::reason(&reason).ok_or_else(|| bad("reason must have 1 to 200 characters without control characters"))?;
    if kind == TagKind::Inhibit && (expires_at.is_some() || for_minutes.is_some()) {
        return Err(bad("an inhibit has no end: it blocks until it is removed; leave out expiresAt and forMinutes"));
    }
    if kind == TagKind::Inhibit && !place.has_switch {
        return Err(bad("an inhibit blocks switches, and there is none; place a caution"));
    }
    let expires = expires_at.map(Micros::from_millis);
    if expires.is_some_and(|expires| expires <= Services::now()) {
        return Err(bad("expiresAt must lie ahead"));
    }
    if expires_at.is_some() && for_minutes.is_some() {
        return Err(bad("expiresAt and forMinutes exclude each other"));
    }
    if for_minutes.is_some_and(|minutes| !(1..=MINUTES_MAX).contains(&minutes)) {
        return Err(Error::BadRequest(format!("forMinutes must lie between 1 and {MINUTES_MAX}")));
    }
    let store = services.store();
    let own = store.member_of_session(view.principal.session).await?.ok_or(Error::Unauthorised)?;
    let name = format!("{} {}", own.first_name, own.last_name);
    let holder = if name.trim().is_empty() { own.username } else { name.trim().to_owned() };
    let draft = Draft {
        scope: place.scope,
        asset: place.asset,
        location: place.location,
        kind: kind.as_str(),
        holder,
        holder_id: view.principal.member,
        reason,
        expires,
        for_minutes,
        places: super::places(&view.field, place.scope, place.asset, place.location),
    };
    let change = services.control().place_tag(view.principal.client, draft, trail.origin).await?.ok_or(Error::NotFound)?;
    let placed = Envelope::ok(TagRow::from(&change.tag));
    Ok(Json(if change.under_way { placed.with_message(UNDER_WAY) } else { placed }))
}

/// Where a tag is placed.
struct Place {
    scope: TagScope,
    asset: Option<AssetId>,
    location: NodeId,
    /// Whether an inhibit blocks a switch.
    has_switch: bool,
}

/// Returns the place of a tag: a switch, the bay of another asset, or a substation.
fn place(view: &View, asset: Option<i64>, location: Option<i64>) -> Result<Place, Error> {
    let field = &view.field;
    let is_switch = |point: &&Point| {
        let class = field.asset(point.asset).and_then(|asset| Class::of(&asset.class_name, None));
        point.code == "Pos" && point.encoding().is_some() && class.is_some()
    };
    let seen = |location: NodeId| field.node(location).filter(|location| view.sees(location)).map(|_| location).ok_or(Error::NotFound);
    match (asset, location) {
        (Some(asset), None) => {
            let asset = field.asset(AssetId(asset)).ok_or(Error::NotFound)?;
            let location = seen(asset.location)?;
            let own = field.points_of(asset.id).find(is_switch).is_some();
            // Equipment of the network is protected by the switches that could energise it, wherever they are.
            let in_network = || !field.network_equipment(asset).is_empty();
            let in_bay =
                || !asset.device.is_empty() && field.points_at(location).filter(is_switch).any(|point| point.device == asset.device);
            let scope = if own || !in_bay() { TagScope::Device } else { TagScope::Bay };
            Ok(Place { scope, asset: Some(asset.id), location, has_switch: own || scope == TagScope::Bay || in_network() })
        }
        (None, Some(location)) => {
            let location = seen(NodeId(location))?;
            let level = field.node(location).map(|node| node.level);
            if level != Some(Level::Substation) {
                return Err(Error::BadRequest("locationId must be a substation".to_owned()));
            }
            let has_switch = field.points_at(location).find(is_switch).is_some();
            Ok(Place { scope: TagScope::Station, asset: None, location, has_switch })
        }
        _ => Err(Error::BadRequest("either assetId or locationId is required".to_owned())),
    }
}
