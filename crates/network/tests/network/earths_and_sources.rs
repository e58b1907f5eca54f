//! What earth switches and sources would change, and what their phases report.

use network::{Contact, EquipmentId, EquipmentKind, NetworkState, NodeId, Phase, State};

use crate::reference::{Network, Part};
use crate::sections::feeder;

fn indexes(nodes: &[NodeId]) -> Vec<usize> {
    nodes.iter().map(|node| node.index()).collect()
}

fn equipment(state: &NetworkState, id: &str) -> EquipmentId {
    state.model().equipment(id).expect("equipment")
}

/// The feeder with a customer at each node.
fn feeder_with_customers() -> Network {
    let mut network = feeder();
    let customer = Part { kind: EquipmentKind::EnergyConsumer, ..network.parts[0].clone() };
    network.parts.extend((0..network.nodes).map(|node| Part { nodes: vec![node], ..customer.clone() }));
    network
}

#[test]
fn closing_an_earth_switch_on_a_live_node_is_listed() {
    let mut network = feeder();
    let state = network.present();
    let earth = equipment(&state, "8");
    let found = state.consequences(earth, Contact::Closed);
    assert_eq!(indexes(&found.energised_on_earth), [3, 4, 5], "all metal up to the transformer and the open switch");
    assert!(found.loses_supply.is_empty() && found.possibly_energised_on_earth.is_empty());
    let found = state.consequences(earth, Contact::Unknown);
    assert_eq!((indexes(&found.possibly_energised_on_earth), found.energised_on_earth.len()), (vec![3, 4, 5], 0));
    assert_eq!(state.consequences(earth, Contact::Open), network::Consequences::default(), "it is open");
    // Behind an open switch nothing is live.
    network.parts[4].contacts = [Contact::Open; 3];
    let state = network.present();
    assert!(state.consequences(earth, Contact::Closed).energised_on_earth.is_empty());
}

#[test]
fn loss_of_a_source_lists_what_loses_supply() {
    let state = feeder_with_customers().present();
    let found = state.consequences(equipment(&state, "0"), Contact::Open);
    assert_eq!((indexes(&found.loses_supply), found.lost.customers), (vec![0, 1, 2, 3, 4, 5], 6));
    assert_eq!(found.possibly_loses_supply, []);
    let found = state.consequences(equipment(&state, "0"), Contact::Unknown);
    assert_eq!(indexes(&found.loses_supply), [0, 1, 2, 3, 4, 5], "no known source feeds them any more");
    assert_eq!(state.state(state.model().node("node:3").unwrap()), State::Energised, "nothing is changed by asking");
}

#[test]
fn second_source_keeps_what_it_feeds_too() {
    let mut network = feeder();
    network.parts.push(Part { nodes: vec![3], ..network.parts[0].clone() });
    let state = network.present();
    assert_eq!(state.consequences(equipment(&state, "0"), Contact::Open).loses_supply, []);
}

#[test]
fn source_that_comes_back_joins_the_other() {
    let mut network = feeder();
    network.parts[7].contacts = [Contact::Open; 3];
    let state = network.present();
    let found = state.consequences(equipment(&state, "7"), Contact::Closed);
    assert_eq!((indexes(&found.gains_supply), found.joins), (vec![6], None));
    network.parts[6].contacts = [Contact::Closed; 3];
    let state = network.present();
    let found = state.consequences(equipment(&state, "7"), Contact::Closed);
    let joined = found.joins.expect("both are joined").map(|source| state.model().equipment_name(state.model().source_equipment(source)));
    assert_eq!((joined, found.gains_supply), (["7", "0"], vec![]));
}

#[test]
fn loss_of_a_generator_takes_what_it_may_feed() {
    let mut network = feeder();
    network.parts[1].contacts = [Contact::Open; 3];
    network.parts.push(Part { kind: EquipmentKind::GeneratingUnit, nodes: vec![5], ..network.parts[0].clone() });
    let state = network.present();
    let found = state.consequences(equipment(&state, "9"), Contact::Open);
    assert_eq!((indexes(&found.possibly_loses_supply), found.loses_supply), (vec![1, 2, 3, 4, 5], vec![]));
}

#[test]
fn windings_of_a_transformer_move_together() {
    let mut network = feeder();
    network.parts[3].nodes = vec![2, 3, 4];
    network.parts[4].contacts = [Contact::Open; 3];
    let state = network.present();
    let found = state.consequences(equipment(&state, "3"), Contact::Open);
    assert_eq!(indexes(&found.loses_supply), [3, 4, 5]);
    // Only the first winding has a source; the others are joined over the second.
    network.parts[3] = Part { nodes: vec![6, 3, 4], contacts: [Contact::Open; 3], ..network.parts[3].clone() };
    let state = network.present();
    let found = state.consequences(equipment(&state, "3"), Contact::Closed);
    assert_eq!(indexes(&found.gains_supply), [3, 4, 5]);
}

#[test]
fn phases_of_earths_and_sources_count_when_all_agree() {
    for (id, before, after) in [("8", Contact::Open, Contact::Closed), ("0", Contact::Closed, Contact::Open)] {
        let mut state = feeder().present();
        let equipment = equipment(&state, id);
        state.set_phase(equipment, Phase::A, before);
        assert_eq!(state.contact(equipment), Contact::Unknown, "{id}: the other phases have not been reported");
        state.set_phase(equipment, Phase::C, before);
        state.set_phase(equipment, Phase::A, after);
        state.set_phase(equipment, Phase::B, after);
        assert_eq!(state.contact(equipment), Contact::Unknown, "{id}: the third phase disagrees");
        state.set_phase(equipment, Phase::C, after);
        assert_eq!(state.contact(equipment), after, "{id}");
        state.settle();
        let node = state.model().node("node:5").unwrap();
        let expected = if id == "8" { State::Conflict } else { State::Dead };
        assert_eq!(state.state(node), expected, "{id}");
        // A report of the whole switch replaces those of its phases.
        state.set_contact(equipment, before);
        assert_eq!(state.contact(equipment), before, "{id}");
    }
}

#[test]
fn phase_of_equipment_without_positions_changes_nothing() {
    let network = feeder_with_customers();
    let mut state = network.present();
    let customer = equipment(&state, "9");
    state.set_phase(customer, Phase::A, Contact::Open);
    assert_eq!((state.contact(customer), state.settle()), (Contact::Open, vec![]));
}
