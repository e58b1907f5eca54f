//! Paths to sources: the same positions give the same paths, whatever has changed before.

use network::{BranchId, Contact, EquipmentKind, NetworkState, NodeId, Phase, Phases};
use proptest::prelude::*;

use crate::reference::{Network, Part};
use crate::sequences::{change, changes};

type Path = Vec<(BranchId, NodeId)>;

fn path(state: &NetworkState, node: NodeId, phase: Phase) -> Path {
    state.path_to_source(node, phase).map(|step| (step.branch, step.node)).collect()
}

fn paths(state: &NetworkState) -> Vec<[Path; 3]> {
    state.model().nodes().map(|node| Phase::ALL.map(|phase| path(state, node, phase))).collect()
}

/// The branches that conduct in a phase, by the contacts of the parts.
fn conducting(network: &Network, state: &NetworkState, phase: Phase) -> Vec<BranchId> {
    let conducts = |branch: &BranchId| {
        let equipment = state.model().branch(*branch).equipment;
        let part = &network.parts[equipment.index()];
        part.phases.contains(phase) && part.contacts[phase as usize] == Contact::Closed
    };
    state.model().branches().filter(conducts).collect()
}

/// The number of branches between each node and the nearest source of a phase.
fn distances(network: &Network, state: &NetworkState, phase: Phase) -> Vec<Option<usize>> {
    let mut distances: Vec<Option<usize>> = vec![None; network.nodes];
    for part in &network.parts {
        let is_present = part.phases.contains(phase) && part.contacts[phase as usize] == Contact::Closed;
        if part.kind == EquipmentKind::EnergySource && is_present {
            distances[part.nodes[0]] = Some(0);
        }
    }
    for distance in 0..network.nodes {
        for branch in conducting(network, state, phase) {
            let [a, b] = state.model().branch(branch).ends.map(NodeId::index);
            for (from, to) in [(a, b), (b, a)] {
                if distances[from] == Some(distance) && distances[to].is_none() {
                    distances[to] = Some(distance + 1);
                }
            }
        }
    }
    distances
}

/// Two lines between a source and node 3: over nodes 1 and 2, and over node 4.
fn ring() -> Network {
    let part = |kind, nodes: &[usize]| Part { kind, nodes: nodes.to_vec(), phases: Phases::ABC, contacts: [Contact::Closed; 3] };
    let ends: [&[usize]; 5] = [&[0, 1], &[1, 2], &[2, 3], &[0, 4], &[4, 3]];
    let mut parts = vec![part(EquipmentKind::EnergySource, &[0])];
    parts.extend(ends.map(|ends| part(EquipmentKind::Breaker, ends)));
    Network { nodes: 5, parts }
}

#[test]
fn closed_ring_is_fed_on_the_shorter_side() {
    let mut state = ring().present();
    let model = std::sync::Arc::clone(state.model());
    let names = |state: &NetworkState, node: &str| -> Vec<String> {
        let steps = state.path_to_source(model.node(node).unwrap(), Phase::A);
        steps.map(|step| model.equipment_name(model.branch(step.branch).equipment).to_owned()).collect()
    };
    assert_eq!(names(&state, "node:3"), ["5", "4"]);
    let switch = model.equipment("4").unwrap();
    state.set_contact(switch, Contact::Open);
    assert_eq!(names(&state, "node:4"), ["5", "3", "2", "1"]);
    state.set_contact(switch, Contact::Closed);
    assert_eq!((names(&state, "node:3"), names(&state, "node:4")), (vec!["5".into(), "4".into()], vec!["4".to_owned()]));
    // The same after the ring has been fed from its other side.
    let shorter = state.model().branches_of(switch).next().unwrap();
    let mut fed = Vec::new();
    state.downstream(shorter, Phase::A, &mut fed);
    assert_eq!(fed.iter().map(|node| node.index()).collect::<Vec<_>>(), [4, 3]);
}

#[test]
fn first_of_two_parallel_branches_feeds() {
    let mut network = ring();
    network.parts.push(Part { nodes: vec![0, 1], ..network.parts[1].clone() });
    let mut state = network.present();
    let [first, second] = ["1", "6"].map(|id| state.model().equipment(id).unwrap());
    let node = state.model().node("node:1").unwrap();
    let feeding =
        |state: &NetworkState| state.path_to_source(node, Phase::A).next().map(|step| state.model().branch(step.branch).equipment);
    assert_eq!(feeding(&state), Some(first));
    state.set_contact(first, Contact::Open);
    assert_eq!(feeding(&state), Some(second));
    state.set_contact(first, Contact::Closed);
    assert_eq!(feeding(&state), Some(first));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn same_positions_give_the_same_paths((start, changes) in changes(), order in any::<prop::sample::Index>()) {
        let mut end = start.clone();
        let mut state = start.present();
        for step in &changes {
            let number = change(&mut end, *step);
            end.apply(&mut state, number);
        }
        let expected = paths(&end.present());
        prop_assert_eq!(&paths(&state), &expected, "after changes in order");
        // The parts take their last positions in another order.
        let mut other = start.present();
        let count = end.parts.len();
        for number in 0..count {
            end.apply(&mut other, (number + order.index(count)) % count);
        }
        prop_assert_eq!(&paths(&other), &expected, "after changes in another order");
    }

    #[test]
    fn path_has_the_fewest_branches((mut network, changes) in changes()) {
        let mut state = network.present();
        for step in changes {
            let number = change(&mut network, step);
            network.apply(&mut state, number);
        }
        for phase in Phase::ALL {
            let distances = distances(&network, &state, phase);
            for node in state.model().nodes() {
                let path = path(&state, node, phase);
                prop_assert_eq!(path.len(), distances[node.index()].unwrap_or(0));
                let nearer = |branch: &BranchId| {
                    let [a, b] = state.model().branch(*branch).ends;
                    let other = if a == node { b } else { a };
                    (a == node || b == node) && distances[other.index()].is_some_and(|other| Some(other + 1) == distances[node.index()])
                };
                let first = conducting(&network, &state, phase).into_iter().find(nearer);
                prop_assert_eq!(path.first().map(|(branch, _)| *branch), first, "the first of equal ones");
            }
            for branch in state.model().branches() {
                let mut fed = Vec::new();
                state.downstream(branch, phase, &mut fed);
                fed.sort_unstable();
                let over = |node: &NodeId| path(&state, *node, phase).iter().any(|(step, _)| *step == branch);
                prop_assert_eq!(fed, state.model().nodes().filter(over).collect::<Vec<_>>());
            }
        }
    }
}
