//! POST /api/tags.

use axum::Json;
use axum::extract::State;
use grid::control::tag::TagKind;
use grid::{AssetId, Micros};
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

/// Places a tag on a device; for users with permission to operate. An inhibit blocks all users, also its holder. It cancels selections; the message says if a
/// command was already published.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/tags", tag = "tags", operation_id = "placeTag", security(("bearer" = [])), request_body = NewTag,
    responses(
        (status = 200, description = "The tag", body = Envelope<TagRow>),
        (status = 400, description = "The input cannot be used; the message names what is wrong", body = wire::envelope::Failure),
        (status = 404, description = "There is no such asset", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    view: View,
    _: Writes<Diagram>,
    trail: RequestOrigin,
    Body(NewTag { asset_id, kind, reason, expires_at, for_minutes }): Body<NewTag>,
) -> Result<Json<Envelope<TagRow>>, Error> {
    let bad = |message: &str| Error::BadRequest(message.to_owned());
    let asset = view.field.asset(AssetId(asset_id)).ok_or(Error::NotFound)?;
    view.field.node(asset.location).filter(|location| view.sees(location)).ok_or(Error::NotFound)?;
    if !view.principal.can_operate {
        return Err(Error::Forbidden("You need permission to operate to place a tag."));
    }
    let kind = TagKind::parse(&kind).ok_or_else(|| bad("kind must be caution or inhibit"))?;
    let reason = super::reason(&reason).ok_or_else(|| bad("reason must have 1 to 200 characters without control characters"))?;
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
    let draft = Draft { asset: asset.id, kind: kind.as_str(), holder, holder_id: view.principal.member, reason, expires, for_minutes };
    let change = services.control().place_tag(view.principal.client, draft, trail.origin).await?.ok_or(Error::NotFound)?;
    let placed = Envelope::ok(TagRow::from(&change.tag));
    Ok(Json(if change.under_way { placed.with_message(UNDER_WAY) } else { placed }))
}
