//! POST /api/tags/{id}/remove.

use axum::Json;
use axum::extract::{Path, State};
use grid::command::TagRecord;
use identity::{RequestOrigin, View};
use wire::Envelope;
use wire::control::{TagRemoval, TagRow};

use crate::body::Body;
use crate::error::Error;
use crate::page::{Diagram, Writes};
use crate::state::Services;

/// Removes a tag; for its holder, and for roles 1 and 2, with permission to operate.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/tags/{id}/remove", tag = "tags", operation_id = "removeTag", security(("bearer" = [])), request_body = TagRemoval,
    params(("id" = i64, Path, description = "A tag")),
    responses(
        (status = 200, description = "The removed tag", body = Envelope<TagRow>),
        (status = 400, description = "The input cannot be used; the message names what is wrong", body = wire::envelope::Failure),
        (status = 403, description = "The caller has no permission, or another desk holds the area", body = wire::envelope::Failure),
        (status = 404, description = "There is no such tag", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    view: View,
    _: Writes<Diagram>,
    trail: RequestOrigin,
    Path(id): Path<String>,
    Body(TagRemoval { reason }): Body<TagRemoval>,
) -> Result<Json<Envelope<TagRow>>, Error> {
    let id = id.parse().map_err(|_| Error::NotFound)?;
    let reason = super::reason(&reason);
    let principal = &view.principal;
    let may = |tag: &TagRecord| {
        view.field.node(tag.location).filter(|location| view.sees(location)).ok_or(Error::NotFound)?;
        if !principal.can_operate {
            return Err(Error::Forbidden("You need permission to operate to remove a tag."));
        }
        if tag.holder_id != principal.member && !matches!(principal.role_id, 1 | 2) {
            return Err(Error::Forbidden("Only the holder of the tag or an administrator can remove it."));
        }
        let places = super::places(&view.field, tag.scope, tag.asset, tag.location);
        reason
            .is_some()
            .then_some(places)
            .ok_or_else(|| Error::BadRequest("reason must have 1 to 200 characters without control characters".to_owned()))
    };
    let text = reason.as_deref().unwrap_or_default();
    let removed = services.control().remove_tag(principal.client, id, principal.member, text, &trail.origin, may).await?;
    let change = removed.ok_or(Error::NotFound)??;
    Ok(Json(Envelope::ok(TagRow::from(&change.tag))))
}
