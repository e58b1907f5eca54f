//! A temporary change that a user wants to place: found in the network, checked for its fit, and for its dangers.

use std::sync::Arc;

use analysis::diagrams::in_network;
use control::{MoveKind, inhibits_on, lost_change_against};
use grid::NodeId;
use identity::View;
use network::description::Terminal;
use network::temporary::{NamedTerminal, TemporaryChange, TemporaryError, end_of_cut};
use network::{Current, DangerKind, EquipmentId, Phases, PlacingDanger, State};
use registry::{ActiveNetwork, PresentNetwork, Unreported};
use store::control::NetworkFacts;
use store::temporary_change::TemporaryRecord;
use wire::temporary_change::{NewTemporaryChange, TemporaryPlace, TemporaryTerminal, TemporaryTerminals};

use super::present::Seen;
use crate::error::Error;
use crate::state::Services;

/// Maximum number of characters of a place.
const PLACE_CHARACTERS_MAX: usize = 1_000;
/// Maximum of equipment beside a terminal.
const BESIDE_MAX: usize = 20;
/// The number of a change that has none yet.
const NEW: i64 = 0;

/// A change to place, with the network in which positions that nobody reports are unknown.
pub(super) struct Proposal {
    seen: Seen,
    change: TemporaryChange,
    /// The equipment that the user has named, each with the number of its terminal.
    at: Vec<(EquipmentId, u8)>,
}

impl Proposal {
    /// Finds what the user has named. Positions are those that the database has now.
    pub(super) async fn read(services: &Services, view: View, new: NewTemporaryChange) -> Result<Self, Error> {
        let seen = doubting(services, view).await?.ok_or(Error::NotFound)?;
        if new.at.len() > 2 {
            return Err(Error::BadRequest("at must have one terminal, or two for a jumper".to_owned()));
        }
        let mut at = Vec::new();
        for named in &new.at {
            let equipment = find(services, &seen, named.equipment.as_deref(), named.location, named.element.as_deref()).await?;
            at.push((equipment, terminal(&seen, equipment, named.terminal)?));
        }
        let active = seen.network().active();
        let ends: Vec<&Terminal> =
            at.iter().map(|(of, number)| &active.description().equipment[of.index()].terminals[usize::from(*number) - 1]).collect();
        let phases = match &new.phases {
            Some(phases) => Phases::parse(phases).ok_or_else(|| Error::BadRequest("phases must be letters A, B and C".to_owned()))?,
            None => ends.iter().fold(Phases::ABC, |all, end| all.intersection(end.phases)),
        };
        let change = match (new.kind.as_str(), ends.as_slice()) {
            ("jumper", [one, other]) => TemporaryChange::Jumper { nodes: [one.node.clone(), other.node.clone()], phases },
            ("jumper", _) => return Err(Error::BadRequest("at must have two terminals for a jumper".to_owned())),
            ("cut", [_]) => {
                TemporaryChange::Cut { equipment: active.model().equipment_name(at[0].0).to_owned(), terminal: at[0].1, phases }
            }
            ("portableEarth", [end]) => TemporaryChange::PortableEarth { node: end.node.clone(), phases },
            ("cut" | "portableEarth", _) => return Err(Error::BadRequest("at must have one terminal".to_owned())),
            _ => return Err(Error::BadRequest("kind must be jumper, cut or portableEarth".to_owned())),
        };
        Ok(Self { seen, change, at })
    }

    pub(super) fn seen(&self) -> &Seen {
        &self.seen
    }

    pub(super) fn change(&self) -> &TemporaryChange {
        &self.change
    }

    pub(super) fn active(&self) -> &Arc<ActiveNetwork> {
        self.seen.network().active()
    }

    /// Checks that the change fits the network with those that are there already.
    pub(super) async fn fit(self) -> Result<Self, Error> {
        let (active, new) = (Arc::clone(self.active()), self.change.clone());
        // A large network takes long, in which the runtime serves others.
        let fits = tokio::task::spawn_blocking(move || {
            let placed = active.temporary().filter(|record| active.misfit(record.id).is_none());
            let all = placed.map(|record| (record.id, &record.change)).chain([(NEW, &new)]);
            active.stored().description().with_temporary(all).map(drop).map_err(|misfit| misfit.reason)
        });
        match fits.await {
            Ok(Ok(())) => Ok(self),
            Ok(Err(reason @ TemporaryError::TooMany(_))) => Err(Error::Impossible(reason.to_string())),
            Ok(Err(reason)) => Err(Error::BadRequest(reason.to_string())),
            Err(error) => {
                tracing::error!(%error, "a temporary change cannot be checked");
                Err(Error::Internal)
            }
        }
    }

    /// Returns the terminals that the user has named.
    pub(super) fn named(&self) -> Vec<NamedTerminal> {
        let active = self.active();
        let named = |(of, number): &(EquipmentId, u8)| {
            let terminal = &active.description().equipment[of.index()].terminals[usize::from(*number) - 1];
            NamedTerminal { equipment: active.model().equipment_name(*of).to_owned(), terminal: *number, node: terminal.node.clone() }
        };
        self.at.iter().map(named).collect()
    }

    /// Returns where the change is, for display.
    pub(super) fn place(&self) -> String {
        let name = |(of, number): &(EquipmentId, u8)| {
            let Some(equipment) = self.seen.equipment(*of) else { return String::new() };
            let has_ends = self.active().model().terminals_of(*of).len() > 1;
            let end = if has_ends { format!(", end {number}") } else { String::new() };
            match equipment.station {
                Some(station) => format!("{}{end}, {station}", equipment.name),
                None => format!("{}{end}", equipment.name),
            }
        };
        let place = self.at.iter().map(name).collect::<Vec<_>>().join(" to ");
        place.chars().take(PLACE_CHARACTERS_MAX).collect()
    }

    /// Returns the substation at which the change is.
    pub(super) fn location(&self) -> Option<NodeId> {
        self.at.iter().find_map(|(of, _)| self.seen.equipment(*of)?.station_id).map(NodeId)
    }
}

/// What a crew does, as far as its dangers are concerned.
#[derive(Debug, Clone)]
pub(super) enum Work {
    /// Places a change. The removal of a cut is the placing of the jumper that joins again what the cut has separated.
    Place(TemporaryChange),
    /// Removes the jumper with this number.
    RemoveJumper(i64),
}

/// Returns what the removal of a change is. `None` if it joins and separates nothing.
pub(super) fn work_of_removal(seen: &Seen, record: &TemporaryRecord) -> Result<Option<Work>, Error> {
    if matches!(record.change, TemporaryChange::PortableEarth { .. }) {
        return Ok(None);
    }
    let active = seen.network().active();
    if active.misfit(record.id).is_some() {
        return Ok(None);
    }
    if !active.temporary().any(|change| change.id == record.id) {
        return Err(Error::Late(
            "The network with this change is being loaded. Nothing was removed. Try again in a few seconds.".to_owned(),
        ));
    }
    let TemporaryChange::Cut { equipment, terminal, phases } = &record.change else { return Ok(Some(Work::RemoveJumper(record.id))) };
    let before = active.stored().description().equipment.iter().find(|of| of.id == *equipment);
    let beside = before.and_then(|line| line.terminals.get(usize::from(*terminal).checked_sub(1)?));
    let joined = |beside: &Terminal| TemporaryChange::Jumper { nodes: [end_of_cut(record.id), beside.node.clone()], phases: *phases };
    Ok(beside.map(joined).map(Work::Place))
}

/// Reads the network with the positions that the database has now, in which those that nobody reports are unknown; `None` if no version is active.
async fn doubting(services: &Services, view: View) -> Result<Option<Seen>, Error> {
    if !view.principal.may_see_any(view.principal.client) {
        return Err(Error::Forbidden("your role sees no part of the network"));
    }
    let client = view.principal.client;
    let latest = services.store().latest_of_points(client, &view.field.network_points()).await?;
    let entries = services.store().manual_entries(client).await?;
    let network: Option<PresentNetwork> = view.field.network_with(latest, &entries, Services::now(), Unreported::Unknown);
    Ok(network.map(|network| Seen::new(view, network)))
}

/// Finds visible equipment by its id, or as an element of the diagram of a substation.
async fn find(
    services: &Services,
    seen: &Seen,
    id: Option<&str>,
    location: Option<i64>,
    element: Option<&str>,
) -> Result<EquipmentId, Error> {
    let found = match (id, location, element) {
        (Some(id), None, None) => seen.network().active().model().equipment(id),
        (None, Some(location), Some(element)) => {
            let drawn = drawn(services, seen, location).await?;
            drawn.into_iter().find(|(id, _)| id == element).map(|(_, equipment)| equipment)
        }
        _ => return Err(Error::BadRequest("name equipment, or location and element".to_owned())),
    };
    found.filter(|of| seen.equipment(*of).is_some()).ok_or(Error::NotFound)
}

/// Returns the elements of the diagram of a substation with their equipment. None if the user may not see the substation.
pub(super) async fn drawn(services: &Services, seen: &Seen, location: i64) -> Result<Vec<(String, EquipmentId)>, Error> {
    let location = NodeId(location);
    if !seen.view().field.node(location).is_some_and(|node| seen.view().sees(node)) {
        return Ok(Vec::new());
    }
    let found = in_network(&services.0.pictures, services.store(), seen.view(), location, seen.network()).await?;
    Ok(found.map(|found| found.elements).unwrap_or_default())
}

/// Checks the number of a terminal.
fn terminal(seen: &Seen, equipment: EquipmentId, number: u8) -> Result<u8, Error> {
    let active = seen.network().active();
    if active.temporary_of(equipment).is_some() {
        return Err(Error::BadRequest("equipment must belong to the network, not to another temporary change".to_owned()));
    }
    let count = active.model().terminals_of(equipment).len();
    if number == 0 || usize::from(number) > count {
        return Err(Error::BadRequest(format!("terminal must be 1 to {count} for this equipment")));
    }
    Ok(number)
}

/// Returns the terminals of a piece of equipment with what is there.
pub(super) async fn terminals(
    services: &Services,
    view: View,
    id: Option<&str>,
    location: Option<i64>,
    element: Option<&str>,
) -> Result<TemporaryTerminals, Error> {
    let seen = doubting(services, view).await?.ok_or(Error::NotFound)?;
    let equipment = find(services, &seen, id, location, element).await?;
    let (active, state) = (seen.network().active(), seen.network().state());
    let description = active.description();
    let mut terminals: Vec<TemporaryTerminal> = (1..)
        .zip(active.model().terminals_of(equipment))
        .map(|(terminal, (node, phases))| TemporaryTerminal {
            terminal,
            phases: phases.to_string(),
            state: state_text(state.state(*node)).to_owned(),
            beside: Vec::new(),
        })
        .collect();
    let own: Vec<&str> = description.equipment[equipment.index()].terminals.iter().map(|terminal| &*terminal.node).collect();
    for (other, of) in active.model().all_equipment().zip(&description.equipment).filter(|(other, _)| *other != equipment) {
        for (node, terminal) in own.iter().zip(&mut terminals) {
            let number = (1..).zip(&of.terminals).find(|(_, at)| at.node == **node).map(|(number, _)| number);
            let Some(number) = number.filter(|_| terminal.beside.len() < BESIDE_MAX) else { continue };
            let place = |equipment| TemporaryPlace { equipment, terminal: number, end: 1, element: None };
            terminal.beside.extend(seen.equipment(other).map(place));
        }
    }
    Ok(TemporaryTerminals { equipment: seen.equipment(equipment).ok_or(Error::NotFound)?, terminals })
}

fn state_text(state: State) -> &'static str {
    match state {
        State::Energised => "energised",
        State::Dead => "dead",
        State::Earthed => "earthed",
        State::Conflict => "conflict",
        State::Unknown => "unknown",
    }
}

/// Checks with the facts of a transaction that the work of a crew is not dangerous. What depends on unknown positions is permitted if the crew has proved the place dead.
/// While another change could be anywhere, this proves nothing.
pub(super) fn permit(services: &Services, view: &View, work: &Work, facts: &NetworkFacts, is_seen_dead: bool) -> Result<(), String> {
    let network = services.control().network_of_decision(&view.field, facts, Services::now());
    let seen = Seen::new(view.clone(), network.ok_or("No network is active. Nothing was changed.")?);
    let move_kind = match work {
        Work::Place(change) => MoveKind::of_placing(change),
        Work::RemoveJumper(_) => MoveKind::Separate,
    };
    if let Some(what) = lost_change_against(seen.network().active(), move_kind) {
        return Err(format!("It is not known what is connected with this place: {what}. Nothing was changed."));
    }
    let state = seen.network().state();
    let (gained, danger) = match work {
        Work::Place(change) => (state.may_be_energised_by_placing(change), state.danger_of_placing(change)),
        Work::RemoveJumper(number) => (Vec::new(), state.danger_of_removing_jumper(*number)),
    };
    if let Some(tag) = inhibits_on(&view.field, seen.network().active(), &facts.tags, &gained).first() {
        return Err(match view.field.node(tag.location).filter(|node| view.sees(node)) {
            Some(node) => format!(
                "It would or might energise what {} has inhibited with a tag on {} at {}: {}. The tag has to be removed first. Nothing was changed.",
                tag.holder, tag.asset_name, node.name, tag.reason
            ),
            None => "It would or might energise what a tag outside of your area inhibits. Nothing was changed.".to_owned(),
        });
    }
    let Some(PlacingDanger { kind, is_certain }) = danger else { return Ok(()) };
    if !is_certain && is_seen_dead {
        return Ok(());
    }
    let name = |equipment: EquipmentId| match seen.equipment(equipment) {
        Some(equipment) => match equipment.station {
            Some(station) => format!("{} at {station}", equipment.name),
            None => equipment.name,
        },
        None => "equipment outside of your area".to_owned(),
    };
    let may = |certain: &'static str, possible: &'static str| if is_certain { certain } else { possible };
    let danger = match kind {
        DangerKind::EarthOntoSupply(source) => format!("This place {} fed by {}.", may("is", "may be"), name(source)),
        DangerKind::EarthOntoReturningSupply(source) => {
            format!("{} {} connected with this place, and can come back.", name(source), may("is", "may be"))
        }
        DangerKind::EarthOntoVoltage => {
            format!("This place {} voltage by a measurement, although nothing known feeds it.", may("has", "may have"))
        }
        DangerKind::JumperOntoEarth => format!("It {} connect supply with an earth.", may("would", "might")),
        DangerKind::JumperOntoGoneSource(source) => {
            format!("It {} feed back to {}, which is gone and can come back.", may("would", "might"), name(source))
        }
        DangerKind::JumperJoinsSources([one, other]) => format!("It {} join {} and {}.", may("would", "might"), name(one), name(other)),
        DangerKind::JumperJoinsVoltages => format!("It {} join two live places. Nothing known feeds one of them.", may("would", "might")),
        DangerKind::CutUnderLoad(current) => {
            let what = match current {
                Current::Load(load) => {
                    format!("{} customers and {:.1} MW are, or may be, behind it", load.customers, load.load_kw / 1_000.0)
                }
                Current::Loop => "it is, or may be, a part of a live loop".to_owned(),
                Current::Exchange => "a source, a generator or a consumer is, or may be, on each of its sides".to_owned(),
            };
            let carrier = if matches!(work, Work::RemoveJumper(_)) { "jumper" } else { "line" };
            format!("The {carrier} {} current: {what}.", may("carries", "may carry"))
        }
    };
    let remedy = if is_certain { "Isolate the section first." } else { "Isolate it, or have it proved dead on site and state so." };
    Err(format!("{danger} {remedy} Nothing was changed."))
}
