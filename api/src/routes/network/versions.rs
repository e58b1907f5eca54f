//! GET /api/network/versions and /api/network/version/{number}: the versions of the network, without their parts.

#![allow(unused_qualifications, reason = "the path macro repeats the type of the query")]

use axum::Json;
use axum::extract::{Path, Query, State};
use serde::Deserialize;
use store::network::VersionNumber;
use wire::Envelope;
use wire::network::NetworkVersion;

use super::answers::version;
use crate::error::Error;
use crate::routes::admin::Administrator;
use crate::state::Services;

const LIMIT_DEFAULT: i64 = 100;
const LIMIT_MAX: i64 = 1_000;

/// The page of the list.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub(crate) struct Page {
    /// Maximum of versions; default 100, at most 1000.
    limit: Option<i64>,
    /// The last version of the previous page: returns older ones.
    before: Option<i32>,
}

/// Returns the versions of the network, newest first; for roles 1 and 2.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/network/versions", tag = "network", operation_id = "networkVersions", security(("bearer" = [])), params(Page),
    responses((status = 200, description = "Versions", body = Envelope<Vec<NetworkVersion>>))
))]
pub(crate) async fn list(
    State(services): State<Services>,
    Administrator(principal): Administrator,
    Query(page): Query<Page>,
) -> Result<Json<Envelope<Vec<NetworkVersion>>>, Error> {
    let limit = page.limit.unwrap_or(LIMIT_DEFAULT);
    if !(1..=LIMIT_MAX).contains(&limit) {
        return Err(Error::BadRequest(format!("limit must lie between 1 and {LIMIT_MAX}")));
    }
    let versions = services.store().network_versions(principal.client, page.before.map(VersionNumber), limit).await?;
    Ok(Json(Envelope::ok(versions.into_iter().map(version).collect())))
}

/// Returns a version of the network without its parts; for roles 1 and 2.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/network/version/{number}", tag = "network", operation_id = "networkVersion", security(("bearer" = [])),
    params(("number" = i32, Path, description = "The number of the version")),
    responses((status = 200, description = "The version", body = Envelope<NetworkVersion>))
))]
pub(crate) async fn one(
    State(services): State<Services>,
    Administrator(principal): Administrator,
    Path(number): Path<i32>,
) -> Result<Json<Envelope<NetworkVersion>>, Error> {
    let found = services.store().network_version(principal.client, VersionNumber(number)).await?.ok_or(Error::NotFound)?;
    Ok(Json(Envelope::ok(version(found))))
}
