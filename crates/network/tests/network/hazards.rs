//! Moves that could be dangerous in some combination of the unknown positions: compared with all combinations.

use network::{Contact, Current, EquipmentId, EquipmentKind, NetworkState, Phase, Phases};
use proptest::prelude::*;

use crate::reference::{Network, Part};

const UNKNOWN_MAX: usize = 8;

fn part(kind: EquipmentKind, nodes: &[usize], contact: Contact) -> Part {
    Part { kind, nodes: nodes.to_vec(), phases: Phases::ABC, contacts: [contact; 3] }
}

fn equipment(state: &NetworkState, number: usize) -> EquipmentId {
    state.model().equipment(&number.to_string()).expect("equipment")
}

fn energised_by(network: &Network, number: usize) -> Vec<usize> {
    let state = network.present();
    state.may_energise(equipment(&state, number)).iter().map(|node| node.index()).collect()
}

fn current(network: &Network, number: usize) -> Option<Current> {
    let state = network.present();
    state.may_carry_current(equipment(&state, number))
}

/// A source at node 0, an open breaker to node 1, two load-break switches that nobody reports to nodes 2 and 3, and a closed breaker from there to the source.
fn ring() -> Network {
    use EquipmentKind::{Breaker, EnergySource, LoadBreakSwitch};
    let parts = vec![
        part(EnergySource, &[0], Contact::Closed),
        part(Breaker, &[0, 1], Contact::Open),
        part(LoadBreakSwitch, &[1, 2], Contact::Unknown),
        part(LoadBreakSwitch, &[2, 3], Contact::Unknown),
        part(Breaker, &[0, 3], Contact::Closed),
    ];
    Network { nodes: 4, parts }
}

#[test]
fn what_may_be_live_already_may_be_energised_all_the_same() {
    let mut network = ring();
    assert_eq!(energised_by(&network, 1), [1, 2], "over the first switch, if the second one is open");
    network.parts.push(part(EquipmentKind::GroundDisconnector, &[2], Contact::Closed));
    let state = network.present();
    let earth = state.obstructing_earth(equipment(&state, 1)).expect("an earth");
    assert_eq!((earth.at, earth.unknown), (equipment(&state, 5), vec![equipment(&state, 2)]));
}

#[test]
fn earth_is_found_while_the_section_is_dead() {
    let mut network = ring();
    network.parts.push(part(EquipmentKind::GroundDisconnector, &[1], Contact::Closed));
    network.parts[0].contacts = [Contact::Open; 3];
    let state = network.present();
    assert_eq!(state.may_energise(equipment(&state, 1)), []);
    let earth = state.obstructing_earth(equipment(&state, 1)).expect("an earth");
    assert_eq!((earth.at, earth.unknown), (equipment(&state, 5), vec![]));
}

#[test]
fn source_that_is_gone_counts_for_an_earth_unless_it_is_isolated() {
    let mut network = ring();
    network.parts[0].contacts = [Contact::Open; 3];
    network.parts.push(part(EquipmentKind::GroundDisconnector, &[3], Contact::Open));
    network.parts.push(part(EquipmentKind::GroundDisconnector, &[1], Contact::Open));
    network.parts[2].contacts = [Contact::Open; 3];
    let state = network.present();
    let source = state.obstructing_source(equipment(&state, 5)).expect("the source");
    assert_eq!((source.at, source.is_gone), (equipment(&state, 0), true));
    assert_eq!(state.obstructing_source(equipment(&state, 6)), None, "open switches isolate it");
    // One that is there comes first, and one that is out of service never comes.
    network.parts[0].contacts = [Contact::Closed; 3];
    let state = network.present();
    assert!(state.obstructing_source(equipment(&state, 5)).is_some_and(|source| !source.is_gone));
}

#[test]
fn source_that_is_gone_and_still_connected_is_found_behind_a_coupler() {
    use EquipmentKind::{Breaker, EnergySource};
    let mut network = Network {
        nodes: 4,
        parts: vec![
            part(EnergySource, &[0], Contact::Closed),
            part(Breaker, &[0, 1], Contact::Closed),
            part(EnergySource, &[3], Contact::Open),
            part(Breaker, &[3, 2], Contact::Closed),
            part(Breaker, &[1, 2], Contact::Open),
        ],
    };
    let gone = |network: &Network| {
        let state = network.present();
        let gone = state.gone_source_at(&state.may_energise(equipment(&state, 4)));
        gone.map(|gone| state.model().equipment_name(gone).to_owned())
    };
    assert_eq!(gone(&network).as_deref(), Some("2"));
    network.parts[3].contacts = [Contact::Unknown; 3];
    assert_eq!(gone(&network).as_deref(), Some("2"), "it may be connected");
    network.parts[3].contacts = [Contact::Open; 3];
    assert_eq!(gone(&network), None, "its breaker is open");
    network.parts[3].contacts = [Contact::Closed; 3];
    network.parts[0].contacts = [Contact::Open; 3];
    assert_eq!(gone(&network), None, "nothing would feed it");
}

/// A source at node 0, a breaker to node 1, a disconnector to node 2, a switch that nobody reports to node 3, and a consumer there.
fn spur() -> Network {
    use EquipmentKind::{Breaker, Disconnector, EnergyConsumer, EnergySource, LoadBreakSwitch};
    let parts = vec![
        part(EnergySource, &[0], Contact::Closed),
        part(Breaker, &[0, 1], Contact::Closed),
        part(Disconnector, &[1, 2], Contact::Closed),
        part(LoadBreakSwitch, &[2, 3], Contact::Unknown),
        part(EnergyConsumer, &[3], Contact::Closed),
    ];
    Network { nodes: 4, parts }
}

#[test]
fn load_behind_an_unknown_switch_counts() {
    let mut network = spur();
    let load = |network: &Network| match current(network, 2) {
        Some(Current::Load(load)) => load.customers,
        other => panic!("{other:?}"),
    };
    assert_eq!(load(&network), 1);
    // Another possible feed of the consumer changes nothing.
    network.parts.push(part(EquipmentKind::LoadBreakSwitch, &[3, 4], Contact::Unknown));
    network.parts.push(part(EquipmentKind::EnergySource, &[4], Contact::Closed));
    network.nodes = 5;
    assert!(current(&network, 2).is_some());
    network.parts.truncate(5);
    // A source whose voltage is stale may be there.
    network.parts[0].contacts = [Contact::Unknown; 3];
    assert_eq!(load(&network), 1);
    // One whose voltage is zero can return, and the measurement may have failed.
    network.parts[0].contacts = [Contact::Open; 3];
    assert_eq!(load(&network), 1);
    network.parts[1].contacts = [Contact::Open; 3];
    assert_eq!(current(&network, 2), None, "the breaker separates the disconnector from it");
    network.parts[1].contacts = [Contact::Closed; 3];
    network.parts[0].contacts = [Contact::Closed; 3];
    network.parts[1].contacts = [Contact::Open; 3];
    assert_eq!(current(&network, 2), None, "the breaker is open");
    network.parts[1].contacts = [Contact::Closed; 3];
    network.parts[3].contacts = [Contact::Open; 3];
    assert_eq!(current(&network, 2), None, "nothing is behind it");
}

#[test]
fn closed_earth_behind_a_transformer_counts() {
    use EquipmentKind::{Breaker, EnergySource, GroundDisconnector, PowerTransformer};
    let mut network = Network {
        nodes: 3,
        parts: vec![
            part(EnergySource, &[0], Contact::Closed),
            part(Breaker, &[0, 1], Contact::Open),
            part(PowerTransformer, &[1, 2], Contact::Closed),
            part(GroundDisconnector, &[2], Contact::Closed),
        ],
    };
    let earth = |network: &Network| {
        let state = network.present();
        assert_eq!(state.obstructing_earth(equipment(&state, 1)), None, "it is on no metallic section of the breaker");
        state.earth_to_energise(equipment(&state, 1)).map(|earth| state.model().equipment_name(earth).to_owned())
    };
    assert_eq!(earth(&network).as_deref(), Some("3"));
    network.parts[0].contacts = [Contact::Open; 3];
    assert_eq!(earth(&network).as_deref(), Some("3"), "the source can return");
    network.parts[3].contacts = [Contact::Open; 3];
    assert_eq!(earth(&network), None);
}

#[test]
fn possible_loop_counts() {
    let mut network = spur();
    network.parts.truncate(3);
    network.parts.push(part(EquipmentKind::LoadBreakSwitch, &[2, 3], Contact::Unknown));
    network.parts.push(part(EquipmentKind::LineSegment, &[3, 0], Contact::Closed));
    assert_eq!(current(&network, 2), Some(Current::Loop));
    network.parts[2].contacts = [Contact::Open; 3];
    assert_eq!(current(&network, 2), Some(Current::Loop), "closing it could close the loop");
    network.parts[3].contacts = [Contact::Open; 3];
    assert_eq!(current(&network, 2), None);
}

#[test]
fn everything_that_takes_or_gives_current_counts_while_it_is_in_service() {
    use EquipmentKind::{BatteryUnit, BusbarSection, GeneratingUnit, InverterUnit, ShuntCompensator};
    for (kind, carries) in
        [(GeneratingUnit, true), (BatteryUnit, true), (InverterUnit, true), (ShuntCompensator, true), (BusbarSection, false)]
    {
        let mut network = spur();
        network.parts[4] = part(kind, &[3], Contact::Closed);
        assert_eq!(current(&network, 2), carries.then_some(Current::Exchange), "{kind:?}");
    }
    let mut network = spur();
    network.parts[4] = part(EquipmentKind::DirectCurrentLine, &[3, 4], Contact::Closed);
    network.nodes = 5;
    assert_eq!(current(&network, 2), Some(Current::Exchange));
}

fn known() -> impl Strategy<Value = Contact> {
    prop_oneof![Just(Contact::Closed), Just(Contact::Open)]
}

/// A small network; the first part is the switch that moves. Up to eight others are unknown.
fn small() -> impl Strategy<Value = Network> {
    use EquipmentKind::{
        Breaker, Disconnector, EnergyConsumer, EnergySource, GroundDisconnector, LineSegment, PowerTransformer, ShuntCompensator,
    };
    let kind = prop_oneof![
        6 => Just(Breaker), 2 => Just(LineSegment), 2 => Just(PowerTransformer), 2 => Just(EnergySource), 2 => Just(GroundDisconnector),
        2 => Just(EnergyConsumer), 1 => Just(ShuntCompensator),
    ];
    (2_usize..7).prop_flat_map(move |nodes| {
        let other = (kind.clone(), proptest::collection::vec(0..nodes, 2), known(), any::<bool>()).prop_map(
            |(kind, mut nodes, contact, is_unknown)| {
                nodes.truncate(if kind.is_switch() || matches!(kind, LineSegment | PowerTransformer) { 2 } else { 1 });
                let can_be_unknown = kind.is_switch() || matches!(kind, EnergySource | GroundDisconnector);
                let fixed = if can_be_unknown { contact } else { Contact::Closed };
                part(kind, &nodes, if can_be_unknown && is_unknown { Contact::Unknown } else { fixed })
            },
        );
        (proptest::collection::vec(0..nodes, 2), known(), proptest::collection::vec(other, 1..14)).prop_map(
            move |(ends, contact, others)| {
                let mut parts = vec![part(Disconnector, &ends, contact)];
                parts.extend(others);
                let unknown: Vec<usize> = (0..parts.len()).filter(|at| parts[*at].contacts[0] == Contact::Unknown).collect();
                unknown.iter().skip(UNKNOWN_MAX).for_each(|at| parts[*at].contacts = [Contact::Open; 3]);
                Network { nodes, parts }
            },
        )
    })
}

/// All networks that this one may be.
fn combinations(network: &Network) -> Vec<Network> {
    let unknown: Vec<usize> = (0..network.parts.len()).filter(|at| network.parts[*at].contacts[0] == Contact::Unknown).collect();
    let of = |bits: usize| {
        let mut network = network.clone();
        for (bit, at) in unknown.iter().enumerate() {
            network.parts[*at].contacts = [if bits & (1 << bit) == 0 { Contact::Open } else { Contact::Closed }; 3];
        }
        network
    };
    (0..1 << unknown.len()).map(of).collect()
}

/// What moving the first part does in a network without unknown positions.
struct Truth {
    energised: Vec<usize>,
    /// Whether an earth is closed on the metal at an end.
    is_earthed: bool,
    carries_current: bool,
}

fn truth(network: &Network) -> Truth {
    let [a, b] = [network.parts[0].nodes[0], network.parts[0].nodes[1]];
    let moved = |contact: Contact| {
        let mut moved = network.clone();
        moved.parts[0].contacts = [contact; 3];
        moved
    };
    let (open, closed) = (moved(Contact::Open), moved(Contact::Closed));
    let live = |network: &Network| network.may_be_supplied(Phase::A);
    let (before, after, now) = (live(&open), live(&closed), live(network));
    let earthed = open.earthed(Phase::A);
    // Sources that are gone can return.
    let mut returned = closed.clone();
    returned.parts.iter_mut().filter(|part| part.kind.may_feed()).for_each(|part| part.contacts = [Contact::Closed; 3]);
    let may_be_live = live(&returned);
    let joined = [a, b].map(|end| open.reached_from(end, Phase::A, false));
    let has_current = |joined: &Vec<bool>| network.parts.iter().any(|part| part.kind.takes_or_gives_current() && joined[part.nodes[0]]);
    Truth {
        energised: (0..network.nodes).filter(|node| after[*node] && !before[*node] && !now[*node]).collect(),
        is_earthed: earthed[a] || earthed[b],
        carries_current: a != b && (may_be_live[a] || may_be_live[b]) && (joined[0][b] || joined.iter().all(has_current)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn no_combination_of_unknown_positions_is_dangerous_if_none_is_found(network in small()) {
        let state = network.present();
        let first = equipment(&state, 0);
        let energised = energised_by(&network, 0);
        let earth = state.obstructing_earth(first);
        let current = state.may_carry_current(first);
        let all = combinations(&network);
        for truth in all.iter().map(truth) {
            for node in &truth.energised {
                prop_assert!(energised.contains(node), "node {} is energised", node);
            }
            prop_assert!(earth.is_some() || !truth.is_earthed);
            prop_assert!(current.is_some() || !truth.carries_current);
        }
        // Where all is known, nothing harmless is found.
        if let [one] = all.as_slice() && network.parts[0].nodes[0] != network.parts[0].nodes[1] {
            let truth = truth(one);
            prop_assert_eq!(energised, truth.energised);
            prop_assert_eq!(earth.is_some(), truth.is_earthed);
            prop_assert_eq!(current.is_some(), truth.carries_current);
        }
    }

    #[test]
    fn earth_is_never_closed_onto_what_may_have_supply(network in small()) {
        let mut network = network;
        network.parts.push(part(EquipmentKind::GroundDisconnector, &[0], Contact::Open));
        let state = network.present();
        let earth = equipment(&state, network.parts.len() - 1);
        let is_refused = state.may_be_live_at(earth) || state.obstructing_source(earth).is_some();
        for network in combinations(&network) {
            prop_assert!(is_refused || !network.may_be_supplied(Phase::A)[0]);
        }
    }
}
