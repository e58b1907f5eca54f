//! GET and POST /api/network/entries, POST /api/network/entries/{id}/withdraw: positions of switches, and presence of sources, that users confirm because
//! nothing reports them.

#![allow(unused_qualifications, reason = "the path macro repeats the type of the query")]

use axum::Json;
use axum::extract::{Path, Query, State};
use grid::position::{Encoding, Position};
use identity::{RequestOrigin, View};
use network::description::POSITION;
use serde::Deserialize;
use store::manual_entry::{ManualEntry, NewManualEntry as Draft, REASON_CHARACTERS_MAX, Withdrawal};
use wire::Envelope;
use wire::manual_entry::{ManualEntryRow, ManualEntryWithdrawal, NewManualEntry};
use wire::time::iso;

use super::present::Seen;
use crate::body::Body;
use crate::error::Error;
use crate::page::{Diagram, Writes};
use crate::routes::alarms::{name_of, text};
use crate::state::Services;

/// A double point.
const OPEN: f64 = 1.0;
const CLOSED: f64 = 2.0;

/// Which entries are returned.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub(crate) struct Which {
    /// Id of a substation: returns the entries of its equipment only.
    location: Option<i64>,
}

/// Returns the current manual entries for equipment of the active network that the caller may see.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/network/entries", tag = "network", operation_id = "manualEntries", security(("bearer" = [])), params(Which),
    responses((status = 200, description = "The entries; empty if no version is active", body = Envelope<Vec<ManualEntryRow>>))
))]
pub(crate) async fn list(
    State(services): State<Services>,
    view: View,
    Query(which): Query<Which>,
) -> Result<Json<Envelope<Vec<ManualEntryRow>>>, Error> {
    let entries = services.store().manual_entries(view.principal.client).await?;
    let Some(seen) = Seen::read(&services, view).await? else { return Ok(Json(Envelope::ok(Vec::new()))) };
    let rows = entries.iter().filter_map(|entry| row(&seen, entry));
    let is_requested = |row: &ManualEntryRow| which.location.is_none_or(|location| row.equipment.station_id == Some(location));
    Ok(Json(Envelope::ok(rows.filter(is_requested).collect())))
}

/// Confirms the position of a switch or earth switch, or whether a source, generator or battery is present (`closed`) or gone (`open`), if nothing reports
/// it; for users with permission to operate. Diagrams show it with the name of the user, and interlocks count it as known. An earlier entry for the same
/// equipment is withdrawn. As soon as a point reports the position, the report counts.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/network/entries", tag = "network", operation_id = "enterManually", security(("bearer" = [])), request_body = NewManualEntry,
    responses(
        (status = 200, description = "The entry", body = Envelope<ManualEntryRow>),
        (status = 400, description = "The input cannot be used; the message names what is wrong", body = wire::envelope::Failure),
        (status = 403, description = "The caller has no permission to operate, or another desk holds the area", body = wire::envelope::Failure),
        (status = 404, description = "The active network has no such equipment that the caller may see", body = wire::envelope::Failure),
        (status = 422, description = "A point reports the position", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn put(
    State(services): State<Services>,
    view: View,
    _: Writes<Diagram>,
    trail: RequestOrigin,
    Body(new): Body<NewManualEntry>,
) -> Result<Json<Envelope<ManualEntryRow>>, Error> {
    if !view.principal.can_operate {
        return Err(Error::Forbidden("You need permission to operate to confirm a position."));
    }
    let value = match new.position.as_str() {
        "open" => OPEN,
        "closed" => CLOSED,
        _ => return Err(Error::BadRequest("position must be open or closed".to_owned())),
    };
    if new.quantity.as_deref().is_some_and(|quantity| quantity != POSITION) {
        return Err(Error::BadRequest("quantity must be Pos: only positions can be entered".to_owned()));
    }
    let (reason, by) = (checked_reason(&new.reason)?, name_of(&services, &view).await?);
    let (client, member) = (view.principal.client, view.principal.member);
    let seen = Seen::read(&services, view).await?.ok_or(Error::NotFound)?;
    let active = seen.network().active();
    let equipment = active.model().equipment(&new.equipment).filter(|of| seen.equipment(*of).is_some()).ok_or(Error::NotFound)?;
    if !active.has_manual_position(equipment) {
        return Err(Error::BadRequest(
            "equipment must be a switch or an earth switch in service, or a source, generator or battery in service whose voltage is not measured"
                .to_owned(),
        ));
    }
    if seen.network().has_reported(equipment) {
        return Err(Error::Impossible(
            "A point reports the position of this equipment, and the report counts. Nothing was entered.".to_owned(),
        ));
    }
    let places = seen.area_places(equipment);
    let draft = Draft {
        equipment: new.equipment,
        quantity: POSITION,
        value,
        reason,
        version: active.version(),
        member: Some(member),
        by,
        entered: Services::now(),
    };
    let entry = services.store().enter_manually(client, &draft, &places, &trail.origin).await?;
    services.0.deps.fields.refresh_network(client).await;
    let entered = row(&seen, &entry).ok_or(Error::Internal)?;
    Ok(Json(Envelope::ok(ManualEntryRow { counts: true, ..entered })))
}

/// Withdraws a manual entry; for users with permission to operate. The position is assumed or unknown again.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/network/entries/{id}/withdraw", tag = "network", operation_id = "withdrawManualEntry", security(("bearer" = [])),
    params(("id" = i64, Path, description = "An entry")), request_body = ManualEntryWithdrawal,
    responses(
        (status = 200, description = "The withdrawn entry", body = Envelope<ManualEntryRow>),
        (status = 400, description = "The input cannot be used; the message names what is wrong", body = wire::envelope::Failure),
        (status = 403, description = "The caller has no permission to operate, or another desk holds the area", body = wire::envelope::Failure),
        (status = 404, description = "There is no such current entry for equipment that the caller may see", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn withdraw(
    State(services): State<Services>,
    view: View,
    _: Writes<Diagram>,
    trail: RequestOrigin,
    Path(id): Path<String>,
    Body(ManualEntryWithdrawal { reason }): Body<ManualEntryWithdrawal>,
) -> Result<Json<Envelope<ManualEntryRow>>, Error> {
    if !view.principal.can_operate {
        return Err(Error::Forbidden("You need permission to operate to withdraw a confirmed position."));
    }
    let id: i64 = id.parse().map_err(|_| Error::NotFound)?;
    let (reason, by) = (checked_reason(&reason)?, name_of(&services, &view).await?);
    let client = view.principal.client;
    let entries = services.store().manual_entries(client).await?;
    let entry = entries.iter().find(|entry| entry.id == id).ok_or(Error::NotFound)?;
    let seen = Seen::read(&services, view).await?.ok_or(Error::NotFound)?;
    let shown = row(&seen, entry).ok_or(Error::NotFound)?;
    let equipment = seen.network().active().model().equipment(&entry.equipment).ok_or(Error::NotFound)?;
    let places = seen.area_places(equipment);
    let withdrawal = Withdrawal { by: &by, reason: &reason, at: Services::now() };
    services.store().withdraw_manual_entry(client, id, withdrawal, &places, &trail.origin).await?.ok_or(Error::NotFound)?;
    services.0.deps.fields.refresh_network(client).await;
    Ok(Json(Envelope::ok(ManualEntryRow { counts: false, ..shown })))
}

fn checked_reason(reason: &str) -> Result<String, Error> {
    text(reason, REASON_CHARACTERS_MAX)
        .ok_or_else(|| Error::BadRequest(format!("reason must have 1 to {REASON_CHARACTERS_MAX} characters without control characters")))
}

/// Returns an entry as the user may see it; `None` if it is about equipment that the active network does not have, or that the user may not see.
fn row(seen: &Seen, entry: &ManualEntry) -> Option<ManualEntryRow> {
    let equipment = seen.network().active().model().equipment(&entry.equipment)?;
    let position = match Position::decode(Encoding::DoublePoint, entry.value) {
        Position::Open => "open",
        Position::Closed => "closed",
        _ => return None,
    };
    Some(ManualEntryRow {
        id: entry.id,
        equipment: seen.equipment(equipment)?,
        quantity: entry.quantity.clone(),
        position: position.to_owned(),
        reason: entry.reason.clone(),
        by: entry.by.clone(),
        entered: iso(entry.entered),
        counts: seen.network().is_confirmed(equipment),
    })
}
