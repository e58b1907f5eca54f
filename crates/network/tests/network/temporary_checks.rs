//! What placing a jumper, a cut or a portable earth would do in the present state.

use std::sync::Arc;

use network::description::Electrical;
use network::temporary::TemporaryChange;
use network::{Contact, Current, DangerKind, Description, EquipmentId, NetworkState, PlacingDanger};

use crate::descriptions::feeder;
use crate::temporary::{cut, earth, jumper};

/// The feeder with a second source at its open end. It is not there unless a test says so.
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
    let mut state = NetworkState::new(Arc::new(with_second_source().to_model().expect("a model")));
    for (id, contact) in [("second", Contact::Open)].iter().chain(contacts) {
        state.set_contact(equipment(&state, id), *contact);
    }
    state.settle();
    state
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
        ("a jumper to it", past_the_switch.clone(), vec![], Some((DangerKind::JumperOntoGoneSource(of("second")), true))),
        ("dead ends", past_the_switch.clone(), vec![("CB", Open)], None),
        ("a jumper beside a closed way", jumper("bus", "end", "ABC"), vec![], None),
        ("to an earth", past_the_switch.clone(), vec![("ES", Closed)], Some((DangerKind::JumperOntoEarth, true))),
        ("to what may be one", past_the_switch.clone(), vec![("ES", Unknown)], Some((DangerKind::JumperOntoEarth, false))),
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
