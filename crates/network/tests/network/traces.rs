//! Traces, islands, and what joins sources or closes loops.

use network::{Contact, EquipmentKind, NodeId, Phase, Phases};

use crate::reference::{Network, Part};

/// Two sources at nodes 0 and 5 with a feeder each, and a normally-open point between nodes 2 and 3:
/// 0 =switch 2= 1 =line 3= 2 =switch 4= 3 =line 5= 4 =switch 6= 5. A second switch (7) is parallel to the first. A customer at each node.
fn two_feeders() -> Network {
    let part = |kind, nodes: &[usize], contact| Part { kind, nodes: nodes.to_vec(), phases: Phases::ABC, contacts: [contact; 3] };
    let mut parts = vec![
        part(EquipmentKind::EnergySource, &[0], Contact::Closed),
        part(EquipmentKind::EnergySource, &[5], Contact::Closed),
        part(EquipmentKind::Breaker, &[0, 1], Contact::Closed),
        part(EquipmentKind::LineSegment, &[1, 2], Contact::Closed),
        part(EquipmentKind::LoadBreakSwitch, &[2, 3], Contact::Open),
        part(EquipmentKind::LineSegment, &[3, 4], Contact::Closed),
        part(EquipmentKind::Breaker, &[4, 5], Contact::Closed),
        part(EquipmentKind::Disconnector, &[0, 1], Contact::Open),
    ];
    parts.extend((0..6).map(|node| part(EquipmentKind::EnergyConsumer, &[node], Contact::Closed)));
    Network { nodes: 6, parts }
}

fn indexes(nodes: &[NodeId]) -> Vec<usize> {
    nodes.iter().map(|node| node.index()).collect()
}

#[test]
fn path_leads_over_branches_to_source() {
    let present = two_feeders().present();
    let model = present.model();
    let node = model.node("node:2").unwrap();
    let path: Vec<(&str, usize)> = present
        .path_to_source(node, Phase::A)
        .map(|step| (model.equipment_name(model.branch(step.branch).equipment), step.node.index()))
        .collect();
    assert_eq!(path, [("3", 1), ("2", 0)]);
    let source = present.source_of(node, Phase::A).unwrap();
    assert_eq!(model.equipment_name(model.source_equipment(source)), "0");
    assert_eq!(present.path_to_source(model.node("node:0").unwrap(), Phase::A).count(), 0);
}

#[test]
fn downstream_ends_at_open_switch() {
    let present = two_feeders().present();
    let branch_of = |id: &str| present.model().branches_of(present.model().equipment(id).unwrap()).next().unwrap();
    let mut nodes = Vec::new();
    present.downstream(branch_of("2"), Phase::A, &mut nodes);
    assert_eq!(indexes(&nodes), [1, 2]);
    let consumers = present.consumers(&nodes);
    assert_eq!((consumers.customers, consumers.load_kw), (2, 5.0));
    nodes.clear();
    present.downstream(branch_of("4"), Phase::A, &mut nodes);
    assert!(nodes.is_empty(), "an open switch feeds nothing");
}

#[test]
fn load_is_that_of_the_nearest_measurements_and_connected_where_nothing_measures() {
    let present = two_feeders().present();
    let model = present.model();
    let [breaker, line, other, customer] = ["2", "3", "6", "12"].map(|id| model.equipment(id).unwrap());
    let at = |measured: &[(network::EquipmentId, f64)], of| {
        let load = present.load_behind(&[of], |equipment| measured.iter().find(|(at, _)| *at == equipment).map(|(_, kw)| *kw));
        (load.measured_kw, load.measured_at, load.unmeasured_kw)
    };
    let connected = present.consumers(&[model.node("node:1").unwrap()]).load_kw;
    assert_eq!(at(&[], breaker), (0.0, vec![], 5.0));
    assert_eq!(at(&[(breaker, 7.0), (line, 3.0)], breaker), (7.0, vec![breaker], 0.0), "its own measurement has all");
    assert_eq!(at(&[(line, 3.0), (other, 9.0)], breaker), (3.0, vec![line], connected), "the customer before the line has none");
    assert_eq!(at(&[(line, 3.0)], model.equipment("4").unwrap()), (0.0, vec![], 0.0), "an open switch feeds nothing");
    assert_eq!(at(&[(line, 3.0)], customer).1, vec![], "it is fed by the other source");
}

#[test]
fn opening_takes_supply_from_nodes_behind() {
    let present = two_feeders().present();
    let found = present.consequences(present.model().equipment("2").unwrap(), Contact::Open);
    assert_eq!(indexes(&found.loses_supply), [1, 2]);
    assert_eq!(found.lost.customers, 2);
    assert_eq!((found.joins, found.closes_loop), (None, false));
}

#[test]
fn parallel_switches_that_open_together_take_the_supply() {
    let mut network = two_feeders();
    network.parts[7].contacts = [Contact::Closed; 3];
    let present = network.present();
    let both = ["2", "7"].map(|id| present.model().equipment(id).unwrap());
    assert_eq!(present.consequences(both[0], Contact::Open).loses_supply, []);
    let found = present.joint_consequences(&both, Contact::Open);
    assert_eq!((indexes(&found.loses_supply), found.lost.customers), (vec![1, 2], 2));
}

#[test]
fn closing_normally_open_point_joins_sources() {
    let mut network = two_feeders();
    let present = network.present();
    let found = present.consequences(present.model().equipment("4").unwrap(), Contact::Closed);
    let joined = found.joins.unwrap().map(|source| present.model().equipment_name(present.model().source_equipment(source)));
    assert_eq!(joined, ["0", "1"]);
    assert!(!found.closes_loop);
    // Once they are joined, a second connection closes a loop.
    network.parts[4].contacts = [Contact::Closed; 3];
    let present = network.present();
    let found = present.consequences(present.model().equipment("7").unwrap(), Contact::Closed);
    assert_eq!((found.joins, found.closes_loop), (None, true));
    // With one source gone, the point brings supply back and joins nothing.
    network.parts[4].contacts = [Contact::Open; 3];
    network.parts[1].contacts = [Contact::Open; 3];
    let present = network.present();
    let found = present.consequences(present.model().equipment("4").unwrap(), Contact::Closed);
    assert_eq!((indexes(&found.gains_supply), found.joins, found.closes_loop), (vec![3, 4, 5], None, false));
}

#[test]
fn source_of_unknown_state_counts_as_joined() {
    let mut network = two_feeders();
    network.parts[1].contacts = [Contact::Unknown; 3];
    let present = network.present();
    assert!(present.consequences(present.model().equipment("4").unwrap(), Contact::Closed).joins.is_some());
}

#[test]
fn islands_are_listed_with_loops() {
    let mut network = two_feeders();
    network.parts[7].contacts = [Contact::Closed; 3];
    network.parts[1].contacts = [Contact::Open; 3];
    let islands = network.present().islands();
    let list: Vec<(Vec<usize>, bool)> = islands.list.iter().map(|island| (indexes(&island.nodes), island.is_energised)).collect();
    assert_eq!(list, [(vec![0, 1, 2], true), (vec![3, 4, 5], false)]);
    assert_eq!(islands.loops, 1);
}

#[test]
fn unknown_position_hides_no_join() {
    // The normally-open point has no known position; closing it may join the sources.
    let mut network = two_feeders();
    network.parts[4].contacts = [Contact::Unknown; 3];
    let state = network.present();
    let found = state.consequences(state.model().equipment("4").unwrap(), Contact::Closed);
    assert!(found.joins.is_some() && !found.closes_loop);
    // A switch of unknown position beside it: the sources may be connected already, or not.
    let mut network = two_feeders();
    network.parts[7] = Part { nodes: vec![2, 3], contacts: [Contact::Unknown; 3], ..network.parts[7].clone() };
    let state = network.present();
    let found = state.consequences(state.model().equipment("4").unwrap(), Contact::Closed);
    assert!(found.joins.is_some() && !found.closes_loop && found.possibly_closes_loop);
}

#[test]
fn direct_current_line_does_not_connect_sources() {
    let mut network = two_feeders();
    network.parts[7] =
        Part { kind: EquipmentKind::DirectCurrentLine, nodes: vec![2, 3], contacts: [Contact::Closed; 3], ..network.parts[7].clone() };
    let state = network.present();
    let found = state.consequences(state.model().equipment("4").unwrap(), Contact::Closed);
    assert!(found.joins.is_some() && !found.closes_loop);
}

#[test]
fn what_only_a_generator_can_feed_is_unknown() {
    let mut network = two_feeders();
    network.parts.push(Part { kind: EquipmentKind::GeneratingUnit, nodes: vec![4], ..network.parts[1].clone() });
    network.parts[1].contacts = [Contact::Open; 3];
    let state = network.present();
    assert_eq!(state.state(state.model().node("node:3").unwrap()), network::State::Unknown);
    let found = state.consequences(state.model().equipment("4").unwrap(), Contact::Closed);
    assert!(found.joins.is_some(), "the generator may run by itself");
}

#[test]
fn disagreeing_phases_of_a_breaker_are_unknown() {
    let network = two_feeders();
    let mut state = network.present();
    let breaker = state.model().equipment("2").unwrap();
    state.set_phase(breaker, Phase::A, Contact::Open);
    assert_eq!(state.position(breaker), Contact::Unknown);
    state.set_phase(breaker, Phase::B, Contact::Open);
    state.set_phase(breaker, Phase::C, Contact::Open);
    assert_eq!(state.position(breaker), Contact::Open);
}
