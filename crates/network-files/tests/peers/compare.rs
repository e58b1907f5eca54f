//! Compares islands and supply with those that pandapower has found. A folder has each network as NAME.json, with its switch states in NAME.states; states.py
//! describes the format.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use network::{Contact, NetworkState, NodeId, State};

/// A network that was compared.
pub(crate) struct Compared {
    pub(crate) name: String,
    pub(crate) buses: usize,
    pub(crate) switches: usize,
    pub(crate) states: usize,
    /// Number of states that differ.
    pub(crate) differing: usize,
    pub(crate) first_difference: Option<String>,
    /// Time for the calculation of all states, µs.
    pub(crate) micros: u128,
    /// Number of parts that were not imported.
    pub(crate) notes: usize,
}

/// Compares the networks of a folder, in the order of their names.
pub(crate) fn folder(folder: &Path) -> Vec<Compared> {
    let mut files: Vec<_> = std::fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "states"));
    files.sort();
    files.iter().map(|states| compare(states)).collect()
}

fn compare(states: &Path) -> Compared {
    let name = states.file_stem().expect("a name").to_string_lossy().into_owned();
    let text = std::fs::read_to_string(states.with_extension("json")).expect("the network");
    let imported = network_files::pandapower::import(&text).expect("a network");
    let model = Arc::new(imported.description.to_model().expect("a model"));
    let mut present = NetworkState::new(Arc::clone(&model));
    let switches: Vec<_> = model
        .all_equipment()
        .filter(|equipment| model.kind(*equipment).is_switch())
        .map(|equipment| (model.equipment_name(equipment).strip_prefix("switch:").expect("a switch").to_owned(), equipment))
        .collect();
    let buses: BTreeMap<NodeId, u32> = model
        .nodes()
        .filter(|node| !model.is_internal(*node))
        .map(|node| (node, model.node_name(node).strip_prefix("bus:").expect("a bus").parse().expect("a number")))
        .collect();
    let first_bus = buses.values().min().copied();
    let (mut differing, mut first_difference, mut count, mut time) = (0, None, 0, Duration::ZERO);
    for line in std::fs::read_to_string(states).expect("the states").lines() {
        let mut parts = line.split('\t');
        let mut next = || parts.next().expect("three parts").split(',').filter(|text| !text.is_empty());
        let open: BTreeSet<&str> = next().collect();
        let dead: BTreeSet<u32> = next().map(|bus| bus.parse().expect("a bus")).collect();
        let apart: BTreeMap<u32, u32> = next()
            .map(|pair| pair.split_once('=').expect("a pair"))
            .map(|(bus, lowest)| (bus.parse().expect("a bus"), lowest.parse().expect("a bus")))
            .collect();
        let start = Instant::now();
        for (number, switch) in &switches {
            present.set_position(*switch, if open.contains(number.as_str()) { Contact::Open } else { Contact::Closed });
        }
        present.settle();
        time += start.elapsed();
        let is_dead = |node: NodeId| !matches!(present.state(node), State::Energised | State::Conflict);
        let found_dead: BTreeSet<u32> = buses.iter().filter(|(node, _)| is_dead(**node)).map(|(_, bus)| *bus).collect();
        let mut found_apart = BTreeMap::new();
        for island in present.islands().list {
            let numbers: Vec<u32> = island.nodes.iter().filter_map(|node| buses.get(node).copied()).collect();
            if let Some(lowest) = numbers.iter().min().copied().filter(|lowest| Some(*lowest) != first_bus) {
                found_apart.extend(numbers.into_iter().map(|bus| (bus, lowest)));
            }
        }
        count += 1;
        if found_dead != dead || found_apart != apart {
            differing += 1;
            first_difference.get_or_insert_with(|| {
                let bus = dead.symmetric_difference(&found_dead).next();
                let (expected, found) = (dead.len(), found_dead.len());
                format!("state {count}: {expected} without supply, found {found}; first bus that differs: {bus:?}")
            });
        }
    }
    let (buses, switches, notes, micros) = (buses.len(), switches.len(), imported.notes.len(), time.as_micros());
    Compared { name, buses, switches, states: count, differing, first_difference, micros, notes }
}
