//! Areas of responsibility: who sits where and who holds what, and how an area passes from one desk to another.

use std::sync::Arc;

use axum::Json;
use control::AreaAct;
use grid::area::{Part, Place, Responsibility};
use grid::{AreaId, Level, Micros};
use identity::View;
use store::areas::{Areas, Desk};
use store::audit::Origin;
use store::control::AreaRefusal;
use wire::Envelope;
use wire::areas::{AreaPartRow, AreaRequestRow, AreaRow, AreasRow, DeskRow, SeatRequestRow};

use crate::error::Error;
use crate::routes::alarms::text;
use crate::state::Services;

pub(crate) mod desk;
pub(crate) mod hand_over;
pub(crate) mod list;

/// The limit of characters of a reason.
const REASON_MAX: usize = 200;

/// Returns a reason that a user has given.
fn checked(reason: &str) -> Result<String, Error> {
    text(reason, REASON_MAX)
        .ok_or_else(|| Error::BadRequest(format!("reason must have 1 to {REASON_MAX} characters without control characters")))
}

/// Carries out a change, and returns the areas after it.
pub(crate) async fn change(services: &Services, view: &View, act: AreaAct, origin: Origin) -> Result<Json<Envelope<AreasRow>>, Error> {
    let changed = services.control().change_areas(Arc::clone(&view.field), view.principal.session, act, origin).await?;
    changed.map_err(refused)?;
    Ok(Json(Envelope::ok(rows(services, view).await?)))
}

fn refused(refusal: AreaRefusal) -> Error {
    match refusal {
        AreaRefusal::SessionOver => Error::Unauthorised,
        AreaRefusal::NoArea => Error::NotFound,
        AreaRefusal::NoDesk => Error::BadRequest("deskId: there is no such desk".to_owned()),
        AreaRefusal::Rule(rule) if rule.is_about_rights() => Error::NotPermitted(rule.to_string()),
        AreaRefusal::Rule(rule) => Error::Late(rule.to_string()),
        AreaRefusal::Seat(rule) if rule.is_about_rights() => Error::NotPermitted(rule.to_string()),
        AreaRefusal::Seat(rule) => Error::Late(rule.to_string()),
        AreaRefusal::Plan(fault) => Error::BadRequest(fault),
    }
}

/// Returns the areas as the caller may see them.
pub(crate) async fn rows(services: &Services, view: &View) -> Result<AreasRow, Error> {
    let principal = &view.principal;
    let found = services.store().areas(principal.client, principal.session).await?;
    let operates = principal.can_operate && !principal.demo;
    let now = Services::now();
    let mut areas: Vec<AreaRow> = found.areas.iter().map(|record| area(view, &found, record)).collect();
    for open in found.requests.iter().filter(|open| now < open.request.expires) {
        let Some(of) = areas.iter_mut().find(|of| of.id == open.area.0) else { continue };
        of.requests.push(AreaRequestRow {
            id: open.request.id,
            kind: open.request.kind.as_str().to_owned(),
            from_desk_id: open.request.from.0,
            to_desk_id: open.request.to.0,
            reason: open.reason.clone(),
            by: open.made_by.clone(),
            made: open.made.millis(),
            expires: open.request.expires.millis(),
        });
    }
    place_all(view, &found.responsibility(), &mut areas);
    Ok(AreasRow {
        version: found.version,
        desk_id: found.own_desk.map(|desk| desk.0).ok_or(Error::Internal)?,
        operates,
        supervises: operates && matches!(principal.role_id, 1 | 2),
        desks: found.desks.iter().map(|desk| desk_row(view, &found, desk, now)).collect(),
        areas,
    })
}

fn desk_row(view: &View, found: &Areas, desk: &Desk, now: Micros) -> DeskRow {
    let requests = found.seats.iter().filter(|seat| seat.request.desk == desk.id && now < seat.request.expires);
    let requests = requests.map(|seat| SeatRequestRow {
        id: seat.request.id,
        reason: seat.reason.clone(),
        by: seat.made_by.clone(),
        is_own: seat.request.member == view.principal.member,
        made: seat.made.millis(),
        expires: seat.request.expires.millis(),
    });
    DeskRow {
        id: desk.id.0,
        name: desk.name.clone(),
        is_default: desk.is_default,
        needs_consent: found.own_desk != Some(desk.id) && found.guarded.contains(&desk.id),
        requests: requests.collect(),
    }
}

fn area(view: &View, found: &Areas, record: &store::areas::AreaRecord) -> AreaRow {
    let area = &record.area;
    AreaRow {
        id: area.id.0,
        name: area.name.clone(),
        is_rest: area.is_rest,
        desk_id: area.holder.as_ref().map(|(desk, _)| desk.0),
        since: record.since.map(Micros::millis),
        held_by: record.held_by.clone(),
        how: record.how.map(|how| how.as_str().to_owned()),
        parts: found.parts.of(area.id).into_iter().filter_map(|part| part_row(view, part)).collect(),
        substations: Vec::new(),
        assets: Vec::new(),
        requests: Vec::new(),
    }
}

fn part_row(view: &View, part: &Part) -> Option<AreaPartRow> {
    match part {
        Part::Node(id) => {
            let node = view.field.node(*id).filter(|node| view.may_pass(node))?;
            Some(AreaPartRow { node_id: Some(id.0), container: None, name: node.name.clone() })
        }
        Part::Container(id) => {
            let containers = view.field.active_network().map(registry::ActiveNetwork::containers).unwrap_or_default();
            let name = containers.iter().find(|container| container.id == *id).map(|container| container.name.as_str());
            let name = name.filter(|name| !name.is_empty()).unwrap_or(id).to_owned();
            // A user who is confined to a node sees no names of the network.
            view.principal.node.is_none().then(|| AreaPartRow { node_id: None, container: Some(id.clone()), name })
        }
    }
}

/// Adds the substations of each area, and the assets that belong to another area than their substation.
fn place_all(view: &View, responsibility: &Responsibility, areas: &mut [AreaRow]) {
    if responsibility.parts.is_empty() {
        return;
    }
    let has_containers =
        areas.iter().any(|area| responsibility.parts.of(AreaId(area.id)).iter().any(|part| matches!(part, Part::Container(_))));
    let field = &view.field;
    let area_of = |place: &Place| responsibility.area_of(place).map(|area| area.id);
    for station in field.nodes().filter(|node| node.level == Level::Substation && view.sees(node)) {
        let of_station = area_of(&field.place_of_node(station.id));
        let of = |areas: &mut [AreaRow], id: Option<AreaId>| areas.iter().position(|area| Some(AreaId(area.id)) == id);
        if let Some(at) = of(areas, of_station).filter(|at| !areas[*at].is_rest) {
            areas[at].substations.push(station.id.0);
        }
        if !has_containers {
            continue;
        }
        for asset in field.assets_at(station.id) {
            // Of an asset in several areas, one is shown that is not that of the substation.
            let other = field.places_of_asset(asset).iter().map(area_of).find(|area| *area != of_station);
            if let Some(at) = other.and_then(|other| of(areas, other)) {
                areas[at].assets.push(asset.id.0);
            }
        }
    }
}
