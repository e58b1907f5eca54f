//! Networks as tables for spreadsheets: whole, damaged, and as a folder or a zip.

mod sample;

use std::io::Write;

use network::Description;
use network::description::{Electrical, Equipment};
use network_files::own_csv::{self, CsvFile};
use network_files::{Positions, cim, pandapower, power_grid_model};
use sample::network;
use serde_json::Value;

/// Sorted by id: the files have an order of their own.
fn sorted(mut description: Description) -> Description {
    description.equipment.sort_by(|one, other| one.id.cmp(&other.id));
    description
}

fn files() -> Vec<CsvFile> {
    let network = network();
    own_csv::export(&network, &Positions::normal(&network))
}

#[test]
fn import_of_an_export_is_the_same_network() {
    let imported = own_csv::import(&files()).unwrap();
    assert_eq!(imported.notes, []);
    assert_eq!(sorted(imported.description), sorted(network()));
}

#[test]
fn switch_out_of_service_keeps_its_normal_position() {
    let mut network = network();
    for equipment in &mut network.equipment {
        equipment.is_in_service &= !equipment.kind.is_switch();
    }
    let present = network::NetworkState::new(std::sync::Arc::new(network.to_model().unwrap()));
    for positions in [Positions::normal(&network), Positions::present(&network, &present)] {
        let imported = own_csv::import(&own_csv::export(&network, &positions)).unwrap();
        assert_eq!(sorted(imported.description), sorted(network.clone()));
        let open = |index: usize| network.equipment[index].kind.is_switch() && positions.is_closed(index);
        assert!((0..network.equipment.len()).all(|index| !open(index)), "it connects nothing");
    }
}

#[test]
fn folder_and_zip_are_recognised() {
    let folder = tempfile::tempdir().unwrap();
    let mut zip = zip::ZipWriter::new(std::fs::File::create(folder.path().join("network.zip")).unwrap());
    let inside = folder.path().join("network");
    std::fs::create_dir(&inside).unwrap();
    for file in files() {
        std::fs::write(inside.join(&file.name), &file.text).unwrap();
        zip.start_file(format!("network/{}", file.name), zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(file.text.as_bytes()).unwrap();
    }
    zip.finish().unwrap();
    for path in [inside, folder.path().join("network.zip")] {
        let read = network_files::read(&path).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(sorted(read.description), sorted(network()));
    }
    let unknown = folder.path().join("notes.txt");
    std::fs::write(&unknown, "hello").unwrap();
    assert!(network_files::read(&unknown).unwrap_err().to_string().starts_with("the format is not known; known are pandapower JSON"));
}

#[test]
fn zip_that_unpacks_to_too_much_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bomb.zip");
    let mut zip = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
    zip.start_file("nodes.csv", zip::write::SimpleFileOptions::default()).unwrap();
    let zeros = vec![b'0'; 1 << 20];
    for _ in 0..=network_files::SIZE_LIMIT >> 20 {
        zip.write_all(&zeros).unwrap();
    }
    zip.finish().unwrap();
    assert!(std::fs::metadata(&path).unwrap().len() < 1 << 20);
    assert!(matches!(network_files::read(&path), Err(network_files::ImportError::TooLarge(_))));
}

#[test]
fn files_of_spreadsheets_are_read() {
    // A byte order mark, capital flags, spaces, an empty row, and columns in another order.
    let files = [
        ("nodes.csv", "\u{feff}nominal_kv,id\r\n11, a \r\n11,b\r\n,\r\n"),
        ("switches.csv", "id,node_1,node_2,normally_open,colour\nS1,a,b,TRUE,red\n"),
    ]
    .map(|(name, text)| CsvFile { name: name.to_owned(), text: text.to_owned() });
    let imported = own_csv::import(&files).unwrap();
    assert_eq!(imported.description.nodes[0].id, "a");
    assert!(matches!(imported.description.equipment[0].electrical, Electrical::Switch(switch) if switch.is_normally_open));
    assert_eq!(imported.notes[0].reason, "column colour is not taken; 1 rows have a value");
}

#[test]
fn wrong_cells_are_refused_with_file_line_and_column() {
    let refused = |name: &str, text: &str| {
        let nodes = CsvFile { name: "nodes.csv".into(), text: "id\na\nb\n".into() };
        let file = CsvFile { name: name.to_owned(), text: text.to_owned() };
        own_csv::import(&[nodes, file]).unwrap_err().to_string()
    };
    let cases = [
        (
            "lines.csv",
            "id,node_1,node_2,r_ohm\nL,a,b,\"0,5\"\n",
            "lines.csv, line 2, column r_ohm: \"0,5\" is not a number up to 1e12; decimals follow a point",
        ),
        ("lines.csv", "id,node_1\nL,a\n", "lines.csv: column node_2 is missing"),
        ("lines.csv", "id,node_1,node_2\nL,a,\n", "lines.csv, line 2, column node_2: it is empty"),
        (
            "switches.csv",
            "id,node_1,node_2,kind\nS,a,b,Lever\n",
            "switches.csv, line 2, column kind: \"Lever\" is not known; allowed are Breaker, Disconnector, LoadBreakSwitch, Fuse, Recloser, Sectionaliser, GroundDisconnector, Switch",
        ),
        (
            "loads.csv",
            "id,node,phases\nV,a,RYB\n",
            "loads.csv, line 2, column phases: \"RYB\" are no phases; allowed are the letters A, B, C and N",
        ),
        ("loads.csv", "id,node,id\nV,a,V\n", "loads.csv: column id is there twice"),
        ("loads.csv", "id,node\nV,nowhere\n", "V: its node nowhere does not exist"),
    ];
    for (name, text, expected) in cases {
        assert_eq!(refused(name, text), expected);
    }
    assert_eq!(own_csv::import(&[]).unwrap_err().to_string(), "nodes.csv: the file is missing");
}

#[test]
fn power_grid_model_gets_numbers_and_references() {
    let network = network();
    let exported = power_grid_model::export(&network, &Positions::normal(&network)).unwrap();
    let file: Value = serde_json::from_str(&exported.text).unwrap();
    assert_eq!((&file["version"], &file["type"], &file["is_batch"]), (&"1.0".into(), &"input".into(), &false.into()));
    let find = |component: &str, id: &str| {
        let list = file["data"][component].as_array().unwrap_or_else(|| panic!("{component}"));
        list.iter().find(|part| part["id_reference"] == id).unwrap_or_else(|| panic!("{id}")).clone()
    };
    let (b, c) = (find("node", "b"), find("node", "c"));
    assert_eq!(b["u_rated"], 11_000.0);
    let cable = find("line", "cable");
    assert_eq!((&cable["from_node"], &cable["to_node"], &cable["r1"], &cable["i_n"]), (&b["id"], &c["id"], &0.25.into(), &400.0.into()));
    let transformer = find("transformer", "T1");
    // 0.25 ohms at 11 kV and 630 kVA.
    assert_eq!((&transformer["winding_from"], &transformer["winding_to"], &transformer["clock"]), (&2.into(), &1.into(), &11.into()));
    assert!((transformer["pk"].as_f64().unwrap() - 0.25 / 121.0 * 0.63 * 630_000.0).abs() < 1e-6);
    assert_eq!(transformer["tap_size"], 275.0);
    let shares: Vec<_> =
        file["data"]["sym_load"].as_array().unwrap().iter().map(|load| (load["type"].as_u64(), load["p_specified"].as_f64())).collect();
    assert_eq!(shares, [(Some(0), Some(30_000.0)), (Some(1), Some(18_000.0)), (Some(2), Some(12_000.0))]);
    assert!(exported.notes.iter().any(|note| note.reason == "1: lines with direct current are left out: power-grid-model has none"));
}

#[test]
fn pandapower_export_of_each_kind_is_equal_after_an_import() {
    let network = network();
    let first = pandapower::export(&network, &Positions::normal(&network)).unwrap().text;
    let again = pandapower::import(&first).unwrap().description;
    assert_eq!(first, pandapower::export(&again, &Positions::normal(&again)).unwrap().text);
}

fn transformer(network: &mut Description) -> &mut Equipment {
    network.equipment.iter_mut().find(|equipment| equipment.id == "T1").expect("T1")
}

fn ends(network: &mut Description, count: usize) {
    let Electrical::Transformer(values) = &mut transformer(network).electrical else { panic!() };
    values.ends.truncate(count);
}

#[test]
fn network_without_a_place_for_equipment_is_refused_by_name() {
    let refused = |change: fn(&mut Description)| {
        let mut network = network();
        change(&mut network);
        let positions = Positions::normal(&network);
        let errors = [
            power_grid_model::export(&network, &positions).unwrap_err(),
            pandapower::export(&network, &positions).unwrap_err(),
            cim::export(&network, &positions, cim::Version::V3, "net").unwrap_err(),
        ];
        assert!(errors.iter().all(|error| *error == errors[0]));
        errors[0].to_string()
    };
    for (count, change) in [(0, (|network| ends(network, 0)) as fn(&mut Description)), (1, |network| ends(network, 1))] {
        let expected = format!("T1: the transformer has 2 terminals, but values of {count} ends. Give the values of each end, or of none");
        assert_eq!(refused(change), expected);
    }
    assert_eq!(
        refused(|network| transformer(network).terminals.truncate(1)),
        "T1: PowerTransformer has 2 to 3 terminals, but this one has 1. Correct its terminals"
    );
    assert_eq!(
        refused(|network| transformer(network).terminals[1].node = "nowhere".into()),
        "T1: its node nowhere does not exist. Add the node, or remove the equipment"
    );
}

#[test]
fn exports_drop_no_value_silently() {
    let mut network = network();
    let equipment = |network: &mut Description, id: &str, change: fn(&mut Electrical)| {
        change(&mut network.equipment.iter_mut().find(|equipment| equipment.id == id).unwrap().electrical);
    };
    // The second end has the impedance, and the clocks do not count from the first end.
    equipment(&mut network, "T1", |electrical| {
        let Electrical::Transformer(transformer) = electrical else { panic!() };
        let ratio = (transformer.ends[0].rated_kv / transformer.ends[1].rated_kv).powi(2);
        let mut series = std::mem::take(&mut transformer.ends[0].series);
        for ohm in [&mut series.r_ohm, &mut series.x_ohm] {
            *ohm /= ratio;
        }
        transformer.ends[1].series = series;
        (transformer.ends[0].clock, transformer.ends[1].clock) = (3, 2);
    });
    equipment(&mut network, "village", |electrical| {
        let Electrical::Consumer(consumption) = electrical else { panic!() };
        consumption.is_delta = true;
    });
    let positions = Positions::normal(&network);
    let reasons = |notes: &[network_files::Note]| notes.iter().map(|note| note.reason.clone()).collect::<Vec<_>>();
    let exported = power_grid_model::export(&network, &positions).unwrap();
    let file: Value = serde_json::from_str(&exported.text).unwrap();
    let find = |component: &str, id: &str| -> Vec<Value> {
        file["data"][component].as_array().unwrap().iter().filter(|part| part["id_reference"] == id).cloned().collect()
    };
    let transformer = &find("transformer", "T1")[0];
    assert_eq!(transformer["clock"], 11);
    assert!((transformer["pk"].as_f64().unwrap() - 0.25 / 121.0 * 0.63 * 630_000.0).abs() < 1e-6, "{transformer}");
    let street: Vec<_> = find("asym_load", "street").iter().map(|load| (load["type"].clone(), load["p_specified"][2].clone())).collect();
    assert_eq!(street, [(0.into(), 15_000.0.into()), (1.into(), 9_000.0.into()), (2.into(), 6_000.0.into())]);
    for expected in [
        "2: the number of customers is left out",
        "1: loads in delta are written as loads in star",
        "2: left out: power-grid-model has no substations, bays or feeders",
        "2: left out: measurements of power-grid-model are values, not points",
    ] {
        assert!(reasons(&exported.notes).iter().any(|reason| reason == expected), "{expected} in {:?}", exported.notes);
    }
    let exported = pandapower::export(&network, &positions).unwrap();
    let again = pandapower::import(&exported.text).unwrap().description;
    let Electrical::Transformer(values) = &again.equipment.iter().find(|equipment| equipment.id == "T1").unwrap().electrical else {
        panic!()
    };
    assert!((values.ends[0].series.r_ohm - 0.25).abs() < 1e-9 && values.ends[1].clock == 11, "{values:?}");
    for expected in [
        "1 rows: the shares of constant impedance and current are left out",
        "1 rows: the voltage that a battery holds is left out",
        "1 rows: the breaking current is left out",
        "1 rows: the impedance in the zero sequence is left out",
    ] {
        assert!(reasons(&exported.notes).iter().any(|reason| reason == expected), "{expected} in {:?}", exported.notes);
    }
    let notes = cim::export(&network, &positions, cim::Version::V3, "net").unwrap().notes;
    assert!(reasons(&notes).iter().any(|reason| reason == "1: the point that reports a measurement is left out"), "{notes:?}");
}

/// Returns the equipment of a row in a file, at the nodes a and b.
fn row(name: &str, columns: &str, cells: &str) -> Result<Equipment, String> {
    let nodes = CsvFile { name: "nodes.csv".into(), text: "id\na\nb\n".into() };
    let file = CsvFile { name: name.to_owned(), text: format!("id,{columns}\nX,{cells}\n") };
    own_csv::import(&[nodes, file]).map(|mut imported| imported.description.equipment.remove(0)).map_err(|error| error.to_string())
}

#[test]
fn values_of_any_phase_and_column_are_taken() {
    let Electrical::Consumer(load) = row("loads.csv", "node,kw_b", "a,7").unwrap().electrical else { panic!("kw_b") };
    assert_eq!((load.kw, load.by_phase), (7.0, Some([[0.0; 2], [7.0, 0.0], [0.0; 2]])));
    let Electrical::Consumer(load) = row("loads.csv", "node,kvar", "a,3").unwrap().electrical else { panic!("kvar") };
    assert_eq!(Some(load.kvar), Some(3.0));
    for length in ["", "0.5"] {
        let columns = "node_1,node_2,phases,length_km,r_bb_ohm,x_bb_ohm";
        let Electrical::Line(line) = row("lines.csv", columns, &format!("a,b,B,{length},0.4,0.3")).unwrap().electrical else {
            panic!("r_bb")
        };
        let by_phase = line.by_phase.expect("values by phase");
        assert_eq!((by_phase.r_ohm[2], by_phase.x_ohm[2]), (0.4, 0.3));
    }
    let Electrical::Source(source) = row("sources.csv", "node,x_ohm", "a,2").unwrap().electrical else { panic!("x_ohm") };
    assert_eq!((source.voltage_pu, source.impedance.map(|series| series.x_ohm)), (1.0, Some(2.0)));
    let Electrical::Generator(generation) = row("generators.csv", "node,kvar", "a,5").unwrap().electrical else { panic!("kvar") };
    assert_eq!(Some(generation.kvar), Some(5.0));
    let Electrical::Switch(switch) = row("switches.csv", "kind,node_1,rated_a", "GroundDisconnector,a,400").unwrap().electrical else {
        panic!()
    };
    assert_eq!((switch.is_normally_open, switch.rated_a), (false, Some(400.0)));
}

#[test]
fn values_that_the_kind_does_not_have_are_refused() {
    for (file, columns, cells, expected) in [
        ("switches.csv", "kind,node_1,node_2", "GroundDisconnector,a,b", "column node_2: GroundDisconnector has no value of this column"),
        ("lines.csv", "node_1,node_2,kw", "a,b,1", "column kw: ACLineSegment has no value of this column"),
        ("lines.csv", "kind,node_1,node_2,length_km", "SeriesCompensator,a,b,1", "column length_km: SeriesCompensator has no value"),
        ("lines.csv", "kind,node_1,node_2,r_ohm", "DCLineSegment,a,b,1", "column r_ohm: DCLineSegment has no value of this column"),
        ("transformers.csv", "node_1,node_2,x_ohm_1", "a,b,1", "column rated_kv_1: it is empty, and x_ohm_1 is not"),
        (
            "transformers.csv",
            "node_1,node_2,rated_kv_1,rated_kv_2,rated_kv_3",
            "a,b,33,11,1",
            "column rated_kv_3: PowerTransformer has no value",
        ),
        (
            "transformers.csv",
            "node_1,node_2,rated_kv_1,rated_kv_2,tap_low_1",
            "a,b,33,11,-5",
            "column tap_step_1: it is empty, and tap_low_1 is not",
        ),
    ] {
        let refused = row(file, columns, cells).unwrap_err();
        assert!(refused.starts_with(&format!("{file}, line 2, {expected}")), "{refused}");
    }
}

#[test]
fn second_file_of_one_name_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["north", "south"].map(|name| {
        let path = folder.path().join(name).join("nodes.csv");
        std::fs::create_dir(path.parent().expect("a folder")).unwrap();
        std::fs::write(&path, "id\na\n").unwrap();
        path
    });
    let refused = network_files::read_all(&paths).unwrap_err().to_string();
    assert_eq!(refused, "nodes.csv: there are two files of this name. Import one network at a time");
}

#[test]
fn file_with_too_many_columns_is_refused() {
    let columns: Vec<String> = (0..2_000).map(|number| format!("c{number}")).collect();
    let nodes = CsvFile { name: "nodes.csv".into(), text: format!("id,{}\n", columns.join(",")) };
    assert_eq!(own_csv::import(&[nodes]).unwrap_err().to_string(), "nodes.csv: it has 2001 columns; allowed are 1000");
}
