//! Reads networks in the form that pandapower writes, whole, damaged and hostile.

use std::sync::Arc;

use network::{Contact, EquipmentKind, NetworkState, State};
use network_files::{ImportError, Imported, pandapower};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Returns a table as pandapower writes it: JSON in a text.
fn frame(columns: &[&str], rows: &[(i64, Value)]) -> Value {
    let index: Vec<i64> = rows.iter().map(|(index, _)| *index).collect();
    let data: Vec<&Value> = rows.iter().map(|(_, row)| row).collect();
    let split = json!({ "columns": columns, "index": index, "data": data }).to_string();
    json!({ "_module": "pandas.core.frame", "_class": "DataFrame", "_object": split, "orient": "split", "dtype": {} })
}

fn file(tables: &Value) -> String {
    json!({ "_module": "pandapower.auxiliary", "_class": "pandapowerNet", "_object": tables }).to_string()
}

/// An external grid at bus 1, a breaker to bus 2, a line to bus 3 with a switch at each end, and two at its far one, and a load there. Bus 9 is out of
/// service, with a line to it.
fn tables() -> Value {
    json!({
        "bus": frame(
            &["name", "vn_kv", "in_service"],
            &[(1, json!(["a", 11.0, true])), (2, json!(["b", 11.0, true])), (3, json!(["c", 11.0, true])), (9, json!(["d", 11.0, false]))],
        ),
        "line": frame(
            &["from_bus", "to_bus", "in_service", "r_ohm_per_km", "x_ohm_per_km", "length_km"],
            &[(0, json!([2, 3, true, 0.2, 0.1, 2.5])), (1, json!([3, 9, true, 0.2, 0.1, 1.0]))],
        ),
        "switch": frame(
            &["bus", "element", "et", "type", "closed"],
            &[
                (0, json!([1, 2, "b", "CB", true])),
                (1, json!([2, 0, "l", "LBS", true])),
                (2, json!([3, 0, "l", null, true])),
                // pandas writes integers as floating-point numbers where a column has a gap.
                (3, json!([3.0, 0.0, "l", "DS", true])),
            ],
        ),
        "ext_grid": frame(&["bus", "in_service"], &[(0, json!([1, true]))]),
        "load": frame(&["bus", "p_mw", "scaling", "in_service"], &[(0, json!([3, 0.25, 2.0, true]))]),
        "version": "3.1.2",
    })
}

fn imported() -> Imported {
    pandapower::import(&file(&tables())).expect("a network")
}

fn states(present: &NetworkState) -> Vec<(&str, State)> {
    let model = present.model();
    model.nodes().filter(|node| !model.is_internal(*node)).map(|node| (model.node_name(node), present.state(node))).collect()
}

#[test]
fn network_is_read_with_ids_of_the_file() {
    let Imported { description, notes, .. } = imported();
    let model = description.to_model().unwrap();
    let kind = |id: &str| model.kind(model.equipment(id).unwrap());
    assert_eq!(kind("switch:0"), EquipmentKind::Breaker);
    assert_eq!(kind("switch:1"), EquipmentKind::LoadBreakSwitch);
    assert_eq!(kind("switch:2"), EquipmentKind::Switch);
    assert_eq!(kind("switch:3"), EquipmentKind::Disconnector);
    let bus = model.node("bus:3").unwrap();
    assert_eq!((model.consumer(bus).load_kw, model.nominal_kv(bus)), (500.0, Some(11.0)));
    let notes: Vec<_> = notes.iter().map(|note| format!("{}: {}", note.place, note.reason)).collect();
    assert_eq!(notes, ["bus:9: left out, because it is out of service", "line:1: left out, because bus:9 is out of service or missing"]);
}

#[test]
fn each_switch_of_a_line_interrupts_it() {
    let present = NetworkState::new(Arc::new(imported().description.to_model().unwrap()));
    assert!(states(&present).iter().all(|(_, state)| *state == State::Energised));
    for (switch, dead) in
        [("switch:0", vec!["bus:2", "bus:3"]), ("switch:1", vec!["bus:3"]), ("switch:2", vec!["bus:3"]), ("switch:3", vec!["bus:3"])]
    {
        let mut present = present.clone();
        let equipment = present.model().equipment(switch).unwrap();
        present.set_position(equipment, Contact::Open);
        present.settle();
        let found: Vec<&str> = states(&present).into_iter().filter(|(_, state)| *state == State::Dead).map(|(name, _)| name).collect();
        assert_eq!(found, dead, "{switch}");
    }
}

/// Buses 0 to 2; a source at 0, and each case adds what feeds the others.
#[test]
fn each_table_connects_its_buses() {
    let bus = frame(&["vn_kv"], &[(0, json!([110.0])), (1, json!([20.0])), (2, json!([10.0]))]);
    let grid = frame(&["bus", "in_service"], &[(0, json!([0, true]))]);
    let switch = |rows: &[(i64, Value)]| frame(&["bus", "element", "et", "closed"], rows);
    let pair =
        |columns: [&str; 2], is_in_service: bool| frame(&[columns[0], columns[1], "in_service"], &[(0, json!([0, 1, is_in_service]))]);
    let (from_to, high_low) = (["from_bus", "to_bus"], ["hv_bus", "lv_bus"]);
    let three = || frame(&["hv_bus", "mv_bus", "lv_bus"], &[(0, json!([0, 1, 2]))]);
    let slack = |is_slack: bool| frame(&["bus", "slack"], &[(0, json!([1, is_slack]))]);
    let cases = [
        (json!({ "line": pair(from_to, true) }), vec![0, 1]),
        (json!({ "line": pair(from_to, false) }), vec![0]),
        (json!({ "trafo": pair(high_low, true) }), vec![0, 1]),
        (json!({ "trafo": pair(high_low, true), "switch": switch(&[(0, json!([1, 0, "t", false]))]) }), vec![0]),
        (json!({ "trafo3w": three() }), vec![0, 1, 2]),
        (json!({ "trafo3w": three(), "switch": switch(&[(0, json!([1, 0, "t3", false]))]) }), vec![0, 2]),
        (json!({ "trafo3w": three(), "switch": switch(&[(0, json!([0, 0, "t3", false]))]) }), vec![0]),
        (json!({ "impedance": pair(from_to, true) }), vec![0, 1]),
        (json!({ "tcsc": pair(from_to, true) }), vec![0, 1]),
        (json!({ "dcline": pair(from_to, true) }), vec![0, 1]),
        (json!({ "gen": slack(true) }), vec![0, 1]),
        (json!({ "gen": slack(false) }), vec![0]),
        (json!({ "ward": frame(&["bus"], &[(0, json!([1]))]), "sgen": frame(&["bus"], &[(0, json!([2]))]) }), vec![0]),
        (json!({ "ext_grid": frame(&["bus", "in_service"], &[(0, json!([0, false]))]) }), vec![]),
    ];
    for (mut tables, energised) in cases {
        let named = tables.to_string();
        tables["bus"] = bus.clone();
        if tables.get("ext_grid").is_none() {
            tables["ext_grid"] = grid.clone();
        }
        let state = NetworkState::new(Arc::new(pandapower::import(&file(&tables)).unwrap().description.to_model().unwrap()));
        let found: Vec<_> =
            states(&state).into_iter().filter(|(_, state)| *state == State::Energised).map(|(name, _)| name.to_owned()).collect();
        let expected: Vec<_> = energised.iter().map(|bus| format!("bus:{bus}")).collect();
        assert_eq!(found, expected, "{named}");
    }
}

#[test]
fn what_is_not_understood_is_noted() {
    let mut tables = tables();
    tables["bus_dc"] = frame(&["name"], &[(0, json!(["x"])), (1, json!(["y"]))]);
    tables["switch"] = frame(&["bus", "element", "et", "closed"], &[(0, json!([1, 7, "l", true])), (1, json!([1, 0, "l", true]))]);
    let notes = pandapower::import(&file(&tables)).unwrap().notes;
    let texts: Vec<_> = notes.iter().map(|note| format!("{}: {}", note.place, note.reason)).collect();
    for expected in [
        "bus_dc: 2 rows left out, because the import does not know this table",
        "switch:0: left out, because line:7 is missing",
        "line:0: the switch at bus:1 is not at an end of it, and switches nothing",
    ] {
        assert!(texts.iter().any(|text| text == expected), "{expected} in {texts:?}");
    }
}

#[test]
fn damaged_file_is_refused_with_its_place() {
    type Change = fn(&mut Value);
    let refused = |change: Change| {
        let mut tables = tables();
        change(&mut tables);
        pandapower::import(&file(&tables)).unwrap_err().to_string()
    };
    let cases: [(Change, &str); 6] = [
        (|tables| tables["line"]["_class"] = json!("ndarray"), "table line: it is not a DataFrame in the form split"),
        (
            |tables| tables["line"]["_object"] = json!("{\"columns\":[\"from_bus\"],\"index\":[0],\"data\":[[1,2]]}"),
            "table line: row 0 has 2 values; there are 1 columns",
        ),
        (
            |tables| tables["line"]["_object"] = json!("{\"columns\":[\"from_bus\"],\"index\":[0],\"data\":[[1]]}"),
            "table line: column to_bus is missing",
        ),
        (|tables| tables["load"] = frame(&["bus"], &[(4, json!([1.5]))]), "load:4, column bus: 1.5 is not the index of a row"),
        (
            |tables| tables["switch"] = frame(&["bus", "element", "et"], &[(2, json!([1, 2, "x"]))]),
            "switch:2, column et: \"x\" is not known; allowed are b, l, t and t3",
        ),
        (
            |tables| tables["bus"] = frame(&["in_service"], &[(1, json!([true])), (1, json!([true]))]),
            "node bus:1: a node with this id exists already",
        ),
    ];
    for (change, expected) in cases {
        assert_eq!(refused(change), expected);
    }
    assert!(matches!(pandapower::import("{"), Err(ImportError::Json(_))));
    let other = pandapower::import("{\"_class\": \"Net\"}").unwrap_err().to_string();
    assert!(other.contains("no pandapower network") && other.contains("to_json"), "{other}");
}

#[test]
fn deep_nesting_is_refused() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(pandapower::import(&deep).is_err());
    let mut tables = tables();
    tables["line"]["_object"] = json!(deep);
    assert!(pandapower::import(&file(&tables)).is_err());
}

proptest! {
    #[test]
    fn any_change_of_a_byte_is_read_or_refused(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = file(&tables()).into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(text) = String::from_utf8(bytes) {
            let _ = pandapower::import(&text);
        }
    }
}
