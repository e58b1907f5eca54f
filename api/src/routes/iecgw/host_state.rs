//! GET /api/iecgw/gethoststate.

use axum::Json;
use identity::View;
use wire::Envelope;
use wire::rows::{GatewayRow, HostState};

/// Returns which RTUs and gateways are online, of those that the caller can see.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/iecgw/gethoststate", tag = "iecgw", operation_id = "hostState", security(("bearer" = [])),
    responses((status = 200, description = "Gateways by name", body = Envelope<HostState>))
))]
pub(crate) async fn handle(view: View) -> Json<Envelope<HostState>> {
    let seen = view.field.gateways().filter(|gateway| view.field.node(gateway.location).is_some_and(|location| view.sees(location)));
    let mut gateways: Vec<GatewayRow> = seen
        .map(|gateway| {
            let link = view.field.link(gateway.id);
            GatewayRow {
                id: gateway.id.0,
                code: gateway.code.clone(),
                name: gateway.name.clone(),
                location_id: gateway.location.0,
                online: link.online,
                since: link.since.map(grid::Micros::millis),
                last_seen: link.last_seen.map(grid::Micros::millis),
            }
        })
        .collect();
    gateways.sort_by(|a, b| a.name.cmp(&b.name));
    Json(Envelope::ok(HostState { gateways }))
}
