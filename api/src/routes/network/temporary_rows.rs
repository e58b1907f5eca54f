//! Temporary changes as a user may see them.

use std::collections::{HashMap, HashSet};

use identity::View;
use network::temporary::TemporaryChange;
use store::temporary_change::TemporaryRecord;
use wire::temporary_change::{TemporaryChangeRow, TemporaryPlace, TemporaryRemoval};
use wire::time::iso;

use super::present::{LISTED_MAX, Seen};

/// What is shown of a place outside of the user's area.
const OUTSIDE: &str = "partly outside of your area";
/// Why a change does not count while no network is in memory. It was placed in an active version, so there is one.
const NOT_LOADED: &str = "the network is being loaded, or cannot be used";

/// Returns the changes that the user may see: those at a substation in the user's area, or at equipment in it. One that is at no substation is visible to users
/// who see the whole utility.
pub(super) fn rows(view: &View, seen: Option<&Seen>, records: &[TemporaryRecord]) -> Vec<TemporaryChangeRow> {
    let mut places = seen.map(|seen| places(seen, records)).unwrap_or_default();
    records.iter().filter_map(|record| row(view, seen, record, places.remove(&record.id).unwrap_or_default())).collect()
}

fn row(view: &View, seen: Option<&Seen>, record: &TemporaryRecord, at: Vec<TemporaryPlace>) -> Option<TemporaryChangeRow> {
    let is_all = view.principal.may_see_all(view.principal.client);
    let station = record.location.and_then(|location| view.field.node(location)).filter(|node| view.sees(node));
    let is_own = is_all || station.is_some();
    if !is_own && at.is_empty() {
        return None;
    }
    let misfit = || seen.map_or(Some(NOT_LOADED), |seen| seen.network().active().misfit(record.id));
    let problem = if record.removal.is_none() { misfit().map(str::to_owned) } else { None };
    let (kind, phases) = match &record.change {
        TemporaryChange::Jumper { phases, .. } => ("jumper", phases),
        TemporaryChange::Cut { phases, .. } => ("cut", phases),
        TemporaryChange::PortableEarth { phases, .. } => ("portableEarth", phases),
    };
    Some(TemporaryChangeRow {
        id: record.id,
        kind: kind.to_owned(),
        phases: phases.to_string(),
        place: if is_own { record.place.clone() } else { OUTSIDE.to_owned() },
        at,
        station_id: station.map(|station| station.id.0),
        station: station.map(|station| station.name.clone()),
        reason: record.reason.clone(),
        seen_dead: record.is_seen_dead,
        by: record.by.clone(),
        placed: iso(record.placed),
        counts: record.removal.is_none() && problem.is_none(),
        problem,
        unfit_from: None,
        removal: record.removal.as_ref().map(|removal| TemporaryRemoval {
            by: removal.by.clone(),
            reason: removal.reason.clone(),
            at: iso(removal.at),
        }),
    })
}

/// Returns the visible equipment at the nodes of the changes that have an effect, by the numbers of the changes. The network is searched once.
fn places(seen: &Seen, records: &[TemporaryRecord]) -> HashMap<i64, Vec<TemporaryPlace>> {
    let active = seen.network().active();
    let current: HashSet<i64> = active.temporary().map(|record| record.id).filter(|number| active.misfit(*number).is_none()).collect();
    let mut places: HashMap<i64, Vec<TemporaryPlace>> = HashMap::new();
    let mut at_nodes: HashMap<&str, Vec<(i64, u8)>> = HashMap::new();
    for record in records.iter().filter(|record| current.contains(&record.id)) {
        match &record.change {
            TemporaryChange::Jumper { nodes, .. } => {
                for (node, end) in nodes.iter().zip(1..) {
                    at_nodes.entry(node).or_default().push((record.id, end));
                }
            }
            TemporaryChange::PortableEarth { node, .. } => at_nodes.entry(node).or_default().push((record.id, 1)),
            TemporaryChange::Cut { equipment, terminal, .. } => {
                let line = active.model().equipment(equipment).and_then(|line| seen.equipment(line));
                let place = line.map(|equipment| TemporaryPlace { equipment, terminal: *terminal, end: 1, element: None });
                places.entry(record.id).or_default().extend(place);
            }
        }
    }
    if at_nodes.is_empty() {
        return places;
    }
    for (equipment, of) in active.model().all_equipment().zip(&active.description().equipment) {
        for (terminal, number) in of.terminals.iter().zip(1..) {
            let Some(changes) = at_nodes.get(&*terminal.node) else { continue };
            let is_temporary = active.temporary_of(equipment).is_some();
            let Some(shown) = (!is_temporary).then(|| seen.equipment(equipment)).flatten() else { continue };
            for (id, end) in changes {
                let held = places.entry(*id).or_default();
                if held.len() < LISTED_MAX {
                    held.push(TemporaryPlace { equipment: shown.clone(), terminal: number, end: *end, element: None });
                }
            }
        }
    }
    places
}
