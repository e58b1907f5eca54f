//! Descriptions of networks, and the models that are made from them.

use std::sync::Arc;

use network::description::Electrical;
use network::{Contact, Description, EquipmentKind, NetworkState, Phases, State};

/// A source, a breaker, a line, an open load-break switch, an earth switch, and customers; written by hand.
const FEEDER: &str = r#"{
    "containers": [{"id": "S", "name": "Harbour", "kind": "Substation", "place": [72.8, 18.9]}],
    "nodes": [
        {"id": "bus", "container": "S", "nominal_kv": 11.0},
        {"id": "bay", "nominal_kv": 11.0, "is_internal": true},
        {"id": "end", "nominal_kv": 11.0},
        {"id": "tie", "nominal_kv": 11.0}
    ],
    "equipment": [
        {"id": "grid", "kind": "EnergySource", "terminals": [{"node": "bus"}]},
        {"id": "CB", "kind": "Breaker", "terminals": [{"node": "bus"}, {"node": "bay"}], "electrical": {"Switch": {"rated_a": 630}}},
        {"id": "line", "kind": "ACLineSegment", "terminals": [{"node": "bay"}, {"node": "end"}],
         "electrical": {"Line": {"length_km": 2.5, "series": {"r_ohm": 0.4, "x_ohm": 0.3}}}},
        {"id": "LBS", "kind": "LoadBreakSwitch", "terminals": [{"node": "end"}, {"node": "tie"}],
         "electrical": {"Switch": {"is_normally_open": true}}},
        {"id": "ES", "kind": "GroundDisconnector", "terminals": [{"node": "tie"}],
         "electrical": {"Switch": {"is_normally_open": true}}},
        {"id": "village", "kind": "EnergyConsumer", "terminals": [{"node": "end", "phases": "AB"}],
         "electrical": {"Consumer": {"customers": 120, "kw": 80, "kvar": 20}}}
    ],
    "measurements": [{"id": "P1", "equipment": "CB", "quantity": "Pos"}]
}"#;

pub(crate) fn feeder() -> Description {
    serde_json::from_str(FEEDER).expect("a description")
}

#[test]
fn description_makes_a_model_with_its_normal_state() {
    let description = feeder();
    let model = Arc::new(description.to_model().expect("a model"));
    let [grid, breaker, line, tie, earth, village] =
        ["grid", "CB", "line", "LBS", "ES", "village"].map(|id| model.equipment(id).expect("there"));
    assert_eq!(line.index(), 2, "the position in the description");
    let end = model.node("end").expect("there");
    assert_eq!(model.terminals_of(village), [(end, Phases::parse("AB").expect("phases"))]);
    assert_eq!(model.terminals_of(line).len(), 2);
    assert_eq!((model.consumer(end).customers, model.consumer(end).load_kw), (120, 80.0));
    assert!(model.is_internal(model.node("bay").expect("there")));
    let mut state = NetworkState::new(Arc::clone(&model));
    let contacts = |state: &NetworkState| [grid, breaker, line, tie, earth].map(|equipment| state.contact(equipment));
    assert_eq!(contacts(&state), [Contact::Closed, Contact::Closed, Contact::Closed, Contact::Open, Contact::Open]);
    let far = model.node("tie").expect("there");
    assert_eq!((state.state(end), state.state(far)), (State::Energised, State::Dead));
    state.set_contact(earth, Contact::Closed);
    state.set_contact(grid, Contact::Open);
    state.set_contact(breaker, Contact::Unknown);
    state.settle();
    assert_eq!(contacts(&state), [Contact::Open, Contact::Unknown, Contact::Closed, Contact::Open, Contact::Closed]);
    assert_eq!((state.state(end), state.state(far)), (State::Dead, State::Earthed));
}

#[test]
fn description_is_the_same_after_writing_and_reading() {
    let description = feeder();
    let text = serde_json::to_string(&description).expect("written");
    assert_eq!(serde_json::from_str::<Description>(&text).expect("read"), description);
}

#[test]
fn what_cannot_be_a_model_is_refused_with_its_place() {
    let mut without_node = feeder();
    without_node.equipment[2].terminals[1].node = "nowhere".into();
    assert_eq!(without_node.to_model().expect_err("refused").to_string(), "line: its node nowhere does not exist");
    let mut of_another_kind = feeder();
    of_another_kind.equipment[5].electrical = Electrical::DirectCurrent { kw: 5.0 };
    assert_eq!(
        of_another_kind.to_model().expect_err("refused").to_string(),
        "village: its electrical values do not fit the kind EnergyConsumer"
    );
    let of_no_kind = serde_json::from_str::<EquipmentKind>("\"Elevator\"").expect_err("refused").to_string();
    assert!(of_no_kind.starts_with("\"Elevator\" is not known; allowed are BusbarSection, Breaker,"), "{of_no_kind}");
    let phases = serde_json::from_str::<Phases>("\"RYB\"").expect_err("refused").to_string();
    assert_eq!(phases, "\"RYB\" are no phases; allowed are the letters A, B, C and N");
}
