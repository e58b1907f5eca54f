//! POST /api/alarms/note.

use axum::Json;
use axum::extract::State;
use grid::Micros;
use grid::alarm::{AlarmRecord, Change};
use identity::{RequestOrigin, View};
use wire::Envelope;
use wire::alarms::{AlarmRow, NoteAlarm};

use crate::body::Body;
use crate::error::Error;
use crate::page::{Diagram, Writes};
use crate::state::Services;

const OWNER_MAX: usize = 100;
const NOTE_MAX: usize = 1_000;

/// Returns a text in its stored form. An empty text is allowed and removes the present one.
fn given(name: &str, given: Option<String>, max: usize) -> Result<Option<String>, Error> {
    let Some(given) = given else { return Ok(None) };
    if given.trim().is_empty() {
        return Ok(Some(String::new()));
    }
    let kept = super::text(&given, max);
    kept.map(Some).ok_or_else(|| Error::BadRequest(format!("{name} may have {max} characters without control characters")))
}

/// Returns the text that results from a change.
fn after(before: Option<&String>, given: Option<&String>) -> Option<String> {
    given.or(before).filter(|text| !text.is_empty()).cloned()
}

/// Sets the owner and the note of an alarm; also for a desk that does not hold its area. Both are removed when it is raised again after it was normal; the history keeps them.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/alarms/note", tag = "alarms", operation_id = "noteAlarm", security(("bearer" = [])), request_body = NoteAlarm,
    responses(
        (status = 200, description = "The alarm", body = Envelope<AlarmRow>),
        (status = 400, description = "The input cannot be used; the message names what is wrong", body = wire::envelope::Failure),
        (status = 404, description = "There is no such alarm", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    view: View,
    _: Writes<Diagram>,
    trail: RequestOrigin,
    Body(NoteAlarm { id, owner, note }): Body<NoteAlarm>,
) -> Result<Json<Envelope<AlarmRow>>, Error> {
    let (owner, note) = (given("owner", owner, OWNER_MAX)?, given("note", note, NOTE_MAX)?);
    let act = |alarm: &mut AlarmRecord, _: Micros| {
        let before = (alarm.owner.clone(), alarm.note.clone());
        alarm.owner = after(before.0.as_ref(), owner.as_ref());
        alarm.note = after(before.1.as_ref(), note.as_ref());
        (before != (alarm.owner.clone(), alarm.note.clone())).then_some(Change::Noted)
    };
    let acted = services
        .store()
        .act_on_alarms(view.principal.client, &[id], &trail.origin, |found| super::may(&view, 1, found).map(|_| Vec::new()), act)
        .await??;
    Ok(Json(Envelope::ok(super::publish_and_return(&services, &view, acted)?)))
}
