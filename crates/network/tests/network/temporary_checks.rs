//! What placing a jumper, a cut or a portable earth would do in the present state.

use std::sync::Arc;

use network::description::{Electrical, Node, Terminal};
use network::temporary::TemporaryChange;
use network::{Contact, Current, DangerKind, Description, EquipmentId, EquipmentKind, NetworkState, PlacingDanger};

use crate::descriptions::feeder;
use crate::temporary::{cut, earth, jumper};

/// The feeder with a second source at its open end. It is gone unless a test says so.
fn with_second_source() -> Description {
    let mut network = feeder();
    let mut second = network.equipment[0].clone();
    second.id = "second".into();
    second.terminals[0].node = "tie".into();
    second.electrical = Electrical::Nothing;
    network.equipment.push(second);
    network
}

fn state(contacts: &[(&str, Contact)]) -> NetworkState {
    state_of(&with_second_source(), contacts)
}

fn state_of(network: &Description, contacts: &[(&str, Contact)]) -> NetworkState {
    let mut state = NetworkState::new(Arc::new(network.to_model().expect("a model")));
    for (id, contact) in [("second", Contact::Open)].iter().chain(contacts) {
        state.set_contact(equipment(&state, id), *contact);
    }
    state.settle();
    state
}

/// Adds equipment at some nodes; each node that is not there yet is added too.
fn add(network: &mut Description, id: &str, kind: EquipmentKind, nodes: &[&str]) {
    let mut new = network.equipment[0].clone();
    let terminal = new.terminals[0].clone();
    new.id = id.into();
    new.kind = kind;
    new.terminals = nodes.iter().map(|node| Terminal { node: (*node).into(), ..terminal.clone() }).collect();
    new.electrical = Electrical::Nothing;
    network.equipment.push(new);
    for id in nodes {
        if network.nodes.iter().all(|node| node.id != *id) {
            network.nodes.push(Node { id: (*id).into(), ..network.nodes[1].clone() });
        }
    }
}

fn equipment(state: &NetworkState, id: &str) -> EquipmentId {
    state.model().equipment(id).expect("there")
}

/// What it is, the change, the states of equipment that differ from the normal ones, and the danger with whether it is certain.
type Case<'a> = (&'a str, TemporaryChange, Vec<(&'a str, Contact)>, Option<(DangerKind, bool)>);

#[test]
fn danger_depends_on_what_is_known_of_the_present_state() {
    use Contact::{Closed, Open, Unknown};
    let fine = state(&[]);
    let of = |id: &str| equipment(&fine, id);
    let supply = DangerKind::EarthOntoSupply(of("grid"));
    let returning = DangerKind::EarthOntoReturningSupply(of("grid"));
    let joins = DangerKind::JumperJoinsSources([of("grid"), of("second")]);
    let earth_at_end = earth("end", "ABC");
    let past_the_switch = jumper("end", "tie", "ABC");
    let cases: Vec<Case<'_>> = vec![
        ("a live node", earth_at_end.clone(), vec![], Some((supply.clone(), true))),
        ("one phase of it", earth("end", "B"), vec![], Some((supply.clone(), true))),
        ("it may be fed", earth_at_end.clone(), vec![("CB", Unknown)], Some((supply.clone(), false))),
        ("the source is not known", earth_at_end.clone(), vec![("grid", Unknown)], Some((supply, false))),
        ("it is isolated", earth_at_end.clone(), vec![("CB", Open)], None),
        ("the source can come back", earth_at_end.clone(), vec![("grid", Open)], Some((returning.clone(), true))),
        ("over an unknown switch", earth_at_end, vec![("grid", Open), ("CB", Unknown)], Some((returning.clone(), false))),
        (
            "an end with a source that is gone",
            earth("tie", "ABC"),
            vec![],
            Some((DangerKind::EarthOntoReturningSupply(of("second")), true)),
        ),
        (
            "which a supply that may be there does not hide",
            earth("tie", "ABC"),
            vec![("LBS", Unknown)],
            Some((DangerKind::EarthOntoReturningSupply(of("second")), true)),
        ),
        ("a jumper to it", past_the_switch.clone(), vec![], Some((DangerKind::JumperOntoGoneSource(of("second")), true))),
        ("dead ends", past_the_switch.clone(), vec![("CB", Open)], None),
        ("a jumper beside a closed way", jumper("bus", "end", "ABC"), vec![], None),
        ("to an earth", past_the_switch.clone(), vec![("ES", Closed)], Some((DangerKind::JumperOntoEarth, true))),
        (
            "to what may be one",
            past_the_switch.clone(),
            vec![("ES", Unknown), ("second", Unknown)],
            Some((DangerKind::JumperOntoEarth, false)),
        ),
        (
            "which does not hide the source that is gone",
            past_the_switch.clone(),
            vec![("ES", Unknown)],
            Some((DangerKind::JumperOntoGoneSource(of("second")), true)),
        ),
        ("or two sources", past_the_switch.clone(), vec![("ES", Unknown), ("second", Closed)], Some((joins.clone(), true))),
        ("dead ends, of which one is earthed", past_the_switch.clone(), vec![("ES", Closed), ("CB", Open)], None),
        (
            "an earth and a source that is gone",
            past_the_switch.clone(),
            vec![("ES", Closed), ("grid", Open)],
            Some((returning.clone(), true)),
        ),
        ("which may be earthed", past_the_switch.clone(), vec![("ES", Unknown), ("grid", Open)], Some((returning.clone(), false))),
        (
            "which an unknown switch may separate",
            past_the_switch.clone(),
            vec![("ES", Closed), ("grid", Open), ("CB", Unknown)],
            Some((returning.clone(), false)),
        ),
        ("two sources", past_the_switch.clone(), vec![("second", Closed)], Some((joins.clone(), true))),
        ("of which one may be there", past_the_switch.clone(), vec![("second", Unknown)], Some((joins, false))),
        ("two sources in parallel already", past_the_switch, vec![("second", Closed), ("LBS", Closed)], None),
        ("a line without current", cut("line", 1, "ABC"), vec![("CB", Open)], None),
    ];
    for (name, change, contacts, expected) in cases {
        let expected = expected.map(|(kind, is_certain)| PlacingDanger { kind, is_certain });
        assert_eq!(state(&contacts).danger_of_placing(&change), expected, "{name}: {change:?}");
    }
}

#[test]
fn line_with_load_is_not_cut() {
    for (contacts, is_certain) in [(vec![], true), (vec![("CB", Contact::Unknown)], false)] {
        let danger = state(&contacts).danger_of_placing(&cut("line", 2, "A")).expect("a danger");
        assert!(matches!(danger.kind, DangerKind::CutUnderLoad(Current::Load(load)) if load.customers == 120), "{danger:?}");
        assert_eq!(danger.is_certain, is_certain);
    }
}

#[test]
fn voltage_that_nothing_known_feeds_is_a_danger() {
    let mut state = state(&[]);
    let tie = state.model().node("tie").expect("there");
    state.set_measured(tie, network::Phases::ABC);
    state.settle();
    let expected = |kind| Some(PlacingDanger { kind, is_certain: true });
    assert_eq!(state.danger_of_placing(&earth("tie", "ABC")), expected(DangerKind::EarthOntoVoltage));
    assert_eq!(state.danger_of_placing(&jumper("end", "tie", "ABC")), expected(DangerKind::JumperJoinsVoltages));
}

/// The certain earth at one end meets the second source. The possible earth at the other end meets the first one.
#[test]
fn possible_earth_at_one_end_does_not_hide_certain_earth() {
    use Contact::{Closed, Open, Unknown};
    let mut network = with_second_source();
    add(&mut network, "ES2", EquipmentKind::GroundDisconnector, &["end"]);
    let change = |nodes: [&str; 2]| jumper(nodes[0], nodes[1], "ABC");
    let state = state_of(&network, &[("ES", Unknown), ("ES2", Closed), ("grid", Open)]);
    let expected = PlacingDanger { kind: DangerKind::EarthOntoReturningSupply(equipment(&state, "second")), is_certain: true };
    for nodes in [["end", "tie"], ["tie", "end"]] {
        assert_eq!(state.danger_of_placing(&change(nodes)), Some(expected.clone()), "{nodes:?}");
    }
}

/// The supply that may be at the other end depends on a switch of unknown position. The source that is gone there does not.
#[test]
fn possible_supply_does_not_hide_gone_source_behind_jumper_from_earth() {
    use Contact::{Closed, Unknown};
    let mut network = with_second_source();
    add(&mut network, "earthed", EquipmentKind::GroundDisconnector, &["spare"]);
    let state = state_of(&network, &[("LBS", Unknown), ("earthed", Closed)]);
    let expected = PlacingDanger { kind: DangerKind::EarthOntoReturningSupply(equipment(&state, "second")), is_certain: true };
    assert_eq!(state.danger_of_placing(&jumper("spare", "tie", "ABC")), Some(expected));
}

#[test]
fn earth_behind_transformer_is_certain_against_gone_source() {
    use Contact::{Closed, Open};
    let mut network = with_second_source();
    add(&mut network, "T", EquipmentKind::PowerTransformer, &["tie", "low"]);
    add(&mut network, "ES2", EquipmentKind::GroundDisconnector, &["low"]);
    let change = jumper("end", "tie", "ABC");
    let state = state_of(&network, &[("ES2", Closed), ("grid", Open)]);
    let expected = PlacingDanger { kind: DangerKind::JumperOntoEarth, is_certain: true };
    assert_eq!(state.danger_of_placing(&change), Some(expected));
}

#[test]
fn jumper_does_not_join_ends_of_line_with_direct_current() {
    use Contact::{Open, Unknown};
    let mut network = with_second_source();
    add(&mut network, "DC", EquipmentKind::DirectCurrentLine, &["bus", "far"]);
    let across = jumper("bus", "far", "ABC");
    let danger = |contacts: &[(&str, Contact)]| state_of(&network, contacts).danger_of_placing(&across);
    let any = state_of(&network, &[]);
    let joins = DangerKind::JumperJoinsSources([equipment(&any, "grid"), equipment(&any, "DC")]);
    assert_eq!(danger(&[]), Some(PlacingDanger { kind: joins.clone(), is_certain: true }));
    assert_eq!(danger(&[("grid", Unknown)]), Some(PlacingDanger { kind: joins.clone(), is_certain: false }));
    assert_eq!(danger(&[("grid", Open)]), None, "nothing feeds the line");
    // What is joined already is no pair.
    let beside = state_of(&network, &[]).danger_of_placing(&jumper("bus", "end", "ABC"));
    assert_eq!(beside, None);
    // The removal of a cut is judged as a jumper from the free end of the line.
    add(&mut network, "spur", EquipmentKind::LineSegment, &["far", "free"]);
    let removal = state_of(&network, &[]).danger_of_placing(&jumper("free", "bus", "ABC"));
    let is_join = |danger: &PlacingDanger| matches!(danger.kind, DangerKind::JumperJoinsSources(_)) && danger.is_certain;
    assert!(removal.as_ref().is_some_and(is_join), "{removal:?}");
}

/// A switch that may be closed adds possible dangers. It takes away no danger that is certain without it.
#[test]
fn possible_danger_never_hides_certain_one() {
    use Contact::{Closed, Open, Unknown};
    let contacts = [Open, Closed, Unknown];
    let changes = [earth("tie", "ABC"), earth("end", "ABC"), jumper("end", "tie", "ABC"), jumper("bus", "tie", "ABC")];
    let certain = |contacts: &[(&str, Contact)], change: &TemporaryChange| {
        state(contacts).danger_of_placing(change).filter(|danger| danger.is_certain).map(|danger| danger.kind)
    };
    // A jumper feeds back to a source that is gone only while nothing else feeds the place.
    let stays = |kind: DangerKind| !matches!(kind, DangerKind::JumperOntoGoneSource(_));
    let ids = ["CB", "LBS", "ES", "grid", "second"];
    for number in 0..3_usize.pow(5) {
        let known: Vec<(&str, Contact)> = (0..).zip(ids).map(|(at, id)| (id, contacts[number / 3_usize.pow(at) % 3])).collect();
        for change in &changes {
            for at in (0..3).filter(|at| known[*at].1 == Open && certain(&known, change).is_some_and(stays)) {
                let mut doubted = known.clone();
                doubted[at].1 = Unknown;
                assert!(certain(&doubted, change).is_some(), "{change:?}: {known:?}, and {} unknown", ids[at]);
            }
        }
    }
}
