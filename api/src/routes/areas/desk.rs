//! PUT /api/areas/desk, and POST /api/areas/desk/request, consent and refuse: at which desk a session sits.

use axum::Json;
use axum::extract::State;
use control::AreaAct;
use grid::DeskId;
use grid::area::seating::SeatAct;
use identity::{RequestOrigin, View};
use wire::Envelope;
use wire::areas::{AreaAnswer, AreasRow, DeskChoice, NewSeatRequest};

use super::checked;
use crate::body::Body;
use crate::error::Error;
use crate::page::{Diagram, Writes};
use crate::state::Services;

/// Seats the caller's session at a desk, until it ends or chooses another one; for users with permission to operate. Several sessions may sit at one desk. A
/// selection of the session ends if the desk does not hold its area.
///
/// A desk that holds an area and at which another user sits needs the consent of a user there (`POST /api/areas/desk/request`), or a supervisor with a reason: a
/// user with role 1 or 2 and permission to operate.
#[cfg_attr(test, utoipa::path(
    put, path = "/api/areas/desk", tag = "areas", operation_id = "chooseDesk", security(("bearer" = [])), request_body = DeskChoice,
    responses(
        (status = 200, description = "The areas and desks after the choice", body = Envelope<AreasRow>),
        (status = 400, description = "There is no such desk", body = wire::envelope::Failure),
        (status = 403, description = "The caller has no permission to operate, or the desk needs consent", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    view: View,
    _: Writes<Diagram>,
    trail: RequestOrigin,
    Body(DeskChoice { desk_id, reason }): Body<DeskChoice>,
) -> Result<Json<Envelope<AreasRow>>, Error> {
    let reason = reason.map(|reason| checked(&reason)).transpose()?;
    let act = SeatAct::Sit { desk: DeskId(desk_id), has_reason: reason.is_some() };
    super::change(&services, &view, AreaAct::Seat(act, reason.unwrap_or_default()), trail.origin).await
}

/// Requests the consent of the users at a desk to sit down there. Any of them can answer within 15 minutes.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/areas/desk/request", tag = "areas", operation_id = "requestDesk", security(("bearer" = [])), request_body = NewSeatRequest,
    responses(
        (status = 200, description = "The areas and desks after it", body = Envelope<AreasRow>),
        (status = 400, description = "There is no such desk, or the reason cannot be used", body = wire::envelope::Failure),
        (status = 403, description = "The caller has no permission to operate", body = wire::envelope::Failure),
        (status = 409, description = "It is not possible now; the message says why", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn request(
    State(services): State<Services>,
    view: View,
    _: Writes<Diagram>,
    trail: RequestOrigin,
    Body(NewSeatRequest { desk_id, reason }): Body<NewSeatRequest>,
) -> Result<Json<Envelope<AreasRow>>, Error> {
    super::change(&services, &view, AreaAct::Seat(SeatAct::Request(DeskId(desk_id)), checked(&reason)?), trail.origin).await
}

/// Agrees that another user sits down at the caller's desk. The session sits there at once.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/areas/desk/consent", tag = "areas", operation_id = "consentToDesk", security(("bearer" = [])), request_body = AreaAnswer,
    responses(
        (status = 200, description = "The areas and desks after it", body = Envelope<AreasRow>),
        (status = 403, description = "The caller sits at another desk, or made the request", body = wire::envelope::Failure),
        (status = 409, description = "It was answered already, or it has expired", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn consent(
    State(services): State<Services>,
    view: View,
    _: Writes<Diagram>,
    trail: RequestOrigin,
    Body(AreaAnswer { request_id }): Body<AreaAnswer>,
) -> Result<Json<Envelope<AreasRow>>, Error> {
    super::change(&services, &view, AreaAct::Seat(SeatAct::Consent(request_id), String::new()), trail.origin).await
}

/// Refuses that another user sits down at the caller's desk, or withdraws an own request.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/areas/desk/refuse", tag = "areas", operation_id = "refuseDesk", security(("bearer" = [])), request_body = AreaAnswer,
    responses(
        (status = 200, description = "The areas and desks after it", body = Envelope<AreasRow>),
        (status = 403, description = "The caller sits at another desk", body = wire::envelope::Failure),
        (status = 409, description = "It was answered already, or it has expired", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn refuse(
    State(services): State<Services>,
    view: View,
    _: Writes<Diagram>,
    trail: RequestOrigin,
    Body(AreaAnswer { request_id }): Body<AreaAnswer>,
) -> Result<Json<Envelope<AreasRow>>, Error> {
    super::change(&services, &view, AreaAct::Seat(SeatAct::Refuse(request_id), String::new()), trail.origin).await
}
