//! Details of RDF/XML networks: ends that are not connected, tap changers, load groups, remote control, and single phases.

mod cim_text;

use cim_text::{CONNECTIVITY, equipment, file, import, object, terminal, texts};
use network::description::{Connection, Electrical, Switch};
use network::{Contact, Description, EquipmentKind, NetworkState, Phases, State};
use network_files::{Positions, cim};

const CIM100: &str = "http://iec.ch/TC57/CIM100#";

fn node(id: &str, base: &str) -> String {
    object("ConnectivityNode", id, &[("ConnectivityNode.ConnectivityNodeContainer", base)])
}

/// Levels of 33, 11 and 0.4 kV with the nodes n33, n11 and n04, and a source at n33.
fn levels() -> String {
    let level = |id: &str, kv: &str| {
        let base = format!("#_b{id}");
        object("BaseVoltage", &format!("b{id}"), &[("BaseVoltage.nominalVoltage", kv)])
            + &object("VoltageLevel", &format!("V{id}"), &[("VoltageLevel.BaseVoltage", &base)])
            + &node(&format!("n{id}"), &format!("#_V{id}"))
    };
    [level("33", "33"), level("11", "11"), level("04", "0.4"), object("EnergySource", "grid", &[])].concat()
        + &terminal("grid-1", "grid", "1", CONNECTIVITY, "n33")
}

fn end(id: &str, transformer: &str, number: &str, kv: &str) -> String {
    let (of, at) = (format!("#_{transformer}"), format!("#_{transformer}-{number}"));
    object(
        "PowerTransformerEnd",
        id,
        &[
            ("PowerTransformerEnd.PowerTransformer", &of),
            ("TransformerEnd.endNumber", number),
            ("TransformerEnd.Terminal", &at),
            ("PowerTransformerEnd.ratedU", kv),
            ("PowerTransformerEnd.x", "1"),
        ],
    )
}

/// A transformer T between some nodes, with the ends e1, e2 and so on.
fn transformer(nodes: &[(&str, &str)]) -> String {
    let numbered = nodes.iter().enumerate().map(|(at, (node, kv))| ((at + 1).to_string(), node, kv));
    let parts = numbered.map(|(number, node, kv)| {
        terminal(&format!("T-{number}"), "T", &number, CONNECTIVITY, node) + &end(&format!("e{number}"), "T", &number, kv)
    });
    object("PowerTransformer", "T", &[]) + &parts.collect::<String>()
}

fn disconnected(terminal: &str) -> String {
    let about = format!("#{terminal}");
    file(Some("SteadyStateHypothesis"), &object("Terminal", &about, &[("ACDCTerminal.connected", "false")]))
}

fn state_of(description: &Description, node: &str) -> State {
    let present = NetworkState::new(std::sync::Arc::new(description.to_model().expect("a model")));
    present.state(present.model().node(node).expect("a node"))
}

#[test]
fn disconnected_end_opens_that_end_of_a_transformer_only() {
    let three = levels() + &transformer(&[("n33", "33"), ("n11", "11"), ("n04", "0.4")]);
    let equipment_file = file(Some("EquipmentCore"), &three);
    let imported = import(&[&equipment_file, &disconnected("T-3")]);
    let description = &imported.description;
    assert!(equipment(description, "T").is_in_service);
    assert_eq!((state_of(description, "n11"), state_of(description, "n04")), (State::Energised, State::Dead));
    let switch = description.equipment.iter().find(|equipment| equipment.kind == EquipmentKind::Switch).expect("a switch at the end");
    assert!(matches!(switch.electrical, Electrical::Switch(Switch { is_normally_open: true, .. })));
    let inner = &equipment(description, "T").terminals[2].node;
    assert_eq!(switch.terminals.iter().map(|terminal| terminal.node.as_str()).collect::<Vec<_>>(), ["n04", inner]);
    let inner = description.nodes.iter().find(|node| node.id == *inner).expect("an internal node");
    assert!(inner.is_internal && inner.nominal_kv == Some(0.4));
    assert_eq!(
        texts(&imported),
        ["Terminal: 1 ends of equipment are not connected: an open switch is added at each, with an internal node"]
    );
    let mut present = NetworkState::new(std::sync::Arc::new(description.to_model().unwrap()));
    present.set_contact(present.model().equipment(&switch.id).unwrap(), Contact::Closed);
    present.settle();
    assert_eq!(present.state(present.model().node("n04").unwrap()), State::Energised);
}

#[test]
fn equipment_without_a_connected_end_is_out_of_service() {
    let two = levels() + &transformer(&[("n33", "33"), ("n11", "11")]);
    let none = ["T-1", "T-2"].map(disconnected);
    let description = import(&[&file(Some("EquipmentCore"), &two), &none[0], &none[1]]).description;
    assert!(!equipment(&description, "T").is_in_service);
    assert_eq!((description.nodes.len(), state_of(&description, "n11")), (3, State::Dead));
    let one = import(&[&file(Some("EquipmentCore"), &two), &none[1]]).description;
    assert!(equipment(&one, "T").is_in_service, "the other end stays magnetised");
    let inner = &equipment(&one, "T").terminals[1].node;
    assert_eq!((state_of(&one, inner), state_of(&one, "n11")), (State::Energised, State::Dead));
}

#[test]
fn tanks_at_one_disconnected_terminal_share_the_switch() {
    let tank = |id: &str, phase: &str| {
        let phases = format!("{CIM100}OrderedPhaseCodeKind.{phase}N");
        let of = format!("#_{id}");
        let end = |number: &str| {
            let at = format!("#_T-{number}");
            let properties = [
                ("TransformerTankEnd.TransformerTank", of.as_str()),
                ("TransformerEnd.endNumber", number),
                ("TransformerEnd.Terminal", &at),
                ("TransformerTankEnd.orderedPhases", &phases),
            ];
            object("TransformerTankEnd", &format!("{id}-{number}"), &properties)
        };
        object("TransformerTank", id, &[("TransformerTank.PowerTransformer", "#_T")]) + &end("1") + &end("2")
    };
    let objects = [
        levels(),
        object("PowerTransformer", "T", &[]),
        terminal("T-1", "T", "1", CONNECTIVITY, "n33"),
        terminal("T-2", "T", "2", CONNECTIVITY, "n11"),
        tank("tA", "A"),
        tank("tB", "B"),
    ];
    let description = import(&[&file(Some("EquipmentCore"), &objects.concat()), &disconnected("T-2")]).description;
    let switches: Vec<_> = description.equipment.iter().filter(|equipment| equipment.kind == EquipmentKind::Switch).collect();
    assert_eq!(switches.len(), 1);
    assert!(switches[0].terminals.iter().all(|terminal| terminal.phases == Phases::parse("AB").unwrap()));
    assert_eq!(equipment(&description, "tA").terminals[1].node, equipment(&description, "tB").terminals[1].node);
}

/// A changer of the angle at an end of the transformer T.
fn phase_changer(class: &str, end: &str, property: &str) -> String {
    let end = format!("#_{end}");
    let properties = [
        ("PhaseTapChanger.TransformerEnd", end.as_str()),
        (property, "2"),
        ("TapChanger.lowStep", "-5"),
        ("TapChanger.highStep", "5"),
        ("TapChanger.neutralStep", "0"),
        ("TapChanger.normalStep", "3"),
    ];
    object(class, "changer", &properties)
}

#[test]
fn positive_phase_shift_advances_the_other_side() {
    // `Tap::step_degrees` turns the terminal against the winding, the increment of CIM the winding against the terminal.
    let objects = levels() + &transformer(&[("n33", "33"), ("n11", "11")]);
    for (class, property, degrees) in [
        ("PhaseTapChangerLinear", "PhaseTapChangerLinear.stepPhaseShiftIncrement", -2.0),
        ("PhaseTapChangerSymmetrical", "PhaseTapChangerNonLinear.voltageStepIncrement", -0.02_f64.atan().to_degrees()),
    ] {
        let description = import(&[&file(Some("EquipmentCore"), &(objects.clone() + &phase_changer(class, "e1", property)))]).description;
        let Electrical::Transformer(transformer) = &equipment(&description, "T").electrical else { panic!() };
        let tap = transformer.ends[0].tap.expect("a tap changer");
        assert!((tap.step_degrees - degrees).abs() < 1e-12, "{class}: {}", tap.step_degrees);
        assert_eq!(tap.step, 3);
        if class == "PhaseTapChangerLinear" {
            let written = cim::export(&description, &Positions::normal(&description), cim::Version::V3, "net").unwrap().files;
            assert!(
                written[0].text.contains("<cim:PhaseTapChangerLinear.stepPhaseShiftIncrement>2<"),
                "the export has the angle of the file"
            );
        }
    }
}

#[test]
fn shares_of_a_load_group_are_noted_and_are_no_power() {
    let objects = [
        levels(),
        object("ConformLoad", "share", &[("EnergyConsumer.pfixedPct", "12"), ("EnergyConsumer.qfixedPct", "10")]),
        terminal("share-1", "share", "1", CONNECTIVITY, "n11"),
        object("ConformLoad", "both", &[("EnergyConsumer.pfixed", "1"), ("EnergyConsumer.pfixedPct", "12")]),
        terminal("both-1", "both", "1", CONNECTIVITY, "n11"),
    ];
    let imported = import(&[&file(Some("EquipmentCore"), &objects.concat())]);
    let power = |id: &str| {
        let Electrical::Consumer(load) = equipment(&imported.description, id).electrical else { panic!() };
        (load.kw, load.kvar)
    };
    assert_eq!((power("share"), power("both")), ((0.0, 0.0), (1_000.0, 0.0)));
    let expected = "EnergyConsumer: 1 have their power as a share of that of their load group (pfixedPct, qfixedPct): it is not taken";
    assert!(texts(&imported).iter().any(|text| text == expected), "{:?}", texts(&imported));
}

#[test]
fn held_voltage_is_that_of_the_regulated_terminal() {
    let control = |id: &str, terminal: &str, kv: &str| {
        let mode = format!("{CIM100}RegulatingControlModeKind.voltage");
        let properties =
            [("RegulatingControl.Terminal", terminal), ("RegulatingControl.mode", &mode), ("RegulatingControl.targetValue", kv)];
        object("RegulatingControl", id, &properties)
    };
    let machine = |id: &str, control: &str| {
        object("SynchronousMachine", id, &[("RegulatingCondEq.RegulatingControl", control)])
            + &terminal(&format!("{id}-1"), id, "1", CONNECTIVITY, "n11")
    };
    let objects = [
        levels(),
        machine("far", "#_c1"),
        control("c1", "#_grid-1", "33.99"),
        machine("own", "#_c2"),
        control("c2", "#_own-1", "11.22"),
        machine("none", "#_c3"),
        control("c3", "#_missing", "10.89"),
    ];
    let imported = import(&[&file(Some("EquipmentCore"), &objects.concat())]);
    let held = |id: &str| {
        let Electrical::Generator(generation) = equipment(&imported.description, id).electrical else { panic!() };
        (generation.voltage_pu.expect("a voltage") * 1e6).round() / 1e6
    };
    assert_eq!((held("far"), held("own"), held("none")), (1.03, 1.02, 0.99));
    let expected = "RegulatingControl: 1 machines hold the voltage of another node; they are taken as holding that of their own, per unit";
    assert!(texts(&imported).iter().any(|text| text == expected), "{:?}", texts(&imported));
}

#[test]
fn star_impedances_are_those_of_their_ends() {
    let star = |id: &str, end: &str, r: &str, r0: &str| {
        let properties = [
            ("TransformerStarImpedance.TransformerEnd", end),
            ("TransformerStarImpedance.r", r),
            ("TransformerStarImpedance.x", "2"),
            ("TransformerStarImpedance.r0", r0),
            ("TransformerStarImpedance.x0", "4"),
        ];
        object("TransformerStarImpedance", id, &properties)
    };
    let three = levels() + &transformer(&[("n33", "33"), ("n11", "11"), ("n04", "0.4")]);
    let stars = star("s1", "#_e1", "0.5", "1") + &star("s2", "#_e2", "0.25", "3");
    let description = import(&[&file(Some("EquipmentCore"), &(three + &stars))]).description;
    let Electrical::Transformer(transformer) = &equipment(&description, "T").electrical else { panic!() };
    let found: Vec<_> = transformer.ends.iter().map(|end| (end.series.r_ohm, end.series.x_ohm, end.series.r0_ohm)).collect();
    assert_eq!(found, [(0.5, 2.0, Some(1.0)), (0.25, 2.0, Some(3.0)), (0.0, 1.0, None)]);
}

#[test]
fn tank_takes_star_impedance_of_its_type_and_earthing_of_its_end() {
    let info = |id: &str, number: &str, volts: &str, star: &str| {
        let kind = format!("{CIM100}WindingConnection.Y");
        let properties = [
            ("TransformerEndInfo.TransformerTankInfo", "#_type"),
            ("TransformerEndInfo.endNumber", number),
            ("TransformerEndInfo.ratedU", volts),
            ("TransformerEndInfo.connectionKind", &kind),
            ("TransformerEndInfo.TransformerStarImpedance", star),
        ];
        object("TransformerEndInfo", id, &properties)
    };
    let end = |id: &str, number: &str, at: &str, grounded: &str| {
        let properties = [
            ("TransformerTankEnd.TransformerTank", "#_tank"),
            ("TransformerEnd.endNumber", number),
            ("TransformerEnd.Terminal", at),
            ("TransformerEnd.grounded", grounded),
        ];
        object("TransformerTankEnd", id, &properties)
    };
    let objects = [
        object("ConnectivityNode", "n1", &[]),
        object("ConnectivityNode", "n2", &[]),
        object("PowerTransformer", "T", &[]),
        terminal("T-1", "T", "1", CONNECTIVITY, "n1"),
        terminal("T-2", "T", "2", CONNECTIVITY, "n2"),
        object(
            "TransformerTank",
            "tank",
            &[("TransformerTank.PowerTransformer", "#_T"), ("TransformerTank.TransformerTankInfo", "#_type")],
        ),
        end("te1", "1", "#_T-1", "false"),
        end("te2", "2", "#_T-2", "true"),
        object("TransformerTankInfo", "type", &[]),
        info("ti1", "1", "2400", "#_s1"),
        info("ti2", "2", "240", "#_s2"),
        object("TransformerStarImpedance", "s1", &[("TransformerStarImpedance.r", "3"), ("TransformerStarImpedance.x", "5")]),
        object("TransformerStarImpedance", "s2", &[("TransformerStarImpedance.r", "0.01"), ("TransformerStarImpedance.x", "0.02")]),
    ];
    let description = import(&[&file(None, &objects.concat())]).description;
    let Electrical::Transformer(transformer) = &equipment(&description, "tank").electrical else { panic!() };
    assert_eq!(
        transformer.ends.iter().map(|end| end.connection).collect::<Vec<_>>(),
        [Connection::Star, Connection::StarEarthed],
        "grounded belongs to the end, not to its type"
    );
    // The impedance of the second end is at 240 V: a hundred times as much at 2.4 kV.
    let series = transformer.ends[0].series;
    assert!((series.r_ohm - 4.0).abs() < 1e-9 && (series.x_ohm - 7.0).abs() < 1e-9, "{series:?}");
}

#[test]
fn phases_of_a_switch_have_positions_of_their_own() {
    let phase = |id: &str, switch: &str, phase: &str, state: &[(&str, &str)]| {
        let switch = format!("#_{switch}");
        let kind = format!("{CIM100}SinglePhaseKind.{phase}");
        let mut properties = vec![("SwitchPhase.Switch", switch.as_str()), ("SwitchPhase.phaseSide1", kind.as_str())];
        properties.extend(state);
        object("SwitchPhase", id, &properties)
    };
    let switch = |id: &str| {
        object("LoadBreakSwitch", id, &[])
            + &terminal(&format!("{id}-1"), id, "1", CONNECTIVITY, "n1")
            + &terminal(&format!("{id}-2"), id, "2", CONNECTIVITY, "n2")
    };
    let objects = [
        object("ConnectivityNode", "n1", &[]),
        object("ConnectivityNode", "n2", &[]),
        switch("open"),
        phase("o1", "open", "A", &[("SwitchPhase.normalOpen", "true"), ("SwitchPhase.closed", "false")]),
        phase("o2", "open", "B", &[("SwitchPhase.normalOpen", "true"), ("SwitchPhase.closed", "false")]),
        switch("present"),
        phase("p1", "present", "A", &[("SwitchPhase.closed", "false")]),
        switch("mixed"),
        phase("m1", "mixed", "A", &[("SwitchPhase.normalOpen", "true")]),
        phase("m2", "mixed", "B", &[("SwitchPhase.normalOpen", "false")]),
        phase("m3", "mixed", "C", &[("SwitchPhase.normalOpen", "false")]),
    ];
    let imported = import(&[&file(None, &objects.concat())]);
    let found = |id: &str| {
        let Electrical::Switch(switch) = equipment(&imported.description, id).electrical else { panic!() };
        (switch.is_normally_open, equipment(&imported.description, id).terminals[0].phases.to_string())
    };
    assert_eq!(found("open"), (true, "AB".to_owned()));
    assert_eq!(found("present"), (true, "A".to_owned()));
    assert_eq!(found("mixed"), (false, "BC".to_owned()), "a phase that is open connects nothing");
    let expected = "SwitchPhase: 1 phases are open while others of their switch are closed: they are left out";
    assert!(texts(&imported).iter().any(|text| text == expected), "{:?}", texts(&imported));
}

#[test]
fn second_tap_changer_of_an_end_is_noted() {
    let ratio =
        object("RatioTapChanger", "ratio", &[("RatioTapChanger.TransformerEnd", "#_e1"), ("RatioTapChanger.stepVoltageIncrement", "1.25")]);
    let objects = levels()
        + &transformer(&[("n33", "33"), ("n11", "11")])
        + &phase_changer("PhaseTapChangerLinear", "e1", "PhaseTapChangerLinear.stepPhaseShiftIncrement")
        + &ratio;
    let imported = import(&[&file(Some("EquipmentCore"), &objects)]);
    let Electrical::Transformer(transformer) = &equipment(&imported.description, "T").electrical else { panic!() };
    assert_eq!(transformer.ends[0].tap.map(|tap| (tap.step_percent, tap.step_degrees)), Some((1.25, 0.0)));
    let expected = "TapChanger: 1 left out, because an end has one only; a ratio tap changer is taken first";
    assert!(texts(&imported).iter().any(|text| text == expected), "{:?}", texts(&imported));
}

#[test]
fn second_object_with_one_rdf_id_is_refused() {
    let line = |id: &str| object("Line", "x", &[]).replace("_x", id);
    let equipment_file = |objects: &str| file(Some("EquipmentCore"), objects);
    let refused = |files: &[String]| cim::import(files.iter().map(|text| ("file.xml", text.as_str()))).expect_err("refused").to_string();
    for second in ["_x", "x"] {
        let expected = format!("file.xml: the rdf:ID {second} is there twice; it names one object only");
        assert_eq!(refused(&[equipment_file(&(line("_x") + &line(second)))]), expected);
        assert_eq!(refused(&[equipment_file(&line("_x")), equipment_file(&line(second))]), expected);
    }
    let bay = file(Some("EquipmentBoundary"), &object("Bay", "x", &[]));
    assert_eq!(
        refused(&[equipment_file(&line("_x")), bay]),
        "file.xml: the rdf:ID _x is that of a Bay and of a Line; it names one object only"
    );
    // A further profile may repeat the object.
    let again = file(Some("Topology"), &line("_x"));
    assert_eq!(import(&[&equipment_file(&line("_x")), &again]).description.containers.len(), 1);
}
