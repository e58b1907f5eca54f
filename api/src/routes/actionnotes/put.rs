//! POST /api/actionnotes.

use axum::Json;
use axum::extract::State;
use grid::{AssetId, Level, NodeId};
use identity::{RequestOrigin, View};
use store::tracker::NoteDraft;
use wire::Envelope;
use wire::alarms::{ActionNoteRow, PutActionNote};

use crate::body::Body;
use crate::error::Error;
use crate::page::{Page, Writes};
use crate::routes::actionnotes::row;
use crate::routes::alarms::{name_of, text};
use crate::state::Services;

const TEXT_MAX: usize = 1_000;
const OWNER_MAX: usize = 100;
const STATES: [&str; 4] = ["planned", "in_progress", "done", "cancelled"];

/// The table of performance trackers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Trackers;

impl Page for Trackers {
    const KEY: &'static str = "energy.table";
}

/// Adds a tracker, or changes the one with the given id.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/actionnotes", tag = "actionnotes", operation_id = "putActionNote", security(("bearer" = [])), request_body = PutActionNote,
    responses(
        (status = 200, description = "The tracker", body = Envelope<ActionNoteRow>),
        (status = 400, description = "The input cannot be used; the message names what is wrong", body = wire::envelope::Failure),
        (status = 404, description = "There is no such tracker, substation or asset", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    view: View,
    _: Writes<Trackers>,
    trail: RequestOrigin,
    Body(note): Body<PutActionNote>,
) -> Result<Json<Envelope<ActionNoteRow>>, Error> {
    let location = view.field.node(NodeId(note.location_id)).filter(|node| node.level == Level::Substation && view.sees(node));
    let location = location.ok_or(Error::NotFound)?.id;
    let asset = note.asset_id.map(AssetId);
    if asset.is_some_and(|asset| view.field.asset(asset).is_none_or(|asset| asset.location != location)) {
        return Err(Error::NotFound);
    }
    let one = |name: &str, given: &str, max| {
        text(given, max).ok_or_else(|| Error::BadRequest(format!("{name} must have 1 to {max} characters without control characters")))
    };
    let (what, owner) = (one("text", &note.text, TEXT_MAX)?, one("owner", &note.owner, OWNER_MAX)?);
    if !STATES.contains(&note.state.as_str()) {
        return Err(Error::BadRequest(format!("state must be one of {}", STATES.join(", "))));
    }
    let due: jiff::civil::Date =
        note.due_date.parse().map_err(|_| Error::BadRequest("dueDate must be a day such as 2026-11-30".to_owned()))?;
    if !(2000..=2199).contains(&due.year()) {
        return Err(Error::BadRequest("dueDate must lie in the years 2000 to 2199".to_owned()));
    }
    let draft = NoteDraft { location, asset, text: what, owner, due: due.to_string(), state: note.state };
    let by = name_of(&services, &view).await?;
    let may = |place| view.field.node(place).filter(|node| view.sees(node)).map(|_| ()).ok_or(Error::NotFound);
    let stored = services.store().put_action_note(view.principal.client, note.id, &draft, &by, &trail.origin, may).await?;
    Ok(Json(Envelope::ok(row(&stored.ok_or(Error::NotFound)??))))
}
