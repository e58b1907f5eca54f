//! A breaker for the unit tests of this crate.

use grid::control::machine::Command;
use grid::control::{CommandId, Holder, Mode, State, Throw};
use grid::position::Encoding;
use grid::{AssetId, GatewayId, MemberId, Micros, NodeId, PointId};
use serde_json::json;
use store::control::{PointCommand, Site};

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
