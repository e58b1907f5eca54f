//! GET /api/eetrackers/{type}/{id}.

use axum::Json;
use axum::extract::State;
use identity::Area;
use wire::Envelope;
use wire::alarms::ActionNoteRow;

use crate::error::Error;
use crate::extract::Scoped;
use crate::routes::actionnotes::{ROWS_MAX, row};
use crate::state::Services;

/// Returns the trackers of an area or asset, by due date; done and cancelled ones last.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/eetrackers/{type}/{id}", tag = "eealerts", operation_id = "eeTrackers", security(("bearer" = [])),
    params(
        ("type" = String, Path, description = "client, circle, division, town, subdivision, section, location or asset"),
        ("id" = i64, Path, description = "The id of the area or asset")
    ),
    responses((status = 200, description = "At most 2000 trackers", body = Envelope<Vec<ActionNoteRow>>))
))]
pub(crate) async fn handle(State(services): State<Services>, scoped: Scoped<Area>) -> Result<Json<Envelope<Vec<ActionNoteRow>>>, Error> {
    let (client, Area(scope)) = (scoped.view.principal.client, scoped.target);
    let notes = services.store().action_notes(client, scope, ROWS_MAX).await?;
    Ok(Json(Envelope::ok(notes.iter().map(row).collect())))
}
