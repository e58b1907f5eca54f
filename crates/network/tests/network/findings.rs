//! Findings about descriptions: one change of a sound description for each rule, and what the rules promise.

use network::changes::{ChangeSet, PartChanges, PartIds};
use network::description::{
    Connection, Container, ContainerKind, Electrical, Equipment, Measurement, Node, Switch, Tap, Terminal, Transformer, TransformerEnd,
};
use network::findings::{Findings, LISTED_MAX, PartKind, Rule, Severity};
use network::{Description, EquipmentKind, Phases};
use proptest::prelude::*;

/// A source at 33 kV, a transformer, a breaker at 11 kV, a line, customers and an earth switch, without findings.
const SOUND: &str = r#"{
    "containers": [
        {"id": "S", "kind": "Substation", "place": [72.8, 18.9]},
        {"id": "S11", "kind": "VoltageLevel", "parent": "S", "nominal_kv": 11},
        {"id": "bay", "kind": "Bay", "parent": "S11"}
    ],
    "nodes": [
        {"id": "high", "container": "S", "nominal_kv": 33},
        {"id": "bus", "container": "S11", "nominal_kv": 11},
        {"id": "cable", "container": "bay", "nominal_kv": 11},
        {"id": "end", "nominal_kv": 11, "place": [72.9, 18.9]}
    ],
    "equipment": [
        {"id": "grid", "kind": "EnergySource", "terminals": [{"node": "high"}], "electrical": {"Source": {}}},
        {"id": "T1", "kind": "PowerTransformer", "container": "S", "terminals": [{"node": "high"}, {"node": "bus"}],
         "electrical": {"Transformer": {"ends": [
            {"rated_kv": 33, "rated_kva": 8000, "connection": "D", "series": {"r_ohm": 0.5, "x_ohm": 10}, "tap": {"step": 3, "neutral": 9, "low": 1, "high": 17, "step_percent": 1.25}},
            {"rated_kv": 11.5, "rated_kva": 8000, "connection": "Yn", "clock": 11}]}}},
        {"id": "CB", "kind": "Breaker", "container": "bay", "terminals": [{"node": "bus"}, {"node": "cable"}], "electrical": {"Switch": {"rated_a": 630}}},
        {"id": "line", "kind": "ACLineSegment", "terminals": [{"node": "cable"}, {"node": "end"}],
         "electrical": {"Line": {"length_km": 2.5, "series": {"r_ohm": 0.4, "x_ohm": 0.3}}}},
        {"id": "village", "kind": "EnergyConsumer", "container": "bay", "terminals": [{"node": "end"}], "electrical": {"Consumer": {"customers": 120, "kw": 80}}},
        {"id": "ES", "kind": "GroundDisconnector", "terminals": [{"node": "cable"}], "electrical": {"Switch": {"is_normally_open": true}}}
    ],
    "measurements": [
        {"id": "P1", "equipment": "CB", "quantity": "Pos", "point": "RTU1/F1/CB/Pos"},
        {"id": "P2", "equipment": "CB", "terminal": 2, "quantity": "Ir", "phases": "A"},
        {"id": "P3", "equipment": "ES", "quantity": "Pos", "point": "RTU1/F1/ES/Pos"}
    ]
}"#;

fn sound() -> Description {
    serde_json::from_str(SOUND).expect("a description")
}

type Change = fn(&mut Description);
/// The rule, the part, and a piece of the text of the problem.
type Expected = (Rule, PartKind, &'static str, &'static str);

fn equipment<'a>(of: &'a mut Description, id: &str) -> &'a mut Equipment {
    of.equipment.iter_mut().find(|equipment| equipment.id == id).expect("there")
}

fn transformer(of: &mut Description) -> &mut Transformer {
    match &mut equipment(of, "T1").electrical {
        Electrical::Transformer(transformer) => transformer,
        other => panic!("{other:?}"),
    }
}

fn measurement(id: &str, equipment: &str, quantity: &str) -> Measurement {
    Measurement { id: id.into(), equipment: equipment.into(), terminal: None, quantity: quantity.into(), phases: Phases::ABC, point: None }
}

fn container(id: &str, kind: ContainerKind, parent: Option<&str>) -> Container {
    Container { id: id.into(), name: String::new(), kind, parent: parent.map(str::to_owned), nominal_kv: None, place: None }
}

fn node(id: &str) -> Node {
    Node { id: id.into(), name: String::new(), container: None, nominal_kv: None, is_internal: false, place: None }
}

fn terminal(node: &str) -> Terminal {
    Terminal { node: node.into(), phases: Phases::ABC }
}

const ERRORS: &[(Change, Expected)] = &[
    (|of| of.nodes.push(node("bus")), (Rule::DuplicateId, PartKind::Node, "bus", "parts 2 and 5")),
    (|of| of.containers.push(container("S", ContainerKind::Line, None)), (Rule::DuplicateId, PartKind::Container, "S", "parts 1 and 4")),
    (|of| of.measurements.push(measurement("P1", "CB", "Vry")), (Rule::DuplicateId, PartKind::Measurement, "P1", "")),
    (|of| of.containers.push(container("", ContainerKind::Line, None)), (Rule::InvalidText, PartKind::Container, "", "its id")),
    (|of| equipment(of, "CB").name = "x".repeat(201), (Rule::InvalidText, PartKind::Equipment, "CB", "its name has too many characters")),
    (|of| equipment(of, "CB").name = "a\0b".into(), (Rule::InvalidText, PartKind::Equipment, "CB", "control characters")),
    (|of| of.measurements[1].point = Some("x".repeat(201)), (Rule::InvalidText, PartKind::Measurement, "P2", "its point")),
    (|of| of.measurements[1].quantity.clear(), (Rule::InvalidText, PartKind::Measurement, "P2", "its quantity")),
    (
        |of| equipment(of, "village").id = "temporary/7".into(),
        (Rule::ReservedId, PartKind::Equipment, "temporary/7", "belong to temporary changes"),
    ),
    (|of| of.nodes[3].nominal_kv = Some(f64::NAN), (Rule::NotFinite, PartKind::Node, "end", "nominal_kv is NaN")),
    (|of| transformer(of).ends[0].series.x_ohm = f64::INFINITY, (Rule::NotFinite, PartKind::Equipment, "T1", "x_ohm is inf")),
    (|of| of.nodes[3].place = Some([72.9, 91.0]), (Rule::OutOfRange, PartKind::Node, "end", "latitude is 91; allowed: -90 to 90")),
    (|of| of.containers[1].nominal_kv = Some(-11.0), (Rule::OutOfRange, PartKind::Container, "S11", "allowed: above 0, up to 2000")),
    (
        |of| equipment(of, "line").electrical = serde_json::from_str(r#"{"Line": {"length_km": -1}}"#).expect("a line"),
        (Rule::OutOfRange, PartKind::Equipment, "line", "length_km is -1; allowed: 0 or more"),
    ),
    (
        |of| equipment(of, "line").electrical = serde_json::from_str(r#"{"Line": {"series": {"r_ohm": -0.1}}}"#).expect("a line"),
        (Rule::OutOfRange, PartKind::Equipment, "line", "r_ohm is -0.1"),
    ),
    (
        |of| {
            equipment(of, "village").electrical =
                serde_json::from_str(r#"{"Consumer": {"constant_impedance": 0.6, "constant_current": 0.6}}"#).expect("a load");
        },
        (Rule::OutOfRange, PartKind::Equipment, "village", "constant_impedance + constant_current is 1.2"),
    ),
    (|of| transformer(of).ends[1].clock = 12, (Rule::OutOfRange, PartKind::Equipment, "T1", "clock is 12; allowed: 0 to 11")),
    (
        |of| transformer(of).ends[0].tap = Some(Tap { step: 3, neutral: 3, low: 3, high: 1, ..Tap::default() }),
        (Rule::OutOfRange, PartKind::Equipment, "T1", "tap.step is 3; allowed: 3 to 1"),
    ),
    (|of| of.nodes[0].container = Some("X".into()), (Rule::MissingContainer, PartKind::Node, "high", "its container X does not exist")),
    (|of| of.containers[2].parent = Some("X".into()), (Rule::MissingContainer, PartKind::Container, "bay", "X")),
    (|of| equipment(of, "CB").container = Some("X".into()), (Rule::MissingContainer, PartKind::Equipment, "CB", "X")),
    (
        |of| of.containers[0].parent = Some("bay".into()),
        (Rule::ContainerCycle, PartKind::Container, "S", "it is part of itself: S, bay, S11"),
    ),
    (|of| of.containers[0].parent = Some("S".into()), (Rule::ContainerCycle, PartKind::Container, "S", "it is part of itself: S")),
    (
        |of| equipment(of, "village").terminals[0].node = "X".into(),
        (Rule::MissingNode, PartKind::Equipment, "village", "its terminal 1 is at node X, which does not exist"),
    ),
    (
        |of| equipment(of, "CB").terminals.push(terminal("end")),
        (Rule::WrongTerminals, PartKind::Equipment, "CB", "Breaker has 3 terminals; allowed: 2"),
    ),
    (
        |of| equipment(of, "village").terminals.clear(),
        (Rule::WrongTerminals, PartKind::Equipment, "village", "has 0 terminals; allowed: 1"),
    ),
    (
        |of| equipment(of, "CB").terminals[1].phases = Phases::NONE,
        (Rule::NoCommonPhase, PartKind::Equipment, "CB", r#"the phases of its terminals are "ABC" and """#),
    ),
    (
        |of| equipment(of, "CB").electrical = Electrical::DirectCurrent { kw: 1.0 },
        (Rule::WrongValues, PartKind::Equipment, "CB", "not those of Breaker"),
    ),
    (
        |of| transformer(of).ends.push(TransformerEnd { rated_kv: 1.0, rated_kva: Some(1.0), ..TransformerEnd::default() }),
        (Rule::WrongValues, PartKind::Equipment, "T1", "values of 3 windings, but 2 terminals"),
    ),
    (|of| of.nodes[1].nominal_kv = Some(33.0), (Rule::TwoVoltages, PartKind::Node, "bus", "33 kV, but it is in S11, which has 11 kV")),
    (
        |of| of.nodes[3].nominal_kv = Some(6.6),
        (Rule::TwoVoltages, PartKind::Equipment, "line", "joins node cable of 11 kV with node end of 6.6 kV without a transformer"),
    ),
    (
        |of| {
            of.nodes[2] = Node { nominal_kv: None, container: None, ..of.nodes[2].clone() };
            of.nodes[3].nominal_kv = Some(6.6);
        },
        (Rule::TwoVoltages, PartKind::Equipment, "line", "joins node cable of 11 kV (that of node bus) with node end of 6.6 kV without"),
    ),
    (|of| of.equipment.clear(), (Rule::EmptyNetwork, PartKind::Equipment, "", "no equipment")),
    (
        |of| of.measurements.push(measurement("P4", "X", "Pos")),
        (Rule::MissingEquipment, PartKind::Measurement, "P4", "its equipment X does not exist"),
    ),
    (|of| of.measurements[1].terminal = Some(3), (Rule::MissingTerminal, PartKind::Measurement, "P2", "terminal 3, but CB has 2")),
    (
        |of| {
            equipment(of, "ES").terminals[0].phases = Phases::parse("AB").expect("phases");
            of.measurements[2].phases = Phases::parse("C").expect("phases");
        },
        (Rule::PhasesOfPosition, PartKind::Measurement, "P3", "it is of the phases C, but ES has AB"),
    ),
    (|of| of.measurements[1].terminal = Some(0), (Rule::MissingTerminal, PartKind::Measurement, "P2", "terminal 0")),
    (
        |of| {
            let earth = equipment(of, "ES").clone();
            of.equipment.extend((0..255).map(|number| Equipment { id: format!("E{number}"), ..earth.clone() }));
        },
        (Rule::TooManyAtNode, PartKind::Node, "cable", "more than 255 sources and earth switches"),
    ),
];

const WARNINGS: &[(Change, Expected)] = &[
    (
        |of| of.measurements[2].point = of.measurements[0].point.clone(),
        (Rule::PointTwice, PartKind::Measurement, "P3", "its point RTU1/F1/CB/Pos is that of P1 too"),
    ),
    (|of| of.nodes.push(node("lonely")), (Rule::NodeWithoutTerminals, PartKind::Node, "lonely", "no equipment")),
    (
        |of| drop(of.measurements.remove(0)),
        (Rule::SwitchWithoutPoint, PartKind::Equipment, "CB", "no measurement Pos with a point belongs to this Breaker"),
    ),
    (|of| of.measurements[0].point = None, (Rule::SwitchWithoutPoint, PartKind::Equipment, "CB", "no measurement Pos with a point")),
    (|of| drop(of.measurements.remove(2)), (Rule::SwitchWithoutPoint, PartKind::Equipment, "ES", "")),
    (
        |of| of.measurements.push(measurement("P4", "village", "Pos")),
        (Rule::PositionWithoutSwitch, PartKind::Measurement, "P4", "village is EnergyConsumer"),
    ),
    (|of| of.measurements[1].terminal = None, (Rule::MeasurementWithoutTerminal, PartKind::Measurement, "P2", "CB has 2 terminals")),
    (
        |of| equipment(of, "T1").electrical = Electrical::Nothing,
        (Rule::TransformerWithoutRating, PartKind::Equipment, "T1", "it has no electrical values"),
    ),
    (|of| transformer(of).ends[1].rated_kva = None, (Rule::TransformerWithoutRating, PartKind::Equipment, "T1", "its winding 2")),
    (
        |of| transformer(of).ends.swap(0, 1),
        (Rule::RatedVoltage, PartKind::Equipment, "T1", "its winding 1 is rated 11.5 kV, but its node has 33 kV"),
    ),
    (
        |of| equipment(of, "grid").is_in_service = false,
        (Rule::PartWithoutSource, PartKind::Node, "high", "the part with this node (4 nodes) has no source"),
    ),
    (
        |of| equipment(of, "line").is_in_service = false,
        (Rule::PartWithoutSource, PartKind::Node, "end", "the part with this node (1 nodes)"),
    ),
    (
        |of| equipment(of, "village").container = None,
        (Rule::ConsumerWithoutStation, PartKind::Equipment, "village", "it has 120 customers, and is in no feeder and no substation"),
    ),
    (
        |of| {
            of.containers.push(container("F1", ContainerKind::Feeder, None));
            equipment(of, "village").container = Some("F1".into());
        },
        (Rule::ConsumerWithoutStation, PartKind::Container, "F1", "it is in no substation, and has 120 customers at 1 consumers"),
    ),
];

#[test]
fn each_rule_reports_place_and_remedy() {
    assert_eq!(sound().check(), Findings::default());
    for (severity, cases) in [(Severity::Error, ERRORS), (Severity::Warning, WARNINGS)] {
        for (change, (rule, part, id, text)) in cases {
            let mut description = sound();
            change(&mut description);
            let findings = description.check();
            let listed: Vec<_> = findings.listed().collect();
            let found = listed.iter().find(|finding| finding.rule == *rule).unwrap_or_else(|| panic!("{rule:?} {id}: {listed:#?}"));
            assert_eq!((found.part, found.id.as_str(), found.severity()), (*part, *id, severity), "{found:?}");
            assert!(found.problem.contains(text), "{found:?} has no {text:?}");
            assert!(found.remedy().ends_with('.'), "{found:?}");
            assert_eq!(findings.permit_activation(), severity == Severity::Warning, "{listed:#?}");
            assert_eq!(findings.permit_storing(), !rule.prevents_storing(), "{listed:#?}");
        }
    }
    let tried = |rule: &Rule| ERRORS.iter().chain(WARNINGS).any(|(_, expected)| expected.0 == *rule);
    assert_eq!(Rule::ALL.into_iter().filter(|rule| !tried(rule)).collect::<Vec<_>>(), []);
}

#[test]
fn one_mistake_gives_one_finding() {
    let numbers = ERRORS.iter().filter(|(_, expected)| matches!(expected.0, Rule::NotFinite | Rule::OutOfRange));
    for (change, (rule, ..)) in WARNINGS.iter().chain(numbers) {
        let mut description = sound();
        change(&mut description);
        let findings = description.check();
        let others: Vec<_> = findings.listed().filter(|finding| finding.rule != *rule).collect();
        assert!(others.is_empty(), "{others:?}");
    }
}

#[test]
fn unknown_values_and_near_voltages_are_no_findings() {
    let mut description = sound();
    description.nodes[3].nominal_kv = None;
    transformer(&mut description).ends[0].connection = Connection::Single;
    transformer(&mut description).ends[0].rated_kv = 19.05;
    description.nodes[2].nominal_kv = Some(11.5);
    equipment(&mut description, "CB").electrical = Electrical::Switch(Switch::default());
    assert_eq!(description.check(), Findings::default());
}

#[test]
fn long_lists_are_cut_and_the_rest_is_counted() {
    let mut description = sound();
    description.nodes.extend((0..1_000).map(|number| node(&format!("n{number}"))));
    description.nodes.push(node(&"é".repeat(5_000)));
    let findings = description.check();
    assert_eq!(findings.count(Rule::NodeWithoutTerminals), 1_001);
    assert_eq!((findings.listed().count(), findings.unlisted()), (LISTED_MAX + 1, 1_001 - LISTED_MAX));
    assert_eq!((findings.count_of(Severity::Error), findings.count_of(Severity::Warning)), (1, 1_001));
    let first = findings.listed().next().expect("a finding");
    assert_eq!((first.rule, first.id.chars().count()), (Rule::InvalidText, 201), "errors come first, ids are cut");
}

#[test]
fn long_ids_are_cut_in_messages() {
    let long = "é".repeat(200);
    let mut description = sound();
    description.nodes[3] = Node { id: long.clone(), nominal_kv: Some(6.6), ..description.nodes[3].clone() };
    for equipment in ["line", "village"] {
        equipment_of(&mut description, equipment, &long);
    }
    let findings = description.check();
    let found = findings.listed().find(|finding| finding.rule == Rule::TwoVoltages).expect("a finding");
    let cut = format!("{}…", "é".repeat(80));
    assert_eq!(found.problem, format!("it joins node cable of 11 kV with node {cut} of 6.6 kV without a transformer"));
    // The id of the part itself is whole, so that it can be found.
    description.nodes.push(node(&long));
    let findings = description.check();
    assert_eq!(findings.listed().next().map(|finding| (finding.rule, finding.id.clone())), Some((Rule::DuplicateId, long.clone())));
    assert_eq!(description.to_model().unwrap_err().to_string(), format!("node {cut}: a node with this id exists already"));
    let remove = PartIds { nodes: vec![long], ..PartIds::default() };
    let change = ChangeSet::Parts(PartChanges { put: Description::default(), remove });
    assert_eq!(change.apply_to(&sound()).unwrap_err().to_string(), format!("remove: there is no node {cut}"));
}

/// Moves the last terminal of a piece of equipment.
fn equipment_of(of: &mut Description, id: &str, node: &str) {
    equipment(of, id).terminals.last_mut().expect("a terminal").node = node.into();
}

#[test]
fn voltages_reach_over_nodes_without_one() {
    let mut description = sound();
    // A chain of switches and lines between 11 kV and 33 kV, with no voltage in it.
    description.nodes.extend((0..6).map(|number| node(&format!("n{number}"))));
    description.nodes.push(Node { nominal_kv: Some(33.0), ..node("far") });
    let chain = ["end", "n0", "n1", "n2", "n3", "n4", "n5", "far"];
    for (number, pair) in chain.windows(2).enumerate() {
        let kind = if number % 2 == 0 { EquipmentKind::Breaker } else { EquipmentKind::LineSegment };
        let terminals = pair.iter().map(|node| terminal(node)).collect();
        let part = Equipment {
            id: format!("e{number}"),
            kind,
            terminals,
            electrical: Electrical::Nothing,
            ..equipment(&mut description, "CB").clone()
        };
        description.equipment.push(part);
    }
    let findings = description.check();
    let found: Vec<&str> =
        findings.listed().filter(|finding| finding.rule == Rule::TwoVoltages).map(|finding| finding.problem.as_str()).collect();
    assert_eq!(found, ["it joins node n2 of 11 kV (that of node end) with node n3 of 33 kV (that of node far) without a transformer"]);
    // The voltage level of a node counts where the node has no voltage of its own.
    let mut description = sound();
    description.nodes[1].nominal_kv = None;
    description.nodes[2].nominal_kv = None;
    description.nodes[3].nominal_kv = Some(33.0);
    let found: Vec<String> = description.check().listed().map(|finding| finding.id.clone()).collect();
    assert_eq!(found, ["line"]);
}

fn any_terminals() -> impl Strategy<Value = Vec<Terminal>> {
    let phases =
        prop::sample::select(vec![Phases::ABC, Phases::parse("A").expect("phases"), Phases::parse("BC").expect("phases"), Phases::NONE]);
    prop::collection::vec((0_u8..6, phases).prop_map(|(at, phases)| Terminal { node: format!("n{at}"), phases }), 0..4)
}

proptest! {
    #[test]
    fn description_without_errors_makes_a_model(
        kinds in prop::collection::vec((prop::sample::select(EquipmentKind::ALL.to_vec()), any_terminals(), 0_u8..8), 0..8),
        nodes in 3_u8..7,
    ) {
        let equipment = kinds.into_iter().map(|(kind, terminals, id)| Equipment {
            id: format!("e{id}"),
            name: String::new(),
            kind,
            container: None,
            terminals,
            is_in_service: id % 2 == 0,
            electrical: if id == 7 { Electrical::DirectCurrent { kw: 1.0 } } else { Electrical::Nothing },
        });
        let nodes = (0..nodes).map(|number| node(&format!("n{number}"))).collect();
        let description = Description { nodes, equipment: equipment.collect(), ..Description::default() };
        let makes_a_model = description.to_model().is_ok() && !description.equipment.is_empty();
        prop_assert_eq!(description.check().permit_activation(), makes_a_model);
    }
}
