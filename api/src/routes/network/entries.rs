//! GET and POST /api/network/entries, GET /api/network/entries/options, POST /api/network/entries/{id}/withdraw: positions, presence of sources, and
//! measurements that users enter.

#![allow(unused_qualifications, reason = "the path macro repeats the type of the query")]

use axum::Json;
use axum::extract::{Path, Query, State};
use grid::position::Encoding;
use grid::{AssetId, Micros, Point, PointId};
use identity::{RequestOrigin, View, throttle};
use network::description::POSITION;
use network::{EquipmentId, Phase, Phases};
use serde::Deserialize;
use store::manual_entry::{CURRENT_MAX, Entering, ManualEntry, NewManualEntry as Draft, Withdrawal};
use store::registry::AssetRecord;
use wire::Envelope;
use wire::manual_entry::{
    EnterableMeasurement, EnterablePosition, ManualEntryOptions, ManualEntryRow, ManualEntryWithdrawal, NewManualEntry,
};
use wire::time::iso;

use super::entry_checks::{CheckedEntry, checked, checked_reason, enterable, measurable, points_of, terms};
use super::entry_row::{EntryView, contact_text};
use super::present::Seen;
use crate::body::Body;
use crate::error::Error;
use crate::page::{Diagram, Writes};
use crate::routes::alarms::name_of;
use crate::state::Services;

/// Maximum number of entries of one user per minute. Each is read by all processes and moves the network.
const PER_MINUTE: i64 = 120;

/// Which entries are returned.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub(crate) struct Which {
    /// Id of a substation: returns the entries at it only.
    location: Option<i64>,
}

/// Returns the current manual entries that the caller may see: positions and measurements, of equipment of the active network and of points.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/network/entries", tag = "network", operation_id = "manualEntries", security(("bearer" = [])), params(Which),
    responses((status = 200, description = "The entries. Those for equipment that the active version lacks have `problem`, for users who can see the whole utility", body = Envelope<Vec<ManualEntryRow>>))
))]
pub(crate) async fn list(
    State(services): State<Services>,
    view: View,
    Query(which): Query<Which>,
) -> Result<Json<Envelope<Vec<ManualEntryRow>>>, Error> {
    let entries = services.store().manual_entries(view.principal.client).await?;
    let of = EntryView::read(&services, view, &points(&entries)).await?;
    let rows = entries.iter().filter_map(|entry| of.row(entry));
    let is_requested = |row: &ManualEntryRow| which.location.is_none_or(|location| row.station_id == Some(location));
    Ok(Json(Envelope::ok(rows.filter(is_requested).collect())))
}

fn points(entries: &[ManualEntry]) -> Vec<PointId> {
    entries.iter().filter_map(|entry| entry.subject.point()).collect()
}

/// The subject of the options: one of `equipment` and `asset`.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub(crate) struct OptionsOf {
    /// Id of the equipment in the network.
    equipment: Option<String>,
    /// Id of an asset.
    asset: Option<i64>,
}

/// Returns what can be entered for a piece of equipment or an asset: its position, by phase where the phases can differ, and measurements with unit and
/// plausible values.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/network/entries/options", tag = "network", operation_id = "manualEntryOptions", security(("bearer" = [])), params(OptionsOf),
    responses(
        (status = 200, description = "What can be entered", body = Envelope<ManualEntryOptions>),
        (status = 400, description = "None or both of `equipment` and `asset` are given", body = wire::envelope::Failure),
        (status = 404, description = "There is no such equipment or asset that the caller may see", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn options(
    State(services): State<Services>,
    view: View,
    Query(of): Query<OptionsOf>,
) -> Result<Json<Envelope<ManualEntryOptions>>, Error> {
    let found = match (of.equipment, of.asset) {
        (Some(id), None) => {
            let view = EntryView::read(&services, view, &[]).await?;
            let seen = view.seen.as_ref().ok_or(Error::NotFound)?;
            let equipment = seen.network().active().model().equipment(&id).ok_or(Error::NotFound)?;
            options_of_equipment(&view, seen, equipment)?
        }
        (None, Some(id)) => {
            let asset = view.field.asset(AssetId(id)).ok_or(Error::NotFound)?.clone();
            view.field.node(asset.location).filter(|node| view.sees(node)).ok_or(Error::NotFound)?;
            let points: Vec<PointId> = view.field.points_of(asset.id).map(|point| point.id).collect();
            let view = EntryView::read(&services, view, &points).await?;
            options_of_asset(&view, &asset)?
        }
        _ => return Err(Error::BadRequest("give one of equipment and asset".to_owned())),
    };
    Ok(Json(Envelope::ok(found)))
}

fn options_of_equipment(view: &EntryView, seen: &Seen, equipment: EquipmentId) -> Result<ManualEntryOptions, Error> {
    let own = seen.equipment(equipment).ok_or(Error::NotFound)?;
    let (network, model) = (seen.network(), seen.network().active().model());
    let all = model.phases_with_contact(equipment);
    let is_single = model.kind(equipment).has_position_for_each_phase() && all.iter().count() > 1;
    let single = |phase: Phase| Phases::only(phase).to_string();
    let position = network.active().has_manual_position(equipment).then(|| EnterablePosition {
        point_id: None,
        phases: if is_single { all.iter().map(single).collect() } else { Vec::new() },
        reported: contact_text(network.reported_position(equipment, all)).map(str::to_owned),
    });
    let measurements = enterable(view, seen, equipment);
    Ok(ManualEntryOptions { equipment: Some(own), position, measurements })
}

/// Returns the options of the equipment that an asset is, with the measurements of its points. Those of a breaker are also those of its bay.
fn options_of_asset(view: &EntryView, asset: &AssetRecord) -> Result<ManualEntryOptions, Error> {
    let field = &view.view.field;
    let position =
        field.points_of(asset.id).find(|point| point.code == POSITION && point.encoding().is_some_and(|of| of != Encoding::Signal));
    let equipment = view.seen.as_ref().and_then(|seen| Some((seen, *seen.network().positions().equipment_of(position?.id).first()?)));
    let named = || {
        let seen = view.seen.as_ref()?;
        let active = seen.network().active();
        let own: Vec<EquipmentId> = field.network_equipment(asset).into_iter().filter(|of| active.has_manual_position(*of)).collect();
        let switch = own.iter().find(|of| !active.model().kind(**of).may_feed());
        switch.or_else(|| own.first()).map(|of| (seen, *of))
    };
    let known = equipment.or_else(|| if position.is_none() { named() } else { None });
    let is_own = |point: &Point| {
        let is_of_bay = asset.class_name == "breaker" && position.is_some_and(|position| position.device == point.device);
        point.asset == asset.id || is_of_bay
    };
    let points = field.points_at(asset.location).filter(|point| point.encoding().is_none() && is_own(point));
    let measurements: Vec<EnterableMeasurement> = points.filter_map(|point| measurable(view, point)).collect();
    if let Some((seen, equipment)) = known {
        return Ok(ManualEntryOptions { measurements, ..options_of_equipment(view, seen, equipment)? });
    }
    let position = position.map(|point| EnterablePosition {
        point_id: Some(point.id.0),
        phases: Vec::new(),
        reported: view.reported_position(point.id).map(str::to_owned),
    });
    Ok(ManualEntryOptions { equipment: None, position, measurements })
}

/// Enters a position, a measurement, or whether a source, generator or battery that nothing measures is present (`closed`) or gone (`open`); for users with
/// permission to operate. Screens show it as substituted (S), and interlocks count an entered position as known. It yields to telemetry by its rule: to the first newer report, or only when it is withdrawn. An earlier entry for the same value is withdrawn.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/network/entries", tag = "network", operation_id = "enterManually", security(("bearer" = [])), request_body = NewManualEntry,
    responses(
        (status = 200, description = "The entry", body = Envelope<ManualEntryRow>),
        (status = 400, description = "The input cannot be used; the message names what is wrong", body = wire::envelope::Failure),
        (status = 403, description = "The caller has no permission to operate, or another desk holds the area", body = wire::envelope::Failure),
        (status = 404, description = "There is no such equipment or point that the caller may see", body = wire::envelope::Failure),
        (status = 409, description = "A command is on its way to the switch", body = wire::envelope::Failure),
        (status = 422, description = "Telemetry reports the value, the observation is from before a command without a known outcome, or the utility has too many entries", body = wire::envelope::Failure),
        (status = 429, description = "More than 120 in a minute; see Retry-After", body = wire::envelope::Failure),
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
        return Err(Error::Forbidden("You need permission to operate to enter a value."));
    }
    let member = view.principal.member;
    throttle::by_minute(services.store(), "manual entries", member, PER_MINUTE).await.map_err(crowded)?;
    let (reason, terms, by) =
        (checked_reason(&new.reason)?, terms(&new, services.store().time().await?)?, name_of(&services, &view).await?);
    let client = view.principal.client;
    let seen = Seen::read(&services, view.clone()).await?;
    let points = points_of(seen.as_ref(), &view, &new);
    let of = EntryView::read(&services, view, &points).await?;
    let CheckedEntry { subject, quantity, phases, value, same, points } = checked(&of, &new, terms)?;
    let places = of.area_places(&subject)?;
    let draft = Draft { subject, quantity, phases, value, reason, member: Some(member), by, terms, same, points };
    let entry = match services.store().enter_manually(client, &draft, &places, &trail.origin).await? {
        Entering::Entered(entry) => *entry,
        Entering::TooMany => return Err(full()),
        Entering::CommandUnderWay => return Err(command_under_way()),
        Entering::BeforeCommand(ended) => return Err(before_command(ended)),
    };
    services.0.deps.fields.refresh_network(client).await;
    let entered = of.row(&entry).ok_or(Error::Internal)?;
    Ok(Json(Envelope::ok(ManualEntryRow { counts: true, ..entered })))
}

fn crowded(error: identity::Error) -> Error {
    match error {
        identity::Error::TooMany { retry_after_s } => Error::Crowded {
            what: "You have entered 120 values within a minute. Nothing was entered. Wait a moment, then go on.",
            retry_after_s,
        },
        other => other.into(),
    }
}

fn full() -> Error {
    Error::Impossible(format!("The utility has {CURRENT_MAX} entered values. Withdraw those that are not needed any more."))
}

fn command_under_way() -> Error {
    Error::Late("A command is on its way to this switch. Nothing was entered. Enter the position when the command has ended.".to_owned())
}

fn before_command(ended: Micros) -> Error {
    Error::Impossible(format!(
        "The last command to this switch ended at {} without a known outcome, and the observation is from before. Nothing was entered. Look at the switch again, then enter its position with the time of the new observation.",
        iso(ended)
    ))
}

/// Withdraws a manual entry; for users with permission to operate. Telemetry counts again; a position without telemetry is assumed or unknown again.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/network/entries/{id}/withdraw", tag = "network", operation_id = "withdrawManualEntry", security(("bearer" = [])),
    params(("id" = i64, Path, description = "An entry")), request_body = ManualEntryWithdrawal,
    responses(
        (status = 200, description = "The withdrawn entry", body = Envelope<ManualEntryRow>),
        (status = 400, description = "The input cannot be used; the message names what is wrong", body = wire::envelope::Failure),
        (status = 403, description = "The caller has no permission to operate, or another desk holds the area", body = wire::envelope::Failure),
        (status = 404, description = "There is no such current entry that the caller may see", body = wire::envelope::Failure),
        (status = 409, description = "The network with its equipment is being loaded, or cannot be used", body = wire::envelope::Failure),
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
        return Err(Error::Forbidden("You need permission to operate to withdraw an entered value."));
    }
    let id: i64 = id.parse().map_err(|_| Error::NotFound)?;
    let (reason, by) = (checked_reason(&reason)?, name_of(&services, &view).await?);
    let client = view.principal.client;
    let entries = services.store().manual_entries(client).await?;
    let entry = entries.iter().find(|entry| entry.id == id).ok_or(Error::NotFound)?;
    let of = EntryView::read(&services, view, &points(std::slice::from_ref(entry))).await?;
    let shown = of.row(entry).ok_or(Error::NotFound)?;
    let places = of.area_places(&entry.subject)?;
    let withdrawal = Withdrawal { by: &by, reason: &reason, at: Services::now() };
    services.store().withdraw_manual_entry(client, id, withdrawal, &places, &trail.origin).await?.ok_or(Error::NotFound)?;
    services.0.deps.fields.refresh_network(client).await;
    Ok(Json(Envelope::ok(ManualEntryRow { counts: false, ..shown })))
}
