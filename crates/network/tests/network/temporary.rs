//! Jumpers, cuts and portable earths.

use std::sync::Arc;

use network::description::Node;
use network::findings::{Rule, Severity};
use network::temporary::{AT_NODE_MAX, NamedTerminal, PlacedChange, TEMPORARY_MAX, TemporaryChange, end_of_cut, equipment_of};
use network::{Contact, Description, NetworkState, Phase, Phases, State};
use proptest::prelude::*;

use crate::descriptions::feeder;

fn phases(letters: &str) -> Phases {
    Phases::parse(letters).expect("phases")
}

pub(crate) fn jumper(one: &str, other: &str, letters: &str) -> TemporaryChange {
    TemporaryChange::Jumper { nodes: [one.into(), other.into()], phases: phases(letters) }
}

pub(crate) fn cut(line: &str, terminal: u8, letters: &str) -> TemporaryChange {
    TemporaryChange::Cut { equipment: line.into(), terminal, phases: phases(letters) }
}

pub(crate) fn earth(node: &str, letters: &str) -> TemporaryChange {
    TemporaryChange::PortableEarth { node: node.into(), phases: phases(letters) }
}

/// Returns the feeder with changes that are numbered from 1.
fn placed(changes: &[TemporaryChange]) -> Description {
    feeder().with_temporary((1..).zip(changes)).expect("they fit")
}

fn state(network: &Description) -> NetworkState {
    NetworkState::new(Arc::new(network.to_model().expect("a model")))
}

fn at(state: &NetworkState, node: &str) -> State {
    state.state(state.model().node(node).expect("there"))
}

#[test]
fn jumper_feeds_past_an_open_switch() {
    let network = placed(&[jumper("end", "tie", "ABC")]);
    assert_eq!((at(&state(&feeder()), "tie"), at(&state(&network), "tie")), (State::Dead, State::Energised));
    let found = network.check();
    assert_eq!(found.count_of(Severity::Error), found.count(Rule::ReservedId), "nothing else is wrong: {found:?}");
}

#[test]
fn cut_line_leaves_its_end_to_what_is_beyond() {
    let network = placed(&[cut("line", 1, "ABC")]);
    let present = state(&network);
    assert_eq!(["bay", &end_of_cut(1), "end"].map(|node| at(&present, node)), [State::Energised, State::Dead, State::Dead]);
    // The line hangs on its other end: an earth there reaches the place of the cut, and nothing beyond it.
    let earthed = state(&placed(&[cut("line", 1, "ABC"), earth("end", "ABC")]));
    assert_eq!(["bay", &end_of_cut(1), "end"].map(|node| at(&earthed, node)), [State::Energised, State::Earthed, State::Earthed]);
    let at_the_cut = state(&placed(&[cut("line", 1, "ABC"), earth(&end_of_cut(1), "ABC")]));
    assert_eq!(at(&at_the_cut, "end"), State::Earthed);
}

#[test]
fn phases_that_are_not_cut_stay_connected() {
    let present = state(&placed(&[cut("line", 2, "B")]));
    let end = present.model().node("end").expect("there");
    let of = |phase| present.phase_state(end, phase);
    assert_eq!(Phase::ALL.map(of), [Some(State::Energised), Some(State::Dead), Some(State::Energised)]);
}

#[test]
fn portable_earth_on_a_live_node_is_a_conflict_and_a_switch_onto_it_is_foreseen() {
    assert_eq!(at(&state(&placed(&[earth("end", "A")])), "end"), State::Conflict);
    let present = state(&placed(&[earth("tie", "ABC")]));
    let [tie, portable] = ["LBS", &equipment_of(1)].map(|id| present.model().equipment(id).expect("there"));
    let found = present.consequences(tie, Contact::Closed);
    assert!(!found.energised_on_earth.is_empty());
    assert_eq!(present.obstructing_earth(tie).map(|obstacle| obstacle.at), Some(portable));
}

#[test]
fn parts_of_the_network_keep_their_positions() {
    let before = feeder();
    let after = placed(&[cut("line", 1, "A"), jumper("bus", "end", "ABC"), earth("tie", "ABC")]);
    let ids = |network: &Description| {
        let nodes: Vec<String> = network.nodes.iter().map(|node| node.id.clone()).collect();
        let equipment: Vec<String> = network.equipment.iter().map(|equipment| equipment.id.clone()).collect();
        (nodes, equipment)
    };
    let ((nodes, equipment), (nodes_after, equipment_after)) = (ids(&before), ids(&after));
    assert_eq!((&nodes_after[..nodes.len()], &equipment_after[..equipment.len()]), (&nodes[..], &equipment[..]));
    assert_eq!(equipment_after[equipment.len()..], [1, 2, 3].map(equipment_of));
    assert_eq!(after.measurements, before.measurements);
}

#[test]
fn change_that_does_not_fit_is_refused_with_its_reason() {
    let two_voltages = {
        let mut network = feeder();
        network.nodes[3].nominal_kv = Some(33.0);
        network
    };
    let cases = [
        (feeder(), vec![earth("moon", "A")], "temporary change 1: node moon does not exist"),
        (feeder(), vec![jumper("bus", "bus", "A")], "temporary change 1: a jumper connects two nodes: bus is named twice"),
        (feeder(), vec![cut("LBS", 1, "A")], "temporary change 1: LBS is a LoadBreakSwitch: only a line or a cable can be cut"),
        (feeder(), vec![cut("moon", 1, "A")], "temporary change 1: equipment moon does not exist"),
        (feeder(), vec![cut("line", 3, "A")], "temporary change 1: line has the terminals 1 and 2, but not 3"),
        (feeder(), vec![cut("line", 0, "A")], "temporary change 1: line has the terminals 1 and 2, but not 0"),
        (feeder(), vec![earth("end", "N")], "temporary change 1: phases  are not possible at end: allowed are ABC"),
        (
            feeder(),
            vec![cut("line", 1, "A"), cut("line", 1, "B")],
            "temporary change 2: terminal 1 of line is cut already: remove that cut first",
        ),
        (
            feeder(),
            vec![earth("bay", "ABC"), cut("line", 1, "ABC")],
            "temporary change 2: an earth or a jumper is placed at node bay, and could be on either side of the cut: remove it first and place it again",
        ),
        (
            two_voltages,
            vec![jumper("end", "tie", "A")],
            "temporary change 1: node end has 11 kV and node tie has 33 kV: a jumper connects nodes of one nominal voltage",
        ),
    ];
    for (network, changes, expected) in cases {
        assert_eq!(network.with_temporary((1..).zip(&changes)).expect_err(expected).to_string(), expected);
    }
    let twice = [earth("end", "A"), earth("tie", "A")];
    let error = feeder().with_temporary(twice.iter().map(|change| (7, change))).expect_err("one number");
    assert_eq!(error.to_string(), "temporary change 7: the id temporary/7 is taken already");
    let at_one_node = vec![earth("end", "ABC"); AT_NODE_MAX + 1];
    let error = feeder().with_temporary((1..).zip(&at_one_node)).expect_err("too many at one node");
    assert_eq!(
        error.to_string(),
        "temporary change 9: node end has 8 temporary changes already: remove those that are not needed any more"
    );
    let mut large = feeder();
    for number in 0..=TEMPORARY_MAX / AT_NODE_MAX {
        let id = format!("n{number}");
        let mut equipment = large.equipment[0].clone();
        equipment.id.clone_from(&id);
        equipment.terminals[0].node.clone_from(&id);
        let node = Node { id, ..large.nodes[0].clone() };
        large.nodes.push(node);
        large.equipment.push(equipment);
    }
    let many: Vec<TemporaryChange> = (0..=TEMPORARY_MAX).map(|number| earth(&format!("n{}", number / AT_NODE_MAX), "ABC")).collect();
    let error = large.with_temporary((1..).zip(&many)).expect_err("too many");
    assert_eq!(
        error.to_string(),
        "temporary change 1001: 1001 temporary changes, but at most 1000 are allowed: remove those that are not needed any more"
    );
}

#[test]
fn changes_that_do_not_fit_are_left_out_and_listed() {
    let changes = [earth("moon", "A"), cut("line", 1, "ABC"), earth(&end_of_cut(2), "ABC"), earth(&end_of_cut(1), "ABC")];
    let placed = (1..).zip(&changes).map(|(number, change)| PlacedChange { number, change, at: &[] });
    let (network, misfits) = feeder().with_fitting(placed);
    let numbers: Vec<i64> = misfits.iter().map(|misfit| misfit.number).collect();
    assert_eq!(numbers, [1, 4]);
    assert_eq!(network, feeder().with_temporary([(2, &changes[1]), (3, &changes[2])]).expect("they fit"));
    assert!(changes[2].is_at_end_of(2) && !changes[2].is_at_end_of(1) && !changes[1].is_at_end_of(2));
}

fn named(equipment: &str, terminal: u8, node: &str) -> NamedTerminal {
    NamedTerminal { equipment: equipment.into(), terminal, node: node.into() }
}

#[test]
fn change_fits_only_while_its_terminals_are_at_their_nodes() {
    let misfit = |network: &Description, change: &TemporaryChange, at: &[NamedTerminal]| {
        let (_, misfits) = network.with_fitting([PlacedChange { number: 1, change, at }]);
        misfits.first().map(|misfit| misfit.reason.to_string())
    };
    // A switch was drawn into the line: the line now ends before it, and node `end` is behind it.
    let mut drawn_in = feeder();
    let line = drawn_in.equipment.iter_mut().find(|of| of.id == "line").expect("there");
    line.terminals[1].node = "tie".into();
    let mut turned = feeder();
    turned.equipment.iter_mut().find(|of| of.id == "line").expect("there").terminals.reverse();
    let mut gone = feeder();
    gone.equipment.retain(|of| of.id != "line");
    let of_line = [named("line", 2, "end")];
    for change in [earth("end", "ABC"), cut("line", 2, "ABC")] {
        assert_eq!(misfit(&feeder(), &change, &of_line), None);
        let moved = |node: &str| Some(format!("terminal 2 of line is at node {node} now, and was at node end when the change was placed"));
        assert_eq!(misfit(&drawn_in, &change, &of_line), moved("tie"), "{change:?}");
        assert_eq!(misfit(&turned, &change, &of_line), moved("bay"), "{change:?}");
        assert_eq!(misfit(&gone, &change, &of_line), Some("equipment line does not exist".into()), "{change:?}");
    }
    let ends = [named("grid", 1, "bus"), named("line", 2, "end")];
    assert_eq!(misfit(&feeder(), &jumper("bus", "end", "ABC"), &ends), None);
    assert!(misfit(&turned, &jumper("bus", "end", "ABC"), &ends).is_some(), "the second end of a jumper counts too");
    let none = misfit(&feeder(), &earth("end", "ABC"), &[named("line", 3, "end")]);
    assert_eq!(none, Some("line has no terminal 3, at which the change was placed".into()));
    // After a cut, its line ends at the free end.
    let (of_cut, at_end) = (cut("line", 2, "ABC"), earth(&end_of_cut(1), "ABC"));
    let both = |earthed: &[NamedTerminal]| {
        let cut = PlacedChange { number: 1, change: &of_cut, at: &of_line };
        feeder().with_fitting([cut, PlacedChange { number: 2, change: &at_end, at: earthed }]).1
    };
    assert_eq!(both(&[named("line", 2, &end_of_cut(1))]), []);
    assert_eq!(both(&of_line).len(), 1);
}

#[test]
fn change_is_the_same_after_writing_and_reading() {
    let text = r#"{"kind":"portableEarth","node":"end","phases":"AC"}"#;
    let change: TemporaryChange = serde_json::from_str(text).expect("a change");
    assert_eq!((change.clone(), serde_json::to_string(&change).expect("text")), (earth("end", "AC"), text.to_owned()));
    assert!(serde_json::from_str::<TemporaryChange>(r#"{"kind":"portableEarth","node":"end","phases":"AX"}"#).is_err());
}

/// Returns what is fed in a phase of each node of the feeder.
fn fed(network: &Description) -> Vec<bool> {
    let present = state(network);
    let nodes = feeder().nodes;
    let of = |node: &str, phase| {
        let state = present.phase_state(present.model().node(node).expect("there"), phase);
        matches!(state, Some(State::Energised | State::Conflict))
    };
    nodes.iter().flat_map(|node| Phase::ALL.map(|phase| of(&node.id, phase))).collect()
}

fn any_change() -> impl Strategy<Value = TemporaryChange> {
    let node = || prop::sample::select(vec!["bus", "bay", "end", "tie"]);
    let letters = || prop::sample::select(vec!["A", "B", "C", "AB", "BC", "ABC"]);
    prop_oneof![
        (node(), node(), letters()).prop_map(|(one, other, letters)| jumper(one, other, letters)),
        (1..=2u8, letters()).prop_map(|(terminal, letters)| cut("line", terminal, letters)),
        (node(), letters()).prop_map(|(node, letters)| earth(node, letters)),
    ]
}

proptest! {
    #[test]
    fn jumper_takes_no_supply_a_cut_gives_none_and_an_earth_changes_none(
        before in prop::collection::vec(any_change(), 0..5),
        last in any_change(),
    ) {
        let Ok(without) = feeder().with_temporary((1..).zip(&before)) else { return Ok(()) };
        let Ok(with) = feeder().with_temporary((1..).zip(before.iter().chain([&last]))) else { return Ok(()) };
        let pairs: Vec<(bool, bool)> = fed(&without).into_iter().zip(fed(&with)).collect();
        let is_kept = |(without, with): &(bool, bool)| match last {
            TemporaryChange::Jumper { .. } => *with || !without,
            TemporaryChange::Cut { .. } => !with || *without,
            TemporaryChange::PortableEarth { .. } => with == without,
        };
        prop_assert!(pairs.iter().all(is_kept), "{pairs:?}");
    }
}
