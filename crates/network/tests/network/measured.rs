//! Measured voltages as evidence: properties under any sequence of changes and measurements, and what the points of a network say.

use std::sync::Arc;

use grid::position::Encoding;
use grid::{Micros, Ordinal, PointId, Quality, Reading};
use network::live::{Bindings, Contradiction, LiveNetwork, NodeVoltage, Presence, Sight, Voltage};
use network::{Contact, EquipmentKind, NetworkState, NodeId, Phase, Phases, State};
use proptest::prelude::*;

use crate::reference::{Network, Part};
use crate::sequences::{change, network};

/// A change of a network.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// The part by its number modulo the number of parts, and its new contacts.
    Move(usize, [Contact; 3]),
    /// The node by its number modulo the number of nodes, and the phases that are measured live.
    Measure(usize, Phases),
}

fn contact() -> impl Strategy<Value = Contact> {
    prop_oneof![Just(Contact::Closed), Just(Contact::Open), Just(Contact::Unknown)]
}

fn steps() -> impl Strategy<Value = (Network, Vec<Step>)> {
    let phases = prop_oneof![1 => Just(Phases::NONE), 2 => Just(Phases::ABC), 1 => Just(Phases::only(Phase::B))];
    let moved = (any::<usize>(), proptest::array::uniform3(contact())).prop_map(|(part, contacts)| Step::Move(part, contacts));
    let measured = (any::<usize>(), phases).prop_map(|(node, phases)| Step::Measure(node, phases));
    (network(), proptest::collection::vec(prop_oneof![2 => moved, 1 => measured], 1..40))
}

/// A network and what is measured at its nodes.
struct Case {
    network: Network,
    present: NetworkState,
    measured: Vec<Phases>,
}

impl Case {
    fn new(network: Network) -> Self {
        let (present, measured) = (network.present(), vec![Phases::NONE; network.nodes]);
        Self { network, present, measured }
    }

    /// Whether all phases move together, so that a measurement of one is one of all.
    fn is_plain(&self) -> bool {
        self.network.parts.iter().all(|part| part.phases == Phases::ABC && part.kind != EquipmentKind::Fuse)
    }

    fn node(&self, number: usize) -> NodeId {
        self.present.model().node(&format!("node:{number}")).expect("a node")
    }

    /// Carries out a step, and returns the nodes that the network lists as changed.
    fn step(&mut self, step: Step) -> Vec<NodeId> {
        match step {
            Step::Move(number, contacts) => {
                let before = Phase::ALL.map(|phase| self.network.may_be_supplied(phase));
                let number = change(&mut self.network, (number, contacts));
                self.network.apply(&mut self.present, number);
                let after = Phase::ALL.map(|phase| self.network.may_be_supplied(phase));
                for (number, measured) in self.measured.iter_mut().enumerate() {
                    let is_lost = |phase: &Phase| before[*phase as usize][number] && !after[*phase as usize][number];
                    let kept = measured.iter().filter(|phase| !is_lost(phase));
                    *measured = kept.fold(Phases::NONE, |all, phase| all.union(Phases::only(phase)));
                }
            }
            Step::Measure(number, live) => {
                let number = number % self.network.nodes;
                let live = if self.is_plain() && !live.is_empty() { Phases::ABC } else { live };
                let node = self.node(number);
                self.measured[number] = live.intersection(self.present.model().phases(node));
                self.present.set_measured(node, live);
            }
        }
        self.present.settle()
    }

    /// Returns the expected states by a new search.
    fn expected(&self) -> Vec<Option<State>> {
        let of_node = |(node, states): (NodeId, [State; 3])| {
            Phase::ALL.map(|phase| self.present.model().phases(node).contains(phase).then_some(states[phase as usize]))
        };
        self.present.model().nodes().zip(self.network.states_with(&self.measured)).flat_map(of_node).collect()
    }
}

fn states(present: &NetworkState) -> Vec<Option<State>> {
    present.model().nodes().flat_map(|node| Phase::ALL.map(|phase| present.phase_state(node, phase))).collect()
}

fn is_supplied(state: State) -> bool {
    matches!(state, State::Energised | State::Conflict)
}

/// Returns the nodes of which a phase is so in one list of states and not in the other.
fn only_in(present: &NetworkState, of: fn(State) -> bool, one: &[Option<State>], other: &[Option<State>]) -> Vec<NodeId> {
    let has = |states: &[Option<State>], at: usize| states[at].is_some_and(of);
    let differs = |node: &NodeId| (3 * node.index()..3 * node.index() + 3).any(|at| has(one, at) && !has(other, at));
    present.model().nodes().filter(differs).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn states_with_measured_voltages_equal_a_new_search((network, steps) in steps()) {
        let mut case = Case::new(network);
        for step in steps {
            let before = states(&case.present);
            let changed = case.step(step);
            let after = states(&case.present);
            prop_assert_eq!(&after, &case.expected());
            for node in case.present.model().nodes() {
                let range = 3 * node.index()..3 * node.index() + 3;
                prop_assert!(before[range.clone()] == after[range] || changed.contains(&node));
            }
        }
    }

    #[test]
    fn consequences_with_measured_voltages_are_those_of_the_move((network, steps) in steps()) {
        let mut case = Case::new(network);
        for step in steps {
            let before = states(&case.present);
            let (step, found) = match step {
                Step::Move(number, contacts) => {
                    let equipment = case.present.model().equipment(&(number % case.network.parts.len()).to_string()).expect("equipment");
                    (Step::Move(number, [contacts[0]; 3]), Some(case.present.consequences(equipment, contacts[0])))
                }
                Step::Measure(..) => (step, None),
            };
            prop_assert_eq!(&states(&case.present), &before, "nothing is changed by asking");
            case.step(step);
            let (after, present) = (states(&case.present), &case.present);
            let Some(found) = found else { continue };
            prop_assert_eq!(&found.loses_supply, &only_in(present, is_supplied, &before, &after));
            prop_assert_eq!(&found.gains_supply, &only_in(present, is_supplied, &after, &before));
            prop_assert_eq!(&found.energised_on_earth, &only_in(present, |state| state == State::Conflict, &after, &before));
        }
    }

    #[test]
    fn switches_do_not_energise_by_opening_nor_make_dead_by_closing((network, steps) in steps()) {
        let mut case = Case::new(network);
        for step in steps {
            let before = states(&case.present);
            let part = match step {
                Step::Move(number, _) => Some(case.network.parts[number % case.network.parts.len()].clone()),
                Step::Measure(..) => None,
            };
            let step = match step {
                Step::Move(number, contacts) => Step::Move(number, [contacts[0]; 3]),
                measure @ Step::Measure(..) => measure,
            };
            case.step(step);
            for (before, after) in before.into_iter().zip(states(&case.present)) {
                let (was, is) = (before.is_some_and(is_supplied), after.is_some_and(is_supplied));
                match (step, &part) {
                    (Step::Move(_, [to, ..]), Some(part)) if part.kind.is_switch() => {
                        prop_assert!(to != Contact::Open || was || !is, "opening energises");
                        prop_assert!(to == Contact::Open || after != Some(State::Dead) || before == Some(State::Dead), "not opening makes dead");
                    }
                    // Fewer phases than before can be live.
                    (Step::Measure(_, Phases::ABC), _) => {
                        prop_assert!(after != Some(State::Dead) || before == Some(State::Dead), "a measured voltage makes dead");
                    }
                    _ => {}
                }
            }
            if let Step::Measure(number, live) = step {
                let node = case.node(number % case.network.nodes);
                for phase in live.iter() {
                    prop_assert!(case.present.phase_state(node, phase).is_none_or(is_supplied), "a live node is not energised");
                }
            }
        }
    }

    #[test]
    fn query_with_measured_voltages_changes_nothing((network, steps) in steps(), contact in contact()) {
        let mut case = Case::new(network);
        for step in steps {
            case.step(step);
        }
        let before = states(&case.present);
        for number in 0..case.network.parts.len() {
            let equipment = case.present.model().equipment(&number.to_string()).expect("equipment");
            let mut moved = case.present.clone();
            moved.set_contact(equipment, contact);
            let expected_changes = moved.settle();
            let (answer, changed) = case.present.with_contact(&[equipment], contact, |state, changed| (states(state), changed.to_vec()));
            prop_assert_eq!(answer, states(&moved));
            prop_assert_eq!(changed, expected_changes);
            prop_assert_eq!(&states(&case.present), &before);
            prop_assert!(case.present.settle().is_empty());
        }
    }
}

const NOW: Micros = Micros(1_000_000_000_000);
const INFEED: PointId = PointId(1);
const BREAKER: PointId = PointId(2);
const BUSBAR: PointId = PointId(3);
const END: PointId = PointId(4);
const TAIL: PointId = PointId(5);

/// An infeed, a breaker, a busbar, a feeder breaker and the end of the feeder.
///
/// ```text
/// infeed —breaker— busbar —tail— end
/// ```
fn feeder() -> LiveNetwork {
    let branch = |kind, nodes: [usize; 2]| Part { kind, nodes: nodes.to_vec(), phases: Phases::ABC, contacts: [Contact::Closed; 3] };
    let source = Part { kind: EquipmentKind::EnergySource, nodes: vec![0], phases: Phases::ABC, contacts: [Contact::Closed; 3] };
    let parts = vec![source, branch(EquipmentKind::Breaker, [0, 1]), branch(EquipmentKind::Breaker, [1, 2])];
    let model = Network { nodes: 3, parts }.model();
    let equipment = |id: &str| model.equipment(id).expect("equipment");
    let voltage = |point, code: &str, nominal_kv| Voltage { point, code: code.to_owned(), nominal_kv };
    let node_voltage = |point, node: &str, code: &str| NodeVoltage {
        node: model.node(node).expect("a node"),
        phases: Phases::ABC,
        voltage: voltage(point, code, 11.0),
    };
    let bindings = Bindings {
        positions: vec![(BREAKER, equipment("1"), Phases::ABC), (TAIL, equipment("2"), Phases::ABC)],
        sources: vec![(equipment("0"), Presence::Measured(vec![voltage(INFEED, "Vry", 132.0)]))],
        voltages: vec![node_voltage(BUSBAR, "node:1", "Vry"), node_voltage(END, "node:2", "Vr")],
    };
    LiveNetwork::new(Arc::new(model), Arc::new(bindings))
}

fn reading(value: f64, quality: Quality, source: Micros) -> Reading {
    Reading { value: Some(value), quality, source, received: source, ordinal: Ordinal::default() }
}

fn see_volts(network: &mut LiveNetwork, point: PointId, kv: f64, quality: Quality, source: Micros, now: Micros) {
    network.see(point, now, Some(Sight { encoding: None, age_limit_ms: Some(30_000), reading: Some(reading(kv, quality, source)) }));
}

fn see_position(network: &mut LiveNetwork, point: PointId, raw: f64, at: Micros) {
    let reading = Some(reading(raw, Quality::Good, at));
    network.see(point, at, Some(Sight { encoding: Some(Encoding::DoublePoint), age_limit_ms: None, reading }));
}

fn shown(network: &LiveNetwork) -> [State; 3] {
    ["node:0", "node:1", "node:2"].map(|id| network.state().state(network.state().model().node(id).expect("a node")))
}

fn contradiction(network: &LiveNetwork, id: &str) -> Option<Contradiction> {
    network.contradiction(network.state().model().node(id).expect("a node"))
}

/// Returns the feeder with both breakers closed and 11 kV on the busbar; the RTU of the infeed is offline.
fn measured_feeder() -> LiveNetwork {
    let mut network = feeder();
    see_position(&mut network, TAIL, 2.0, NOW);
    see_volts(&mut network, BUSBAR, 11.1, Quality::Good, NOW, NOW);
    network.settle();
    network
}

#[test]
fn measured_voltage_energises_while_the_infeed_is_offline() {
    use State::{Energised, Unknown};
    let mut network = measured_feeder();
    assert_eq!(shown(&network), [Unknown, Energised, Energised], "the breaker of the infeed is unknown");
    assert!(network.state().is_live_by_measurement(network.state().model().node("node:1").expect("a node")));
    see_position(&mut network, BREAKER, 2.0, NOW);
    network.settle();
    assert_eq!(shown(&network), [Energised; 3], "what the busbar is joined with is live, too");
}

#[test]
fn stale_entered_or_bad_voltage_is_no_evidence() {
    let mut network = measured_feeder();
    let later = NOW.plus_millis(30_001);
    assert_eq!(network.due(later), [BUSBAR]);
    see_volts(&mut network, BUSBAR, 11.1, Quality::Good, NOW, later);
    network.settle();
    assert_eq!(shown(&network), [State::Unknown; 3], "stale");
    for quality in [Quality::Substituted, Quality::Questionable, Quality::Invalid, Quality::CommLost] {
        see_volts(&mut network, BUSBAR, 11.1, quality, later, later);
        network.settle();
        assert_eq!(shown(&network), [State::Unknown; 3], "{quality:?}");
    }
    see_volts(&mut network, BUSBAR, 1.0, Quality::Good, later, later);
    network.settle();
    assert_eq!(shown(&network), [State::Unknown; 3], "below a tenth of the nominal voltage, as for sources");
}

#[test]
fn opened_breaker_darkens_measured_nodes_in_the_same_turn() {
    let mut network = measured_feeder();
    see_position(&mut network, BREAKER, 2.0, NOW);
    network.settle();
    let tripped = NOW.plus_millis(1_000);
    see_position(&mut network, BREAKER, 1.0, tripped);
    network.settle();
    assert_eq!(shown(&network), [State::Unknown, State::Dead, State::Dead]);
    // A reading of before the trip arrives late.
    see_volts(&mut network, BUSBAR, 11.2, Quality::Good, tripped, tripped.plus_millis(100));
    network.settle();
    assert_eq!(shown(&network)[1..], [State::Dead; 2]);
}

#[test]
fn voltage_measured_after_the_opening_shows_a_live_part() {
    let mut network = measured_feeder();
    see_position(&mut network, BREAKER, 1.0, NOW);
    network.settle();
    let later = NOW.plus_millis(1);
    see_volts(&mut network, BUSBAR, 11.1, Quality::Good, later, later);
    network.settle();
    assert_eq!(shown(&network)[1..], [State::Energised; 2], "something else feeds it");
    assert_eq!(contradiction(&network, "node:1"), Some(Contradiction::MeasuredLive));
    see_volts(&mut network, BUSBAR, 0.0, Quality::Good, later, later);
    network.settle();
    assert_eq!((shown(&network)[1], contradiction(&network, "node:1")), (State::Dead, None));
}

/// Shows a network the same readings as another one that was made before it.
fn made_again(readings: &[(PointId, f64, Micros)]) -> LiveNetwork {
    let mut network = feeder();
    for (point, value, at) in readings.iter().copied() {
        if [BREAKER, TAIL].contains(&point) {
            see_position(&mut network, point, value, at);
        } else {
            see_volts(&mut network, point, value, Quality::Good, at, at);
        }
    }
    network.settle();
    network
}

#[test]
fn opening_elsewhere_takes_no_voltage_away() {
    use State::{Dead, Energised, Unknown};
    let at = |ms: i64| NOW.plus_millis(ms);
    let mut network = measured_feeder();
    see_position(&mut network, BREAKER, 2.0, NOW);
    network.settle();
    see_position(&mut network, BREAKER, 1.0, at(0));
    network.settle();
    see_volts(&mut network, BUSBAR, 11.1, Quality::Good, at(1), at(1));
    network.settle();
    see_position(&mut network, TAIL, 1.0, at(5));
    network.settle();
    assert_eq!(shown(&network), [Unknown, Energised, Dead]);
    // The same readings, after a change of the registry or a start.
    let again = made_again(&[(BREAKER, 1.0, at(0)), (BUSBAR, 11.1, at(1)), (TAIL, 1.0, at(5))]);
    assert_eq!(shown(&again), [Unknown, Energised, Dead]);
}

#[test]
fn opening_that_nobody_has_seen_takes_no_voltage_away() {
    use State::{Energised, Unknown};
    let at = |ms: i64| NOW.plus_millis(ms);
    // The breaker was opened before, and its gateway has repeated its position since.
    let network = made_again(&[(BUSBAR, 11.1, at(1)), (TAIL, 2.0, at(0)), (BREAKER, 1.0, at(40))]);
    assert_eq!(shown(&network), [Unknown, Energised, Energised]);
}

/// A reading: the point by its number, open or dead (0), closed or live (1), or travelling (2), and the ms since the one before.
fn readings() -> impl Strategy<Value = Vec<(usize, u8, i64)>> {
    proptest::collection::vec((0_usize..5, 0_u8..3, 0_i64..3), 1..25)
}

fn see_one(network: &mut LiveNetwork, (number, what, at): (usize, u8, Micros)) {
    let point = [INFEED, BREAKER, BUSBAR, END, TAIL][number];
    let nominal = if point == INFEED { 132.0 } else { 11.0 };
    match point {
        BREAKER | TAIL => see_position(network, point, [1.0, 2.0, 0.0][usize::from(what)], at),
        _ => see_volts(network, point, if what == 0 { 0.0 } else { nominal }, Quality::Good, at, at),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn network_made_again_shows_nothing_dead_that_was_not(readings in readings()) {
        let mut network = feeder();
        let mut latest = std::collections::BTreeMap::new();
        let mut at = NOW;
        for (number, what, later) in readings {
            at = at.plus_millis(later);
            see_one(&mut network, (number, what, at));
            network.settle();
            latest.insert(number, (number, what, at));
            let mut again = feeder();
            for reading in latest.values() {
                see_one(&mut again, *reading);
            }
            again.settle();
            let mut successor = LiveNetwork::new(Arc::clone(network.state().model()), Arc::clone(network.bindings()));
            successor.succeed(&network);
            for reading in latest.values() {
                see_one(&mut successor, *reading);
            }
            successor.settle();
            prop_assert_eq!(shown(&successor), shown(&network));
            for (again, shown) in shown(&again).into_iter().zip(shown(&network)) {
                prop_assert!(again != State::Dead || shown == State::Dead, "{:?} was {:?}", again, shown);
            }
        }
    }
}

#[test]
fn breaker_that_travels_has_been_seen_to_open() {
    let mut network = measured_feeder();
    see_position(&mut network, BREAKER, 2.0, NOW);
    network.settle();
    see_position(&mut network, BREAKER, 0.0, NOW.plus_millis(10));
    network.settle();
    see_position(&mut network, BREAKER, 1.0, NOW.plus_millis(20));
    network.settle();
    assert_eq!(shown(&network)[1..], [State::Dead; 2]);
}

#[test]
fn measured_zero_makes_nothing_dead() {
    let mut network = feeder();
    see_position(&mut network, BREAKER, 2.0, NOW);
    see_position(&mut network, TAIL, 2.0, NOW);
    see_volts(&mut network, INFEED, 131.0, Quality::Good, NOW, NOW);
    see_volts(&mut network, BUSBAR, 0.0, Quality::Good, NOW, NOW);
    network.settle();
    assert_eq!(shown(&network), [State::Energised; 3]);
    assert_eq!(["node:0", "node:1", "node:2"].map(|id| contradiction(&network, id)), [None, Some(Contradiction::MeasuredDead), None]);
    // Nor does it contradict another measurement.
    let mut network = measured_feeder();
    see_volts(&mut network, END, 0.0, Quality::Good, NOW, NOW);
    network.settle();
    assert_eq!((shown(&network)[2], contradiction(&network, "node:2")), (State::Energised, Some(Contradiction::MeasuredDead)));
}
