//! Moves that could be dangerous in some combination of the unknown positions: compared with all combinations.

use network::{Contact, Current, EquipmentId, EquipmentKind, LiveBy, NetworkState, Phase, Phases};
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
    network.parts[0].contacts = [Contact::Closed; 3];
    network.parts[2].contacts = [Contact::Unknown; 3];
    assert_eq!(gone(&network), None, "it may be present");
    let state = network.present();
    let unknown = state.unknown_source_at(&state.may_energise(equipment(&state, 4)));
    assert_eq!(unknown, Some(equipment(&state, 2)));
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
        let name = |of: EquipmentId| state.model().equipment_name(of).to_owned();
        let found = state.earth_against_closing(equipment(&state, 1))?;
        Some((name(found.at), found.unknown.into_iter().map(name).collect::<Vec<String>>()))
    };
    let certain = Some(("3".to_owned(), Vec::new()));
    assert_eq!(earth(&network), certain);
    network.parts[0].contacts = [Contact::Open; 3];
    assert_eq!(earth(&network), certain, "the source can return");
    network.parts[0].contacts = [Contact::Unknown; 3];
    assert_eq!(earth(&network), certain, "the source is there, or can return");
    network.parts[0].contacts = [Contact::Closed; 3];
    network.parts[3].contacts = [Contact::Unknown; 3];
    assert_eq!(earth(&network), Some(("3".to_owned(), vec!["3".to_owned()])), "it may be closed");
    network.parts[3].contacts = [Contact::Open; 3];
    assert_eq!(earth(&network), None);
}

#[test]
fn certain_earth_behind_a_transformer_is_named_before_a_possible_one_nearby() {
    use EquipmentKind::{Breaker, EnergySource, GroundDisconnector, PowerTransformer};
    let network = Network {
        nodes: 3,
        parts: vec![
            part(EnergySource, &[0], Contact::Closed),
            part(Breaker, &[0, 1], Contact::Open),
            part(PowerTransformer, &[1, 2], Contact::Closed),
            part(GroundDisconnector, &[2], Contact::Closed),
            part(GroundDisconnector, &[1], Contact::Unknown),
        ],
    };
    let state = network.present();
    let earth = state.earth_against_closing(equipment(&state, 1)).expect("an earth");
    assert_eq!((earth.at, earth.unknown), (equipment(&state, 3), vec![]));
}

/// Two sources at nodes 0 and 1 that a line joins, an open breaker between nodes 2 and 3, and switches that nobody reports from there to the sources.
fn two_ways_from_joined_sources() -> Network {
    use EquipmentKind::{Breaker, EnergySource, LineSegment, LoadBreakSwitch};
    let parts = vec![
        part(Breaker, &[2, 3], Contact::Open),
        part(EnergySource, &[0], Contact::Closed),
        part(EnergySource, &[1], Contact::Closed),
        part(LineSegment, &[0, 1], Contact::Closed),
        part(LoadBreakSwitch, &[0, 2], Contact::Unknown),
        part(LoadBreakSwitch, &[1, 3], Contact::Unknown),
    ];
    Network { nodes: 4, parts }
}

fn apart(network: &Network) -> Option<[LiveBy; 2]> {
    let state = network.present();
    state.live_apart(equipment(&state, 0))
}

/// The sources run in step. If both ends are live, the line joins them already, so that closing the switch closes a loop.
#[test]
fn sources_that_are_certainly_joined_are_no_pair() {
    let mut network = two_ways_from_joined_sources();
    let state = network.present();
    assert!(state.consequences(equipment(&state, 0), Contact::Closed).joins.is_some(), "each end may be fed by another source");
    assert_eq!(apart(&network), None);
    assert!(!state.closes_loop(equipment(&state, 0)), "both switches may be open");
    assert!(combinations(&network).iter().all(|one| !truth(one).joins));
    // With a line that may be out of service, they may run apart.
    network.parts[3] = part(EquipmentKind::LoadBreakSwitch, &[0, 1], Contact::Unknown);
    let [one, other] = [1, 2].map(|number| LiveBy::Equipment(equipment(&network.present(), number)));
    assert_eq!(apart(&network), Some([one, other]));
    assert!(combinations(&network).iter().any(|one| truth(one).joins));
}

#[test]
fn voltage_beyond_an_unknown_switch_counts_when_joining() {
    let mut network = two_ways_from_joined_sources();
    network.parts[2] = part(EquipmentKind::EnergyConsumer, &[1], Contact::Closed);
    network.parts[3].contacts = [Contact::Open; 3];
    assert_eq!(apart(&network), None, "nothing feeds the second side");
    let mut state = network.present();
    let node = state.model().nodes().nth(1).expect("a node");
    // Often only one phase is measured.
    state.set_measured(node, Phases::only(Phase::B));
    state.settle();
    let source = equipment(&state, 1);
    assert_eq!(state.live_apart(equipment(&state, 0)), Some([LiveBy::Equipment(source), LiveBy::Measurement]));
}

#[test]
fn line_with_direct_current_does_not_bring_its_ends_into_step() {
    let mut network = two_ways_from_joined_sources();
    network.parts[2] = part(EquipmentKind::EnergyConsumer, &[1], Contact::Closed);
    network.parts[3] = part(EquipmentKind::DirectCurrentLine, &[0, 1], Contact::Closed);
    let [source, line] = [1, 3].map(|number| LiveBy::Equipment(equipment(&network.present(), number)));
    assert_eq!(apart(&network), Some([source, line]));
    network.parts[1].contacts = [Contact::Open; 3];
    assert_eq!(apart(&network), None, "nothing feeds the line");
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
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
struct Truth {
    energised: Vec<usize>,
    /// Whether an earth is closed on the metal at an end.
    is_earthed: bool,
    /// Whether an earth behind a transformer would be energised, or would when a source returns.
    energises_earth: bool,
    carries_current: bool,
    /// Whether it would join two live sides.
    joins: bool,
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
    let apart = a != b && !joined[0][b];
    let is_at = |side: usize, part: &Part| joined[side][part.nodes[0]];
    let is_fed = |side: usize, end: usize| before[end] || network.parts.iter().any(|part| part.kind.may_feed() && is_at(side, part));
    let is_closed_earth = |part: &Part| part.kind == EquipmentKind::GroundDisconnector && part.contacts[0] == Contact::Closed;
    let energises_earth = |near: (usize, usize), far: (usize, usize)| {
        is_fed(near.0, near.1) && !before[far.1] && network.parts.iter().any(|part| is_closed_earth(part) && is_at(far.0, part))
    };
    Truth {
        joins: apart && before[a] && before[b],
        energised: (0..network.nodes).filter(|node| after[*node] && !before[*node] && !now[*node]).collect(),
        is_earthed: earthed[a] || earthed[b],
        energises_earth: apart && (energises_earth((0, a), (1, b)) || energises_earth((1, b), (0, a))),
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
        prop_assert_eq!(state.live_apart(first).is_some(), all.iter().any(|one| truth(one).joins));
        let against = state.earth_against_closing(first).filter(|_| network.parts[0].contacts[0] == Contact::Open);
        if against.as_ref().is_some_and(|found| found.unknown.is_empty()) {
            prop_assert!(all.iter().map(truth).all(|truth| truth.is_earthed || truth.energises_earth), "it is not certain");
        }
        for truth in all.iter().map(truth) {
            for node in &truth.energised {
                prop_assert!(energised.contains(node), "node {} is energised", node);
            }
            prop_assert!(earth.is_some() || !truth.is_earthed);
            prop_assert!(against.is_some() || !truth.energises_earth || network.parts[0].contacts[0] != Contact::Open);
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
