//! Tests of scenarios with expected states, properties of any network, and the time for a large one.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde::Deserialize;

use super::*;
use crate::Ordinal;

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

fn word(state: State) -> &'static str {
    match state {
        State::Unknown => "UNKNOWN",
        State::Energised => "ENERGISED",
        State::Dead => "DEAD",
        State::Earthed => "EARTHED",
        State::Conflict => "CONFLICT",
    }
}

fn contact_of(raw: u8) -> Contact {
    let reading = Reading {
        value: Some(f64::from(raw)),
        quality: Quality::Good,
        source: Micros(0),
        received: Micros(0),
        ordinal: Ordinal::default(),
    };
    contact(Encoding::DoublePoint, Some(&reading), Micros(0), None).0
}

fn vectors() -> Vectors {
    serde_json::from_str(include_str!("../../fixtures/topology_colouring.json")).expect("a fixture")
}

/// Returns the states of the fixture's network by node name.
fn solve(
    vectors: &Vectors,
    states: &BTreeMap<String, u8>,
    default_state: u8,
    earthed: &[String],
    unearthed: Contact,
) -> BTreeMap<String, String> {
    let mut names: Vec<&String> = vectors.branches.iter().flat_map(|branch| [&branch.a, &branch.b]).collect();
    names.sort();
    names.dedup();
    let node = |name: &String| names.binary_search(&name).expect("a node");
    let branches: Vec<Branch> = vectors
        .branches
        .iter()
        .enumerate()
        .map(|(index, branch)| {
            let switch = (branch.kind != "transformer").then_some(index);
            Branch { a: node(&branch.a), b: node(&branch.b), switch }
        })
        .collect();
    let mut inputs: Vec<Contact> =
        vectors.branches.iter().map(|branch| contact_of(*states.get(&branch.switch).unwrap_or(&default_state))).collect();
    // An earth switch on every node.
    let earths: Vec<At> = (0..names.len()).map(|node| At { node, switch: Some(inputs.len() + node) }).collect();
    inputs.extend(names.iter().map(|name| if earthed.contains(name) { Contact::Closed } else { unearthed }));
    let source = At { node: node(&vectors.source_node), switch: None };
    let states = Network::new(names.len(), &branches, &[source], &earths).states(&inputs);
    names.iter().zip(states).map(|(name, state)| ((*name).clone(), word(state).to_owned())).collect()
}

#[test]
fn the_scenarios_of_the_vectors() {
    let vectors = vectors();
    assert_eq!(vectors.scenarios.len(), 5);
    for Scenario { name, states, default_state, earthed_nodes, expected } in &vectors.scenarios {
        assert_eq!(&solve(&vectors, states, *default_state, earthed_nodes, Contact::Open), expected, "{name}");
    }
}

/// A name, positions, earthed nodes, and the expected states of some nodes.
type Case = (&'static str, &'static [(&'static str, u8)], &'static [&'static str], &'static [(&'static str, &'static str)]);

#[test]
fn earths_back_feed_and_what_is_bad() {
    let vectors = vectors();
    let normal: &[(&str, u8)] = &[("BC33", 2), ("BC11", 1)];
    let cases: [Case; 6] = [
        ("a feeder taken out and earthed", &[("CBF1", 1)], &["F1"], &[("F1", "EARTHED"), ("F2", "ENERGISED")]),
        ("an earth on a live feeder", &[], &["F1"], &[("F1", "CONFLICT"), ("11A", "ENERGISED")]),
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
        assert_eq!(state, if node == "GRID" { "ENERGISED" } else { "UNKNOWN" }, "{node}: nothing is known of any switch");
    }
}

#[test]
fn only_a_fresh_and_good_position_is_known() {
    let reading = |value, quality| Reading { value, quality, source: Micros(0), received: Micros(0), ordinal: Ordinal::default() };
    let limit = Some(30_000);
    let (soon, late) = (Micros::from_millis(30_000), Micros::from_millis(30_001));
    let end = Some(Micros::from_millis(30_000));
    let double = Encoding::DoublePoint;
    let cases = [
        (double, Some(reading(Some(1.0), Quality::Good)), soon, limit, (Contact::Open, end)),
        (double, Some(reading(Some(2.0), Quality::Good)), soon, limit, (Contact::Closed, end)),
        (double, Some(reading(Some(2.0), Quality::Good)), late, limit, (Contact::Unknown, None)),
        (double, Some(reading(Some(2.0), Quality::Good)), late, None, (Contact::Closed, None)),
        (double, Some(reading(Some(2.0), Quality::Good)), Micros::from_millis(-2_000), None, (Contact::Closed, None)),
        (
            double,
            Some(reading(Some(2.0), Quality::Good)),
            Micros::from_millis(-2_001),
            None,
            (Contact::Unknown, Some(Micros::from_millis(-2_000))),
        ),
        (double, Some(reading(Some(2.0), Quality::Invalid)), Micros::from_millis(-2_001), None, (Contact::Unknown, None)),
        (double, Some(reading(Some(2.0), Quality::Substituted)), soon, None, (Contact::Closed, None)),
        (double, Some(reading(Some(2.0), Quality::Questionable)), soon, None, (Contact::Unknown, None)),
        (double, Some(reading(Some(2.0), Quality::CommLost)), soon, None, (Contact::Unknown, None)),
        (double, Some(reading(Some(0.0), Quality::Good)), soon, limit, (Contact::Unknown, None)),
        (double, Some(reading(Some(3.0), Quality::Good)), soon, limit, (Contact::Unknown, None)),
        (double, Some(reading(None, Quality::Good)), soon, limit, (Contact::Unknown, None)),
        (double, None, soon, limit, (Contact::Unknown, None)),
        (Encoding::SinglePoint, Some(reading(Some(0.0), Quality::Good)), soon, None, (Contact::Open, None)),
        (Encoding::SinglePoint, Some(reading(Some(1.0), Quality::Good)), soon, None, (Contact::Closed, None)),
        (Encoding::Signal, Some(reading(Some(1.0), Quality::Good)), soon, None, (Contact::Unknown, None)),
    ];
    for (encoding, reading, now, limit, expected) in cases {
        assert_eq!(contact(encoding, reading.as_ref(), now, limit), expected, "{encoding:?} {reading:?} {now:?}");
    }
}

/// A network with an input for each branch, source and earth, and the values of the inputs.
#[derive(Debug, Clone)]
struct Made {
    nodes: usize,
    branches: Vec<Branch>,
    sources: Vec<At>,
    earths: Vec<At>,
    inputs: Vec<Contact>,
}

impl Made {
    fn states(&self) -> Vec<State> {
        Network::new(self.nodes, &self.branches, &self.sources, &self.earths).states(&self.inputs)
    }

    fn with(&self, input: usize, contact: Contact) -> Vec<State> {
        let mut made = self.clone();
        made.inputs[input] = contact;
        made.states()
    }
}

fn made() -> impl Strategy<Value = Made> {
    let contact = || prop_oneof![3 => Just(Contact::Closed), 2 => Just(Contact::Open), 1 => Just(Contact::Unknown)];
    (2_usize..12).prop_flat_map(move |nodes| {
        let branches = prop::collection::vec((0..nodes, 0..nodes), 1..24);
        let points = || prop::collection::vec(0..nodes, 0..4);
        (branches, points(), points(), prop::collection::vec(contact(), 32)).prop_map(move |(branches, sources, earths, inputs)| {
            let (sources_from, earths_from) = (branches.len(), branches.len() + sources.len());
            let at = |from: usize| move |(index, node): (usize, usize)| At { node, switch: Some(from + index) };
            Made {
                nodes,
                branches: branches.into_iter().enumerate().map(|(index, (a, b))| Branch { a, b, switch: Some(index) }).collect(),
                sources: sources.into_iter().enumerate().map(at(sources_from)).collect(),
                earths: earths.into_iter().enumerate().map(at(earths_from)).collect(),
                inputs,
            }
        })
    })
}

fn is_live(state: State) -> bool {
    matches!(state, State::Energised | State::Conflict)
}

proptest! {
    #[test]
    fn closing_a_switch_de_energises_nothing_and_opening_one_energises_nothing(made in made(), pick in 0_usize..24) {
        let input = pick % made.branches.len();
        for (before, after) in made.states().into_iter().zip(made.with(input, Contact::Closed)) {
            prop_assert!(!is_live(before) || is_live(after), "{before:?} -> {after:?}");
            prop_assert!(before != State::Unknown || !matches!(after, State::Dead | State::Earthed) || made.inputs[input] == Contact::Closed);
        }
        for (before, after) in made.states().into_iter().zip(made.with(input, Contact::Open)) {
            prop_assert!(!is_live(after) || is_live(before), "{before:?} -> {after:?}");
        }
    }

    #[test]
    fn what_is_not_known_any_more_takes_no_other_way_and_kills_nothing(made in made(), pick in 0_usize..32) {
        let input = pick % (made.branches.len() + made.sources.len() + made.earths.len());
        let without = made.with(input, Contact::Open);
        for (node, (before, after)) in made.states().into_iter().zip(made.with(input, Contact::Unknown)).enumerate() {
            prop_assert!(after == before || after == State::Unknown || (before, after) == (State::Conflict, State::Energised), "{before:?} -> {after:?}");
            prop_assert!(after != State::Dead || before == State::Dead, "dead appeared");
            if without[node] == State::Energised && before == State::Energised {
                prop_assert_eq!(after, State::Energised, "there is another way");
            }
        }
    }

    #[test]
    fn what_is_said_holds_whatever_the_unknown_turn_out_to_be(made in made(), bits in any::<u32>()) {
        let mut turned_out = made.clone();
        for (index, contact) in turned_out.inputs.iter_mut().enumerate().filter(|(_, contact)| **contact == Contact::Unknown) {
            *contact = if bits >> index & 1 == 1 { Contact::Closed } else { Contact::Open };
        }
        for (derived, is) in made.states().into_iter().zip(turned_out.states()) {
            // An unknown earth switch can turn energised into conflict.
            prop_assert!(derived == State::Unknown || derived == is || (derived, is) == (State::Energised, State::Conflict), "{derived:?}, but {is:?}");
        }
    }

    #[test]
    fn the_order_of_the_branches_does_not_matter(made in made(), turn in 0_usize..24) {
        let mut turned = made.clone();
        let middle = turn % turned.branches.len();
        turned.branches.rotate_left(middle);
        turned.branches.reverse();
        for branch in turned.branches.iter_mut().step_by(2) {
            std::mem::swap(&mut branch.a, &mut branch.b);
        }
        prop_assert_eq!(made.states(), turned.states());
    }

    #[test]
    fn a_live_network_ends_where_a_fresh_one_is_and_tells_what_changed(
        made in made(), steps in prop::collection::vec((0_usize..40, 0_usize..3), 0..20)
    ) {
        let network = Network::new(made.nodes, &made.branches, &made.sources, &made.earths);
        let mut live = Live::new(network.clone(), 32);
        let mut inputs = vec![Contact::Unknown; 32];
        let mut shown = network.states(&inputs);
        for (input, contact) in steps {
            let contact = [Contact::Closed, Contact::Open, Contact::Unknown][contact];
            if input < inputs.len() {
                inputs[input] = contact;
            }
            live.set(input, contact);
            for node in live.settle() {
                prop_assert!(shown[node] != live.states()[node], "only what changed is told");
                shown[node] = live.states()[node];
            }
            prop_assert_eq!(&shown, &network.states(&inputs));
            prop_assert_eq!(live.settle(), Vec::<usize>::new(), "nothing new, nothing worked out");
        }
    }
}

#[test]
fn nodes_that_do_not_exist_are_left_out() {
    let branch = |a, b| Branch { a, b, switch: None };
    let network = Network::new(
        2,
        &[branch(0, 1), branch(1, 9), branch(1, 1)],
        &[At { node: 0, switch: None }, At { node: 7, switch: None }],
        &[At { node: 8, switch: None }],
    );
    assert_eq!(network.states(&[]), [State::Energised; 2]);
    assert_eq!(Network::default().states(&[]), []);
}

#[test]
fn ten_thousand_nodes_take_a_few_milliseconds() {
    const NODES: usize = 10_000;
    let mut branches: Vec<Branch> = (1..NODES).map(|b| Branch { a: b / 2, b, switch: Some(b) }).collect();
    branches.extend((0..NODES - 100).step_by(3).map(|a| Branch { a, b: a + 100, switch: Some(a) }));
    let network = Network::new(NODES, &branches, &[At { node: 0, switch: None }], &[]);
    let inputs: Vec<Contact> = (0..NODES).map(|input| if input % 7 == 0 { Contact::Unknown } else { Contact::Closed }).collect();
    let quickest = (0..5)
        .map(|_| {
            let start = Instant::now();
            assert_eq!(network.states(&inputs).len(), NODES);
            start.elapsed()
        })
        .min();
    // About 0.5 ms optimised; this is the limit for a debug build.
    assert!(quickest < Some(Duration::from_millis(40)), "{quickest:?}");
    println!("{quickest:?}");
}
