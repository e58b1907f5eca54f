//! Sections between switches, and what is not in its normal state.

use network::description::{Electrical, Equipment, Node, Switch, Terminal};
use network::{Abnormal, Contact, Description, EquipmentKind, NetworkState, Phase, Phases, State};
use proptest::prelude::*;

use crate::reference::{Network, Part};
use crate::sequences::network;

/// A source at node 0, a breaker to node 1, a line to node 2, a transformer to node 3, a load-break switch to node 4, a line to node 5, and a normally-open
/// point to node 6, where a second source is.
pub(crate) fn feeder() -> Network {
    let part = |kind, nodes: &[usize], contact| Part { kind, nodes: nodes.to_vec(), phases: Phases::ABC, contacts: [contact; 3] };
    Network {
        nodes: 7,
        parts: vec![
            part(EquipmentKind::EnergySource, &[0], Contact::Closed),
            part(EquipmentKind::Breaker, &[0, 1], Contact::Closed),
            part(EquipmentKind::LineSegment, &[1, 2], Contact::Closed),
            part(EquipmentKind::PowerTransformer, &[2, 3], Contact::Closed),
            part(EquipmentKind::LoadBreakSwitch, &[3, 4], Contact::Closed),
            part(EquipmentKind::LineSegment, &[4, 5], Contact::Closed),
            part(EquipmentKind::Disconnector, &[5, 6], Contact::Open),
            part(EquipmentKind::EnergySource, &[6], Contact::Closed),
            part(EquipmentKind::GroundDisconnector, &[5], Contact::Open),
        ],
    }
}

fn names(state: &NetworkState, equipment: &[network::EquipmentId]) -> Vec<String> {
    equipment.iter().map(|equipment| state.model().equipment_name(*equipment).to_owned()).collect()
}

#[test]
fn section_ends_at_its_switches() {
    let state = feeder().present();
    let section = state.model().section(state.model().node("node:2").unwrap());
    let nodes: Vec<usize> = section.nodes.iter().map(|node| node.index()).collect();
    assert_eq!(
        (nodes, names(&state, &section.switches)),
        (vec![1, 2, 3], vec!["1".into(), "4".into()]),
        "a transformer feeds back, so it is no end"
    );
    assert_eq!(names(&state, &state.isolating(&section)), ["1", "4"]);
}

#[test]
fn sources_inside_a_section_keep_it_live() {
    let mut network = feeder();
    network.parts.push(Part { kind: EquipmentKind::BatteryUnit, nodes: vec![2], ..network.parts[0].clone() });
    network.parts.push(Part { nodes: vec![3], contacts: [Contact::Open; 3], ..network.parts[0].clone() });
    let state = network.present();
    let section = state.model().section(state.model().node("node:2").unwrap());
    assert_eq!(names(&state, &section.sources), ["9", "10"]);
    assert_eq!(names(&state, &state.isolating(&section)), ["1", "4", "9"], "a source that is gone needs nothing");
}

#[test]
fn dead_part_could_be_fed_by_the_normally_open_point() {
    let mut state = feeder().present();
    let [breaker, tie] = ["1", "6"].map(|id| state.model().equipment(id).unwrap());
    let end = state.model().node("node:5").unwrap();
    assert_eq!(state.could_feed(end), [], "it is fed already");
    state.set_contact(breaker, Contact::Open);
    state.settle();
    assert_eq!(state.could_feed(end), [breaker, tie]);
    state.set_contact(tie, Contact::Unknown);
    state.settle();
    assert_eq!(state.could_feed(end), [], "it may be fed already");
}

#[test]
fn equipment_that_is_not_in_its_normal_state_is_listed() {
    let mut state = feeder().present();
    assert_eq!(state.abnormal().count(), 0);
    let [source, breaker, line, earth] = ["7", "1", "5", "8"].map(|id| state.model().equipment(id).unwrap());
    for (equipment, contact) in [(breaker, Contact::Unknown), (line, Contact::Open), (source, Contact::Open), (earth, Contact::Closed)] {
        state.set_contact(equipment, contact);
    }
    let listed: Vec<Abnormal> = state.abnormal().collect();
    let expected = [
        Abnormal { equipment: breaker, normal: Contact::Closed, present: Contact::Unknown },
        Abnormal { equipment: line, normal: Contact::Closed, present: Contact::Open },
        Abnormal { equipment: source, normal: Contact::Closed, present: Contact::Open },
        Abnormal { equipment: earth, normal: Contact::Open, present: Contact::Closed },
    ];
    assert_eq!(listed, expected);
    state.set_contact(breaker, Contact::Closed);
    assert_eq!(state.abnormal().count(), 3);
}

#[test]
fn switches_that_are_not_in_their_normal_position_are_listed_with_what_they_feed_differently() {
    let normal = feeder().present();
    let mut state = feeder().present();
    assert_eq!(state.abnormal_switches().count(), 0);
    let [breaker, line, tie, earth] = ["1", "5", "6", "8"].map(|id| state.model().equipment(id).unwrap());
    for (equipment, contact) in [(line, Contact::Open), (earth, Contact::Closed), (tie, Contact::Closed), (breaker, Contact::Unknown)] {
        state.set_contact(equipment, contact);
    }
    state.settle();
    let listed: Vec<(String, Contact)> =
        state.abnormal_switches().map(|found| (state.model().equipment_name(found.equipment).to_owned(), found.present)).collect();
    assert_eq!(listed, [("1".into(), Contact::Unknown), ("6".into(), Contact::Closed), ("8".into(), Contact::Closed)], "no line");
    let fed = |state: &NetworkState, switch| fed_differently(state, &normal, switch).iter().map(|node| node.index()).collect::<Vec<_>>();
    assert_eq!((fed(&state, tie), fed(&state, breaker), fed(&state, earth)), (vec![5], vec![1, 2, 3, 4, 5], vec![]));
    // The end of the feeder is fed by the normally-open point instead of the breaker.
    let switch = state.model().equipment("4").unwrap();
    for (equipment, contact) in [(line, Contact::Closed), (earth, Contact::Open), (breaker, Contact::Closed), (switch, Contact::Open)] {
        state.set_contact(equipment, contact);
    }
    state.settle();
    assert_eq!((fed(&state, tie), fed(&state, switch), fed(&state, breaker)), (vec![4, 5], vec![4, 5], vec![4, 5]));
    assert_eq!(fed(&normal, tie), Vec::<usize>::new());
}

#[test]
fn equipment_out_of_service_is_neither_abnormal_nor_open() {
    use EquipmentKind::{Breaker, EnergySource, GroundDisconnector, LineSegment};

    let switch = |is_normally_open| Electrical::Switch(Switch { is_normally_open, ..Switch::default() });
    let equipment = |id: &str, kind, nodes: &[&str], electrical, is_in_service| Equipment {
        id: id.into(),
        name: String::new(),
        kind,
        container: None,
        terminals: nodes.iter().map(|node| Terminal { node: (*node).into(), phases: Phases::ABC }).collect(),
        is_in_service,
        electrical,
    };
    let nodes = ["a", "b", "c"].map(|id| Node {
        id: id.into(),
        name: String::new(),
        container: None,
        nominal_kv: None,
        is_internal: false,
        place: None,
    });
    let description = Description {
        nodes: nodes.into(),
        equipment: vec![
            equipment("grid", EnergySource, &["a"], Electrical::Nothing, true),
            equipment("racked out", Breaker, &["a", "b"], switch(false), false),
            equipment("spare", Breaker, &["a", "b"], switch(true), false),
            equipment("line", LineSegment, &["a", "c"], Electrical::Nothing, false),
            equipment("standby", EnergySource, &["b"], Electrical::Nothing, false),
            equipment("earth", GroundDisconnector, &["c"], Electrical::Nothing, false),
        ],
        ..Description::default()
    };
    let model = std::sync::Arc::new(description.to_model().expect("a model"));
    let [grid, racked_out, spare, line, standby, earth] =
        ["grid", "racked out", "spare", "line", "standby", "earth"].map(|id| model.equipment(id).expect("equipment"));
    let mut state = NetworkState::new(std::sync::Arc::clone(&model));
    assert_eq!([grid, racked_out, spare, line].map(|equipment| model.is_in_service(equipment)), [true, false, false, false]);
    assert_eq!([racked_out, spare].map(|switch| model.normal(switch)), [Contact::Closed, Contact::Open], "its position in service");
    assert_eq!(state.could_feed(model.node("b").unwrap()), [], "what is out of service cannot be closed");
    // A breaker that is racked out is closed for a test: nothing is connected.
    for equipment in [racked_out, spare, standby] {
        assert_eq!(state.consequences(equipment, Contact::Closed), network::Consequences::default());
        state.set_contact(equipment, Contact::Closed);
        for phase in Phase::ALL {
            state.set_phase(equipment, phase, Contact::Closed);
        }
    }
    assert_eq!(state.settle(), []);
    assert_eq!((state.contact(racked_out), state.abnormal().count()), (Contact::Open, 0));
    // An earth switch counts in any case, and a line can be put in service.
    state.set_contact(earth, Contact::Closed);
    state.set_contact(line, Contact::Closed);
    let abnormal: Vec<_> = state.abnormal().map(|abnormal| (abnormal.equipment, abnormal.present)).collect();
    assert_eq!(abnormal, [(line, Contact::Closed), (earth, Contact::Closed)]);
    state.settle();
    assert_eq!(state.state(model.node("c").unwrap()), State::Conflict);
}

/// Returns the nodes that a switch feeds in one of two states only, by the way of each node to its source.
fn fed_differently(state: &NetworkState, normal: &NetworkState, switch: network::EquipmentId) -> Vec<network::NodeId> {
    let model = state.model();
    let is_fed = |state: &NetworkState, node| {
        Phase::ALL.into_iter().any(|phase| state.path_to_source(node, phase).any(|step| model.branch(step.branch).equipment == switch))
    };
    model.nodes().filter(|node| is_fed(state, *node) != is_fed(normal, *node)).collect()
}

fn is_fed(state: &NetworkState, node: network::NodeId) -> bool {
    matches!(state.state(node), State::Energised | State::Conflict)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn opening_what_isolates_leaves_a_section_without_supply(network in network(), node in any::<prop::sample::Index>()) {
        let mut state = network.present();
        let has_earth = network.parts.iter().any(|part| part.kind == EquipmentKind::GroundDisconnector);
        let model = std::sync::Arc::clone(state.model());
        let section = model.section(model.node(&format!("node:{}", node.index(network.nodes))).unwrap());
        for equipment in state.isolating(&section) {
            state.set_contact(equipment, Contact::Open);
        }
        state.settle();
        // What an unknown earth may reach is unknown, too.
        let is_isolated = |node: &network::NodeId| !is_fed(&state, *node) && (has_earth || state.state(*node) == State::Dead);
        prop_assert!(section.nodes.iter().all(is_isolated), "the sources inside are named too");
    }

    #[test]
    fn closing_what_could_feed_a_part_feeds_it(network in network(), node in any::<prop::sample::Index>()) {
        let state = network.present();
        let node = state.model().node(&format!("node:{}", node.index(network.nodes))).unwrap();
        let feeds = state.could_feed(node);
        prop_assert!(feeds.is_empty() || !is_fed(&state, node));
        for switch in feeds {
            let found = state.consequences(switch, Contact::Closed);
            prop_assert!(!found.gains_supply.is_empty());
        }
    }

    #[test]
    fn customers_fed_differently_are_those_of_the_nodes_with_the_switch_on_one_way_only(network in network()) {
        let state = network.present();
        let normal = NetworkState::new(std::sync::Arc::clone(state.model()));
        let switches: Vec<network::EquipmentId> = state.model().all_equipment().collect();
        let found = state.customers_fed_differently(&normal, &switches);
        let expected: Vec<u64> =
            switches.iter().map(|switch| state.consumers(&fed_differently(&state, &normal, *switch)).customers).collect();
        prop_assert_eq!(found.customers, expected);
    }
}
