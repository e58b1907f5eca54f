//! A small registry of one substation for unit tests.

use std::sync::Arc;

use grid::measure::Quantity;
use grid::point::kind_of_code;
use grid::{AssetId, ClientId, GatewayId, Level, Micros, NodeId, Point, PointId};
use registry::{Field, Image};
use store::Registry;
use store::registry::{AssetRecord, ClientRecord, CurrentLinks, GatewayRecord, NodeRecord};

/// The only substation.
pub const LOCATION: NodeId = NodeId(6);

/// A substation under one node of each level, with a feeder, its breaker, a transformer and the RTU.
pub fn field() -> Field {
    let client = ClientId(1);
    let nodes = Level::ALL.iter().map(|level| {
        let id = i64::from(level.code());
        NodeRecord {
            id: NodeId(id),
            client,
            level: *level,
            parent: (id > 1).then(|| NodeId(id - 1)),
            code: level.as_str().to_owned(),
            name: format!("the {}", level.as_str()),
            kv: None,
            lat: None,
            lon: None,
            drawing_stored: Some(Micros(0)),
            path: (1..=id).map(NodeId).collect(),
        }
    });
    let assets = [(10, "F3", 1, "feeder"), (11, "F3CB", 3, "breaker"), (12, "TX1", 2, "transformer"), (13, "STN", 11, "substation")];
    let points = [(101, 11, "F3CB/Pos"), (102, 10, "F3/Ir"), (103, 10, "F3/P"), (104, 12, "TX1/OTI"), (105, 13, "STN/BatV")];
    let registry = Registry {
        clients: vec![ClientRecord {
            id: client,
            code: "TEST".to_owned(),
            name: "Test".to_owned(),
            time_zone: "UTC".to_owned(),
            config: serde_json::Value::default(),
        }],
        nodes: nodes.collect(),
        assets: assets.map(|(id, code, type_id, class)| asset(id, code, type_id, class)).into(),
        devices: Vec::new(),
        gateways: vec![GatewayRecord {
            id: GatewayId(7),
            client,
            code: "RTU".into(),
            name: "RTU".into(),
            location: LOCATION,
            online: true,
            since: None,
            order: grid::LinkOrder::default(),
            last_seen: None,
            discovered: false,
        }],
        points: points.map(|(id, asset, metric)| point(id, asset, metric, assets)).into(),
    };
    let utility = Arc::new(Image::from(registry)).utility(client).expect("the utility");
    Field::new(utility, CurrentLinks::default(), vec![grid::Lease { shard: grid::Shard::default(), since: grid::LinkOrder::default() }])
}

fn asset(id: i64, code: &str, type_id: i32, class: &str) -> AssetRecord {
    AssetRecord {
        id: AssetId(id),
        client: ClientId(1),
        location: LOCATION,
        code: code.to_owned(),
        name: format!("asset {code}"),
        type_id,
        class_name: class.to_owned(),
        device: "F3".into(),
        kv: None,
        customers: 0,
        customers_known: false,
        control_asset_req: type_id == 3,
        is_sbo_supported: false,
        feeds: None,
    }
}

fn point(id: i64, asset: i64, metric: &str, assets: [(i64, &str, i32, &str); 4]) -> Point {
    let code = metric.rsplit('/').next().unwrap_or(metric);
    let quantity = Quantity::of_code(code);
    let (_, asset_code, asset_type, _) = assets[usize::try_from(asset - 10).expect("an index")];
    Point {
        id: PointId(id),
        client: ClientId(1),
        gateway: GatewayId(7),
        device: "F3".into(),
        metric: metric.to_owned(),
        code: code.to_owned(),
        asset: AssetId(asset),
        asset_name: format!("asset {asset_code}"),
        asset_type,
        location: LOCATION,
        kind: kind_of_code(code),
        quantity,
        unit: quantity.unit().to_owned(),
        decimals: quantity.decimals(),
        scale: 1.0,
        expected_ms: Some(2_000),
    }
}
