//! GET and POST /api/network/temporary, POST /api/network/temporary/{id}/remove: jumpers, cuts and portable earths that crews place in the field.

#![allow(unused_qualifications, reason = "the path macro repeats the type of the query")]

use std::collections::HashMap;

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use grid::area::Place;
use grid::{ClientId, NodeId};
use identity::{RequestOrigin, View};
use network::EquipmentId;
use network::temporary::{NamedTerminal, TEMPORARY_MAX, TemporaryChange};
use serde::{Deserialize, Serialize};
use store::control::NetworkFacts;
use store::manual_entry::REASON_CHARACTERS_MAX;
use store::temporary_change::{
    CheckedWith, Earlier, NewRemoval, NewTemporaryChange as Draft, Placing, RemovalRecord, Removing, RequestKey, SafetyCheck,
};
use wire::Envelope;
use wire::temporary_change::{NewTemporaryChange, TemporaryChangeRemoval, TemporaryChangeRow, TemporaryTerminals};
use wire::time::iso;

use super::loaded::{found_by, is_loaded, not_loaded};
use super::present::Seen;
use super::temporary_placing::{Proposal, Work, drawn, permit, terminals, work_of_removal};
use super::temporary_rows::rows;
use crate::body::Body;
use crate::error::Error;
use crate::idempotency_key::idempotency_key;
use crate::page::{Diagram, Writes};
use crate::routes::alarms::{name_of, text};
use crate::state::Services;

/// Maximum of removed changes in one answer.
const REMOVED_MAX: i64 = 100;

/// Which changes are returned.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub(crate) struct Which {
    /// Id of a substation: returns its changes, and those at elements of its diagram, with the ids of these elements.
    location: Option<i64>,
    /// Returns the removed changes instead of the current ones, newest first, those that the caller may see of 100. Default: false.
    #[serde(default)]
    removed: bool,
    /// With `removed`: returns changes with lower numbers only.
    before: Option<i64>,
}

/// Returns the current temporary changes that the caller may see, those first that do not count although they are there; or those that were removed.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/network/temporary", tag = "network", operation_id = "temporaryChanges", security(("bearer" = [])), params(Which),
    responses((status = 200, description = "The changes", body = Envelope<Vec<TemporaryChangeRow>>))
))]
pub(crate) async fn list(
    State(services): State<Services>,
    view: View,
    Query(which): Query<Which>,
) -> Result<Json<Envelope<Vec<TemporaryChangeRow>>>, Error> {
    let client = view.principal.client;
    let records = if which.removed {
        services.store().removed_temporary_changes(client, which.before, REMOVED_MAX).await?
    } else {
        services.store().temporary_changes(client).await?
    };
    let seen = Seen::read(&services, view.clone()).await?;
    let mut rows = rows(&view, seen.as_ref(), &records);
    if let Some(location) = which.location {
        let drawn = match &seen {
            Some(seen) => drawn(&services, seen, location).await?,
            None => Vec::new(),
        };
        let active = seen.as_ref().map(|seen| seen.network().active());
        let elements: HashMap<&str, &String> =
            drawn.iter().filter_map(|(id, of)| Some((active?.model().equipment_name(*of), id))).collect();
        for place in rows.iter_mut().flat_map(|row| &mut row.at) {
            place.element = elements.get(&*place.equipment.id).map(|id| (*id).clone());
        }
        rows.retain(|row| row.station_id == Some(location) || row.at.iter().any(|place| place.element.is_some()));
    }
    if !which.removed {
        add_plans(&services, client, &mut rows).await?;
    }
    rows.sort_by_key(|row| row.problem.is_none());
    Ok(Json(Envelope::ok(rows)))
}

/// A piece of equipment.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub(crate) struct At {
    /// Id of the equipment in the network. Required unless `location` and `element` are given.
    equipment: Option<String>,
    /// Id of a substation, for an element of its diagram.
    location: Option<i64>,
    /// Id of the element.
    element: Option<String>,
}

/// Returns the terminals of a piece of equipment, at which a temporary change can be placed, with their states and what else is there.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/network/temporary/terminals", tag = "network", operation_id = "temporaryTerminals", security(("bearer" = [])), params(At),
    responses(
        (status = 200, description = "The terminals", body = Envelope<TemporaryTerminals>),
        (status = 400, description = "The input names no equipment", body = wire::envelope::Failure),
        (status = 404, description = "The active network has no such equipment that the caller may see", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn at(
    State(services): State<Services>,
    view: View,
    Query(at): Query<At>,
) -> Result<Json<Envelope<TemporaryTerminals>>, Error> {
    let found = terminals(&services, view, at.equipment.as_deref(), at.location, at.element.as_deref()).await?;
    Ok(Json(Envelope::ok(found)))
}

/// Places a jumper, a cut or a portable earth; for users with permission to operate. States, interlocks and diagrams follow it at once. It is refused if it
/// would earth what is live, join sources, connect supply with an earth, connect two voltages, or cut a line that carries current. Where this depends on what
/// is not known, it is refused unless the crew has proved the place dead.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/network/temporary", tag = "network", operation_id = "placeTemporaryChange", security(("bearer" = [])),
    params(("Idempotency-Key" = Option<String>, Header, description = "New for each change; a repeated request gets the change that the first one has placed")),
    request_body = NewTemporaryChange,
    responses(
        (status = 200, description = "The change", body = Envelope<TemporaryChangeRow>),
        (status = 400, description = "The input cannot be used, or does not fit the network; the message names what is wrong", body = wire::envelope::Failure),
        (status = 403, description = "The caller has no permission to operate, or another desk holds the area", body = wire::envelope::Failure),
        (status = 404, description = "The active network has no such equipment that the caller may see", body = wire::envelope::Failure),
        (status = 409, description = "Another change was placed or removed at the same time, or a command is on its way", body = wire::envelope::Failure),
        (status = 422, description = "The change would be dangerous, or there are too many; the message says why", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn place(
    State(services): State<Services>,
    view: View,
    _: Writes<Diagram>,
    trail: RequestOrigin,
    headers: HeaderMap,
    Body(new): Body<NewTemporaryChange>,
) -> Result<Json<Envelope<TemporaryChangeRow>>, Error> {
    if !view.principal.can_operate {
        return Err(Error::Forbidden("You need permission to operate to place a temporary change."));
    }
    let (reason, by) = (checked_reason(&new.reason)?, name_of(&services, &view).await?);
    let (client, member, is_seen_dead) = (view.principal.client, view.principal.member, new.seen_dead);
    let key = request_key(&headers, &view, Act::Place, &new)?;
    if let Some(key) = &key
        && let Some(earlier) = services.store().earlier_placing(client, key).await?
    {
        return repeated(&services, view, Act::Place, earlier).await;
    }
    let proposal = Proposal::read(&services, view.clone(), new).await?;
    let proposal = proposal.fit().await?;
    let draft = Draft {
        change: proposal.change().clone(),
        at: proposal.named(),
        place: proposal.place(),
        location: proposal.location(),
        reason,
        is_seen_dead,
        version: proposal.active().version(),
        since: proposal.active().since(),
        checked_with: proposal.active().identity().temporary,
        member: Some(member),
        by,
        placed: Services::now(),
        key,
    };
    let work = Work::Place(draft.change.clone());
    let permit = |facts: &NetworkFacts| permit(&services, &view, &work, facts, is_seen_dead);
    let safety = SafetyCheck { points: view.field.network_points(), permit: &permit };
    let places = area_places(&view, Some(proposal.seen()), &draft.at, draft.location);
    let placed = match services.store().place_temporary_change(client, &draft, &safety, &places, &trail.origin).await? {
        Placing::Placed(placed) => *placed,
        Placing::Earlier(earlier) => return repeated(&services, view, Act::Place, earlier).await,
        Placing::TooMany => {
            let message = format!("There are {TEMPORARY_MAX} temporary changes already. Remove those that are not needed any more.");
            return Err(Error::Impossible(message));
        }
        Placing::CommandUnderWay => return Err(command_under_way()),
        Placing::Dangerous(why) => return Err(Error::Impossible(why)),
        Placing::Outdated => {
            // The next attempt is checked with what is stored now.
            services.0.deps.fields.refresh_network(client).await;
            return Err(Error::Late("Another temporary change was placed or removed meanwhile. Nothing was placed. Try again.".to_owned()));
        }
    };
    services.0.deps.fields.refresh_network(client).await;
    let view = refreshed(&services, view).await?;
    let seen = Seen::read(&services, view.clone()).await?;
    let mut rows = rows(&view, seen.as_ref(), &[placed]);
    add_plans(&services, client, &mut rows).await?;
    Ok(Json(Envelope::ok(rows.pop().ok_or(Error::Internal)?)))
}

/// Removes a temporary change; for users with permission to operate. What is at the free end of a cut is removed before the cut. A jumper that carries current is
/// removed only where its ends stay joined without it.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/network/temporary/{id}/remove", tag = "network", operation_id = "removeTemporaryChange", security(("bearer" = [])),
    params(
        ("id" = i64, Path, description = "A temporary change"),
        ("Idempotency-Key" = Option<String>, Header, description = "New for each removal; a repeated request gets the answer of the first one"),
    ),
    request_body = TemporaryChangeRemoval,
    responses(
        (status = 200, description = "The removed change", body = Envelope<TemporaryChangeRow>),
        (status = 400, description = "The input cannot be used; the message names what is wrong", body = wire::envelope::Failure),
        (status = 403, description = "The caller has no permission to operate, or another desk holds the area", body = wire::envelope::Failure),
        (status = 404, description = "There is no such current change that the caller may see", body = wire::envelope::Failure),
        (status = 409, description = "A command is on its way, or the network is another one since the check, or is being loaded", body = wire::envelope::Failure),
        (status = 422, description = "Its removal would be dangerous, or another change is at the free end of the cut", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn remove(
    State(services): State<Services>,
    view: View,
    _: Writes<Diagram>,
    trail: RequestOrigin,
    Path(id): Path<String>,
    headers: HeaderMap,
    Body(request): Body<TemporaryChangeRemoval>,
) -> Result<Json<Envelope<TemporaryChangeRow>>, Error> {
    if !view.principal.can_operate {
        return Err(Error::Forbidden("You need permission to operate to remove a temporary change."));
    }
    let id: i64 = id.parse().map_err(|_| Error::NotFound)?;
    let key = request_key(&headers, &view, Act::Remove, &(id, &request))?;
    if let Some(earlier) = earlier_removal(&services, &view, key.as_ref()).await? {
        return repeated(&services, view, Act::Remove, earlier).await;
    }
    let TemporaryChangeRemoval { reason, seen_dead } = request;
    let (reason, by) = (checked_reason(&reason)?, name_of(&services, &view).await?);
    let client = view.principal.client;
    let records = services.store().temporary_changes(client).await?;
    let Some(record) = records.iter().find(|record| record.id == id) else {
        // An equal request may have removed it meanwhile.
        let earlier = earlier_removal(&services, &view, key.as_ref()).await?.ok_or(Error::NotFound)?;
        return repeated(&services, view, Act::Remove, earlier).await;
    };
    let seen = Seen::read(&services, view.clone()).await?;
    if rows(&view, seen.as_ref(), std::slice::from_ref(record)).is_empty() {
        return Err(Error::NotFound);
    }
    let is_found = |named: &NamedTerminal| equipment_of(seen.as_ref(), named).is_some();
    if !record.at.iter().all(is_found) && !is_loaded(&services, &view).await? {
        return Err(not_loaded());
    }
    // The removal of a cut joins two places, and that of a jumper separates them, unless the change does not fit the network. This depends on the version, so that it
    // has to be the active one.
    let is_judged = !matches!(record.change, TemporaryChange::PortableEarth { .. });
    if is_judged && seen.is_none() {
        return Err(not_loaded());
    }
    let work = seen.as_ref().map(|seen| work_of_removal(seen, record)).transpose()?.flatten();
    let permit = |facts: &NetworkFacts| work.as_ref().map_or(Ok(()), |work| permit(&services, &view, work, facts, seen_dead));
    let checked = seen.as_ref().filter(|_| is_judged).map(|seen| {
        let identity = seen.network().active().identity();
        let safety = SafetyCheck { points: view.field.network_points(), permit: &permit };
        CheckedWith { version: identity.version, since: identity.since, temporary: identity.temporary, safety }
    });
    let removal = NewRemoval { removal: RemovalRecord { by, reason, at: Services::now() }, key };
    let places = area_places(&view, seen.as_ref(), &record.at, record.location);
    let removed = match services.store().remove_temporary_change(client, id, &removal, checked.as_ref(), &places, &trail.origin).await? {
        Removing::Removed(removed) => *removed,
        Removing::Earlier(earlier) => return repeated(&services, view, Act::Remove, earlier).await,
        Removing::NotCurrent => return Err(Error::NotFound),
        Removing::CommandUnderWay => return Err(command_under_way()),
        Removing::Dangerous(why) => return Err(Error::Impossible(why)),
        Removing::Outdated => {
            services.0.deps.fields.refresh_network(client).await;
            return Err(Error::Late("The network or its temporary changes are others by now. Nothing was removed. Try again.".to_owned()));
        }
        Removing::Needed(other) => {
            let message = format!("Temporary change {other} is at the free end of this cut. Remove it first.");
            return Err(Error::Impossible(message));
        }
    };
    services.0.deps.fields.refresh_network(client).await;
    let row = rows(&view, seen.as_ref(), &[removed]).pop().ok_or(Error::Internal)?;
    Ok(Json(Envelope::ok(row)))
}

/// Returns by what a repeated request of the user is recognised: its key, with the content of the request.
fn request_key(headers: &HeaderMap, view: &View, act: Act, content: &impl Serialize) -> Result<Option<RequestKey>, Error> {
    let Some(key) = idempotency_key(headers)? else { return Ok(None) };
    let body = serde_json::to_string(content).map_err(|_| Error::Internal)?;
    let hash = auth::hash_token(&format!("{}\n{}\n{key}", view.principal.member, act.as_str()));
    Ok(Some(RequestKey { hash, body: auth::hash_token(&body) }))
}

/// Returns what an earlier request with the same key has removed.
async fn earlier_removal(services: &Services, view: &View, key: Option<&RequestKey>) -> Result<Option<Earlier>, Error> {
    let Some(key) = key else { return Ok(None) };
    Ok(services.store().earlier_removal(view.principal.client, key).await?)
}

/// Answers a repeated request: with the change that the first one has placed or removed, as it is now.
async fn repeated(services: &Services, view: View, act: Act, earlier: Earlier) -> Result<Json<Envelope<TemporaryChangeRow>>, Error> {
    let seen = Seen::read(services, view.clone()).await?;
    let (record, is_same) = match earlier {
        Earlier::Same(record) => (record, true),
        Earlier::Other(record) => (record, false),
    };
    let (kind, number) = (record.change.kind(), record.id);
    let row = rows(&view, seen.as_ref(), &[*record]).pop();
    if is_same {
        return Ok(Json(Envelope::ok(row.ok_or(Error::NotFound)?)));
    }
    let place = row.map(|row| format!(" at {}", row.place)).unwrap_or_default();
    Err(Error::Late(format!(
        "This Idempotency-Key was used for another request, which has {} {kind} {number}{place}. This request has changed nothing. Look at the list of temporary changes, and use a new key.",
        act.done()
    )))
}

/// What a request does with a temporary change.
#[derive(Debug, Clone, Copy)]
enum Act {
    Place,
    Remove,
}

impl Act {
    /// Returns the text in the hash of a key.
    fn as_str(self) -> &'static str {
        match self {
            Self::Place => "place",
            Self::Remove => "remove",
        }
    }

    fn done(self) -> &'static str {
        match self {
            Self::Place => "placed",
            Self::Remove => "removed",
        }
    }
}

/// Adds from when on planned versions of the network have no place for the changes.
async fn add_plans(services: &Services, client: ClientId, rows: &mut [TemporaryChangeRow]) -> Result<(), Error> {
    if rows.is_empty() {
        return Ok(());
    }
    let planned = services.store().unfit_when_planned(client).await?;
    for row in rows {
        row.unfit_from = planned.get(&row.id).copied().map(iso);
    }
    Ok(())
}

fn command_under_way() -> Error {
    Error::Late("A command is on its way to a device. Nothing was changed. Try again when the command has ended.".to_owned())
}

/// Returns the places of a change in the areas of responsibility, for its placing and for its removal: those of all equipment that the crew has named. Equipment
/// that the network in memory does not have is in the substation of the change, if that network is the active one.
fn area_places(view: &View, seen: Option<&Seen>, at: &[NamedTerminal], location: Option<NodeId>) -> Vec<Place> {
    let places = |named: &NamedTerminal| match equipment_of(seen, named) {
        Some((seen, equipment)) => seen.area_places(equipment),
        None => vec![place_of(view, location).found_by(found_by(&view.field))],
    };
    at.iter().flat_map(places).collect()
}

/// Returns the equipment that the crew has named; `None` if the network in memory does not have it.
fn equipment_of<'a>(seen: Option<&'a Seen>, named: &NamedTerminal) -> Option<(&'a Seen, EquipmentId)> {
    seen.and_then(|seen| Some((seen, seen.network().active().model().equipment(&named.equipment)?)))
}

/// Returns the place of a change at a substation. Without one, the area for the rest is responsible.
fn place_of(view: &View, location: Option<NodeId>) -> Place {
    location.map_or_else(Place::default, |location| view.field.place_of_node(location))
}

/// Returns the view with the networks as they were read last.
async fn refreshed(services: &Services, view: View) -> Result<View, Error> {
    let field = services.0.deps.fields.get(view.principal.client).await?;
    Ok(View { field, ..view })
}

fn checked_reason(reason: &str) -> Result<String, Error> {
    text(reason, REASON_CHARACTERS_MAX)
        .ok_or_else(|| Error::BadRequest(format!("reason must have 1 to {REASON_CHARACTERS_MAX} characters without control characters")))
}
