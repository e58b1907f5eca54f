//! Assets of a substation and the points that report them. For the tests and the bench of returning clients.

use grid::measure::Quantity;
use grid::point::kind_of_code;
use grid::{AssetId, ClientId, GatewayId, NodeId};
use store::seed::{AssetSeed, PointSeed};

/// An asset that `device` reports.
pub(crate) fn asset(client: ClientId, location: NodeId, device: &str, code: &str, type_id: i32, class_name: &str) -> AssetSeed {
    AssetSeed { device: device.into(), kv: Some(11.0), ..AssetSeed::new(client, location, code, type_id, class_name) }
}

/// A point of an asset that `device` reports as `metric`, whose last part is its code.
pub(crate) fn point(client: ClientId, gateway: GatewayId, device: &str, asset: AssetId, metric: &str) -> PointSeed {
    let code = metric.rsplit('/').next().expect("a code");
    let quantity = Quantity::of_code(code);
    PointSeed {
        client,
        gateway,
        device: device.into(),
        metric: metric.into(),
        code: code.into(),
        asset,
        kind: kind_of_code(code),
        quantity,
        unit: quantity.unit().into(),
        decimals: quantity.decimals(),
        scale: 1.0,
        expected_ms: Some(2_000),
    }
}
