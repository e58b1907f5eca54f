//! Compares islands and supply with those that another tool has found: `peer_states FOLDER`, a folder that tests/peers/states.py has written.
//!
//! Prints a line for each network, and fails if one state differs.

#![allow(clippy::print_stdout, reason = "a program of a comparison prints its figures")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use network::{Contact, NetworkState, NodeId, State};

fn main() -> ExitCode {
    let folder = std::env::args().nth(1).expect("the folder");
    let mut files: Vec<_> = std::fs::read_dir(&folder).expect("the folder").map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "states"));
    files.sort();
    let differing: usize = files.iter().map(|states| compare(states)).sum();
    println!("= states of {} networks that differ from pandapower | {differing} | <= 0", files.len());
    if differing == 0 && !files.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Returns the number of states that differ.
fn compare(states: &Path) -> usize {
    let name = states.file_stem().expect("a name").to_string_lossy();
    let text = std::fs::read_to_string(states.with_extension("json")).expect("the network");
    let imported = network_files::pandapower::import(&text).expect("a network");
    let model = Arc::new(imported.description.to_model().expect("a model"));
    let mut present = NetworkState::new(Arc::clone(&model));
    let switches: Vec<_> = model
        .all_equipment()
        .filter(|equipment| model.kind(*equipment).is_switch())
        .map(|equipment| (model.equipment_name(equipment).strip_prefix("switch:").expect("a switch").to_owned(), equipment))
        .collect();
    let buses: Vec<(u32, NodeId)> = model
        .nodes()
        .filter(|node| !model.is_internal(*node))
        .map(|node| (model.node_name(node).strip_prefix("bus:").expect("a bus").parse().expect("a number"), node))
        .collect();
    let (mut differing, mut count) = (0, 0);
    let mut time = std::time::Duration::ZERO;
    for line in std::fs::read_to_string(states).expect("the states").lines() {
        let mut parts = line.split('\t');
        let mut next = || parts.next().expect("three parts").split(',').filter(|text| !text.is_empty());
        let open: BTreeSet<&str> = next().collect();
        let dead: BTreeSet<u32> = next().map(|bus| bus.parse().expect("a bus")).collect();
        let lowest: BTreeMap<u32, u32> = next()
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
        let found_dead: BTreeSet<u32> = buses.iter().filter(|(_, node)| is_dead(*node)).map(|(bus, _)| *bus).collect();
        let mut found_lowest = BTreeMap::new();
        let number: BTreeMap<NodeId, u32> = buses.iter().map(|(bus, node)| (*node, *bus)).collect();
        for island in present.islands().list {
            let numbers: Vec<u32> = island.nodes.iter().filter_map(|node| number.get(node).copied()).collect();
            if let Some(first) = numbers.iter().min().copied() {
                found_lowest.extend(numbers.into_iter().map(|bus| (bus, first)));
            }
        }
        count += 1;
        if found_dead != dead || found_lowest != lowest {
            if differing == 0 {
                let first = dead.symmetric_difference(&found_dead).next();
                println!("{name}, state {count}: {} without supply, found {}; first difference {first:?}", dead.len(), found_dead.len());
            }
            differing += 1;
        }
    }
    let micros = time.as_micros() as usize / count.max(1);
    println!(
        "{name}: {} buses, {} switches, {count} states, {differing} differ; {micros} µs a state, {} notes",
        buses.len(),
        switches.len(),
        imported.notes.len()
    );
    differing
}
