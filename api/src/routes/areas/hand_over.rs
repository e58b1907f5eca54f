//! POST /api/areas/{id}/request, offer, consent, refuse, take and move: how an area passes from one desk to another.

use axum::Json;
use axum::extract::{Path, State};
use control::AreaAct;
use grid::area::handover::Act;
use grid::{AreaId, DeskId};
use identity::{RequestOrigin, View};
use wire::Envelope;
use wire::areas::{AreaAnswer, AreaTransfer, AreasRow, NewAreaRequest};

use super::checked;
use crate::body::Body;
use crate::error::Error;
use crate::page::{Diagram, Writes};
use crate::state::Services;

fn act(id: &str, act: Act, reason: String) -> Result<AreaAct, Error> {
    Ok(AreaAct::HandOver(AreaId(id.parse().map_err(|_| Error::NotFound)?), act, reason))
}

/// Requests the area from the desk that holds it. Any session at that desk can answer within 15 minutes.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/areas/{id}/request", tag = "areas", operation_id = "requestArea", security(("bearer" = [])),
    params(("id" = i64, Path, description = "An area")), request_body = NewAreaRequest,
    responses(
        (status = 200, description = "The areas and desks after it", body = Envelope<AreasRow>),
        (status = 400, description = "The input cannot be used; the message names what is wrong", body = wire::envelope::Failure),
        (status = 403, description = "The caller, or the caller's desk, may not do this", body = wire::envelope::Failure),
        (status = 404, description = "There is no such area", body = wire::envelope::Failure),
        (status = 409, description = "It is not possible now; the message says why", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn request(
    State(services): State<Services>,
    view: View,
    _: Writes<Diagram>,
    trail: RequestOrigin,
    Path(id): Path<String>,
    Body(NewAreaRequest { reason }): Body<NewAreaRequest>,
) -> Result<Json<Envelope<AreasRow>>, Error> {
    super::change(&services, &view, act(&id, Act::Request, checked(&reason)?)?, trail.origin).await
}

/// Offers an area of the caller's desk to another desk. Any session at that desk can answer within 15 minutes.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/areas/{id}/offer", tag = "areas", operation_id = "offerArea", security(("bearer" = [])),
    params(("id" = i64, Path, description = "An area")), request_body = AreaTransfer,
    responses(
        (status = 200, description = "The areas and desks after it", body = Envelope<AreasRow>),
        (status = 400, description = "The input cannot be used; the message names what is wrong", body = wire::envelope::Failure),
        (status = 403, description = "The caller, or the caller's desk, may not do this", body = wire::envelope::Failure),
        (status = 404, description = "There is no such area", body = wire::envelope::Failure),
        (status = 409, description = "It is not possible now; the message says why", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn offer(
    State(services): State<Services>,
    view: View,
    _: Writes<Diagram>,
    trail: RequestOrigin,
    Path(id): Path<String>,
    Body(AreaTransfer { desk_id, reason }): Body<AreaTransfer>,
) -> Result<Json<Envelope<AreasRow>>, Error> {
    super::change(&services, &view, act(&id, Act::Offer(DeskId(desk_id)), checked(&reason)?)?, trail.origin).await
}

/// Agrees to a request or an offer; for the desk that it is addressed to. The area passes to the other desk at once, and selections in it end.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/areas/{id}/consent", tag = "areas", operation_id = "consentToArea", security(("bearer" = [])),
    params(("id" = i64, Path, description = "An area")), request_body = AreaAnswer,
    responses(
        (status = 200, description = "The areas and desks after it", body = Envelope<AreasRow>),
        (status = 400, description = "The input cannot be used; the message names what is wrong", body = wire::envelope::Failure),
        (status = 403, description = "The caller, or the caller's desk, may not do this", body = wire::envelope::Failure),
        (status = 404, description = "There is no such area", body = wire::envelope::Failure),
        (status = 409, description = "It is not possible now; the message says why", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn consent(
    State(services): State<Services>,
    view: View,
    _: Writes<Diagram>,
    trail: RequestOrigin,
    Path(id): Path<String>,
    Body(AreaAnswer { request_id }): Body<AreaAnswer>,
) -> Result<Json<Envelope<AreasRow>>, Error> {
    super::change(&services, &view, act(&id, Act::Consent(request_id), String::new())?, trail.origin).await
}

/// Refuses a request or an offer, or withdraws an own one.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/areas/{id}/refuse", tag = "areas", operation_id = "refuseArea", security(("bearer" = [])),
    params(("id" = i64, Path, description = "An area")), request_body = AreaAnswer,
    responses(
        (status = 200, description = "The areas and desks after it", body = Envelope<AreasRow>),
        (status = 400, description = "The input cannot be used; the message names what is wrong", body = wire::envelope::Failure),
        (status = 403, description = "The caller, or the caller's desk, may not do this", body = wire::envelope::Failure),
        (status = 404, description = "There is no such area", body = wire::envelope::Failure),
        (status = 409, description = "It is not possible now; the message says why", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn refuse(
    State(services): State<Services>,
    view: View,
    _: Writes<Diagram>,
    trail: RequestOrigin,
    Path(id): Path<String>,
    Body(AreaAnswer { request_id }): Body<AreaAnswer>,
) -> Result<Json<Envelope<AreasRow>>, Error> {
    super::change(&services, &view, act(&id, Act::Refuse(request_id), String::new())?, trail.origin).await
}

/// Takes an area that no desk holds.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/areas/{id}/take", tag = "areas", operation_id = "takeArea", security(("bearer" = [])),
    params(("id" = i64, Path, description = "An area")),
    responses(
        (status = 200, description = "The areas and desks after it", body = Envelope<AreasRow>),
        (status = 403, description = "The caller, or the caller's desk, may not do this", body = wire::envelope::Failure),
        (status = 404, description = "There is no such area", body = wire::envelope::Failure),
        (status = 409, description = "It is not possible now; the message says why", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn take(
    State(services): State<Services>,
    view: View,
    _: Writes<Diagram>,
    trail: RequestOrigin,
    Path(id): Path<String>,
) -> Result<Json<Envelope<AreasRow>>, Error> {
    super::change(&services, &view, act(&id, Act::Take, String::new())?, trail.origin).await
}

/// Moves an area to a desk without its consent; for supervisors: roles 1 and 2 with permission to operate. Selections in it end.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/areas/{id}/move", tag = "areas", operation_id = "moveArea", security(("bearer" = [])),
    params(("id" = i64, Path, description = "An area")), request_body = AreaTransfer,
    responses(
        (status = 200, description = "The areas and desks after it", body = Envelope<AreasRow>),
        (status = 400, description = "The input cannot be used; the message names what is wrong", body = wire::envelope::Failure),
        (status = 403, description = "The caller, or the caller's desk, may not do this", body = wire::envelope::Failure),
        (status = 404, description = "There is no such area", body = wire::envelope::Failure),
        (status = 409, description = "It is not possible now; the message says why", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn move_to(
    State(services): State<Services>,
    view: View,
    _: Writes<Diagram>,
    trail: RequestOrigin,
    Path(id): Path<String>,
    Body(AreaTransfer { desk_id, reason }): Body<AreaTransfer>,
) -> Result<Json<Envelope<AreasRow>>, Error> {
    super::change(&services, &view, act(&id, Act::Move(DeskId(desk_id)), checked(&reason)?)?, trail.origin).await
}
