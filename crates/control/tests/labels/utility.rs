//! A utility of the demo in memory, as a decision reads it: the registry, the network, and the facts of a transaction. Every switch with a position can be operated.

use std::collections::HashMap;
use std::sync::Arc;

use grid::area::OutsideArea;
use grid::command::TagRecord;
use grid::control::check::{Intent, Request};
use grid::control::{CommandId, Throw};
use grid::position::Encoding;
use grid::{
    AssetId, ClientId, GatewayId, Lease, LinkOrder, LinkState, MemberId, Micros, NodeId, Ordinal, Point, PointId, Quality, Reading, Shard,
};
use registry::{ActiveNetwork, Field, Image};
use serde_json::Value;
use simulators::utility::Client;
use store::control::{CallerNow, CommandFacts, NetworkFacts, Site};
use store::manual_entry::ManualEntry;
use store::network::{ActiveVersion, VersionNumber};
use store::registry::{AssetRecord, ClientRecord, CurrentLinks, GatewayRecord, NodeRecord};

/// The time of the decisions.
pub(crate) const NOW: Micros = Micros(1_800_000_000_000_000);
/// The version of the network that is active.
pub(crate) const ACTIVE: ActiveVersion = ActiveVersion { version: VersionNumber(1), since: Micros(0), until: None };

pub(crate) const CLIENT: ClientId = ClientId(1);

/// A utility of the demo.
pub(crate) struct Utility {
    image: Arc<Image>,
    client: ClientRecord,
    links: Vec<(GatewayId, LinkState)>,
    /// The points by their names, `gateway/device/metric`.
    pub(crate) points: HashMap<String, Point>,
    /// The assets by their names, `STATION/ASSET`.
    pub(crate) assets: HashMap<String, AssetRecord>,
    gateway_codes: HashMap<GatewayId, String>,
    /// The single-line diagram of each substation.
    drawings: HashMap<NodeId, Value>,
}

/// An operation that a user requests.
#[derive(Debug, Clone)]
pub(crate) struct Operation<'a> {
    pub(crate) point: &'a Point,
    /// Why the desk of the user may not operate the switch.
    pub(crate) outside_area: Option<OutsideArea>,
}

/// What a transaction reads of the whole network.
pub(crate) struct Circumstances<'a> {
    pub(crate) readings: &'a HashMap<PointId, Reading>,
    pub(crate) tags: &'a [TagRecord],
    /// Points of switches with a command that was sent.
    pub(crate) moving: &'a [PointId],
    pub(crate) manual: &'a [ManualEntry],
    /// The numbers of the portable earths, in order.
    pub(crate) temporary: &'a [i64],
    /// The configuration document of the utility.
    pub(crate) config: &'a Value,
}

impl Utility {
    pub(crate) fn new(from: &Client) -> Self {
        let client = ClientRecord {
            id: CLIENT,
            code: from.code.clone(),
            name: from.name.clone(),
            time_zone: from.time_zone.clone(),
            config: from.config.clone(),
        };
        let mut registry = store::Registry { clients: vec![client.clone()], ..store::Registry::default() };
        let mut ids = HashMap::new();
        for (id, node) in (1..).map(NodeId).zip(&from.nodes) {
            let parent = node.level.parent().zip(node.parent.clone()).and_then(|above| ids.get(&above).copied());
            ids.insert((node.level, node.code.clone()), id);
            registry.nodes.push(place(id, node.level, parent, &node.code, &node.name));
        }
        let mut found = Self {
            image: Arc::default(),
            client,
            links: Vec::new(),
            points: HashMap::new(),
            assets: HashMap::new(),
            gateway_codes: HashMap::new(),
            drawings: HashMap::new(),
        };
        for (at, station) in (0..).zip(&from.substations) {
            let (location, gateway) = (NodeId(1_000 + at), GatewayId(1 + at));
            let section = ids.get(&(grid::Level::Section, station.section.clone())).copied();
            registry.nodes.push(place(location, grid::Level::Substation, section, &station.code, &station.name));
            registry.gateways.push(gateway_record(gateway, location, &station.code));
            found.links.push((gateway, online()));
            found.gateway_codes.insert(gateway, station.code.clone());
            found.drawings.insert(location, serde_json::to_value(&station.drawing).expect("a drawing"));
            for asset in &station.assets {
                let id = AssetId(1 + registry.assets.len() as i64);
                let record = asset_record(id, location, asset);
                found.assets.insert(format!("{}/{}", station.code, asset.code), record.clone());
                registry.assets.push(record);
            }
            for point in &station.points {
                let asset = &found.assets[&format!("{}/{}", station.code, point.asset)];
                let id = PointId(1 + registry.points.len() as i64);
                let record = Point {
                    id,
                    client: CLIENT,
                    gateway,
                    device: point.device.clone(),
                    metric: point.metric(),
                    code: point.code.clone(),
                    asset: asset.id,
                    asset_name: asset.name.clone(),
                    asset_type: asset.type_id,
                    location,
                    kind: point.kind,
                    quantity: point.quantity,
                    unit: point.unit.to_owned(),
                    decimals: point.decimals,
                    scale: 1.0,
                    expected_ms: point.expected_ms,
                };
                found.points.insert(format!("{}/{}", station.code, record.address()), record.clone());
                registry.points.push(record);
            }
        }
        found.image = Arc::new(Image::from(with_paths(registry)));
        found
    }

    /// Returns the utility as a request sees it, with a network.
    pub(crate) fn field(&self, network: Arc<ActiveNetwork>, manual: &[ManualEntry]) -> Field {
        let utility = self.image.utility(CLIENT).expect("the utility");
        let links = CurrentLinks { states: self.links.clone(), ..CurrentLinks::default() };
        let leases = vec![Lease { shard: Shard::default(), since: LinkOrder::default() }];
        Field::new(utility, links, leases).with_network(network, manual.to_vec())
    }

    /// Returns the nodes of the hierarchy, by their ids.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = &NodeRecord> {
        self.image.nodes().map(AsRef::as_ref)
    }

    /// Returns the codes of the substations.
    pub(crate) fn stations(&self) -> Vec<&str> {
        self.nodes().filter(|node| node.level == grid::Level::Substation).map(|node| node.code.as_str()).collect()
    }

    /// Returns the nodes of the hierarchy that contain a substation, from the top down, with the substation.
    pub(crate) fn path(&self, station: &str) -> Option<&[NodeId]> {
        let node = self.nodes().find(|node| node.level == grid::Level::Substation && node.code == station)?;
        Some(&node.path)
    }

    /// Returns the single-line diagram of a substation.
    pub(crate) fn drawing(&self, location: NodeId) -> Option<&Value> {
        self.drawings.get(&location)
    }

    /// Returns what the transaction of a command reads.
    pub(crate) fn facts(&self, operation: &Operation<'_>, around: &Circumstances<'_>) -> (Site, CommandFacts) {
        let point = operation.point;
        let asset = self.image.asset(point.asset).expect("its asset");
        let site = Site {
            now: NOW,
            fresh: CommandId(1),
            group: self.client.code.clone(),
            config: around.config.clone(),
            point: point.id,
            asset: asset.id,
            asset_name: asset.name.clone(),
            class_name: asset.class_name.clone(),
            location: point.location,
            control_asset_req: true,
            is_sbo_supported: true,
            gateway: point.gateway,
            gateway_code: self.gateway_codes[&point.gateway].clone(),
            gateway_link: Some(online()),
            device: point.device.clone(),
            device_link: None,
            metric: point.metric.clone(),
            encoding: point.encoding(),
            expected_ms: point.expected_ms,
            latest: around.readings.get(&point.id).copied(),
            last_change: None,
            held: None,
        };
        let here = |of: &PointId| self.image.point(*of).filter(|of| of.location == point.location && of.id != point.id);
        let busy = around.moving.iter().filter_map(here).map(|of| (of.asset, of.asset_name.clone(), of.device.clone()));
        let readings = self.image.points_at(point.location).filter_map(|of| Some((of.id, *around.readings.get(&of.id)?)));
        let facts = CommandFacts {
            caller: Some(caller()),
            outside_area: operation.outside_area.clone(),
            busy: busy.collect(),
            tags: around.tags.iter().filter(|tag| tag.location == point.location).cloned().collect(),
            last: None,
            often_since: None,
            doubt: None,
            ticket: None,
            doubts: Vec::new(),
            readings: readings.collect(),
            earlier: None,
            active_network: Some(ACTIVE),
            temporary: around.temporary.to_vec(),
            network: NetworkFacts {
                readings: around.readings.iter().map(|(point, reading)| (*point, *reading)).collect(),
                doubts: Vec::new(),
                moving: around.moving.to_vec(),
                tags: around.tags.to_vec(),
                manual: Arc::new(around.manual.to_vec()),
            },
        };
        (site, facts)
    }
}

/// Returns a user with permission to operate everything.
fn caller() -> CallerNow {
    CallerNow { member: MemberId(1), name: "A. Nair".to_owned(), role_id: 2, node: None, can_operate: true, demo: false, signed_in: NOW }
}

/// Returns the request to move a switch into its other position in one step.
pub(crate) fn request(from: Throw) -> Request {
    Request { intent: Intent::Direct, from: Some(from), target: Some(from.other()), requested: NOW, scheduled: None, test: false }
}

/// Returns a reading that is `age_s` old.
pub(crate) fn reading(value: f64, quality: Quality, age_s: i64) -> Reading {
    let source = NOW.plus_millis(-1_000 * age_s);
    Reading { value: Some(value), quality, source, received: source, ordinal: Ordinal::default() }
}

/// Returns the value of a position in the encoding of its point.
pub(crate) fn value(encoding: Option<Encoding>, throw: Throw) -> f64 {
    let double = f64::from(throw.code());
    if encoding == Some(Encoding::SinglePoint) { double - 1.0 } else { double }
}

fn online() -> LinkState {
    LinkState { online: true, since: Micros(0), order: LinkOrder::default() }
}

fn place(id: NodeId, level: grid::Level, parent: Option<NodeId>, code: &str, name: &str) -> NodeRecord {
    let (code, name) = (code.to_owned(), name.to_owned());
    NodeRecord { id, client: CLIENT, level, parent, code, name, kv: None, lat: None, lon: None, drawing_stored: None, path: Vec::new() }
}

/// Sets the paths of the nodes. Each comes after its parent.
fn with_paths(mut registry: store::Registry) -> store::Registry {
    let mut paths: HashMap<NodeId, Vec<NodeId>> = HashMap::new();
    for node in &mut registry.nodes {
        node.path = node.parent.and_then(|parent| paths.get(&parent)).cloned().unwrap_or_default();
        node.path.push(node.id);
        paths.insert(node.id, node.path.clone());
    }
    registry
}

fn gateway_record(id: GatewayId, location: NodeId, code: &str) -> GatewayRecord {
    GatewayRecord {
        id,
        client: CLIENT,
        code: code.to_owned(),
        name: code.to_owned(),
        location,
        online: true,
        since: Some(Micros(0)),
        order: LinkOrder::default(),
        last_seen: Some(NOW),
        discovered: false,
    }
}

fn asset_record(id: AssetId, location: NodeId, asset: &simulators::utility::Asset) -> AssetRecord {
    AssetRecord {
        id,
        client: CLIENT,
        location,
        code: asset.code.clone(),
        name: asset.name.clone(),
        type_id: asset.type_id,
        class_name: asset.class_name.to_owned(),
        device: asset.device.clone(),
        kv: asset.kv,
        customers: asset.customers,
        customers_known: true,
        control_asset_req: true,
        is_sbo_supported: true,
        feeds: None,
    }
}
