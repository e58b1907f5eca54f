//! GET /api/network/summary: which version of the network is active.

use axum::Json;
use axum::extract::State;
use identity::View;
use wire::Envelope;
use wire::network::{ActiveNetwork, NetworkSummary};
use wire::time::iso;

use super::answers::counts;
use crate::error::Error;
use crate::state::Services;

/// Returns the active version of the network with the numbers of its parts; for every role that sees a part of the utility.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/network/summary", tag = "network", operation_id = "networkSummary", security(("bearer" = [])),
    responses((status = 200, description = "The active version", body = Envelope<NetworkSummary>))
))]
pub(crate) async fn handle(State(services): State<Services>, view: View) -> Result<Json<Envelope<NetworkSummary>>, Error> {
    let client = view.principal.client;
    if !view.principal.may_see_any(client) {
        return Err(Error::Forbidden("your role sees no part of the network"));
    }
    let newest_version = services.store().newest_network(client).await?.map(|newest| newest.0);
    let mut summary = NetworkSummary { active: None, newest_version };
    if let Some(active) = services.store().active_network(client, Services::now()).await? {
        let version = services.store().network_version(client, active.version).await?.ok_or(Error::Internal)?;
        summary.active = Some(ActiveNetwork { version: active.version.0, since: iso(active.since), parts: counts(version.counts) });
    }
    Ok(Json(Envelope::ok(summary)))
}
