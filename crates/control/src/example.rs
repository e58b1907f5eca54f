//! A breaker for the unit tests of this crate.

use std::sync::Arc;

use grid::control::machine::Command;
use grid::control::{CommandId, Holder, Mode, State, Throw};
use grid::point::kind_of_code;
use grid::position::Encoding;
use grid::{AssetId, ClientId, GatewayId, Lease, LinkOrder, MemberId, Micros, NodeId, Point, PointId};
use registry::{Field, Image};
use serde_json::json;
use store::control::{PointCommand, Site};
use store::registry::{AssetRecord, ClientRecord, CurrentLinks, GatewayRecord};

/// The time of the database in the tests.
pub(crate) const NOW: Micros = Micros(1_800_000_000_000_000);

/// Returns a closed breaker with a command to open it, which is in this state and has its deadline in `deadline_in_ms`.
pub(crate) fn site(state: State, deadline_in_ms: i64) -> Site {
    let deadline = NOW.plus_millis(deadline_in_ms);
    let command = Command {
        id: CommandId(5),
        mode: Mode::Direct,
        holder: Holder { member: MemberId(3), session: 4 },
        from: Throw::Closed,
        target: Throw::Open,
        state,
        issued: NOW.plus_millis(-1_000),
        until: deadline,
        deadline_ms: deadline.millis(),
        moving: false,
    };
    Site {
        now: NOW,
        fresh: CommandId(6),
        group: "one".to_owned(),
        config: json!({}),
        point: PointId(101),
        asset: AssetId(11),
        asset_name: "F3CB".to_owned(),
        class_name: "breaker".to_owned(),
        location: NodeId(6),
        control_asset_req: true,
        is_sbo_supported: true,
        gateway: GatewayId(7),
        gateway_code: "RTU".to_owned(),
        gateway_link: None,
        device: "F3".to_owned(),
        device_link: None,
        metric: "F3CB/Pos".to_owned(),
        encoding: Some(Encoding::DoublePoint),
        expected_ms: None,
        latest: None,
        last_change: None,
        held: Some(PointCommand { command, operator: "A. Nair".to_owned() }),
    }
}

/// Returns a utility in which the gateway of the breaker of [`site`] reports some metrics of its bay, each with its interval, ms.
pub(crate) fn field_with(metrics: &[(&str, Option<i64>)]) -> Field {
    linked_field_with(metrics, CurrentLinks::default(), Vec::new())
}

/// Returns the utility of [`field_with`] with link states, and with what the ingests confirm.
pub(crate) fn linked_field_with(metrics: &[(&str, Option<i64>)], links: CurrentLinks, leases: Vec<Lease>) -> Field {
    let (client, at) = (ClientId(1), site(State::Done, 0));
    let asset = AssetRecord {
        id: at.asset,
        client,
        location: at.location,
        code: "F3CB".to_owned(),
        name: at.asset_name,
        type_id: 1,
        class_name: at.class_name,
        device: at.device.clone(),
        kv: None,
        customers: 0,
        customers_known: false,
        control_asset_req: true,
        is_sbo_supported: true,
        feeds: None,
    };
    let gateway = GatewayRecord {
        id: at.gateway,
        client,
        code: at.gateway_code.clone(),
        name: at.gateway_code,
        location: at.location,
        online: true,
        since: Some(NOW),
        order: LinkOrder::default(),
        last_seen: Some(NOW),
        discovered: false,
    };
    let points = (200..).zip(metrics).map(|(id, (metric, expected_ms))| {
        let code = metric.rsplit('/').next().unwrap_or_default();
        Point {
            id: PointId(id),
            client,
            gateway: at.gateway,
            device: at.device.clone(),
            metric: (*metric).to_owned(),
            code: code.to_owned(),
            asset: asset.id,
            asset_name: asset.name.clone(),
            asset_type: asset.type_id,
            location: at.location,
            kind: kind_of_code(code),
            quantity: grid::measure::Quantity::Status,
            unit: String::new(),
            decimals: 0,
            scale: 1.0,
            expected_ms: *expected_ms,
        }
    });
    let registry = store::Registry {
        clients: vec![ClientRecord {
            id: client,
            code: at.group,
            name: "One".to_owned(),
            time_zone: "Asia/Kolkata".to_owned(),
            config: at.config,
        }],
        points: points.collect(),
        assets: vec![asset],
        gateways: vec![gateway],
        ..store::Registry::default()
    };
    let utility = Arc::new(Image::from(registry)).utility(client).expect("the utility");
    Field::new(utility, links, leases)
}
