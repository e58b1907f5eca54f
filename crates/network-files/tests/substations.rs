//! Substations in SCL, and networks in the CSV of SimBench.

use network::EquipmentKind;
use network::description::Electrical;
use network_files::{scl, simbench};

const SCL: &str = r#"<?xml version="1.0"?>
<SCL xmlns="http://www.iec.ch/61850/2003/SCL" version="2007">
  <Header id="h"/>
  <Substation name="AA1" desc="Harbour">
    <PowerTransformer name="T1" type="PTR">
      <TransformerWinding name="W1" type="PTW"><Terminal name="T1" connectivityNode="AA1/D1/Q1/L1" cNodeName="L1"/></TransformerWinding>
      <TransformerWinding name="W2" type="PTW"><Terminal name="T1" connectivityNode="AA1/E1/Q2/L1" cNodeName="L1"/></TransformerWinding>
    </PowerTransformer>
    <VoltageLevel name="D1"><Voltage unit="V" multiplier="k">132</Voltage>
      <Bay name="Q1">
        <ConductingEquipment name="I1" type="IFL"><Terminal name="T1" connectivityNode="AA1/D1/Q1/L0" cNodeName="L0"/></ConductingEquipment>
        <ConductingEquipment name="QA1" type="CBR">
          <Terminal name="T1" connectivityNode="AA1/D1/Q1/L0" cNodeName="L0"/><Terminal name="T2" connectivityNode="AA1/D1/Q1/L1" cNodeName="L1"/>
        </ConductingEquipment>
        <ConductingEquipment name="QC1" type="DIS">
          <Terminal name="T1" connectivityNode="AA1/D1/Q1/L1" cNodeName="L1"/><Terminal name="T2" connectivityNode="AA1/D1/Q1/grounded" cNodeName="grounded"/>
        </ConductingEquipment>
        <ConductingEquipment name="BI1" type="CTR"/>
        <ConductingEquipment name="X1" type="ROC"/>
        <ConnectivityNode name="L0" pathName="AA1/D1/Q1/L0"/><ConnectivityNode name="L1" pathName="AA1/D1/Q1/L1"/>
      </Bay>
    </VoltageLevel>
    <VoltageLevel name="E1"><Voltage unit="V">11000</Voltage>
      <Bay name="Q2"><ConnectivityNode name="L1" pathName="AA1/E1/Q2/L1"/></Bay>
    </VoltageLevel>
  </Substation>
  <IED name="P1"/>
</SCL>"#;

#[test]
fn substation_of_scl_is_read_with_paths_as_ids() {
    let imported = scl::import("station.scd", SCL).unwrap_or_else(|error| panic!("{error}"));
    let description = &imported.description;
    let containers: Vec<_> = description.containers.iter().map(|container| (container.id.as_str(), container.nominal_kv)).collect();
    assert_eq!(containers, [("AA1", None), ("AA1/D1", Some(132.0)), ("AA1/D1/Q1", None), ("AA1/E1", Some(11.0)), ("AA1/E1/Q2", None)]);
    let kinds: Vec<_> = description.equipment.iter().map(|equipment| (equipment.id.as_str(), equipment.kind)).collect();
    assert_eq!(
        kinds,
        [
            ("AA1/T1", EquipmentKind::PowerTransformer),
            ("AA1/D1/Q1/I1", EquipmentKind::EnergySource),
            ("AA1/D1/Q1/QA1", EquipmentKind::Breaker),
            ("AA1/D1/Q1/QC1", EquipmentKind::GroundDisconnector),
        ]
    );
    let earth = &description.equipment[3];
    let is_open = matches!(earth.electrical, Electrical::Switch(switch) if switch.is_normally_open);
    assert!(earth.is_in_service && is_open, "an earthing switch is in service, and open in the normal state");
    let notes: Vec<_> = imported.notes.iter().map(|note| format!("{}: {}", note.place, note.reason)).collect();
    assert_eq!(
        notes,
        [
            "IED: 1 left out: only substations are read",
            "CTR: 1 left out: a current transformer carries the current of its bay and is no end of the network",
            "ROC: 1 left out: the import does not know this type",
        ]
    );
    assert_eq!(scl::import("x.scd", "<SCL/>").unwrap_err().to_string(), "x.scd: it has no Substation");
}

/// A bay with a busbar disconnector QB1 at the nodes L0 and L1, and other equipment.
fn bay(equipment: &str) -> String {
    format!(
        "<SCL xmlns=\"http://www.iec.ch/61850/2003/SCL\"><Substation name=\"S\"><VoltageLevel name=\"E\"><Bay name=\"Q\">\
         <ConductingEquipment name=\"QB1\" type=\"DIS\">{}{}</ConductingEquipment>{equipment}\
         <ConnectivityNode name=\"L0\"/><ConnectivityNode name=\"L1\"/><ConnectivityNode name=\"E\"/><ConnectivityNode name=\"F\"/>\
         </Bay></VoltageLevel></Substation></SCL>",
        at("L0"),
        at("L1")
    )
}

fn at(node: &str) -> String {
    format!("<Terminal name=\"T\" connectivityNode=\"S/E/Q/{node}\"/>")
}

#[test]
fn earthing_switch_of_scl_is_at_the_side_with_equipment() {
    for nodes in [["L1", "E"], ["E", "L1"], ["L1", "grounded"], ["grounded", "L1"]] {
        for kind in ["ESW", "DIS"] {
            if kind == "DIS" && nodes.contains(&"E") {
                continue;
            }
            let switch =
                format!("<ConductingEquipment name=\"QC1\" type=\"{kind}\">{}{}</ConductingEquipment>", at(nodes[0]), at(nodes[1]));
            let imported = scl::import("station.scd", &bay(&switch)).unwrap_or_else(|error| panic!("{error}"));
            let earth = imported.description.equipment.iter().find(|equipment| equipment.id == "S/E/Q/QC1").expect("an earth switch");
            assert_eq!((earth.kind, earth.terminals.len()), (EquipmentKind::GroundDisconnector, 1));
            assert_eq!(earth.terminals[0].node, "S/E/Q/L1", "{nodes:?}");
        }
    }
}

#[test]
fn earthing_switch_of_scl_without_a_known_side_is_an_error() {
    for nodes in [["L0", "L1"], ["E", "F"], ["missing", "missing"]] {
        let switch = format!("<ConductingEquipment name=\"QC1\" type=\"ESW\">{}{}</ConductingEquipment>", at(nodes[0]), at(nodes[1]));
        let imported = scl::import("station.scd", &bay(&switch)).unwrap_or_else(|error| panic!("{error}"));
        let errors: Vec<_> = imported.errors().map(|note| note.place.as_str()).collect();
        assert_eq!(errors, ["S/E/Q/QC1"], "{nodes:?}");
    }
}

#[test]
fn terminals_beyond_the_number_of_the_kind_are_noted() {
    let breaker = format!("<ConductingEquipment name=\"QA1\" type=\"CBR\">{}{}{}</ConductingEquipment>", at("L0"), at("L1"), at("E"));
    let windings: String =
        ["L0", "L1", "E", "F"].map(|node| format!("<TransformerWinding name=\"{node}\">{}</TransformerWinding>", at(node))).concat();
    let double = format!("<TransformerWinding name=\"W1\">{}{}</TransformerWinding>", at("L0"), at("L1"));
    let other = format!("<TransformerWinding name=\"W2\">{}</TransformerWinding>", at("E"));
    let transformers = format!(
        "<PowerTransformer name=\"T1\">{windings}</PowerTransformer><PowerTransformer name=\"T2\">{double}{other}</PowerTransformer>"
    );
    let imported = scl::import("station.scd", &bay(&(breaker + &transformers))).unwrap_or_else(|error| panic!("{error}"));
    let notes: Vec<_> = imported.notes.iter().map(|note| format!("{}: {}", note.place, note.reason)).collect();
    assert_eq!(
        notes,
        [
            "S/E/Q/T1: PowerTransformer: only the first 3 of its 4 terminals are taken",
            "S/E/Q/T2/W1: TransformerWinding: only the first 1 of its 2 terminals are taken",
            "S/E/Q/QA1: CBR: only the first 2 of its 3 terminals are taken",
        ]
    );
}

/// A source, a switch, a transformer, a line and a load, written by hand.
const SIMBENCH: [(&str, &str); 9] = [
    (
        "Node.csv",
        "id;type;vmSetp;vaSetp;vmR;vmMin;vmMax;substation;coordID;subnet;voltLvl\n\
         N1;busbar;1.02;30;20;0.9;1.1;S;c1;MV;5\nN1_1;auxiliary;NULL;NULL;20;0.9;1.1;NULL;NULL;MV;5\nN2;node;NULL;NULL;0.4;0.9;1.1;NULL;NULL;LV;7\n\
         N3;node;NULL;NULL;0.4;0.9;1.1;NULL;NULL;LV;7\n",
    ),
    ("Substation.csv", "id;subnet;voltLvl\nS;MV;5\n"),
    ("Coordinates.csv", "id;x;y;subnet;voltLvl\nc1;11.7;53.7;MV;5\n"),
    ("Switch.csv", "id;nodeA;nodeB;type;cond;substation;subnet;voltLvl\nS1;N1;N1_1;CB;0;S;MV;5\n"),
    ("Line.csv", "id;nodeA;nodeB;type;length;loadingMax;subnet;voltLvl\nL1;N2;N3;cable;0.5;100;LV;7\nL2;N2;N9;cable;0.5;100;LV;7\n"),
    ("LineType.csv", "id;r;x;b;iMax;type\ncable;0.2;0.08;260;270;cable\n"),
    (
        "Transformer.csv",
        "id;nodeHV;nodeLV;type;tappos;autoTap;autoTapSide;loadingMax;substation;subnet;voltLvl\nT1;N1_1;N2;0.4 MVA Dyn5;-1;0;NULL;100;S;LV;6\n",
    ),
    (
        "TransformerType.csv",
        "id;sR;vmHV;vmLV;va0;vmImp;pCu;pFe;iNoLoad;tapable;tapside;dVm;dVa;tapNeutr;tapMin;tapMax\n\
         0.4 MVA Dyn5;0.4;20;0.4;150;6;4.8;1.2;0.30001;1;HV;2.5;0;0;-2;2\n",
    ),
    ("Load.csv", "id;node;profile;pLoad;qLoad;sR;subnet;voltLvl\nH1;N3;G3-A;0.02;0.01;0.03;LV;7\n"),
];

#[test]
fn simbench_is_read_with_types_of_its_lines_and_transformers() {
    let external = (
        "ExternalNet.csv",
        "id;node;calc_type;dspf;pExtNet;qExtNet;pWardShunt;qWardShunt;rXWard;xXWard;vmXWard;subnet;voltLvl\nG;N1;vavm;1;NULL;NULL;NULL;NULL;NULL;NULL;NULL;MV;5\n",
    );
    let files = SIMBENCH.into_iter().chain([external, ("LoadProfile.csv", "time\n1\n")]);
    let imported = simbench::import(files).unwrap_or_else(|error| panic!("{error}"));
    let description = &imported.description;
    assert_eq!((description.nodes[0].place, description.nodes[1].is_internal), (Some([11.7, 53.7]), true));
    let find = |id: &str| description.equipment.iter().find(|equipment| equipment.id == id).unwrap_or_else(|| panic!("{id}"));
    assert!(matches!(find("S1").electrical, Electrical::Switch(switch) if switch.is_normally_open));
    let Electrical::Line(line) = &find("L1").electrical else { panic!() };
    assert_eq!((line.series.r_ohm, line.series.x_ohm, line.rated_a), (0.1, 0.04, Some(270.0)));
    assert!((line.b_s - 130e-6).abs() < 1e-15);
    let Electrical::Transformer(transformer) = &find("T1").electrical else { panic!() };
    // 4.8 kW of 400 kVA are 1.2 percent of 1,000 ohms.
    assert!((transformer.ends[0].series.r_ohm - 12.0).abs() < 1e-9);
    assert_eq!((transformer.ends[1].clock, transformer.ends[0].tap.map(|tap| tap.step)), (5, Some(-1)));
    let Electrical::Source(source) = find("G").electrical else { panic!() };
    assert_eq!((source.voltage_pu, source.angle_deg), (1.02, 30.0));
    let notes: Vec<_> = imported.notes.iter().map(|note| format!("{}: {}", note.place, note.reason)).collect();
    for expected in [
        "L2: left out, because its node N9 is missing",
        "LoadProfile.csv: left out: profiles, study cases and results are no part of a network",
        "Line.csv: column loadingMax is not taken; 2 rows have a value",
    ] {
        assert!(notes.iter().any(|note| note == expected), "{expected} in {notes:?}");
    }
}

#[test]
fn second_file_of_one_name_is_refused() {
    let error = simbench::import(SIMBENCH.into_iter().chain([("Line.csv", "id;nodeA;nodeB;type;length\n")])).unwrap_err().to_string();
    assert_eq!(error, "Line.csv: there are two files of this name. Import one network at a time");
}
