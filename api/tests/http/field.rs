//! Two utilities of the same structure, so that each id has a counterpart in the other.

use grid::measure::Quantity;
use grid::point::kind_of_code;
use grid::{AssetId, ClientId, GatewayId, Level, Micros, NodeId, Ordinal, PointId, Quality, Reading};
use serde_json::json;
use store::seed::{AssetSeed, ClientSeed, GatewaySeed, MemberSeed, NodeSeed, PointSeed};
use store::writer::{Batch, GatewayMark, NewEvent, Sample};
use store::{Store, Writer};

/// A utility with one circle and two divisions. The first division has a substation with a feeder, its breaker and the RTU.
pub(crate) struct Utility {
    pub(crate) client: ClientId,
    pub(crate) circle: NodeId,
    pub(crate) division: NodeId,
    pub(crate) other_division: NodeId,
    pub(crate) location: NodeId,
    pub(crate) other_location: NodeId,
    pub(crate) feeder: AssetId,
    pub(crate) breaker: AssetId,
    pub(crate) gateway: GatewayId,
    pub(crate) position: PointId,
    pub(crate) current: PointId,
    pub(crate) admin: i64,
}

/// The password of all users.
pub(crate) const PASSWORD: &str = "a long enough password";

/// Creates a utility with two members: `{code}-admin` for all of it, and `{code}-division` for the other division.
pub(crate) async fn enter(store: &Store, code: &str, hash: &str) -> Utility {
    let config = json!({"appBrand": format!("Brand of {code}")});
    let client = ClientSeed { code: code.into(), name: format!("Utility {code}"), time_zone: "Asia/Kolkata".into(), config };
    let client = store.put_client(&client).await.expect("client");
    let circle = node(store, client, Level::Circle, None, "C").await;
    let (division, location) = branch(store, client, circle, "D1").await;
    let (other_division, other_location) = branch(store, client, circle, "D2").await;
    let assets = [("F1", 1, "feeder"), ("F1CB", 3, "breaker"), ("STN", 11, "substation")].map(|(asset, type_id, class)| AssetSeed {
        name: format!("{code} {asset}"),
        device: "F1".into(),
        kv: Some(11.0),
        control_asset_req: type_id == 3,
        is_sbo_supported: type_id == 3,
        ..AssetSeed::new(client, location, asset, type_id, class)
    });
    let assets = store.put_assets(&assets).await.expect("assets");
    let gateway = GatewaySeed { client, code: format!("{code}-RTU"), name: "RTU".into(), location };
    let gateway = store.put_gateway(&gateway).await.expect("gateway");
    let points = [(1, "F1CB/Pos"), (0, "F1/Ir"), (0, "F1/Iy"), (0, "F1/Ib"), (2, "STN/DcuV")].map(|(asset, metric)| {
        let code = metric.rsplit('/').next().expect("a code");
        let quantity = Quantity::of_code(code);
        PointSeed {
            client,
            gateway,
            device: "F1".into(),
            metric: metric.into(),
            code: code.into(),
            asset: assets[asset],
            kind: kind_of_code(code),
            quantity,
            unit: quantity.unit().into(),
            decimals: quantity.decimals(),
            scale: 1.0,
            expected_ms: Some(2_000),
        }
    });
    let points = store.put_points(&points).await.expect("points");
    let drawing = json!({
        "format": "switchyard-sld", "version": 1, "name": "S", "size": {"width": 100, "height": 100},
        "elements": [{"id": "b", "class": "breaker", "asset": "F1CB", "position": {"point": "F1/F1CB/Pos"}}, {"id": "x", "class": "text", "text": code}]
    });
    store.put_drawing(client, location, "S", &drawing).await.expect("drawing");
    let admin = member(store, client, &format!("{code}-admin"), hash, None).await;
    member(store, client, &format!("{code}-division"), hash, Some(other_division)).await;
    let (feeder, breaker) = (assets[0], assets[1]);
    let (position, current) = (points[0], points[1]);
    Utility { client, circle, division, other_division, location, other_location, feeder, breaker, gateway, position, current, admin }
}

/// Creates a division with one node of each level below it; returns the division and the substation.
async fn branch(store: &Store, client: ClientId, circle: NodeId, code: &str) -> (NodeId, NodeId) {
    let division = node(store, client, Level::Division, Some(circle), code).await;
    let mut last = division;
    for level in &Level::ALL[2..] {
        last = node(store, client, *level, Some(last), code).await;
    }
    (division, last)
}

async fn node(store: &Store, client: ClientId, level: Level, parent: Option<NodeId>, code: &str) -> NodeId {
    let kv = (level == Level::Substation).then(|| "33/11 kV".to_owned());
    let name = format!("{code} {}", level.as_str());
    store.put_node(&NodeSeed { client, level, parent, code: code.into(), name, kv, lat: None, lon: None }).await.expect("node")
}

async fn member(store: &Store, client: ClientId, username: &str, hash: &str, node: Option<NodeId>) -> i64 {
    let seed = MemberSeed {
        client,
        username: username.into(),
        email: format!("{username}@example.org"),
        first_name: "A".into(),
        last_name: "B".into(),
        role_id: if node.is_some() { 4 } else { 2 },
        role_name: "Admin".into(),
        password_hash: hash.into(),
        node,
        can_operate: false,
        demo: false,
    };
    store.put_member(&seed).await.expect("member").0
}

/// Returns a reading with the source time `at_ms`.
pub(crate) fn reading(value: f64, at_ms: i64) -> Reading {
    let at = Micros::from_millis(at_ms);
    Reading {
        value: Some(value),
        quality: Quality::Good,
        source: at,
        received: at.plus_millis(5),
        ordinal: Ordinal { epoch: 1, seq: at_ms },
    }
}

/// Stores values, and position changes as events, as ingest would. The gateway is online.
pub(crate) async fn feed(url: &str, utility: &Utility, positions: &[Reading], currents: &[Reading]) {
    let client = utility.client;
    let mut batch = Batch::default();
    for (point, readings) in [(utility.position, positions), (utility.current, currents)] {
        batch.samples.extend(readings.iter().map(|reading| Sample {
            point,
            client,
            reading: *reading,
            historical: false,
            repeated: false,
        }));
    }
    batch.events.extend(positions.iter().map(|reading| NewEvent { point: utility.position, client, index: 0, reading: *reading }));
    batch.gateways.push(GatewayMark {
        gateway: utility.gateway,
        online: Some(true),
        at: Micros::from_millis(1_000),
        order: grid::LinkOrder::default(),
        entered: true,
    });
    let mut writer = Writer::connect(url).await.expect("writer");
    writer.commit(&batch).await.expect("stored");
    writer.flush().await.expect("flushed");
}
