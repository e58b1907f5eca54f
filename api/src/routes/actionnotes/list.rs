//! GET /api/actionnotes.

use axum::Json;
use axum::extract::State;
use identity::{Area, View};
use wire::Envelope;
use wire::alarms::ActionNoteRow;

use crate::error::Error;
use crate::routes::actionnotes::{ROWS_MAX, row};
use crate::state::Services;

/// Returns the trackers that the caller can see, by due date; done and cancelled ones last.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/actionnotes", tag = "actionnotes", operation_id = "actionNotes", security(("bearer" = [])),
    responses((status = 200, description = "At most 2000 trackers", body = Envelope<Vec<ActionNoteRow>>))
))]
pub(crate) async fn handle(State(services): State<Services>, view: View) -> Result<Json<Envelope<Vec<ActionNoteRow>>>, Error> {
    let notes = match Area::of_caller(&view) {
        Some(Area(scope)) => services.store().action_notes(view.principal.client, scope, ROWS_MAX).await?,
        None => Vec::new(),
    };
    Ok(Json(Envelope::ok(notes.iter().map(row).collect())))
}
