//! PUT /api/areas/desk.

use axum::Json;
use axum::extract::State;
use control::AreaAct;
use grid::DeskId;
use identity::{RequestOrigin, View};
use wire::Envelope;
use wire::areas::{AreasRow, DeskChoice};

use crate::body::Body;
use crate::error::Error;
use crate::page::{Diagram, Writes};
use crate::state::Services;

/// Seats the caller's session at a desk, until it ends or chooses another one; for users with permission to operate. Several sessions may sit at one desk. A
/// selection of the session ends if the desk does not hold its area.
#[cfg_attr(test, utoipa::path(
    put, path = "/api/areas/desk", tag = "areas", operation_id = "chooseDesk", security(("bearer" = [])), request_body = DeskChoice,
    responses(
        (status = 200, description = "The areas and desks after the choice", body = Envelope<AreasRow>),
        (status = 400, description = "There is no such desk", body = wire::envelope::Failure),
        (status = 403, description = "The caller has no permission to operate", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    view: View,
    _: Writes<Diagram>,
    trail: RequestOrigin,
    Body(DeskChoice { desk_id }): Body<DeskChoice>,
) -> Result<Json<Envelope<AreasRow>>, Error> {
    super::change(&services, &view, AreaAct::Sit(DeskId(desk_id)), trail.origin).await
}
