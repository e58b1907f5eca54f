//! The scenarios of a substation with two transformers, and earths that reach beyond their node.

use std::collections::BTreeMap;

use network::{Contact, EquipmentKind, Phases, State};
use serde::Deserialize;

use crate::reference::{Network, Part};

#[derive(Deserialize)]
struct Vectors {
    source_node: String,
    branches: Vec<VectorBranch>,
    scenarios: Vec<Scenario>,
}

#[derive(Deserialize)]
struct VectorBranch {
    a: String,
    b: String,
    switch: String,
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Deserialize)]
struct Scenario {
    name: String,
    states: BTreeMap<String, u8>,
    default_state: u8,
    earthed_nodes: Vec<String>,
    expected: BTreeMap<String, String>,
}

fn contact(raw: u8) -> Contact {
    match raw {
        1 => Contact::Open,
        2 => Contact::Closed,
        _ => Contact::Unknown,
    }
}

fn text(state: State) -> &'static str {
    match state {
        State::Unknown => "UNKNOWN",
        State::Energised => "ENERGISED",
        State::Dead => "DEAD",
        State::Earthed => "EARTHED",
        State::Conflict => "CONFLICT",
    }
}

fn part(kind: EquipmentKind, nodes: &[usize], contact: Contact) -> Part {
    Part { kind, nodes: nodes.to_vec(), phases: Phases::ABC, contacts: [contact; 3] }
}

#[test]
fn states_of_scenarios_are_as_expected() {
    let vectors: Vectors = serde_json::from_str(include_str!("../../../grid/fixtures/topology_colouring.json")).unwrap();
    let mut names: Vec<&String> = vectors.branches.iter().flat_map(|branch| [&branch.a, &branch.b]).collect();
    names.sort();
    names.dedup();
    let node = |name: &String| names.binary_search(&name).unwrap();
    assert!(!vectors.scenarios.is_empty());
    for scenario in &vectors.scenarios {
        let mut parts: Vec<Part> = Vec::new();
        for branch in &vectors.branches {
            let nodes = [node(&branch.a), node(&branch.b)];
            let raw = scenario.states.get(&branch.switch).copied().unwrap_or(scenario.default_state);
            parts.push(match branch.kind.as_str() {
                "transformer" => part(EquipmentKind::PowerTransformer, &nodes, Contact::Closed),
                _ => part(EquipmentKind::Breaker, &nodes, contact(raw)),
            });
        }
        parts.push(part(EquipmentKind::EnergySource, &[node(&vectors.source_node)], Contact::Closed));
        parts.extend(scenario.earthed_nodes.iter().map(|name| part(EquipmentKind::GroundDisconnector, &[node(name)], Contact::Closed)));
        let present = Network { nodes: names.len(), parts }.present();
        for (name, expected) in &scenario.expected {
            let found = present.state(present.model().node(&format!("node:{}", node(name))).unwrap());
            assert_eq!(text(found), expected, "{}: {name}", scenario.name);
        }
    }
}

/// Nodes 0 and 1 at the first busbar, 2 behind a line, 3 behind a transformer.
fn earthed_line() -> Network {
    let parts = vec![
        part(EquipmentKind::EnergySource, &[0], Contact::Closed),
        part(EquipmentKind::Breaker, &[0, 1], Contact::Open),
        part(EquipmentKind::LineSegment, &[1, 2], Contact::Closed),
        part(EquipmentKind::PowerTransformer, &[2, 3], Contact::Closed),
        part(EquipmentKind::GroundDisconnector, &[2], Contact::Closed),
    ];
    Network { nodes: 4, parts }
}

fn states(network: &Network) -> Vec<State> {
    let present = network.present();
    present.model().nodes().map(|node| present.state(node)).collect()
}

#[test]
fn earth_reaches_over_line_but_not_over_winding() {
    let mut network = earthed_line();
    assert_eq!(states(&network), [State::Energised, State::Earthed, State::Earthed, State::Dead]);
    network.parts[4].contacts = [Contact::Unknown; 3];
    assert_eq!(states(&network), [State::Energised, State::Unknown, State::Unknown, State::Dead]);
    // The breaker is closed onto the earth.
    network.parts[4].contacts = [Contact::Closed; 3];
    network.parts[1].contacts = [Contact::Closed; 3];
    assert_eq!(states(&network), [State::Conflict, State::Conflict, State::Conflict, State::Energised]);
}

#[test]
fn blown_fuse_leaves_other_phases_live() {
    let parts = vec![
        part(EquipmentKind::EnergySource, &[0], Contact::Closed),
        Part { contacts: [Contact::Closed, Contact::Open, Contact::Closed], ..part(EquipmentKind::Fuse, &[0, 1], Contact::Closed) },
    ];
    let present = Network { nodes: 2, parts }.present();
    let node = present.model().node("node:1").unwrap();
    let phases = network::Phase::ALL.map(|phase| present.phase_state(node, phase));
    assert_eq!(phases, [Some(State::Energised), Some(State::Dead), Some(State::Energised)]);
    assert_eq!(present.state(node), State::Energised, "a node with one present phase is not shown as dead");
}

#[test]
fn transformer_with_three_ends_feeds_both_others() {
    let parts =
        vec![part(EquipmentKind::EnergySource, &[2], Contact::Closed), part(EquipmentKind::PowerTransformer, &[0, 1, 2], Contact::Closed)];
    let network = Network { nodes: 3, parts };
    assert_eq!(states(&network), [State::Energised; 3]);
    assert_eq!(network.present().islands().loops, 0);
}
