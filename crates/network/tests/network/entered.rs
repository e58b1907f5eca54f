//! Positions that users enter: they count by their rule, for all phases or for some.

use std::sync::Arc;

use grid::manual_entry::{EntryRule, EntryTerms};
use grid::position::Encoding;
use grid::{Micros, Ordinal, PointId, Quality, Reading};
use network::live::{Bindings, EnteredPosition, LiveNetwork, Presence, Sight};
use network::{Contact, EquipmentKind, Phase, Phases, State};

use crate::reference::{Network, Part};

const NOW: Micros = Micros(1_000_000_000_000);
const SOURCE: PointId = PointId(1);
const BREAKER: PointId = PointId(2);

/// A source, a breaker with a point that has not reported yet, and a switch without a point, which is closed in the normal state.
fn network() -> LiveNetwork {
    let branch = |nodes: [usize; 2]| Part {
        kind: EquipmentKind::Breaker,
        nodes: nodes.to_vec(),
        phases: Phases::ABC,
        contacts: [Contact::Closed; 3],
    };
    let source = Part { kind: EquipmentKind::EnergySource, nodes: vec![0], phases: Phases::ABC, contacts: [Contact::Closed; 3] };
    let model = Network { nodes: 3, parts: vec![source, branch([0, 1]), branch([1, 2])] }.model();
    let equipment = |id: &str| model.equipment(id).expect("equipment");
    let bindings = Bindings {
        positions: vec![(SOURCE, equipment("0"), Phases::ABC), (BREAKER, equipment("1"), Phases::ABC)],
        sources: vec![(equipment("0"), Presence::Unknown)],
        voltages: Vec::new(),
    };
    let mut network = LiveNetwork::new(Arc::new(model), Arc::new(bindings));
    see(&mut network, SOURCE, 2.0, Quality::Good);
    network.settle();
    network
}

fn see(network: &mut LiveNetwork, point: PointId, raw: f64, quality: Quality) {
    see_at(network, point, raw, quality, NOW);
}

fn see_at(network: &mut LiveNetwork, point: PointId, raw: f64, quality: Quality, at: Micros) {
    let reading = Reading { value: Some(raw), quality, source: at, received: at, ordinal: Ordinal::default() };
    network.see(point, at, Some(Sight { encoding: Some(Encoding::DoublePoint), age_limit_ms: None, reading: Some(reading) }));
}

/// A position of all phases, entered before the points report.
fn entered(network: &LiveNetwork, id: &str, contact: Contact) -> EnteredPosition {
    let at = NOW.plus_millis(-60_000);
    EnteredPosition {
        equipment: network.state().model().equipment(id).expect("equipment"),
        phases: Phases::ABC,
        contact,
        terms: EntryTerms { rule: EntryRule::UntilReported, observed: at, entered: at, seen: None },
    }
}

fn shown(network: &mut LiveNetwork) -> [State; 3] {
    network.settle();
    ["node:0", "node:1", "node:2"].map(|id| network.state().state(network.state().model().node(id).expect("a node")))
}

#[test]
fn entered_position_counts_until_a_newer_report() {
    use State::{Dead, Energised, Unknown};
    let mut network = network();
    assert_eq!(shown(&mut network), [Energised, Unknown, Unknown], "the breaker has not reported");
    let breaker = entered(&network, "1", Contact::Closed);
    network.enter(&[breaker]);
    assert_eq!(shown(&mut network), [Energised; 3]);
    assert!(network.is_entered(breaker.equipment));
    // The link of an older report is lost.
    see_at(&mut network, BREAKER, 1.0, Quality::CommLost, NOW.plus_millis(-120_000));
    assert_eq!(shown(&mut network), [Energised; 3]);
    // What the device marks as invalid says nothing.
    see(&mut network, BREAKER, 1.0, Quality::Invalid);
    assert_eq!(shown(&mut network), [Energised; 3]);
    // The link was lost after a newer report.
    see(&mut network, BREAKER, 2.0, Quality::CommLost);
    assert_eq!(shown(&mut network), [Energised, Unknown, Unknown]);
    assert!(!network.is_entered(breaker.equipment));
    see(&mut network, BREAKER, 1.0, Quality::Good);
    assert_eq!(shown(&mut network), [Energised, Dead, Dead]);
    network.enter(&[]);
    assert_eq!(shown(&mut network), [Energised, Dead, Dead], "the withdrawal changes nothing any more");
    network.enter(&[breaker]);
    assert_eq!(shown(&mut network), [Energised, Dead, Dead], "nor does another entry of before the report");
}

#[test]
fn position_of_a_wrong_point_counts_until_it_is_withdrawn() {
    use State::{Dead, Energised};
    let mut network = network();
    let mut breaker = entered(&network, "1", Contact::Open);
    breaker.terms.rule = EntryRule::UntilWithdrawn;
    network.enter(&[breaker]);
    see(&mut network, BREAKER, 2.0, Quality::Good);
    assert_eq!(shown(&mut network), [Energised, Dead, Dead]);
    assert_eq!(network.reported_position(breaker.equipment, Phases::ABC), Contact::Closed, "both are known");
    network.enter(&[]);
    assert_eq!(shown(&mut network), [Energised; 3]);
}

#[test]
fn withdrawn_entry_leaves_the_assumed_or_unknown_position() {
    use State::{Dead, Energised, Unknown};
    let mut network = network();
    see(&mut network, BREAKER, 2.0, Quality::Good);
    assert_eq!(shown(&mut network), [Energised; 3], "the switch is assumed closed");
    let tail = entered(&network, "2", Contact::Open);
    network.enter(&[tail]);
    assert_eq!(shown(&mut network), [Energised, Energised, Dead]);
    network.enter(&[]);
    assert_eq!(shown(&mut network), [Energised; 3]);
    // For interlocks an assumed position is unknown, and an entered one is known.
    network.doubt([tail.equipment]);
    assert_eq!(shown(&mut network), [Energised, Energised, Unknown]);
    network.enter(&[EnteredPosition { contact: Contact::Closed, ..tail }]);
    assert_eq!(shown(&mut network), [Energised; 3]);
    network.enter(&[]);
    assert_eq!(shown(&mut network), [Energised, Energised, Unknown]);
}

#[test]
fn withdrawn_entry_of_a_silent_point_leaves_an_unknown_position() {
    let mut network = network();
    let breaker = entered(&network, "1", Contact::Open);
    network.enter(&[breaker]);
    assert_eq!(shown(&mut network)[1..], [State::Dead; 2]);
    network.enter(&[]);
    assert_eq!(shown(&mut network)[1..], [State::Unknown; 2]);
}

#[test]
fn source_without_a_voltage_is_present_when_a_user_states_it() {
    use State::{Dead, Energised, Unknown};
    let source = Part { kind: EquipmentKind::EnergySource, nodes: vec![0], phases: Phases::ABC, contacts: [Contact::Closed; 3] };
    let model = Network { nodes: 1, parts: vec![source] }.model();
    let equipment = model.equipment("0").expect("a source");
    let bindings = Bindings { sources: vec![(equipment, Presence::Unknown)], ..Bindings::default() };
    let mut network = LiveNetwork::new(Arc::new(model), Arc::new(bindings));
    let mut state = |entries: &[EnteredPosition]| {
        network.enter(entries);
        network.settle();
        network.state().state(network.state().model().node("node:0").expect("a node"))
    };
    let at = |contact| EnteredPosition {
        equipment,
        phases: Phases::ABC,
        contact,
        terms: EntryTerms { rule: EntryRule::UntilReported, observed: NOW, entered: NOW, seen: None },
    };
    assert_eq!([state(&[]), state(&[at(Contact::Closed)]), state(&[at(Contact::Open)])], [Unknown, Energised, Dead]);
    assert_eq!(state(&[]), Unknown, "nobody states it any more");
}

/// A source, and a fuse behind it. `is_reported`: the phase B of the fuse has a point.
fn fuse(is_reported: bool) -> (LiveNetwork, EnteredPosition) {
    let source = Part { kind: EquipmentKind::EnergySource, nodes: vec![0], phases: Phases::ABC, contacts: [Contact::Closed; 3] };
    let fuse = Part { kind: EquipmentKind::Fuse, nodes: vec![0, 1], phases: Phases::ABC, contacts: [Contact::Closed; 3] };
    let model = Network { nodes: 2, parts: vec![source, fuse] }.model();
    let equipment = |id: &str| model.equipment(id).expect("equipment");
    let mut positions = vec![(SOURCE, equipment("0"), Phases::ABC)];
    if is_reported {
        positions.push((BREAKER, equipment("1"), Phases::only(Phase::B)));
    }
    let bindings = Bindings { positions, sources: Vec::new(), voltages: Vec::new() };
    let mut network = LiveNetwork::new(Arc::new(model), Arc::new(bindings));
    see(&mut network, SOURCE, 2.0, Quality::Good);
    let blown = EnteredPosition { phases: Phases::only(Phase::B), ..entered(&network, "1", Contact::Open) };
    (network, blown)
}

/// The state of each phase behind the fuse.
fn behind(network: &mut LiveNetwork) -> [Option<State>; 3] {
    network.settle();
    let node = network.state().model().node("node:1").expect("a node");
    Phase::ALL.map(|phase| network.state().phase_state(node, phase))
}

#[test]
fn blown_phase_of_a_fuse_takes_the_supply_of_that_phase_only() {
    let (live, dead, unknown) = (Some(State::Energised), Some(State::Dead), Some(State::Unknown));
    let (mut network, blown) = fuse(false);
    assert_eq!(behind(&mut network), [live; 3], "assumed closed");
    network.enter(&[blown]);
    assert_eq!(behind(&mut network), [live, dead, live]);
    assert!(!network.is_entered(blown.equipment), "two phases are assumed");
    assert!(network.entry_of(blown.equipment, Phase::B).is_some());
    // Interlocks take the other phases as unknown.
    network.doubt([blown.equipment]);
    assert_eq!(behind(&mut network), [unknown, dead, unknown]);
    // A later entry of all phases counts for each of them.
    let mut replaced = EnteredPosition { phases: Phases::ABC, contact: Contact::Closed, ..blown };
    replaced.terms.entered = blown.terms.entered.plus_millis(1_000);
    network.enter(&[replaced, blown]);
    assert_eq!(behind(&mut network), [live; 3]);
    assert!(network.is_entered(blown.equipment));
}

#[test]
fn report_of_one_phase_leaves_the_entries_of_the_others() {
    let (live, dead) = (Some(State::Energised), Some(State::Dead));
    let (mut network, blown) = fuse(true);
    let all = EnteredPosition { phases: Phases::ABC, ..blown };
    network.enter(&[all]);
    assert_eq!(behind(&mut network), [dead; 3]);
    see(&mut network, BREAKER, 2.0, Quality::Good);
    assert_eq!(behind(&mut network), [dead, live, dead]);
}

#[test]
fn entries_that_change_one_by_one_equal_those_of_a_new_network() {
    let mut live = network();
    let at = |id: &str, contact: Contact, seconds: i64| {
        let mut position = entered(&network(), id, contact);
        position.terms.entered = position.terms.entered.plus_millis(seconds * 1_000);
        position
    };
    let (closed, open, tail) = (at("1", Contact::Closed, 0), at("1", Contact::Open, 1), at("2", Contact::Open, 2));
    let lists: [&[EnteredPosition]; 8] =
        [&[closed], &[closed, tail], &[closed, open, tail], &[open, closed], &[tail], &[], &[closed, closed], &[closed]];
    for list in lists {
        let mut fresh = network();
        live.enter(list);
        fresh.enter(list);
        assert_eq!(shown(&mut live), shown(&mut fresh), "{list:?}");
    }
}
