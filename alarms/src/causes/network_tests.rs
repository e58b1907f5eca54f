//! Tests of causes in the network of two substations: `UP` with an infeed and a feeder to `LOW`, which has a feeder with customers.

use grid::measure::Quantity;
use grid::point::kind_of_code;
use grid::position::Encoding;
use grid::{ClientId, Event, GatewayId, Level, LinkOrder, Ordinal, Point, Quality};
use network::description::{
    Consumption, Container, ContainerKind, Description, Electrical, Equipment, Line, Measurement, Node, SourceVoltage, Switch, Terminal,
};
use network::{EquipmentKind, Phases};
use registry::{ActiveNetwork, Image};
use store::network::{ActiveVersion, VersionNumber};
use store::registry::{AssetRecord, ClientRecord, GatewayRecord, NodeRecord};

use super::*;

const CLIENT: ClientId = ClientId(1);
const UP: NodeId = NodeId(1);
const LOW: NodeId = NodeId(2);
/// The feeder with customers.
const F1: AssetId = AssetId(15);
const UP_INCOMER: PointId = PointId(111);
const UP_FEEDER: PointId = PointId(112);
const LOW_INCOMER: PointId = PointId(113);
const LOW_FEEDER: PointId = PointId(114);
const STANDBY: PointId = PointId(116);
const VOLTS: [PointId; 3] = [PointId(101), PointId(102), PointId(103)];
const OPEN: f64 = 1.0;
const CLOSED: f64 = 2.0;

fn s(second: i64) -> Micros {
    Micros::from_millis(second * 1_000)
}

/// Each asset with its id, substation, code, type, class and device.
const ASSETS: [(i64, NodeId, &str, i32, &str, &str); 7] = [
    (10, UP, "INC1", 9, "line", "INC1"),
    (11, UP, "INC1CB", 3, "breaker", "INC1"),
    (12, UP, "F1CB", 3, "breaker", "F1"),
    (13, LOW, "INC1CB", 3, "breaker", "INC1"),
    (14, LOW, "F1CB", 3, "breaker", "F1"),
    (15, LOW, "F1", 1, "feeder", "F1"),
    (16, LOW, "INC2CB", 3, "breaker", "INC2"),
];

/// Each point with its id, asset and code.
const POINTS: [(i64, i64, &str); 9] = [
    (101, 10, "Vry"),
    (102, 10, "Vyb"),
    (103, 10, "Vbr"),
    (111, 11, "Pos"),
    (112, 12, "Pos"),
    (113, 13, "Pos"),
    (114, 14, "Pos"),
    (115, 15, "Vr"),
    (116, 16, "Pos"),
];

fn code(station: NodeId) -> &'static str {
    if station == UP { "UP" } else { "LOW" }
}

fn image() -> Arc<Image> {
    let node = |id: NodeId| NodeRecord {
        id,
        client: CLIENT,
        level: Level::Substation,
        parent: None,
        code: code(id).to_owned(),
        name: code(id).to_owned(),
        kv: None,
        lat: None,
        lon: None,
        drawing_stored: None,
        path: vec![id],
    };
    let gateway = |location: NodeId| GatewayRecord {
        id: GatewayId(location.0),
        client: CLIENT,
        code: code(location).to_owned(),
        name: code(location).to_owned(),
        location,
        online: true,
        since: None,
        order: LinkOrder::default(),
        last_seen: None,
        discovered: false,
    };
    let asset = |(id, location, code, type_id, class, device): (i64, NodeId, &str, i32, &str, &str)| AssetRecord {
        id: AssetId(id),
        client: CLIENT,
        location,
        code: code.to_owned(),
        name: code.to_owned(),
        type_id,
        class_name: class.to_owned(),
        device: device.to_owned(),
        kv: Some(33.0),
        customers: if class == "feeder" { 100 } else { 0 },
        customers_known: true,
        control_asset_req: false,
        is_sbo_supported: false,
        feeds: None,
    };
    let point = |(id, asset, point_code): (i64, i64, &str)| {
        let (_, location, asset_code, asset_type, _, device) = ASSETS[(asset - 10) as usize];
        Point {
            id: PointId(id),
            client: CLIENT,
            gateway: GatewayId(location.0),
            location,
            asset: AssetId(asset),
            asset_name: asset_code.to_owned(),
            asset_type,
            device: device.to_owned(),
            metric: format!("{asset_code}/{point_code}"),
            code: point_code.to_owned(),
            kind: kind_of_code(point_code),
            quantity: Quantity::of_code(point_code),
            unit: String::new(),
            decimals: 1,
            scale: 1.0,
            expected_ms: None,
        }
    };
    let client = ClientRecord {
        id: CLIENT,
        code: "TEST".to_owned(),
        name: "Test".to_owned(),
        time_zone: "UTC".to_owned(),
        config: serde_json::Value::default(),
    };
    Arc::new(Image::from(store::Registry {
        clients: vec![client],
        nodes: [UP, LOW].map(node).into(),
        assets: ASSETS.map(asset).into(),
        gateways: [UP, LOW].map(gateway).into(),
        devices: Vec::new(),
        points: POINTS.map(point).into(),
    }))
}

/// A second line to `LOW`, from the source `other`, is normally open.
fn description() -> Description {
    use EquipmentKind::{Breaker, EnergySource, LineSegment};

    let node = |id: &str| Node {
        id: id.to_owned(),
        name: String::new(),
        container: None,
        nominal_kv: Some(33.0),
        is_internal: false,
        place: None,
    };
    let equipment = |(id, kind, nodes, electrical): (&str, EquipmentKind, &[&str], Electrical)| Equipment {
        id: id.to_owned(),
        name: String::new(),
        kind,
        container: None,
        terminals: nodes.iter().map(|node| Terminal { node: (*node).to_owned(), phases: Phases::ABC }).collect(),
        is_in_service: true,
        electrical,
    };
    let measurement = |equipment: &str, terminal: Option<u8>, quantity: &str, point: &str| Measurement {
        id: format!("{equipment}/{quantity}"),
        equipment: equipment.to_owned(),
        terminal,
        quantity: quantity.to_owned(),
        phases: Phases::ABC,
        point: Some(point.to_owned()),
    };
    let switch = |is_normally_open| Electrical::Switch(Switch { is_normally_open, ..Switch::default() });
    let source = || Electrical::Source(SourceVoltage { voltage_pu: 1.0, angle_deg: 0.0, impedance: None });
    let parts: [(&str, EquipmentKind, &[&str], Electrical); 8] = [
        ("source", EnergySource, &["grid"], source()),
        ("UP/INC1CB", Breaker, &["grid", "up"], switch(false)),
        ("UP/F1CB", Breaker, &["up", "line"], switch(false)),
        ("circuit", LineSegment, &["line", "end"], Electrical::Line(Line::default())),
        ("LOW/INC1CB", Breaker, &["end", "low"], switch(false)),
        ("LOW/F1CB", Breaker, &["low", "feeder"], switch(false)),
        ("other", EnergySource, &["other line"], source()),
        ("LOW/INC2CB", Breaker, &["other line", "low"], switch(true)),
    ];
    let mut measurements: Vec<Measurement> =
        ["Vry", "Vyb", "Vbr"].iter().map(|code| measurement("source", Some(1), code, &format!("UP/INC1/INC1/{code}"))).collect();
    measurements.extend(
        [("UP", "INC1"), ("UP", "F1"), ("LOW", "INC1"), ("LOW", "F1"), ("LOW", "INC2")]
            .map(|(station, bay)| measurement(&format!("{station}/{bay}CB"), None, "Pos", &format!("{station}/{bay}/{bay}CB/Pos"))),
    );
    measurements.push(measurement("LOW/F1CB", Some(2), "Vr", "LOW/F1/F1/Vr"));
    Description {
        nodes: ["grid", "up", "line", "end", "low", "feeder", "other line"].map(node).into(),
        equipment: parts.map(equipment).into(),
        measurements,
        ..Description::default()
    }
}

fn bound() -> Arc<BoundNetwork> {
    bound_with(description())
}

/// The breaker of the feeder to `LOW` is three breakers of one phase each, which one point reports.
fn with_breaker_of_each_phase() -> Description {
    let mut description = description();
    let place = |of: &str| of == "UP/F1CB";
    let at = description.equipment.iter().position(|of| place(&of.id)).expect("the breaker");
    let breaker = description.equipment.remove(at);
    let at = description.measurements.iter().position(|of| place(&of.equipment)).expect("its position");
    let position = description.measurements.remove(at);
    for letter in ["A", "B", "C"] {
        let phases = Phases::parse(letter).expect("a phase");
        let terminals = breaker.terminals.iter().map(|terminal| Terminal { phases, ..terminal.clone() }).collect();
        let id = format!("UP/F1CB{letter}");
        description.measurements.push(Measurement { id: format!("{id}/Pos"), equipment: id.clone(), phases, ..position.clone() });
        description.equipment.push(Equipment { id, terminals, ..breaker.clone() });
    }
    description
}

fn bound_with(description: Description) -> Arc<BoundNetwork> {
    let version = ActiveVersion { version: VersionNumber(1), since: s(0), until: None };
    let active = ActiveNetwork::new(CLIENT, version, description).expect("a network");
    Arc::new(BoundNetwork::new(Arc::new(active), &image(), &[]).expect("a utility"))
}

/// The feeder has 70 customers at its begin, and 50 behind a switch that is open.
fn with_customers() -> Description {
    let mut description = description();
    let container = |id: &str, kind, parent: Option<&str>| Container {
        id: id.to_owned(),
        name: String::new(),
        kind,
        parent: parent.map(str::to_owned),
        nominal_kv: None,
        place: None,
    };
    description.containers =
        vec![container("LOW", ContainerKind::Substation, None), container("LOW/F1", ContainerKind::Feeder, Some("LOW"))];
    description.nodes.push(Node { id: "behind".to_owned(), ..description.nodes[0].clone() });
    let in_feeder = Equipment { container: Some("LOW/F1".to_owned()), ..description.equipment[5].clone() };
    let electrical = Electrical::Switch(Switch { is_normally_open: true, ..Switch::default() });
    let terminals = ["feeder", "behind"].map(|node| Terminal { node: node.to_owned(), phases: Phases::ABC }).into();
    description.equipment.push(Equipment { id: "section".to_owned(), terminals, electrical, ..in_feeder.clone() });
    for (node, customers) in [("feeder", 70), ("behind", 50)] {
        let electrical = Electrical::Consumer(Consumption { customers, kw: 1.0, ..Consumption::default() });
        let terminals = vec![Terminal { node: node.to_owned(), phases: Phases::ABC }];
        let (id, kind) = (format!("of {node}"), EquipmentKind::EnergyConsumer);
        description.equipment.push(Equipment { id, kind, terminals, electrical, ..in_feeder.clone() });
    }
    description
}

fn reading(second: i64, value: f64) -> Reading {
    let (source, ordinal) = (s(second), Ordinal { epoch: 1, seq: second });
    Reading { value: Some(value), quality: Quality::Good, source, received: source, ordinal }
}

fn movement(switch: PointId, second: i64, value: f64) -> FieldEvent {
    let Reading { value, quality, source, received, ordinal } = reading(second, value);
    let event = Event {
        client: CLIENT,
        offset: second,
        point: switch,
        asset: AssetId(9),
        asset_name: String::new(),
        location: if switch == UP_INCOMER || switch == UP_FEEDER { UP } else { LOW },
        location_name: String::new(),
        signal: String::new(),
        encoding: Encoding::DoublePoint,
        value,
        quality,
        source,
        received,
        ordinal,
    };
    FieldEvent { event, code: "Pos".to_owned(), of_breaker: true, by_protection: false, ordered: false }
}

/// All switches closed except for that of the standby line, and the infeed with its voltage.
fn causes() -> Causes {
    causes_in(bound())
}

fn causes_in(bound: Arc<BoundNetwork>) -> Causes {
    let mut causes = Causes::default();
    causes.set_network(Some(bound), &HashSet::new());
    for (switch, value) in [(UP_INCOMER, CLOSED), (UP_FEEDER, CLOSED), (LOW_INCOMER, CLOSED), (LOW_FEEDER, CLOSED), (STANDBY, OPEN)] {
        causes.stored(switch, &reading(1, value));
    }
    for point in &VOLTS {
        causes.stored(*point, &reading(1, 33.0));
    }
    let effect = causes.begin_network(&HashMap::new(), s(1));
    assert!(effect.opened.is_empty() && effect.lost.is_empty());
    assert!(causes.network().is_some_and(|network| network.is_supplied(F1)), "it has supply");
    causes
}

fn lose_voltage(causes: &mut Causes, second: i64) -> MovementEffect {
    let effects: Vec<MovementEffect> = VOLTS.iter().map(|point| causes.measured(*point, &reading(second, 0.2))).collect();
    assert!(effects[..2].iter().all(|effect| effect.opened.is_empty() && effect.lost.is_empty()), "one voltage proves nothing");
    effects.into_iter().next_back().expect("three")
}

fn source_at(causes: &Causes, second: i64) -> Option<String> {
    causes.of(F1, s(second)).map(|found| found.source)
}

fn changes(of: &[OpenedChange]) -> Vec<(&str, bool)> {
    of.iter().map(|(about, active)| (about.source.as_str(), *active)).collect()
}

#[test]
fn trip_is_the_cause_in_the_substation_below() {
    let mut causes = causes();
    let effect = causes.moved(&movement(UP_INCOMER, 10, OPEN), true);
    assert!(effect.opened.is_empty(), "the trip has its alarm");
    assert_eq!(effect.lost, [Lost { asset: F1, cause: trip_source(UP_INCOMER), at: s(10) }]);
    assert_eq!([8, 9, 60].map(|second| source_at(&causes, second).is_some()), [false, true, true]);
    assert!(causes.missing(std::iter::empty(), &[movement(LOW_INCOMER, 11, OPEN)]).is_empty(), "no drawing is needed");
    causes.moved(&movement(UP_INCOMER, 100, CLOSED), false);
    assert!(!causes.is_without_supply(F1));
    assert_eq!([120, 131].map(|second| source_at(&causes, second).is_some()), [true, false]);
}

#[test]
fn breakers_of_one_phase_with_one_point_are_one_cause() {
    let mut causes = causes_in(bound_with(with_breaker_of_each_phase()));
    let effect = causes.moved(&movement(UP_FEEDER, 10, OPEN), true);
    assert_eq!(effect.lost, [Lost { asset: F1, cause: trip_source(UP_FEEDER), at: s(10) }]);
    // It is still the cause when another switch opens and closes again.
    causes.moved(&movement(LOW_INCOMER, 11, OPEN), false);
    causes.moved(&movement(LOW_INCOMER, 12, CLOSED), false);
    assert_eq!(source_at(&causes, 13), Some(trip_source(UP_FEEDER)));
    causes.moved(&movement(UP_FEEDER, 20, CLOSED), false);
    assert!(!causes.is_without_supply(F1));
    let opened = causes.moved(&movement(UP_FEEDER, 30, OPEN), false);
    assert_eq!(changes(&opened.opened), [(opened_source(UP_FEEDER).as_str(), true)]);
    assert_eq!(opened.opened[0].0.customers, 100);
}

#[test]
fn supply_over_another_line_ends_the_cause() {
    let mut causes = causes();
    // The standby line comes from a source whose voltage nobody measures.
    causes.moved(&movement(UP_FEEDER, 10, OPEN), true);
    causes.moved(&movement(STANDBY, 20, CLOSED), false);
    assert_eq!(source_at(&causes, 21), Some(trip_source(UP_FEEDER)), "the last known cause counts");
    let mut causes = self::causes();
    causes.moved(&movement(STANDBY, 5, CLOSED), false);
    causes.moved(&movement(UP_FEEDER, 10, OPEN), true);
    assert_eq!(source_at(&causes, 11), None, "the other source may feed it");
}

#[test]
fn lost_voltage_of_an_infeed_is_one_alarm() {
    let mut causes = causes();
    for point in &VOLTS {
        drop(causes.measured(*point, &reading(8, 33.0)));
    }
    let effect = lose_voltage(&mut causes, 10);
    let source = infeed_source(VOLTS[0]);
    assert_eq!(changes(&effect.opened), [(source.as_str(), true)]);
    let about = &effect.opened[0].0;
    assert_eq!((about.kind, about.customers, about.location, about.asset), (AlarmKind::Infeed, 100, UP, Some(AssetId(10))));
    assert_eq!(effect.lost, [Lost { asset: F1, cause: source.clone(), at: s(8) }], "it was lost after the last measured voltage");
    assert_eq!(source_at(&causes, 9), Some(source.clone()));
    let again = causes.measured(VOLTS[1], &reading(12, 0.1));
    assert!(again.opened.is_empty() && again.lost.is_empty());
    let back = causes.measured(VOLTS[0], &reading(20, 32.8));
    assert_eq!(changes(&back.opened), [(source.as_str(), false)]);
    assert!(!causes.is_without_supply(F1));
}

#[test]
fn alarm_of_an_infeed_has_the_customers_of_the_network() {
    let bound = bound_with(with_customers());
    assert_eq!((bound.customers(F1), bound.customers(AssetId(10))), (Some(120), None), "of the consumers, and not the entered 100");
    let effect = lose_voltage(&mut causes_in(bound), 10);
    assert_eq!(effect.opened[0].0.customers, 120);
    // A switch that a user opens: the alarm has those who are without supply.
    let mut causes = causes_in(bound_with(with_customers()));
    let opened = causes.moved(&movement(LOW_FEEDER, 10, OPEN), false).opened;
    assert_eq!(opened.iter().map(|(about, active)| (about.customers, *active)).collect::<Vec<_>>(), [(120, true)]);
}

#[test]
fn trip_after_the_loss_of_the_infeed_keeps_supply_off() {
    let mut causes = causes();
    lose_voltage(&mut causes, 10);
    let tripped = causes.moved(&movement(UP_INCOMER, 12, OPEN), true);
    assert!(tripped.lost.is_empty(), "it was without supply already");
    let source = infeed_source(VOLTS[0]);
    let back = causes.measured(VOLTS[0], &reading(20, 33.0));
    assert_eq!(changes(&back.opened), [(source.as_str(), false)]);
    assert_eq!(source_at(&causes, 21), Some(trip_source(UP_INCOMER)));
}

#[test]
fn infeed_that_is_lost_later_does_not_replace_a_trip() {
    let mut causes = causes();
    causes.moved(&movement(LOW_INCOMER, 10, OPEN), true);
    let effect = lose_voltage(&mut causes, 20);
    assert!(effect.opened.is_empty() && effect.lost.is_empty());
    assert_eq!(source_at(&causes, 21), Some(trip_source(LOW_INCOMER)));
}

#[test]
fn switch_of_another_substation_that_stays_open_becomes_the_cause() {
    let mut causes = causes();
    causes.moved(&movement(UP_INCOMER, 10, OPEN), true);
    let opened = causes.moved(&movement(LOW_INCOMER, 20, OPEN), false);
    assert!(opened.opened.is_empty() && opened.lost.is_empty(), "it was without supply already");
    let closed = causes.moved(&movement(UP_INCOMER, 30, CLOSED), false);
    assert_eq!(changes(&closed.opened), [(opened_source(LOW_INCOMER).as_str(), true)], "what is still wrong is shown at once");
    let closed = causes.moved(&movement(LOW_INCOMER, 40, CLOSED), false);
    assert_eq!(changes(&closed.opened), [(opened_source(LOW_INCOMER).as_str(), false)]);
}

#[test]
fn nothing_is_proven_while_the_rtu_of_the_infeed_is_offline() {
    let mut causes = causes();
    causes.link(&Link::Gateway(GatewayId(UP.0)), false, s(5));
    let effect = causes.measured(VOLTS[0], &reading(10, 0.0));
    assert!(effect.opened.is_empty() && effect.lost.is_empty());
    causes.moved(&movement(UP_INCOMER, 11, OPEN), true);
    assert_eq!(source_at(&causes, 12), None, "the line may be fed");
    assert!(causes.may_find_cause(F1));
}

#[test]
fn loss_is_proven_when_the_rtu_of_a_standby_line_is_back() {
    let mut causes = causes();
    causes.link(&Link::Gateway(GatewayId(LOW.0)), false, s(5));
    let effect = causes.moved(&movement(UP_INCOMER, 10, OPEN), true);
    assert!(effect.lost.is_empty(), "the standby line may be closed");
    assert_eq!(source_at(&causes, 11), None);
    causes.link(&Link::Gateway(GatewayId(LOW.0)), true, s(20));
    assert_eq!(source_at(&causes, 21), Some(trip_source(UP_INCOMER)));
}

#[test]
fn causes_are_found_again_after_a_restart() {
    let mut causes = Causes::new(HashMap::from([(LOW_FEEDER, LOW)]), Causes::default());
    causes.set_network(Some(bound()), &HashSet::new());
    for (switch, value) in [(UP_INCOMER, OPEN), (UP_FEEDER, CLOSED), (LOW_INCOMER, CLOSED), (LOW_FEEDER, OPEN), (STANDBY, OPEN)] {
        causes.stored(switch, &reading(1, value));
    }
    for point in &VOLTS {
        causes.stored(*point, &reading(1, 33.0));
    }
    let effect = causes.begin_network(&HashMap::from([(UP_INCOMER, s(1))]), s(2));
    assert!(effect.opened.is_empty(), "the alarm of the open switch stays beside the trip");
    assert_eq!(source_at(&causes, 2), Some(trip_source(UP_INCOMER)));
    // Other followed assets, the same states.
    let found = bound();
    causes.set_network(Some(Arc::clone(&found)), &HashSet::from([AssetId(10)]));
    causes.begin_network(&HashMap::from([(UP_INCOMER, s(1))]), s(3));
    assert_eq!(source_at(&causes, 4), Some(trip_source(UP_INCOMER)));
    causes.set_network(None, &HashSet::new());
    assert!(!causes.is_without_supply(F1), "without a network its causes are found by the drawings");
}
