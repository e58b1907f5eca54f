//! GET /api/network/version/{number}/check: what is wrong in a version.

use axum::Json;
use axum::extract::{Path, State};
use grid::ClientId;
use network::Description;
use store::network::VersionNumber;
use store::temporary_change::unfit_changes;
use wire::Envelope;
use wire::network::NetworkFindings;

use super::answers::{findings, with_unfit};
use crate::error::Error;
use crate::routes::admin::Administrator;
use crate::state::Services;

/// Returns the findings about a version, with place and remedy, and which current temporary changes do not fit it; for roles 1 and 2.
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
    let changes = services.store().temporary_changes(principal.client).await?;
    let found = computed(move || with_unfit(findings(&description.check()), &unfit_changes(&description, &changes))).await?;
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
