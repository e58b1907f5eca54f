//! The simulated field as the database describes it: one utility, its gateways, and two points of each.

use grid::measure::Quantity;
use grid::point::PointKind;
use grid::{AssetId, ClientId, GatewayId, LinkState, NodeId, Point, PointId};
use store::Registry;
use store::registry::{ClientRecord, DeviceRecord, GatewayRecord};

/// The utility, and its code.
pub(crate) const CLIENT: ClientId = ClientId(1);
pub(crate) const GROUP: &str = "G";

/// The only device of each gateway. The next constant has its metrics.
pub(crate) const DEVICE: &str = "F1";
pub(crate) const METRICS: [&str; 2] = ["F1/Ir", "F1/Iy"];

/// Returns the code of a gateway.
pub(crate) fn code(gateway: usize) -> String {
    format!("R{gateway}")
}

/// Returns the gateway of a code.
pub(crate) fn gateway_of(code: &str) -> Option<usize> {
    code.strip_prefix('R')?.parse().ok()
}

/// Returns the id of a gateway.
pub(crate) fn gateway_id(gateway: usize) -> GatewayId {
    GatewayId(gateway as i64 + 1)
}

/// Returns the number of a gateway.
pub(crate) fn number_of(gateway: GatewayId) -> usize {
    (gateway.0 - 1) as usize
}

/// Returns the id of a gateway's point.
pub(crate) fn point_id(gateway: usize, metric: usize) -> PointId {
    PointId((gateway * METRICS.len() + metric) as i64 + 1)
}

fn point(gateway: usize, metric: usize) -> Point {
    Point {
        id: point_id(gateway, metric),
        client: CLIENT,
        gateway: gateway_id(gateway),
        device: DEVICE.to_owned(),
        metric: METRICS[metric].to_owned(),
        code: METRICS[metric].rsplit('/').next().unwrap_or_default().to_owned(),
        asset: AssetId(1),
        asset_name: String::new(),
        asset_type: 1,
        location: NodeId(1),
        kind: PointKind::Measurand,
        quantity: Quantity::of_code("Ir"),
        unit: "A".to_owned(),
        decimals: 0,
        scale: 1.0,
        expected_ms: None,
    }
}

/// Returns the registry with the stored states of gateways and devices.
pub(crate) fn registry(gateways: &[Option<LinkState>], devices: &[Option<LinkState>]) -> Registry {
    let record = |(gateway, link): (usize, &Option<LinkState>)| GatewayRecord {
        id: gateway_id(gateway),
        client: CLIENT,
        code: code(gateway),
        name: code(gateway),
        location: NodeId(1),
        online: link.is_some_and(|link| link.online),
        since: link.map(|link| link.since),
        order: link.map(|link| link.order).unwrap_or_default(),
        last_seen: None,
        discovered: false,
    };
    let device = |(gateway, link): (usize, &Option<LinkState>)| {
        link.map(|link| DeviceRecord {
            gateway: gateway_id(gateway),
            code: DEVICE.to_owned(),
            online: link.online,
            since: link.since,
            order: link.order,
        })
    };
    Registry {
        clients: vec![ClientRecord {
            id: CLIENT,
            code: GROUP.to_owned(),
            name: GROUP.to_owned(),
            time_zone: "UTC".to_owned(),
            config: serde_json::Value::default(),
        }],
        gateways: gateways.iter().enumerate().map(record).collect(),
        devices: devices.iter().enumerate().filter_map(device).collect(),
        points: (0..gateways.len()).flat_map(|gateway| (0..METRICS.len()).map(move |metric| point(gateway, metric))).collect(),
        ..Registry::default()
    }
}
