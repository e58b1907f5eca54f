//! GET /api/network/version/{number}/check: what is wrong in a version.

use axum::Json;
use axum::extract::{Path, State};
use grid::ClientId;
use network::Description;
use store::network::VersionNumber;
use wire::Envelope;
use wire::network::NetworkFindings;

use super::answers::findings;
use crate::error::Error;
use crate::routes::admin::Administrator;
use crate::state::Services;

/// Returns the findings about a version, with place and remedy; for roles 1 and 2.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/network/version/{number}/check", tag = "network", operation_id = "checkNetwork", security(("bearer" = [])),
    params(("number" = i32, Path, description = "The number of the version")),
    responses((status = 200, description = "The findings", body = Envelope<NetworkFindings>))
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    Administrator(principal): Administrator,
    Path(number): Path<i32>,
) -> Result<Json<Envelope<NetworkFindings>>, Error> {
    let description = description(&services, principal.client, number).await?;
    let found = computed(move || findings(&description.check())).await?;
    Ok(Json(Envelope::ok(found)))
}

/// Reads the network of a version.
pub(super) async fn description(services: &Services, client: ClientId, number: i32) -> Result<Description, Error> {
    services.store().network(client, VersionNumber(number)).await?.ok_or(Error::NotFound)
}

/// Runs a long computation on a thread of its own.
pub(super) async fn computed<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Error> {
    tokio::task::spawn_blocking(work).await.map_err(|error| {
        tracing::error!("{error}");
        Error::Internal
    })
}
