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

fn vectors() -> Vectors {
    serde_json::from_str(include_str!("../../fixtures/topology_colouring.json")).expect("a fixture")
}

/// Returns the states of the network of the vectors, which has an earth switch at each node.
fn solve(
    vectors: &Vectors,
    states: &BTreeMap<String, u8>,
    default_state: u8,
    earthed: &[String],
    unearthed: Contact,
) -> BTreeMap<String, &'static str> {
    let mut names: Vec<&String> = vectors.branches.iter().flat_map(|branch| [&branch.a, &branch.b]).collect();
    names.sort();
    names.dedup();
    let node = |name: &String| names.binary_search(&name).expect("a node");
    let mut parts: Vec<Part> = Vec::new();
    for branch in &vectors.branches {
        let nodes = [node(&branch.a), node(&branch.b)];
        let raw = states.get(&branch.switch).copied().unwrap_or(default_state);
        parts.push(match branch.kind.as_str() {
            "transformer" => part(EquipmentKind::PowerTransformer, &nodes, Contact::Closed),
            _ => part(EquipmentKind::Breaker, &nodes, contact(raw)),
        });
    }
    parts.push(part(EquipmentKind::EnergySource, &[node(&vectors.source_node)], Contact::Closed));
    for name in &names {
        let position = if earthed.contains(name) { Contact::Closed } else { unearthed };
        parts.push(part(EquipmentKind::GroundDisconnector, &[node(name)], position));
    }
    let present = Network { nodes: names.len(), parts }.present();
    let state = |name: &String| present.state(present.model().node(&format!("node:{}", node(name))).expect("a node"));
    names.iter().map(|name| ((*name).clone(), text(state(name)))).collect()
}

#[test]
fn states_of_scenarios_are_as_expected() {
    let vectors = vectors();
    assert_eq!(vectors.scenarios.len(), 5);
    for Scenario { name, states, default_state, earthed_nodes, expected } in &vectors.scenarios {
        let solved = solve(&vectors, states, *default_state, earthed_nodes, Contact::Open);
        let expected: BTreeMap<String, &str> = expected.iter().map(|(node, state)| (node.clone(), state.as_str())).collect();
        assert_eq!(solved, expected, "{name}");
    }
}

/// A name, positions, earthed nodes, and the expected states of some nodes.
type Case = (&'static str, &'static [(&'static str, u8)], &'static [&'static str], &'static [(&'static str, &'static str)]);

#[test]
fn earths_feed_from_the_low_side_and_unknown_positions() {
    let vectors = vectors();
    let normal: &[(&str, u8)] = &[("BC33", 2), ("BC11", 1)];
    let cases: [Case; 6] = [
        ("a feeder taken out and earthed", &[("CBF1", 1)], &["F1"], &[("F1", "EARTHED"), ("F2", "ENERGISED")]),
        (
            "an earth on a live feeder reaches the busbar, but not through the transformer",
            &[],
            &["F1"],
            &[("F1", "CONFLICT"), ("11A", "CONFLICT"), ("33A", "ENERGISED")],
        ),
        ("an earth behind a bad position", &[("CBF1", 3)], &["F1"], &[("F1", "UNKNOWN")]),
        (
            "the low side feeds the other transformer back",
            &[("CB33T1", 1), ("BC11", 2)],
            &[],
            &[("T1L", "ENERGISED"), ("T1H", "ENERGISED"), ("33A", "ENERGISED")],
        ),
        (
            "both ways to a bus are not known, one would do",
            &[("CB11T1", 0), ("BC11", 3)],
            &[],
            &[("11A", "UNKNOWN"), ("F1", "UNKNOWN"), ("11B", "ENERGISED")],
        ),
        ("what is open behind what is not known", &[("CB11T1", 0), ("CBF1", 1)], &[], &[("11A", "UNKNOWN"), ("F1", "DEAD")]),
    ];
    for (name, positions, earthed, expected) in cases {
        let states: BTreeMap<String, u8> = normal.iter().chain(positions).map(|(switch, raw)| ((*switch).to_owned(), *raw)).collect();
        let earthed: Vec<String> = earthed.iter().map(|name| (*name).to_owned()).collect();
        let solved = solve(&vectors, &states, 2, &earthed, Contact::Open);
        for (node, state) in expected {
            assert_eq!(solved[*node], *state, "{name}: {node}");
        }
    }
    let lost = solve(&vectors, &BTreeMap::new(), 0, &[], Contact::Unknown);
    for (node, state) in &lost {
        assert_eq!(*state, if node == "GRID" { "ENERGISED" } else { "UNKNOWN" }, "{node}: nothing is known of any switch");
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
