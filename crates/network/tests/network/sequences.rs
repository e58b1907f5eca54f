//! Properties of any network under any sequence of changes.

use network::{Contact, EquipmentKind, NetworkState, Phase, Phases, State};
use proptest::prelude::*;

use crate::reference::{Network, Part};

fn contact() -> impl Strategy<Value = Contact> {
    prop_oneof![Just(Contact::Closed), Just(Contact::Open), Just(Contact::Unknown)]
}

/// A part of a network. In a `plain` one all parts have three phases that move together.
fn part(nodes: usize, is_plain: bool) -> impl Strategy<Value = Part> {
    use EquipmentKind::{Breaker, EnergySource, Fuse, GroundDisconnector, LineSegment, PowerTransformer};
    let kind = prop_oneof![
        6 => Just(Breaker), 2 => Just(Fuse), 3 => Just(LineSegment), 2 => Just(PowerTransformer), 2 => Just(EnergySource),
        2 => Just(GroundDisconnector),
    ];
    let phases = prop_oneof![4 => Just(Phases::ABC), 1 => Just(Phases::only(Phase::B)), 1 => Just(Phases::only(Phase::A).union(Phases::only(Phase::C)))];
    (kind, proptest::collection::vec(0..nodes, 3), any::<bool>(), phases, proptest::array::uniform3(contact())).prop_map(
        move |(kind, mut nodes, has_three_ends, phases, contacts)| {
            nodes.truncate(match kind {
                EnergySource | GroundDisconnector => 1,
                PowerTransformer if has_three_ends => 3,
                _ => 2,
            });
            let kind = if is_plain && kind == Fuse { Breaker } else { kind };
            let phases = if is_plain { Phases::ABC } else { phases };
            let contacts = if kind == Fuse { contacts } else { [contacts[0]; 3] };
            Part { kind, nodes, phases, contacts }
        },
    )
}

pub(crate) fn network() -> impl Strategy<Value = Network> {
    (2_usize..10, any::<bool>()).prop_flat_map(|(nodes, is_plain)| {
        proptest::collection::vec(part(nodes, is_plain), 1..24).prop_map(move |parts| Network { nodes, parts })
    })
}

/// A network, and changes: the part by its number modulo the number of parts, and its new contacts.
pub(crate) fn changes() -> impl Strategy<Value = (Network, Vec<(usize, [Contact; 3])>)> {
    (network(), proptest::collection::vec((any::<usize>(), proptest::array::uniform3(contact())), 1..40))
}

fn states(present: &NetworkState) -> Vec<[Option<State>; 3]> {
    present.model().nodes().map(|node| Phase::ALL.map(|phase| present.phase_state(node, phase))).collect()
}

/// The expected states, without those of phases that no terminal has.
fn expected(network: &Network, present: &NetworkState) -> Vec<[Option<State>; 3]> {
    let of_node = |(node, states): (network::NodeId, [State; 3])| {
        Phase::ALL.map(|phase| present.model().phases(node).contains(phase).then_some(states[phase as usize]))
    };
    present.model().nodes().zip(network.states()).map(of_node).collect()
}

pub(crate) fn change(network: &mut Network, (number, contacts): (usize, [Contact; 3])) -> usize {
    let number = number % network.parts.len();
    let part = &mut network.parts[number];
    part.contacts = if part.kind == EquipmentKind::Fuse { contacts } else { [contacts[0]; 3] };
    number
}

fn is_supplied(state: State) -> bool {
    matches!(state, State::Energised | State::Conflict)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn states_after_changes_equal_a_new_search((mut network, changes) in changes()) {
        let mut present = network.present();
        prop_assert_eq!(states(&present), expected(&network, &present));
        for step in changes {
            let before = states(&present);
            let number = change(&mut network, step);
            network.apply(&mut present, number);
            let changed = present.settle();
            let after = states(&present);
            prop_assert_eq!(&after, &expected(&network, &present));
            let differing = present.model().nodes().filter(|node| before[node.index()] != after[node.index()]);
            let listed = changed.into_iter().filter(|node| before[node.index()] != after[node.index()]);
            prop_assert!(differing.eq(listed), "settle lists each node that differs, in order");
        }
    }

    #[test]
    fn unknown_position_never_makes_dead((network, changes) in changes()) {
        let mut unknown = network.clone();
        for (number, _) in changes {
            let part = &mut unknown.parts[number % network.parts.len()];
            if part.kind.is_switch() {
                part.contacts = [Contact::Unknown; 3];
            }
        }
        for (before, after) in network.live_states().into_iter().zip(unknown.live_states()) {
            prop_assert!(after != State::Dead || before == State::Dead);
            prop_assert!(!is_supplied(after) || is_supplied(before));
        }
    }

    #[test]
    fn opening_never_energises_and_closing_never_makes_dead((network, changes) in changes()) {
        let mut open = network.clone();
        for (number, _) in changes {
            let part = &mut open.parts[number % network.parts.len()];
            if part.kind.is_switch() {
                part.contacts = [Contact::Open; 3];
            }
        }
        for (closed, open) in network.live_states().into_iter().zip(open.live_states()) {
            prop_assert!(!is_supplied(open) || is_supplied(closed));
            prop_assert!(closed != State::Dead || open == State::Dead);
        }
    }

    #[test]
    fn consequences_are_those_of_the_move((mut network, changes) in changes()) {
        let mut present = network.present();
        for step in changes {
            let number = step.0 % network.parts.len();
            let to = step.1[0];
            let equipment = present.model().equipment(&number.to_string()).unwrap();
            let part = &network.parts[number];
            let closes = |phase: &Phase| ![Contact::Closed, to].contains(&part.contacts[*phase as usize]) && to != Contact::Open;
            let joins: Vec<(bool, bool)> = part.phases.iter().filter(closes).map(|phase| network.joins(number, phase)).collect();
            // The reference closes a part as a whole, not a winding after the other.
            let has_three_ends = part.nodes.len() > 2;
            let before = states(&present);
            let found = present.consequences(equipment, to);
            prop_assert_eq!(&states(&present), &before, "nothing is changed by asking");
            change(&mut network, (number, [to; 3]));
            network.apply(&mut present, number);
            present.settle();
            let after = states(&present);
            let has = |states: &[[Option<State>; 3]], node: network::NodeId, of: fn(State) -> bool| states[node.index()].map(|state| state.is_some_and(of));
            let some = |of: fn(State) -> bool, one: &[[Option<State>; 3]], other: &[[Option<State>; 3]]| -> Vec<network::NodeId> {
                let differs = |node: &network::NodeId| has(one, *node, of).into_iter().zip(has(other, *node, of)).any(|(one, other)| one && !other);
                present.model().nodes().filter(differs).collect()
            };
            prop_assert_eq!(&found.loses_supply, &some(is_supplied, &before, &after));
            prop_assert_eq!(&found.gains_supply, &some(is_supplied, &after, &before));
            prop_assert_eq!(&found.energised_on_earth, &some(|state| state == State::Conflict, &after, &before));
            prop_assert!(found.energised_on_earth.iter().all(|node| !found.possibly_energised_on_earth.contains(node)));
            if !has_three_ends {
                prop_assert_eq!(found.closes_loop, joins.iter().any(|(closes_loop, _)| *closes_loop));
                prop_assert_eq!(found.joins.is_some(), joins.iter().any(|(_, joins)| *joins));
            }
            if !network.has_earths() {
                let possibly = |certain: &[network::NodeId], one: &[[Option<State>; 3]], other: &[[Option<State>; 3]]| {
                    let mut nodes = some(|state| is_supplied(state) || state == State::Unknown, one, other);
                    nodes.retain(|node| !certain.contains(node));
                    nodes
                };
                prop_assert_eq!(&found.possibly_gains_supply, &possibly(&found.gains_supply, &after, &before));
                prop_assert_eq!(&found.possibly_loses_supply, &possibly(&found.loses_supply, &before, &after));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn joint_consequences_are_those_of_all_moves((mut network, changes) in changes(), together in 1_usize..5) {
        let mut present = network.present();
        for steps in changes.chunks(together) {
            let to = steps[0].1[0];
            let mut numbers: Vec<usize> = steps.iter().map(|step| step.0 % network.parts.len()).collect();
            numbers.sort_unstable();
            numbers.dedup();
            let equipment: Vec<_> = numbers.iter().map(|number| present.model().equipment(&number.to_string()).unwrap()).collect();
            let before = states(&present);
            let found = present.joint_consequences(&equipment, to);
            let (answer, listed) = present.with_contact(&equipment, to, |state, changed| (states(state), changed.to_vec()));
            prop_assert_eq!(&states(&present), &before, "nothing is changed by asking");
            for number in numbers {
                change(&mut network, (number, [to; 3]));
                network.apply(&mut present, number);
            }
            let changed = present.settle();
            let after = states(&present);
            prop_assert_eq!((&answer, &listed), (&after, &changed));
            let some = |of: fn(State) -> bool, one: &[[Option<State>; 3]], other: &[[Option<State>; 3]]| -> Vec<network::NodeId> {
                let has = |states: &[[Option<State>; 3]], node: network::NodeId| states[node.index()].map(|state| state.is_some_and(of));
                let differs = |node: &network::NodeId| has(one, *node).into_iter().zip(has(other, *node)).any(|(one, other)| one && !other);
                present.model().nodes().filter(differs).collect()
            };
            prop_assert_eq!(&found.loses_supply, &some(is_supplied, &before, &after));
            prop_assert_eq!(&found.gains_supply, &some(is_supplied, &after, &before));
            prop_assert_eq!(&found.energised_on_earth, &some(|state| state == State::Conflict, &after, &before));
        }
    }
}

impl Network {
    fn has_earths(&self) -> bool {
        self.parts.iter().any(|part| part.kind == EquipmentKind::GroundDisconnector)
    }

    fn live_states(&self) -> Vec<State> {
        self.present().flat_states()
    }
}

trait FlatStates {
    fn flat_states(&self) -> Vec<State>;
}

impl FlatStates for NetworkState {
    fn flat_states(&self) -> Vec<State> {
        states(self).into_iter().flatten().flatten().collect()
    }
}
