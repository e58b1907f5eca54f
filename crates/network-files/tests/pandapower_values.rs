//! Values of networks in the form that pandapower writes: impedances, ratings and powers, and the way back.

use network::description::{Connection, Electrical, Equipment, Line, Shunt, Transformer};
use network::{Contact, Description, EquipmentKind, NetworkState};
use network_files::{Positions, pandapower};
use serde_json::{Value, json};

/// Returns a table as pandapower writes it, with an index from 0.
fn table(rows: &[Value]) -> Value {
    let mut columns: Vec<&String> = rows.iter().flat_map(|row| row.as_object().expect("a row").keys()).collect();
    columns.sort();
    columns.dedup();
    let data: Vec<Vec<&Value>> =
        rows.iter().map(|row| columns.iter().map(|column| row.get(*column).unwrap_or(&Value::Null)).collect()).collect();
    let index: Vec<usize> = (0..rows.len()).collect();
    let split = json!({ "columns": columns, "index": index, "data": data }).to_string();
    json!({ "_class": "DataFrame", "_object": split, "orient": "split" })
}

/// A network with each kind of equipment.
fn network() -> String {
    let bus = |name: &str, kv: f64| json!({ "name": name, "vn_kv": kv, "in_service": true });
    let tables = json!({
        "f_hz": 60.0,
        "bus": table(&[
            json!({ "name": "Harbour", "vn_kv": 110.0, "geo": "{\"type\":\"Point\", \"coordinates\":[72.8, 18.9]}" }),
            bus("b1", 20.0), bus("b2", 20.0), bus("b3", 10.0), bus("b4", 0.4), bus("b5", 20.0),
        ]),
        "line": table(&[json!({
            "name": "cable", "from_bus": 1, "to_bus": 2, "length_km": 2.5, "parallel": 2, "df": 0.5, "max_i_ka": 0.4, "r_ohm_per_km": 0.2,
            "x_ohm_per_km": 0.1, "c_nf_per_km": 300.0, "g_us_per_km": 4.0, "r0_ohm_per_km": 0.6, "x0_ohm_per_km": 0.4, "c0_nf_per_km": 150.0,
            "std_type": "NA2XS2Y",
        })]),
        "trafo": table(&[
            json!({
                "hv_bus": 0, "lv_bus": 1, "sn_mva": 25.0, "parallel": 2, "vn_hv_kv": 110.0, "vn_lv_kv": 20.5, "vk_percent": 12.0, "vkr_percent": 0.5,
                "pfe_kw": 14.0, "i0_percent": 0.07, "shift_degree": 150.0, "vector_group": "YNd5", "tap_side": "hv", "tap_neutral": 0, "tap_pos": -3,
                "tap_min": -9, "tap_max": 9, "tap_step_percent": 1.5, "tap_changer_type": "Ratio",
            }),
            json!({
                "hv_bus": 2, "lv_bus": 4, "sn_mva": 0.4, "vn_hv_kv": 20.0, "vn_lv_kv": 0.4, "vk_percent": 4.0, "vkr_percent": 1.0, "shift_degree": 150.0,
                "vector_group": "Dyn5", "tap_side": "lv", "tap_neutral": 0, "tap_pos": 1, "tap_step_degree": 2.0, "tap_changer_type": "Ideal",
            }),
        ]),
        "trafo3w": table(&[json!({
            "hv_bus": 0, "mv_bus": 5, "lv_bus": 3, "sn_hv_mva": 40.0, "sn_mv_mva": 15.0, "sn_lv_mva": 25.0, "vn_hv_kv": 110.0, "vn_mv_kv": 20.0,
            "vn_lv_kv": 10.0, "vk_hv_percent": 10.1, "vk_mv_percent": 10.1, "vk_lv_percent": 10.1, "vkr_hv_percent": 0.27, "vkr_mv_percent": 0.03,
            "vkr_lv_percent": 0.04, "pfe_kw": 10.0, "i0_percent": 0.1, "shift_mv_degree": 30.0, "shift_lv_degree": 330.0,
        })]),
        "impedance": table(&[json!({
            "from_bus": 2, "to_bus": 5, "rft_pu": 0.01, "xft_pu": 0.02, "rtf_pu": 0.01, "xtf_pu": 0.02, "sn_mva": 50.0,
        })]),
        "switch": table(&[
            json!({ "bus": 1, "element": 0, "et": "l", "type": "CB", "closed": true, "in_ka": 0.63 }),
            json!({ "bus": 2, "element": 0, "et": "l", "type": "LBS", "closed": true }),
            json!({ "bus": 2, "element": 0, "et": "l", "type": "Fuse", "closed": true }),
            json!({ "bus": 1, "element": 5, "et": "b", "type": "DS", "closed": false }),
        ]),
        "ext_grid": table(&[json!({ "bus": 0, "vm_pu": 1.02, "va_degree": 50.0, "s_sc_max_mva": 1000.0 })]),
        "gen": table(&[json!({ "bus": 3, "p_mw": 6.0, "vm_pu": 1.03, "sn_mva": 8.0 }), json!({ "bus": 5, "slack": true, "vm_pu": 1.01 })]),
        "sgen": table(&[json!({ "bus": 4, "p_mw": 0.02, "q_mvar": -0.005, "scaling": 0.5, "sn_mva": 0.03 })]),
        "storage": table(&[json!({ "bus": 4, "p_mw": 0.01, "q_mvar": 0.0, "max_e_mwh": 0.05 })]),
        "load": table(&[json!({ "bus": 4, "p_mw": 0.1, "q_mvar": 0.03, "const_z_percent": 30.0, "const_i_percent": 20.0, "scaling": 2.0 })]),
        "asymmetric_load": table(&[json!({
            "bus": 4, "p_a_mw": 0.01, "q_a_mvar": 0.001, "p_b_mw": 0.02, "q_b_mvar": 0.002, "p_c_mw": 0.0, "q_c_mvar": 0.0, "type": "delta",
        })]),
        "shunt": table(&[json!({ "bus": 2, "p_mw": 0.1, "q_mvar": -0.96, "vn_kv": 20.0, "step": 2 })]),
        "xward": table(&[json!({
            "bus": 5, "ps_mw": 1.0, "qs_mvar": -0.5, "pz_mw": 2.0, "qz_mvar": 0.0, "r_ohm": 0.1, "x_ohm": 12.0, "vm_pu": 1.02,
        })]),
        "motor": table(&[json!({
            "bus": 4, "pn_mech_mw": 0.09, "efficiency_percent": 90.0, "cos_phi": 0.8, "loading_percent": 50.0, "scaling": 1.0,
        })]),
        "dcline": table(&[json!({ "from_bus": 1, "to_bus": 5, "p_mw": 3.0, "vm_from_pu": 1.01, "vm_to_pu": 1.02 })]),
    });
    json!({ "_class": "pandapowerNet", "_object": tables }).to_string()
}

fn described() -> Description {
    pandapower::import(&network()).expect("a network").description
}

fn equipment<'d>(description: &'d Description, id: &str) -> &'d Equipment {
    description.equipment.iter().find(|equipment| equipment.id == id).unwrap_or_else(|| panic!("{id}"))
}

fn line<'d>(description: &'d Description, id: &str) -> &'d Line {
    let Electrical::Line(line) = &equipment(description, id).electrical else { panic!("{id}") };
    line
}

fn transformer<'d>(description: &'d Description, id: &str) -> &'d Transformer {
    let Electrical::Transformer(transformer) = &equipment(description, id).electrical else { panic!("{id}") };
    transformer
}

fn assert_close(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1e-9), "{found}, expected {expected}");
}

#[test]
fn lines_are_read_as_a_whole() {
    let described = described();
    let line = line(&described, "line:0");
    assert_eq!(line.length_km, Some(2.5));
    // 2.5 km, twice in parallel.
    assert_close(line.series.r_ohm, 0.25);
    assert_close(line.series.x_ohm, 0.125);
    assert_close(line.series.r0_ohm.unwrap(), 0.75);
    assert_close(line.g_s, 20e-6);
    // 2 pi 60 Hz x 300 nF x 5 km.
    assert_close(line.b_s, 5.654_866_776_461_628e-4);
    assert_close(line.b0_s.unwrap(), 2.827_433_388_230_814e-4);
    assert_close(line.rated_a.unwrap(), 400.0);
    assert_eq!(equipment(&described, "line:0").name, "cable");
    assert_eq!(described.nodes[0].place, Some([72.8, 18.9]));
}

#[test]
fn transformers_are_read_at_the_voltage_of_their_ends() {
    let described = described();
    let two = transformer(&described, "trafo:0");
    // 110 kV squared by 50 MVA is 242 ohms.
    assert_close(two.ends[0].series.r_ohm, 1.21);
    assert_close(two.ends[0].series.x_ohm, (12.0_f64.powi(2) - 0.25).sqrt() / 100.0 * 242.0);
    assert_close(two.ends[0].g_s, 0.028 / 12_100.0);
    assert_close(two.ends[0].b_s, -(0.035_f64.powi(2) - 0.028_f64.powi(2)).sqrt() / 12_100.0);
    assert_eq!((two.ends[0].rated_kva, two.ends[1].clock), (Some(50_000.0), 5));
    assert_eq!((two.ends[0].connection, two.ends[1].connection), (Connection::StarEarthed, Connection::Delta));
    let tap = two.ends[0].tap.unwrap();
    assert_eq!((tap.step, tap.low, tap.high, tap.step_percent), (-3, -9, 9, 1.5));
    let tap = transformer(&described, "trafo:1").ends[1].tap.unwrap();
    assert_eq!((tap.step, tap.step_percent, tap.step_degrees), (1, 0.0, 2.0));

    let three = transformer(&described, "trafo3w:0");
    // Each pair of ends has its impedance again: 10.1 percent of the smaller rating.
    let at_high = |end: usize| (110.0 / three.ends[end].rated_kv).powi(2);
    for (one, other, rating, resistive) in [(0, 1, 15.0, 0.27), (1, 2, 15.0, 0.03), (0, 2, 25.0, 0.04)] {
        let sum = |of: fn(&network::description::TransformerEnd) -> f64| {
            of(&three.ends[one]) * at_high(one) + of(&three.ends[other]) * at_high(other)
        };
        let base = 12_100.0 / rating / 100.0;
        assert_close(sum(|end| end.series.r_ohm), resistive * base);
        assert_close(sum(|end| end.series.x_ohm), (10.1_f64.powi(2) - resistive * resistive).sqrt() * base);
    }
    assert_eq!([0, 1, 2].map(|end| three.ends[end].clock), [0, 1, 11]);
}

#[test]
fn powers_are_read_in_kilowatts_with_their_signs() {
    let described = described();
    let of = |id: &str| equipment(&described, id).electrical.clone();
    let Electrical::Consumer(load) = of("load:0") else { panic!() };
    assert_eq!((load.kw, load.kvar, load.constant_impedance, load.constant_current), (200.0, 60.0, 0.3, 0.2));
    let Electrical::Consumer(by_phase) = of("asymmetric_load:0") else { panic!() };
    assert_eq!((by_phase.by_phase, by_phase.is_delta), (Some([[10.0, 1.0], [20.0, 2.0], [0.0, 0.0]]), true));
    let Electrical::Consumer(motor) = of("motor:0") else { panic!() };
    assert_close(motor.kw, 50.0);
    assert_close(motor.kvar, 37.5);
    let Electrical::Generator(solar) = of("sgen:0") else { panic!() };
    assert_eq!((solar.kw, solar.kvar, solar.rated_kva), (10.0, -2.5, Some(30.0)));
    let Electrical::Generator(battery) = of("storage:0") else { panic!() };
    assert_eq!((battery.kw, battery.stored_kwh), (-10.0, Some(50.0)));
    let Electrical::Source(grid) = of("ext_grid:0") else { panic!() };
    assert_eq!((grid.voltage_pu, grid.angle_deg), (1.02, 50.0));
    assert_eq!(equipment(&described, "gen:1").kind, EquipmentKind::EnergySource);
    let Electrical::Shunt(Shunt { g_s, b_s }) = of("shunt:0") else { panic!() };
    assert_close(g_s, 0.0005);
    assert_close(b_s, 0.0048);
    let Electrical::Series(series) = of("impedance:0") else { panic!() };
    assert_close(series.x_ohm, 0.16);
    let Electrical::Generator(voltage) = of("xward:0:voltage") else { panic!() };
    assert_eq!((voltage.kw, voltage.voltage_pu), (0.0, Some(1.02)));
}

#[test]
fn columns_that_are_not_taken_are_noted_once() {
    let notes: Vec<String> =
        pandapower::import(&network()).unwrap().notes.iter().map(|note| format!("{}: {}", note.place, note.reason)).collect();
    for expected in [
        "line: column std_type is not taken; 1 rows have a value",
        "ext_grid: column s_sc_max_mva is not taken; 1 rows have a value",
        "dcline: column vm_to_pu is not taken; 1 rows have a value",
        "trafo3w: 1 rows have no vector_group: their windings are taken as star without earth",
    ] {
        assert_eq!(notes.iter().filter(|note| *note == expected).count(), 1, "{expected} in {notes:?}");
    }
}

/// Exports, imports and exports again.
fn round_trip(description: &Description) -> (String, String) {
    let export = |description: &Description| pandapower::export(description, &Positions::normal(description)).expect("an export").text;
    let first = export(description);
    let again = pandapower::import(&first).unwrap_or_else(|error| panic!("{error}"));
    let second = export(&again.description);
    (first, second)
}

#[test]
fn export_import_export_is_equal() {
    let (first, second) = round_trip(&described());
    assert_eq!(first, second);
    // Ids that are not those of pandapower stay.
    let mut named = described();
    for node in named.nodes.iter_mut().filter(|node| !node.is_internal) {
        node.id = format!("_{}", node.id.replace(':', "-"));
    }
    for terminal in named.equipment.iter_mut().flat_map(|equipment| &mut equipment.terminals) {
        if !terminal.node.contains(":line") && !terminal.node.ends_with(":node") {
            terminal.node = format!("_{}", terminal.node.replace(':', "-"));
        }
    }
    let (first, second) = round_trip(&named);
    assert_eq!(first, second);
    assert!(pandapower::import(&first).unwrap().description.nodes.iter().any(|node| node.id == "_bus-3"));
}

#[test]
fn switches_of_lines_are_written_at_their_lines() {
    let described = described();
    let model = std::sync::Arc::new(described.to_model().unwrap());
    let mut present = NetworkState::new(std::sync::Arc::clone(&model));
    present.set_position(model.equipment("switch:1").unwrap(), Contact::Open);
    present.set_position(model.equipment("switch:3").unwrap(), Contact::Unknown);
    let exported = pandapower::export(&described, &Positions::present(&described, &present)).unwrap();
    let again = pandapower::import(&exported.text).unwrap().description;
    let is_open = |id: &str| matches!(equipment(&again, id).electrical, Electrical::Switch(switch) if switch.is_normally_open);
    assert_eq!(["switch:0", "switch:1", "switch:2", "switch:3"].map(is_open), [false, true, false, false]);
    let ids = |description: &Description| description.nodes.iter().map(|node| node.id.clone()).collect::<Vec<_>>();
    let (mut found, mut expected) = (ids(&again), ids(&described));
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
}

#[test]
fn what_pandapower_has_no_place_for_is_noted() {
    let mut description = described();
    let Electrical::Consumer(load) = &mut description.equipment.iter_mut().find(|equipment| equipment.id == "load:0").unwrap().electrical
    else {
        panic!()
    };
    load.customers = 12;
    let notes = pandapower::export(&description, &Positions::normal(&description)).unwrap().notes;
    assert!(notes.iter().any(|note| note.place == "load" && note.reason == "1 rows: the number of customers is left out"), "{notes:?}");
}
