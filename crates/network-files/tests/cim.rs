//! Networks in RDF/XML: CGMES in both forms, CIM100 feeders, damaged and hostile files, and the way back.

mod cim_text;
mod sample;

use cim_text::{CONNECTIVITY, equipment, file, import, object, terminal, texts};
use network::description::{Connection, ContainerKind, Electrical};
use network::{Contact, Description, EquipmentKind, NetworkState, Phases, State};
use network_files::Positions;
use network_files::cim::{self, Version};

/// A source, a breaker, a transformer with a tap changer, a line with a limit and a load.
fn equipment_file() -> String {
    let node = |id: &str, container: &str| object("ConnectivityNode", id, &[("ConnectivityNode.ConnectivityNodeContainer", container)]);
    let base = |id: &str, kv: &str| object("BaseVoltage", id, &[("BaseVoltage.nominalVoltage", kv)]);
    let objects = [
        base("b33", "33"),
        base("b11", "11"),
        object("Substation", "S", &[("IdentifiedObject.name", "Harbour")]),
        object("VoltageLevel", "V33", &[("VoltageLevel.Substation", "#_S"), ("VoltageLevel.BaseVoltage", "#_b33")]),
        object("VoltageLevel", "V11", &[("VoltageLevel.Substation", "#_S"), ("VoltageLevel.BaseVoltage", "#_b11")]),
        object("Bay", "B1", &[("Bay.VoltageLevel", "#_V11")]),
        node("n1", "#_V33"),
        node("n2", "#_V11"),
        node("n3", "#_B1"),
        node("n4", "#_V11"),
        object("EnergySource", "grid", &[("EnergySource.nominalVoltage", "33"), ("EnergySource.voltageMagnitude", "33.66")]),
        terminal("grid-1", "grid", "1", CONNECTIVITY, "n1"),
        object("PowerTransformer", "T", &[("IdentifiedObject.name", "T1")]),
        terminal("T-1", "T", "1", CONNECTIVITY, "n1"),
        terminal("T-2", "T", "2", CONNECTIVITY, "n2"),
        object(
            "PowerTransformerEnd",
            "T-end-2",
            &[
                ("PowerTransformerEnd.PowerTransformer", "#_T"),
                ("TransformerEnd.endNumber", "2"),
                ("TransformerEnd.Terminal", "#_T-2"),
                ("PowerTransformerEnd.ratedU", "11"),
                ("PowerTransformerEnd.x", "0.1"),
                ("PowerTransformerEnd.phaseAngleClock", "11"),
                ("PowerTransformerEnd.connectionKind", "http://iec.ch/TC57/2013/CIM-schema-cim16#WindingConnection.Yn"),
            ],
        ),
        object(
            "PowerTransformerEnd",
            "T-end-1",
            &[
                ("PowerTransformerEnd.PowerTransformer", "#_T"),
                ("TransformerEnd.endNumber", "1"),
                ("TransformerEnd.Terminal", "#_T-1"),
                ("PowerTransformerEnd.ratedU", "33"),
                ("PowerTransformerEnd.ratedS", "10"),
                ("PowerTransformerEnd.r", "0.5"),
                ("PowerTransformerEnd.x", "8"),
                ("PowerTransformerEnd.connectionKind", "http://iec.ch/TC57/2013/CIM-schema-cim16#WindingConnection.D"),
            ],
        ),
        object(
            "RatioTapChanger",
            "tap",
            &[
                ("RatioTapChanger.TransformerEnd", "#_T-end-1"),
                ("RatioTapChanger.stepVoltageIncrement", "1.25"),
                ("TapChanger.lowStep", "-8"),
                ("TapChanger.highStep", "8"),
                ("TapChanger.neutralStep", "0"),
                ("TapChanger.normalStep", "0"),
            ],
        ),
        object(
            "Breaker",
            "CB",
            &[("Switch.normalOpen", "false"), ("Switch.ratedCurrent", "630"), ("Equipment.EquipmentContainer", "#_B1")],
        ),
        terminal("CB-2", "CB", "2", CONNECTIVITY, "n3"),
        terminal("CB-1", "CB", "1", CONNECTIVITY, "n2"),
        object(
            "ACLineSegment",
            "L",
            &[("ACLineSegment.r", "0.4"), ("ACLineSegment.x", "0.3"), ("ACLineSegment.bch", "0.00001"), ("Conductor.length", "2.5")],
        ),
        terminal("L-1", "L", "1", CONNECTIVITY, "n3"),
        terminal("L-2", "L", "2", CONNECTIVITY, "n4"),
        object("OperationalLimitSet", "set", &[("OperationalLimitSet.Terminal", "#_L-1")]),
        object("CurrentLimit", "limit", &[("OperationalLimit.OperationalLimitSet", "#_set"), ("CurrentLimit.value", "400")]),
        object("ConformLoad", "village", &[]),
        terminal("village-1", "village", "1", CONNECTIVITY, "n4"),
        object("ControlArea", "area", &[]),
    ];
    file(Some("EquipmentCore"), &objects.concat())
}

fn state_file() -> String {
    let objects = [
        object("#ConformLoad", "#village", &[("EnergyConsumer.p", "1.5"), ("EnergyConsumer.q", "0.5")]).replace("cim:#", "cim:"),
        object("RatioTapChanger", "#tap", &[("TapChanger.step", "-3")]),
        object("Breaker", "#CB", &[("Switch.open", "true")]),
    ];
    file(Some("SteadyStateHypothesis"), &objects.concat())
}

#[test]
fn node_breaker_network_is_read_with_its_values() {
    let imported = import(&[&equipment_file(), &state_file()]);
    let description = &imported.description;
    assert_eq!(
        description.containers.iter().map(|container| container.kind).collect::<Vec<_>>(),
        [ContainerKind::Substation, ContainerKind::VoltageLevel, ContainerKind::VoltageLevel, ContainerKind::Bay]
    );
    let voltages: Vec<_> = description.nodes.iter().map(|node| (node.id.as_str(), node.nominal_kv)).collect();
    assert_eq!(voltages, [("n1", Some(33.0)), ("n2", Some(11.0)), ("n3", Some(11.0)), ("n4", Some(11.0))]);
    let breaker = equipment(description, "CB");
    assert_eq!((breaker.kind, breaker.container.as_deref()), (EquipmentKind::Breaker, Some("B1")));
    assert_eq!(breaker.terminals.iter().map(|terminal| terminal.node.as_str()).collect::<Vec<_>>(), ["n2", "n3"]);
    let Electrical::Transformer(transformer) = &equipment(description, "T").electrical else { panic!() };
    // The reactance of the second end is at 11 kV: nine times as much at 33 kV.
    assert_eq!((transformer.ends[0].series.r_ohm, transformer.ends[0].series.x_ohm), (0.5, 8.0 + 0.1 * 9.0));
    assert_eq!((transformer.ends[0].rated_kva, transformer.ends[1].clock), (Some(10_000.0), 11));
    assert_eq!((transformer.ends[0].connection, transformer.ends[1].connection), (Connection::Delta, Connection::StarEarthed));
    assert_eq!(transformer.ends[0].tap.map(|tap| (tap.step, tap.step_percent)), Some((-3, 1.25)));
    let Electrical::Line(line) = &equipment(description, "L").electrical else { panic!() };
    assert_eq!((line.length_km, line.series.r_ohm, line.b_s, line.rated_a), (Some(2.5), 0.4, 0.00001, Some(400.0)));
    let Electrical::Consumer(load) = equipment(description, "village").electrical else { panic!() };
    assert_eq!((load.kw, load.kvar), (1_500.0, 500.0));
    let Electrical::Source(source) = equipment(description, "grid").electrical else { panic!() };
    assert!((source.voltage_pu - 1.02).abs() < 1e-12);
    assert_eq!(
        texts(&imported),
        [
            "Switch: 1 switches have a present position that is not their normal one; the normal one is taken",
            "ControlArea: 1 objects left out: the import does not know this class, or it lacks what is needed",
        ]
    );
    let mut present = NetworkState::new(std::sync::Arc::new(description.to_model().unwrap()));
    let far = present.model().node("n4").unwrap();
    assert_eq!(present.state(far), State::Energised);
    let breaker = present.model().equipment("CB").unwrap();
    present.set_contact(breaker, Contact::Open);
    present.settle();
    assert_eq!(present.state(far), State::Dead);
}

#[test]
fn bus_branch_network_takes_topological_nodes() {
    let objects = [
        object("BaseVoltage", "b", &[("BaseVoltage.nominalVoltage", "20")]),
        object("ExternalNetworkInjection", "grid", &[]),
        terminal("grid-1", "grid", "1", "none", "none"),
        object("ACLineSegment", "L", &[("ACLineSegment.r", "1"), ("ACLineSegment.x", "2")]),
        terminal("L-1", "L", "1", "none", "none"),
        terminal("L-2", "L", "2", "none", "none"),
    ];
    let topology = [
        object("TopologicalNode", "t1", &[("TopologicalNode.BaseVoltage", "#_b")]),
        object("TopologicalNode", "t2", &[("TopologicalNode.BaseVoltage", "#_b")]),
        object("Terminal", "#grid-1", &[("Terminal.TopologicalNode", "#_t1")]),
        object("Terminal", "#L-1", &[("Terminal.TopologicalNode", "#_t1")]),
        object("Terminal", "#L-2", &[("Terminal.TopologicalNode", "#_t2"), ("ACDCTerminal.connected", "false")]),
    ];
    let imported = import(&[&file(Some("EquipmentCore"), &objects.concat()), &file(Some("Topology"), &topology.concat())]);
    let ids: Vec<_> = imported.description.nodes.iter().map(|node| (node.id.as_str(), node.nominal_kv)).collect();
    assert_eq!(ids, [("t1", Some(20.0)), ("t2", Some(20.0)), ("L-2-end", Some(20.0))]);
    let line = equipment(&imported.description, "L");
    assert!(line.is_in_service, "the line is energised up to its open end");
    assert_eq!(line.terminals.iter().map(|terminal| terminal.node.as_str()).collect::<Vec<_>>(), ["t1", "L-2-end"]);
    assert_eq!(equipment(&imported.description, "grid").kind, EquipmentKind::EnergySource);
}

/// An end of the tank, between phase B and the neutral.
fn tank_end(id: &str, number: &str, terminal: &str) -> String {
    object(
        "TransformerTankEnd",
        id,
        &[
            ("TransformerTankEnd.TransformerTank", "#_tank"),
            ("TransformerEnd.endNumber", number),
            ("TransformerEnd.Terminal", terminal),
            ("TransformerTankEnd.orderedPhases", "http://iec.ch/TC57/CIM100#OrderedPhaseCodeKind.BN"),
        ],
    )
}

/// A line with the phases C and A, a transformer with one tank, and a house.
fn feeder_file() -> String {
    let cim100 = "http://iec.ch/TC57/CIM100#";
    let phase = |id: &str, segment: &str, phase: &str, number: &str| {
        let kind = format!("{cim100}SinglePhaseKind.{phase}");
        object(
            "ACLineSegmentPhase",
            id,
            &[
                ("ACLineSegmentPhase.ACLineSegment", segment),
                ("ACLineSegmentPhase.phase", &kind),
                ("ACLineSegmentPhase.sequenceNumber", number),
            ],
        )
    };
    let data = |id: &str, row: &str, column: &str, r: &str| {
        object(
            "PhaseImpedanceData",
            id,
            &[
                ("PhaseImpedanceData.PhaseImpedance", "#_matrix"),
                ("PhaseImpedanceData.row", row),
                ("PhaseImpedanceData.column", column),
                ("PhaseImpedanceData.r", r),
                ("PhaseImpedanceData.x", "0.001"),
            ],
        )
    };
    let info = |id: &str, number: &str, volts: &str| {
        object(
            "TransformerEndInfo",
            id,
            &[
                ("TransformerEndInfo.TransformerTankInfo", "#_type"),
                ("TransformerEndInfo.endNumber", number),
                ("TransformerEndInfo.ratedU", volts),
                ("TransformerEndInfo.ratedS", "5000"),
                ("TransformerEndInfo.r", "3"),
            ],
        )
    };
    let objects = [
        object("BaseVoltage", "b", &[("BaseVoltage.nominalVoltage", "4160")]),
        object("Feeder", "F", &[("IdentifiedObject.name", "east")]),
        object("ConnectivityNode", "n1", &[("ConnectivityNode.ConnectivityNodeContainer", "#_F")]),
        object("ConnectivityNode", "n2", &[("ConnectivityNode.ConnectivityNodeContainer", "#_F")]),
        object("ConnectivityNode", "n3", &[("ConnectivityNode.ConnectivityNodeContainer", "#_F")]),
        object(
            "ACLineSegment",
            "L",
            &[("Conductor.length", "500"), ("ACLineSegment.PerLengthImpedance", "#_matrix"), ("ConductingEquipment.BaseVoltage", "#_b")],
        ),
        terminal("L-1", "L", "1", CONNECTIVITY, "n1"),
        terminal("L-2", "L", "2", CONNECTIVITY, "n2"),
        phase("L-C", "#_L", "C", "1"),
        phase("L-A", "#_L", "A", "2"),
        object("PerLengthPhaseImpedance", "matrix", &[]),
        data("d11", "1", "1", "0.0002"),
        data("d21", "2", "1", "0.0001"),
        data("d22", "2", "2", "0.0003"),
        object("PowerTransformer", "T", &[]),
        terminal("T-1", "T", "1", CONNECTIVITY, "n2"),
        terminal("T-2", "T", "2", CONNECTIVITY, "n3"),
        object(
            "TransformerTank",
            "tank",
            &[("TransformerTank.PowerTransformer", "#_T"), ("TransformerTank.TransformerTankInfo", "#_type")],
        ),
        tank_end("te1", "1", "#_T-1"),
        tank_end("te2", "2", "#_T-2"),
        object("TransformerTankInfo", "type", &[]),
        info("ti1", "1", "2400"),
        info("ti2", "2", "240"),
        object(
            "EnergyConsumer",
            "house",
            &[("EnergyConsumer.p", "3000"), ("EnergyConsumer.q", "1000"), ("EnergyConsumer.customerCount", "4")],
        ),
        terminal("house-1", "house", "1", CONNECTIVITY, "n3"),
    ];
    file(None, &objects.concat())
}

#[test]
fn feeder_without_header_is_read_in_volts_watts_and_metres() {
    let description = import(&[&feeder_file()]).description;
    let line = equipment(&description, "L");
    assert_eq!(line.terminals[0].phases, Phases::parse("AC").unwrap());
    let Electrical::Line(values) = &line.electrical else { panic!() };
    let by_phase = values.by_phase.unwrap();
    // The first row is phase C, the second phase A.
    assert_eq!(values.length_km, Some(0.5));
    assert_eq!(by_phase.r_ohm.map(|ohm| (ohm * 1e6).round() as i64), [150_000, 0, 0, 50_000, 0, 100_000]);
    assert_eq!(description.nodes.iter().map(|node| node.nominal_kv).collect::<Vec<_>>(), [Some(4.16), Some(4.16), None]);
    let tank = equipment(&description, "tank");
    assert_eq!((tank.kind, tank.terminals[1].phases), (EquipmentKind::PowerTransformer, Phases::parse("B").unwrap()));
    let Electrical::Transformer(transformer) = &tank.electrical else { panic!() };
    assert_eq!((transformer.ends[0].rated_kv, transformer.ends[0].rated_kva), (2.4, Some(5.0)));
    let Electrical::Consumer(load) = equipment(&description, "house").electrical else { panic!() };
    assert_eq!((load.kw, load.customers), (3.0, 4));
}

#[test]
fn broken_references_are_noted() {
    let objects = [
        object("ConnectivityNode", "n1", &[]),
        object("ACLineSegment", "L", &[("ACLineSegment.r", "1"), ("ACLineSegment.x", "2")]),
        terminal("L-1", "L", "1", CONNECTIVITY, "n1"),
        terminal("L-2", "L", "2", CONNECTIVITY, "gone"),
        terminal("X-1", "gone", "1", CONNECTIVITY, "n1"),
    ];
    let imported = import(&[&file(Some("EquipmentCore"), &objects.concat())]);
    let found = texts(&imported);
    for expected in [
        "L-2: terminal left out, because its node is missing",
        "X-1: terminal left out, because its equipment is missing",
        "L: ACLineSegment left out, because it has 1 terminals with a node; 2 are needed",
        "ACLineSegment: 1 objects left out: the import does not know this class, or it lacks what is needed",
    ] {
        assert!(found.iter().any(|text| text == expected), "{expected} in {found:?}");
    }
}

#[test]
fn profiles_without_a_network_are_noted_as_a_whole() {
    let layout = file(Some("DiagramLayout"), &object("DiagramObject", "d", &[]));
    let imported = import(&[&equipment_file(), &layout]);
    assert!(
        texts(&imported).contains(&"file.xml: 1 objects left out: layouts of diagrams are not taken".to_owned()),
        "{:?}",
        texts(&imported)
    );
}

#[test]
fn hostile_xml_is_refused() {
    let refused = |text: &str| cim::import([("bad.xml", text)]).unwrap_err().to_string();
    let entity = "<!DOCTYPE r [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]>\n<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">&b;</rdf:RDF>";
    assert!(refused(entity).starts_with("bad.xml: "), "{}", refused(entity));
    let outside = "<!DOCTYPE r [<!ENTITY a SYSTEM \"file:///etc/passwd\">]><r>&a;</r>";
    assert!(refused(outside).starts_with("bad.xml: "), "{}", refused(outside));
    assert_eq!(refused("<r/>"), "bad.xml: its root is not rdf:RDF");
    assert!(refused("<r").starts_with("bad.xml: "));
    let deep = file(None, &format!("{}{}", "<cim:A rdf:ID=\"x\">".repeat(100_000), "</cim:A>".repeat(100_000)));
    assert_eq!(refused(&deep), "bad.xml: elements are nested deeper than 64, which is the limit");
}

#[test]
fn export_import_export_is_equal_in_both_versions() {
    let network = sample::network();
    for version in [Version::V2, Version::V3] {
        let export = |description: &Description| cim::export(description, &Positions::normal(description), version, "net").unwrap();
        let first = export(&network);
        let read = |files: &cim::ExportedFiles| {
            cim::import(files.files.iter().map(|file| (file.name.as_str(), file.text.as_str()))).unwrap_or_else(|error| panic!("{error}"))
        };
        let again = read(&first);
        assert_eq!(texts(&again), Vec::<String>::new(), "an import of an export takes all of it");
        let second = export(&again.description);
        for (one, other) in first.files.iter().zip(&second.files) {
            let differing = one.text.lines().zip(other.text.lines()).find(|(one, other)| one != other);
            assert!(one == other, "{}: {differing:?}", one.name);
        }
        // What is left out is said.
        let left: Vec<_> = first.notes.iter().map(|note| note.reason.as_str()).collect();
        assert!(left.contains(&"1: lines with direct current are left out: their converters are not known"), "{left:?}");
        let kinds = |description: &Description| {
            let mut kinds: Vec<_> = description
                .equipment
                .iter()
                .filter(|equipment| equipment.kind != EquipmentKind::DirectCurrentLine)
                .map(|equipment| {
                    // The format has no earth switch out of service.
                    let is_in_service = equipment.is_in_service || equipment.kind == EquipmentKind::GroundDisconnector;
                    (equipment.id.clone(), equipment.kind, equipment.terminals.len(), is_in_service)
                })
                .collect();
            kinds.sort_by(|one, other| one.0.cmp(&other.0));
            kinds
        };
        assert_eq!(kinds(&again.description), kinds(&network));
        let Electrical::Transformer(transformer) = &equipment(&again.description, "T1").electrical else { panic!() };
        let Electrical::Transformer(original) = &equipment(&network, "T1").electrical else { panic!() };
        assert_eq!(transformer, original);
        // A position that the import leaves out would never be doubted.
        let earth = equipment(&again.description, "ES");
        let is_open = matches!(earth.electrical, Electrical::Switch(switch) if switch.is_normally_open);
        assert!(earth.is_in_service && is_open, "{earth:?}");
    }
}

#[test]
fn switch_out_of_service_keeps_its_normal_position() {
    let mut network = sample::network();
    let is_switch = |of: &network::description::Equipment| of.kind.is_switch();
    for of in network.equipment.iter_mut().filter(|of| is_switch(of)) {
        of.is_in_service = false;
    }
    let switches = |description: &Description| {
        let one = |of: &network::description::Equipment| {
            let Electrical::Switch(switch) = &of.electrical else { return None };
            is_switch(of).then(|| (of.id.clone(), switch.is_normally_open, of.is_in_service))
        };
        let mut all: Vec<_> = description.equipment.iter().filter_map(one).collect();
        all.sort();
        all
    };
    for version in [Version::V2, Version::V3] {
        let exported = cim::export(&network, &Positions::normal(&network), version, "net").unwrap();
        let again = cim::import(exported.files.iter().map(|file| (file.name.as_str(), file.text.as_str()))).unwrap();
        assert_eq!(switches(&again.description), switches(&network));
        assert!(switches(&again.description).iter().any(|(_, is_open, _)| !is_open), "a closed one is among them");
    }
}

#[test]
fn second_object_with_one_mrid_keeps_its_rdf_id() {
    let line = |id: &str| object("Line", id, &[("IdentifiedObject.mRID", "same")]);
    let imported = import(&[&file(Some("EquipmentCore"), &format!("{}{}", line("a"), line("b")))]);
    let ids: Vec<_> = imported.description.containers.iter().map(|container| container.id.as_str()).collect();
    assert_eq!(ids, ["same", "b"]);
    assert_eq!(texts(&imported)[0], "b: its rdf id is taken, because another object has the mRID same");
}

/// A network whose parts of different kinds have one id, and whose ids look like those of objects that the export adds.
fn network_with_shared_ids() -> Description {
    let mut network = sample::network();
    network.equipment.retain(|equipment| equipment.kind != EquipmentKind::DirectCurrentLine);
    for (of, to) in [("a", "BUSH"), ("b", "voltage-level-11"), ("c", "T1-terminal-1"), ("d", "cable-limits")] {
        network.nodes.iter_mut().filter(|node| node.id == of).for_each(|node| node.id = to.into());
        let terminals = network.equipment.iter_mut().flat_map(|equipment| &mut equipment.terminals);
        terminals.filter(|terminal| terminal.node == of).for_each(|terminal| terminal.node = to.into());
    }
    for (of, to) in [("bar", "BUSH"), ("village", "BUSH-node"), ("street", "base-voltage-11"), ("reactor", "S")] {
        network.equipment.iter_mut().filter(|equipment| equipment.id == of).for_each(|equipment| equipment.id = to.into());
    }
    network.measurements[0].id = "BUSH".into();
    network.measurements[1].equipment = "BUSH-node".into();
    network.measurements[1].terminal = Some(1);
    // A node without a level, whose level the export adds.
    network.nodes[1].container = None;
    network
}

#[test]
fn parts_of_different_kinds_with_one_id_are_kept_apart() {
    let network = network_with_shared_ids();
    let ids = |description: &Description| {
        let mut nodes: Vec<_> = description.nodes.iter().map(|node| node.id.clone()).collect();
        let mut equipment: Vec<_> =
            description.equipment.iter().map(|part| (part.id.clone(), part.kind, part.container.clone(), part.terminals.clone())).collect();
        let mut measurements: Vec<_> =
            description.measurements.iter().map(|part| (part.id.clone(), part.equipment.clone(), part.terminal)).collect();
        nodes.sort();
        equipment.sort_by(|one, other| one.0.cmp(&other.0));
        measurements.sort();
        (nodes, equipment, measurements)
    };
    let export = |description: &Description| cim::export(description, &Positions::normal(description), Version::V3, "net").unwrap().files;
    let first = export(&network);
    let files = || first.iter().map(|file| (file.name.as_str(), file.text.as_str()));
    let again = cim::import(files()).unwrap();
    assert_eq!(ids(&again.description), ids(&network));
    assert_eq!(texts(&again), Vec::<String>::new());
    for (one, other) in first.iter().zip(&export(&again.description)) {
        let differing = one.text.lines().zip(other.text.lines()).find(|(one, other)| one != other && !one.contains("FullModel"));
        assert!(one == other, "{}: {differing:?}", one.name);
    }
    // The ids of other tools are theirs.
    let foreign: Vec<_> = first
        .iter()
        .map(|file| file.text.replace(">switchyard</md:Model.modelingAuthoritySet>", ">other</md:Model.modelingAuthoritySet>"))
        .collect();
    let foreign = cim::import(foreign.iter().map(|text| ("file.xml", text.as_str()))).unwrap().description;
    assert!(foreign.nodes.iter().any(|node| node.id == "BUSH-node"));
}
