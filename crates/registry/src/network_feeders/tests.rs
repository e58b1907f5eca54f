//! Feeder assets of two substations and the customers that count for them.

use std::sync::Arc;

use grid::measure::Quantity;
use grid::point::kind_of_code;
use grid::table::overview::{self, Asset};
use grid::{ClientId, GatewayId, LinkOrder, Micros, Point, Quality, Reading};
use network::description::{
    Consumption, Container, Description, Electrical, Equipment, Measurement, Node, SourceVoltage, Switch, Terminal,
};
use network::{EquipmentKind, NetworkState, Phases};
use store::network::{ActiveVersion, VersionNumber};
use store::registry::{AssetRecord, ClientRecord, GatewayRecord, NodeRecord};

use super::*;
use crate::Image;

const CLIENT: ClientId = ClientId(1);
const STATIONS: [(NodeId, &str); 2] = [(NodeId(1), "S1"), (NodeId(2), "S2")];

/// Each feeder with its substation and its entered customers. Asset and point have the number of its position, from 1.
type FeederAsset = (NodeId, &'static str, Option<i32>);

fn image(feeders: &[FeederAsset]) -> Arc<Image> {
    let node = |(id, code): (NodeId, &str)| NodeRecord {
        id,
        client: CLIENT,
        level: Level::Substation,
        parent: None,
        code: code.to_owned(),
        name: code.to_owned(),
        kv: None,
        lat: None,
        lon: None,
        drawing_stored: None,
        path: vec![id],
    };
    let gateway = |(location, code): (NodeId, &str)| GatewayRecord {
        id: GatewayId(location.0),
        client: CLIENT,
        code: code.to_owned(),
        name: code.to_owned(),
        location,
        online: true,
        since: None,
        order: LinkOrder::default(),
        last_seen: None,
        discovered: false,
    };
    let (mut assets, mut points) = (Vec::new(), Vec::new());
    for (number, (location, code, customers)) in (1..).zip(feeders) {
        let asset = |id: i64, code: String, type_id, customers: Option<i32>| AssetRecord {
            id: AssetId(id),
            client: CLIENT,
            location: *location,
            name: code.clone(),
            code,
            type_id,
            class_name: if type_id == FEEDER { "feeder" } else { "breaker" }.to_owned(),
            device: feeders[number as usize - 1].1.to_owned(),
            kv: Some(11.0),
            customers: customers.unwrap_or(0),
            customers_known: customers.is_some(),
            control_asset_req: false,
            is_sbo_supported: false,
            feeds: None,
        };
        assets.push(asset(number, (*code).to_owned(), FEEDER, *customers));
        assets.push(asset(100 + number, format!("{code}CB"), BREAKER, None));
        points.push(Point {
            id: PointId(number),
            client: CLIENT,
            gateway: GatewayId(location.0),
            location: *location,
            asset: AssetId(100 + number),
            asset_name: format!("{code}CB"),
            asset_type: BREAKER,
            device: (*code).to_owned(),
            metric: format!("{code}CB/Pos"),
            code: "Pos".to_owned(),
            kind: kind_of_code("Pos"),
            quantity: Quantity::of_code("Pos"),
            unit: String::new(),
            decimals: 0,
            scale: 1.0,
            expected_ms: None,
        });
    }
    let config = serde_json::Value::default();
    Arc::new(Image::from(store::Registry {
        clients: vec![ClientRecord { id: CLIENT, code: "T".to_owned(), name: "T".to_owned(), time_zone: "UTC".to_owned(), config }],
        nodes: STATIONS.map(node).into(),
        assets,
        gateways: STATIONS.map(gateway).into(),
        devices: Vec::new(),
        points,
    }))
}

fn container(id: &str, kind: ContainerKind, parent: Option<&str>) -> Container {
    Container { id: id.into(), name: id.into(), kind, parent: parent.map(Into::into), nominal_kv: None, place: None }
}

/// A source and a busbar in each substation. Nodes are added with the equipment.
fn stations() -> Description {
    let mut network =
        Description { containers: STATIONS.map(|(_, code)| container(code, ContainerKind::Substation, None)).into(), ..<_>::default() };
    for (_, code) in STATIONS {
        let bus = format!("{code}/bus");
        add(&mut network, &format!("{code}/G"), EquipmentKind::EnergySource, code, &[&bus], Electrical::Source(SourceVoltage::default()));
        add(&mut network, &format!("{code}/BUS"), EquipmentKind::BusbarSection, code, &[&bus], Electrical::Nothing);
    }
    network
}

fn add(network: &mut Description, id: &str, kind: EquipmentKind, container: &str, nodes: &[&str], electrical: Electrical) {
    for id in nodes {
        if !network.nodes.iter().any(|node| node.id == *id) {
            let (name, id) = (String::new(), (*id).to_owned());
            network.nodes.push(Node { id, name, container: None, nominal_kv: Some(11.0), is_internal: false, place: None });
        }
    }
    let terminals = nodes.iter().map(|node| Terminal { node: (*node).to_owned(), phases: Phases::ABC }).collect();
    let (id, container) = (id.to_owned(), Some(container.to_owned()));
    network.equipment.push(Equipment { id, name: String::new(), kind, container, terminals, is_in_service: true, electrical });
}

/// Adds the breaker of a bay between the busbar and a node.
fn add_bay(network: &mut Description, station: &str, feeder: &str, line: &str, is_normally_open: bool) {
    let (id, bus) = (format!("{station}/{feeder}CB"), format!("{station}/bus"));
    let switch = Electrical::Switch(Switch { is_normally_open, ..Switch::default() });
    add(network, &id, EquipmentKind::Breaker, station, &[&bus, line], switch);
    network.measurements.push(Measurement {
        id: format!("{id}/Pos"),
        equipment: id,
        terminal: None,
        quantity: "Pos".into(),
        phases: Phases::ABC,
        point: Some(format!("{station}/{feeder}/{feeder}CB/Pos")),
    });
}

/// Adds the line of a feeder, and customers at its far end unless there are none.
fn add_line(network: &mut Description, feeder: &str, [from, to]: [&str; 2], customers: u64) {
    add(network, &format!("{feeder}/L"), EquipmentKind::LineSegment, feeder, &[from, to], Electrical::Nothing);
    if customers > 0 {
        add_customers(network, feeder, to, customers);
    }
}

fn add_customers(network: &mut Description, container: &str, node: &str, customers: u64) {
    let consumer = Electrical::Consumer(Consumption { customers, kw: 1.0, ..Consumption::default() });
    add(network, &format!("{container}/C"), EquipmentKind::EnergyConsumer, container, &[node], consumer);
}

struct Case {
    active: ActiveNetwork,
    feeders: NetworkFeeders,
    image: Arc<Image>,
}

impl Case {
    fn new(assets: &[FeederAsset], network: Description) -> Self {
        let version = ActiveVersion { version: VersionNumber(1), since: Micros(0), until: None };
        let active = ActiveNetwork::new(CLIENT, version, network).expect("a network");
        let image = image(assets);
        let equipment = active.bind(&image).equipment_by_point();
        let utility = image.utility(CLIENT).expect("a utility");
        let feeders = NetworkFeeders::new(&active, &utility, |point| equipment.get(&point).map_or(&[][..], Vec::as_slice));
        Self { active, feeders, image }
    }

    /// Returns the customers of the first feeders by the network.
    fn customers<const COUNT: usize>(&self) -> [Option<u64>; COUNT] {
        std::array::from_fn(|at| self.feeders.customers(AssetId(at as i64 + 1)))
    }

    /// Returns the customers without supply of both substations while switches are open.
    fn without_supply(&self, open: &[&str]) -> [i64; 2] {
        let mut state = NetworkState::new(Arc::clone(self.active.model()));
        for id in open {
            state.set_contact(self.active.model().equipment(id).expect("a switch"), Contact::Open);
        }
        state.settle();
        let counted = self.active.customers_without_supply(&state);
        let utility = self.image.utility(CLIENT).expect("a utility");
        let is_open = |point: PointId| {
            let point = utility.point(point)?;
            let code = utility.node(point.location)?.code.as_str();
            let value = if open.contains(&&*format!("{code}/{}", point.asset_name)) { 1.0 } else { 2.0 };
            let (source, received, ordinal) = (Micros(1), Micros(1), grid::Ordinal::default());
            Some(Reading { value: Some(value), quality: Quality::Good, source, received, ordinal })
        };
        STATIONS.map(|(station, _)| {
            let assets: Vec<Asset<'_>> = utility.assets_at(station).map(AssetRecord::for_overview).collect();
            let row = overview::row(&overview::station(station, &assets, utility.points_at(station)), None, Micros(2), is_open);
            self.feeders.count(row, station, &counted).customers_without_supply
        })
    }
}

const S1: NodeId = STATIONS[0].0;
const S2: NodeId = STATIONS[1].0;

/// A feeder in each substation, with entered customers.
const ENTERED: [FeederAsset; 2] = [(S1, "F1", Some(300)), (S2, "F2", Some(500))];

fn two_feeders(customers: [u64; 2]) -> Description {
    let mut network = stations();
    for ((station, feeder), customers) in [("S1", "F1"), ("S2", "F2")].into_iter().zip(customers) {
        let id = format!("{station}/{feeder}");
        network.containers.push(container(&id, ContainerKind::Feeder, Some(station)));
        add_bay(&mut network, station, feeder, &format!("{id}/1"), false);
        add_line(&mut network, &id, [&format!("{id}/1"), &format!("{id}/2")], customers);
    }
    network
}

#[test]
fn feeder_without_consumers_keeps_its_entered_customers() {
    for (modelled, customers, without_supply) in
        [([0, 0], [None, None], [300, 500]), ([1, 0], [Some(1), None], [1, 500]), ([1, 40], [Some(1), Some(40)], [1, 40])]
    {
        let case = Case::new(&ENTERED, two_feeders(modelled));
        assert_eq!(case.customers(), customers, "{modelled:?}");
        assert_eq!(case.without_supply(&["S1/F1CB", "S2/F2CB"]), without_supply, "{modelled:?}");
        assert_eq!(case.without_supply(&[]), [0, 0]);
    }
}

#[test]
fn feeder_that_supplies_another_substation_counts_none_of_its_customers() {
    let mut network = stations();
    network.equipment.retain(|equipment| equipment.id != "S2/G");
    add_bay(&mut network, "S1", "F1", "between", false);
    add(&mut network, "S1/L", EquipmentKind::LineSegment, "S1", &["between", "S2/bus"], Electrical::Nothing);
    add_bay(&mut network, "S2", "F2", "line", false);
    network.containers.push(container("S2/F2", ContainerKind::Feeder, Some("S2")));
    add_line(&mut network, "S2/F2", ["line", "end"], 300);
    let case = Case::new(&[(S1, "F1", Some(300)), (S2, "F2", Some(300))], network);
    assert_eq!(case.customers(), [Some(0), Some(300)]);
    assert_eq!(case.without_supply(&["S1/F1CB"]), [0, 300]);
}

#[test]
fn substation_adds_entered_feeders_to_modelled_ones() {
    let mut network = two_feeders([1, 0]);
    network.containers.push(container("S1/F3", ContainerKind::Feeder, Some("S1")));
    add_bay(&mut network, "S1", "F3", "S1/F3/1", false);
    add_line(&mut network, "S1/F3", ["S1/F3/1", "S1/F3/2"], 0);
    // Customers at the busbar belong to no feeder.
    add_customers(&mut network, "S1", "S1/bus", 2);
    let case = Case::new(&[(S1, "F1", Some(300)), (S1, "F3", Some(70))], network);
    assert_eq!(case.without_supply(&["S1/F1CB", "S1/F3CB"]), [71, 0]);
}

#[test]
fn customers_in_a_substation_replace_the_entered_ones_of_the_breaker_that_feeds_them() {
    let mut network = two_feeders([0, 0]);
    add_customers(&mut network, "S1", "S1/F1/2", 120);
    let case = Case::new(&ENTERED, network);
    assert_eq!(case.without_supply(&["S1/F1CB", "S2/F2CB"]), [120, 500]);
}

#[test]
fn of_breakers_with_one_point_the_first_with_a_line_counts() {
    let mut network = stations();
    network.containers.push(container("_mrid", ContainerKind::Feeder, Some("S1")));
    // The first breaker leads nowhere.
    add_bay(&mut network, "S1", "F0", "nowhere", false);
    add_bay(&mut network, "S1", "F1", "near", false);
    let point = network.measurements[1].point.clone();
    network.measurements[0].point = point;
    add_line(&mut network, "_mrid", ["near", "end"], 40);
    assert_eq!(Case::new(&ENTERED, network).customers(), [Some(40), None]);
}

/// A line from S1 to S2, whose breaker in S2 is normally open, with 100 customers.
fn tie(feeder: &str, station: Option<&str>, customers: u64) -> Description {
    let mut network = stations();
    network.containers.push(container(feeder, ContainerKind::Feeder, station));
    add_bay(&mut network, "S1", "F1", "near", false);
    add_bay(&mut network, "S2", "F9", "far", true);
    add_line(&mut network, feeder, ["near", "far"], customers);
    network
}

#[test]
fn customers_of_a_line_belong_to_the_feeder_at_one_of_its_ends() {
    let near: FeederAsset = (S1, "F1", Some(300));
    let far: FeederAsset = (S2, "F9", None);
    for (feeder, station) in [("S1/F1", Some("S1")), ("_mrid", Some("S1")), ("_mrid", None), ("_mrid", Some("S2"))] {
        // In either order, so that the numbers of the assets do not decide.
        let case = Case::new(&[near, far], tie(feeder, station, 100));
        assert_eq!(case.customers(), [Some(100), Some(0)], "{feeder} {station:?}");
        let case = Case::new(&[far, near], tie(feeder, station, 100));
        assert_eq!(case.customers(), [Some(0), Some(100)], "{feeder} {station:?}");
        let containers: Vec<(AssetId, u32)> = case.feeders.containers().collect();
        assert_eq!(containers, [(AssetId(2), 2)]);
    }
    let open = ["S1/F1CB", "S2/F9CB"];
    let entered: FeederAsset = (S2, "F9", Some(100));
    assert_eq!(Case::new(&[near, entered], tie("S1/F1", Some("S1"), 100)).without_supply(&open), [100, 0]);
    assert_eq!(Case::new(&[near, entered], tie("S1/F1", Some("S1"), 0)).without_supply(&open), [300, 100], "no customers are modelled");
    assert_eq!(Case::new(&[far], tie("S1/F1", Some("S1"), 100)).customers(), [Some(0)], "a tie is not the feeder, even if no asset is");
}

#[test]
fn name_of_a_feeder_counts_more_than_its_line() {
    let mut network = tie("S1/F1", Some("S1"), 100);
    network.containers.push(container("S2/F9", ContainerKind::Feeder, Some("S2")));
    add_customers(&mut network, "S2/F9", "S2/bus", 7);
    let case = Case::new(&[(S1, "F1", None), (S2, "F9", None)], network);
    assert_eq!(case.customers(), [Some(100), Some(7)]);
}

#[test]
fn feeder_in_no_substation_counts_at_that_of_its_asset_or_breaker() {
    let network = tie("GridAPPS-D", None, 100);
    let with_asset = Case::new(&[(S1, "F1", None)], network.clone());
    assert_eq!(with_asset.without_supply(&["S1/F1CB"]), [100, 0]);
    let nodes: Vec<_> = with_asset.feeders.counting_stations(&with_asset.active).into_values().collect();
    assert_eq!(nodes, [vec![S1]]);
    let without_asset = Case::new(&[], network);
    assert_eq!(without_asset.without_supply(&["S1/F1CB"]), [100, 0], "its breaker is in S1");
}

#[test]
fn customers_of_a_substation_outside_of_the_hierarchy_count_at_that_of_the_breaker_that_feeds_them() {
    let mut network = two_feeders([0, 0]);
    // A secondary substation at the end of F1, as CIM has it, with a feeder of its own that the hierarchy does not have either.
    network.containers.push(container("T1", ContainerKind::Substation, None));
    add_customers(&mut network, "T1", "S1/F1/2", 120);
    add(&mut network, "T1/CB", EquipmentKind::Breaker, "T1", &["S1/F1/2", "T1/out"], Electrical::Switch(Switch::default()));
    network.containers.push(container("T1/LV", ContainerKind::Feeder, Some("T1")));
    add_line(&mut network, "T1/LV", ["T1/out", "T1/end"], 30);
    // One that only the second station feeds.
    network.containers.push(container("T2", ContainerKind::Substation, None));
    add_customers(&mut network, "T2", "S2/F2/2", 40);
    let case = Case::new(&ENTERED, network);
    assert_eq!(case.without_supply(&["S1/F1CB"]), [150, 0], "in place of the 300 that are entered for F1");
    assert_eq!(case.without_supply(&["S2/F2CB"]), [0, 40]);
    assert_eq!(case.without_supply(&["T1/CB"]), [30, 0]);
    let counting = case.feeders.counting_stations(&case.active);
    assert!(counting.values().all(|stations| stations.len() == 1), "{counting:?}");
}
