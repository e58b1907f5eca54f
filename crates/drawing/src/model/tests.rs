//! Tests with a small drawing, and with the demo's substations: the derived network has the states of the diagram.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use grid::point::PointKind;
use grid::topology::Contact;
use network::description::{Electrical, POSITION};
use network::findings::Rule;
use network::{EquipmentKind, NetworkState, Phases};
use serde_json::{Value, json};

use super::derive::node_ids;
use super::{Derived, Station, StationAsset, StationPoint, compare};
use crate::wiring::Wiring;

/// An incoming line, a breaker, a busbar, a transformer, an earth switch, and a feeder behind a breaker without a point.
fn drawing() -> Value {
    json!({ "elements": [
        { "id": "in", "class": "source", "nodes": ["a"], "kv": 33.0, "name": "Line 1" },
        { "id": "q1", "class": "breaker", "nodes": ["a", "b"], "asset": "Q1", "position": { "point": "BAY/Q1/Pos" } },
        { "id": "bus", "class": "busbar", "nodes": ["b"] },
        { "id": "t1", "class": "transformer", "nodes": ["b", "c"], "kvHigh": 33.0, "kvLow": 11.0, "mva": 8.0, "vectorGroup": "Dyn11" },
        { "id": "e1", "class": "isolator", "category": "earthSwitch", "nodes": ["c"], "position": { "point": "BAY/E1/Pos" } },
        { "id": "q2", "class": "breaker", "nodes": ["c", "d"] },
        { "id": "f1", "class": "feeder", "nodes": ["d"], "asset": "F1" },
        { "id": "ct", "class": "ct", "nodes": ["d"] },
        { "id": "note", "class": "text", "text": "x" },
        { "id": "q3", "class": "breaker" },
    ] })
}

fn station() -> Station {
    let point = |address: &str, code: &str, asset: &str, is_measurand| StationPoint {
        gateway: "RTU".into(),
        address: address.into(),
        code: code.into(),
        asset: asset.into(),
        is_measurand,
    };
    Station {
        code: "HBR".into(),
        name: "Harbour".into(),
        place: Some([83.2, 17.7]),
        assets: vec![
            StationAsset { code: "F1".into(), name: "Feeder 1".into(), kv: Some(11.0), customers: 120 },
            StationAsset { code: "Q1".into(), name: "Breaker 1".into(), kv: None, customers: 0 },
        ],
        points: vec![point("BAY/Q1/Pos", "Pos", "Q1", false), point("F1/F1/Ir", "Ir", "F1", true)],
    }
}

#[test]
fn drawing_gives_equipment_nodes_sources_and_bindings() {
    let Derived { description, notes } = Derived::new(&station(), &drawing());
    let nodes: Vec<_> = description.nodes.iter().map(|node| (node.id.as_str(), node.nominal_kv)).collect();
    assert_eq!(nodes, [("HBR/in:1", Some(33.0)), ("HBR/bus", Some(33.0)), ("HBR/t1:2", Some(11.0)), ("HBR/q2:2", Some(11.0))]);
    let found: Vec<_> = description.equipment.iter().map(|equipment| (equipment.id.as_str(), equipment.kind)).collect();
    let expected = [
        ("HBR/in", EquipmentKind::EnergySource),
        ("HBR/q1", EquipmentKind::Breaker),
        ("HBR/bus", EquipmentKind::BusbarSection),
        ("HBR/t1", EquipmentKind::PowerTransformer),
        ("HBR/e1", EquipmentKind::GroundDisconnector),
        ("HBR/q2", EquipmentKind::Breaker),
        ("HBR/f1", EquipmentKind::EnergyConsumer),
    ];
    assert_eq!(found, expected);
    let Electrical::Consumer(consumption) = description.equipment[6].electrical else { panic!("{:?}", description.equipment[6]) };
    assert_eq!((consumption.customers, description.equipment[6].name.as_str()), (120, "Feeder 1"));
    let Electrical::Transformer(transformer) = &description.equipment[3].electrical else { panic!("{:?}", description.equipment[3]) };
    assert_eq!((transformer.ends[0].rated_kva, transformer.ends[1].clock), (Some(8_000.0), 11));
    let bound: Vec<_> = description.measurements.iter().map(|of| (of.equipment.as_str(), of.point.as_deref(), of.phases)).collect();
    let a = Phases::parse("A").expect("phases");
    assert_eq!(
        bound,
        [("HBR/q1", Some("RTU/BAY/Q1/Pos"), Phases::ABC), ("HBR/e1", None, Phases::ABC), ("HBR/f1", Some("RTU/F1/F1/Ir"), a)]
    );
    assert_eq!(
        notes,
        [
            "HBR/e1: its point BAY/E1/Pos does not exist, so its position is not bound",
            "HBR/q3: left out, because it is connected with nothing",
            "HBR: 1 incoming lines count as sources, as in the diagram",
            "HBR: 2 switches are closed in the normal state; open those that are normally open",
        ]
    );
    let findings = description.check();
    let rules: HashSet<Rule> = findings.listed().map(|finding| finding.rule).collect();
    assert_eq!(rules, HashSet::from([Rule::SwitchWithoutPoint]), "of q2: {findings:?}");
    assert_eq!(compare(&description, &description).differences, Vec::<String>::new());
}

#[test]
fn points_of_two_gateways_with_one_address_are_kept_apart() {
    let mut station = station();
    let second = |point: &StationPoint, asset: &str| StationPoint { gateway: "RTU2".into(), asset: asset.into(), ..point.clone() };
    // The position of another breaker, and the current of the same feeder.
    let more = [second(&station.points[0], "Q9"), second(&station.points[1], "F1")];
    station.points.extend(more);
    let Derived { description, notes } = Derived::new(&station, &drawing());
    let found: Vec<_> = description.measurements.iter().map(|of| (of.id.as_str(), of.point.as_deref())).collect();
    assert_eq!(
        found,
        [
            ("HBR/q1/Pos", Some("RTU/BAY/Q1/Pos")),
            ("HBR/e1/Pos", None),
            ("HBR/RTU/F1/F1/Ir", Some("RTU/F1/F1/Ir")),
            ("HBR/RTU2/F1/F1/Ir", Some("RTU2/F1/F1/Ir")),
        ]
    );
    assert_eq!(description.check().count(Rule::DuplicateId), 0);
    station.points[0].asset = "Q8".into();
    let unbound = Derived::new(&station, &drawing());
    assert_eq!(unbound.description.measurements[0].point, None, "no guess at a position");
    let note = "HBR/q1: its point BAY/Q1/Pos is one of several gateways, none for its asset, so its position is not bound";
    assert!(unbound.notes.iter().any(|found| found == note) && !notes.iter().any(|found| found == note), "{:?}", unbound.notes);
}

#[test]
fn each_difference_between_drawing_and_model_is_named() {
    let Derived { description: model, .. } = Derived::new(&station(), &drawing());
    let mut other = drawing();
    other["elements"][1]["nodes"] = json!(["b", "b2"]);
    other["elements"][5]["class"] = "isolator".into();
    other["elements"][6]["id"] = "f2".into();
    let Derived { description: drawn, .. } = Derived::new(&station(), &other);
    let comparison = compare(&drawn, &model);
    assert_eq!(
        comparison.differences,
        [
            "the model connects HBR/in with HBR/q1, the drawing does not",
            "HBR/q2 is drawn as Disconnector, but in the model it is Breaker",
            "HBR/f2 (EnergyConsumer) is drawn, but not in the model",
            "HBR/f1 (EnergyConsumer) is in the model, but not drawn",
        ]
    );
    let mut imported = model.clone();
    for equipment in &mut imported.equipment {
        equipment.id = format!("mRID-{}", equipment.id);
        equipment.terminals.reverse();
        equipment.container = None;
    }
    imported.measurements.iter_mut().for_each(|measurement| measurement.equipment = format!("mRID-{}", measurement.equipment));
    assert_eq!(compare(&model, &imported).compared, 1, "a switch is found by the point of its position");
}

#[test]
fn drawing_that_cannot_be_wired_gives_nothing() {
    let element = json!({ "class": "breaker", "nodes": ["a", "b"] });
    let Derived { description, notes } = Derived::new(&station(), &json!({ "elements": vec![element; 20_001] }));
    assert_eq!((description.equipment.len(), notes.len()), (0, 1), "{notes:?}");
    assert_eq!(Derived::new(&station(), &json!(null)).description.equipment.len(), 0);
}

/// The demo's substations with their stored drawings.
fn demo() -> Vec<(Station, Value)> {
    let mut all = Vec::new();
    for client in simulators::utility::demo(1).clients {
        for substation in client.substations {
            let assets = substation.assets.iter().map(|asset| StationAsset {
                code: asset.code.clone(),
                name: asset.name.clone(),
                kv: asset.kv,
                customers: u64::try_from(asset.customers).unwrap_or(0),
            });
            let points = substation.points.iter().map(|point| StationPoint {
                gateway: substation.code.clone(),
                address: format!("{}/{}", point.device, point.metric()),
                code: point.code.clone(),
                asset: point.asset.clone(),
                is_measurand: point.kind == PointKind::Measurand,
            });
            let station = Station {
                code: substation.code.clone(),
                name: substation.name.clone(),
                place: Some([substation.lon, substation.lat]),
                assets: assets.collect(),
                points: points.collect(),
            };
            all.push((station, serde_json::to_value(&substation.drawing).expect("JSON")));
        }
    }
    all
}

#[test]
fn derived_networks_of_the_demo_have_the_states_of_their_diagrams() {
    let mut random = 1_u64;
    let mut next = move |below: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % below
    };
    let (mut stations, mut compared) = (0, 0);
    for (station, drawing) in demo() {
        let Derived { description, .. } = Derived::new(&station, &drawing);
        let findings = description.check();
        assert!(findings.permit_activation(), "{}: {findings:?}", station.code);
        assert_eq!(findings.count(Rule::PartWithoutSource), 0, "{}: {findings:?}", station.code);
        let wiring = Wiring::of_value(&drawing);
        let connections = wiring.connections();
        let fields = serde_json::Map::new();
        let elements: Vec<_> =
            drawing["elements"].as_array().expect("elements").iter().map(|one| one.as_object().unwrap_or(&fields)).collect();
        let ids = node_ids(&station, &elements, &wiring);
        let mut present = NetworkState::new(Arc::new(description.to_model().expect("a model")));
        // Without a point, a position is unknown in the diagram.
        let bound: HashSet<&str> =
            description.measurements.iter().filter(|of| of.quantity == POSITION).map(|of| of.equipment.as_str()).collect();
        for equipment in description.equipment.iter().filter(|equipment| !bound.contains(equipment.id.as_str())) {
            let moves = equipment.kind.is_switch() && equipment.kind != EquipmentKind::Fuse;
            if moves || equipment.kind == EquipmentKind::GroundDisconnector {
                let switch = present.model().equipment(&equipment.id).expect("there");
                present.set_contact(switch, Contact::Unknown);
            }
        }
        let points: BTreeSet<&str> = connections.positions.iter().map(|(_, point)| point.as_str()).collect();
        for _ in 0..100 {
            let contact = |random: u64| match random {
                0..4 => Contact::Closed,
                4..7 => Contact::Open,
                _ => Contact::Unknown,
            };
            let contacts: BTreeMap<&str, Contact> = points.iter().map(|point| (*point, contact(next(8)))).collect();
            for (point, contact) in &contacts {
                let bound = format!("{}/{point}", station.code);
                let of_point = description.measurements.iter().filter(|of| of.quantity == POSITION && of.point.as_ref() == Some(&bound));
                for measurement in of_point {
                    let equipment = present.model().equipment(&measurement.equipment).expect("there");
                    present.set_contact(equipment, *contact);
                }
            }
            present.settle();
            let drawn = connections.states(|point| contacts[point], Contact::Closed);
            for (id, expected) in ids.iter().zip(drawn).filter(|(id, _)| !id.is_empty()) {
                let node = present.model().node(id).expect("there");
                assert_eq!(present.state(node), expected, "{id} with {contacts:?}");
                compared += 1;
            }
        }
        stations += 1;
    }
    assert!(stations > 5 && compared > 10_000, "{stations} substations, {compared} states");
}
