//! GET /api/network/version/{number}/parts/{kind}: the parts of a version, in pages.

#![allow(unused_qualifications, reason = "the path macro repeats the type of the query")]

use axum::Json;
use axum::extract::{Path, Query, State};
use grid::ClientId;
use network::description::{Container, Equipment, Measurement, Node};
use network::findings::PartKind;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::Store;
use store::network::{StoredPart, VersionNumber};
use wire::Envelope;
use wire::network::NetworkParts;

use crate::error::Error;
use crate::routes::admin::Administrator;
use crate::state::Services;

const LIMIT_DEFAULT: i64 = 500;
const LIMIT_MAX: i64 = 5_000;
/// Limit of characters of an id. Those of parts are shorter.
const AFTER_CHARACTERS_MAX: usize = 1_000;

/// The page of the list.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub(crate) struct Page {
    /// Maximum of parts; default 500, at most 5000.
    limit: Option<i64>,
    /// `next` of the previous page: returns parts with ids after this one.
    #[serde(default)]
    after: String,
}

/// Returns parts of a version, by their ids; for roles 1 and 2.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/network/version/{number}/parts/{kind}", tag = "network", operation_id = "networkParts", security(("bearer" = [])),
    params(
        ("number" = i32, Path, description = "The number of the version"),
        ("kind" = String, Path, description = "`container`, `node`, `equipment` or `measurement`"),
        Page
    ),
    responses((status = 200, description = "A page of parts", body = Envelope<NetworkParts>))
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    Administrator(principal): Administrator,
    Path((number, kind)): Path<(i32, String)>,
    Query(page): Query<Page>,
) -> Result<Json<Envelope<NetworkParts>>, Error> {
    let kind = PartKind::parse(&kind).ok_or(Error::NotFound)?;
    let limit = page.limit.unwrap_or(LIMIT_DEFAULT);
    if !(1..=LIMIT_MAX).contains(&limit) {
        return Err(Error::BadRequest(format!("limit must lie between 1 and {LIMIT_MAX}")));
    }
    if page.after.contains('\0') || page.after.chars().nth(AFTER_CHARACTERS_MAX).is_some() {
        return Err(Error::BadRequest(format!(
            "after must be an id of up to {AFTER_CHARACTERS_MAX} characters without NUL: use next of the previous page"
        )));
    }
    let (store, client, version) = (services.store(), principal.client, VersionNumber(number));
    store.network_version(client, version).await?.ok_or(Error::NotFound)?;
    let parts = match kind {
        PartKind::Container => read::<Container>(store, client, version, &page.after, limit).await,
        PartKind::Node => read::<Node>(store, client, version, &page.after, limit).await,
        PartKind::Equipment => read::<Equipment>(store, client, version, &page.after, limit).await,
        PartKind::Measurement => read::<Measurement>(store, client, version, &page.after, limit).await,
    };
    Ok(Json(Envelope::ok(parts?)))
}

async fn read<T: StoredPart + Serialize>(
    store: &Store,
    client: ClientId,
    version: VersionNumber,
    after: &str,
    limit: i64,
) -> Result<NetworkParts, Error> {
    // One more shows whether there is a further page.
    let mut parts = store.network_parts::<T>(client, version, after, Some(limit + 1)).await?;
    let has_more = parts.len() as i64 > limit;
    parts.truncate(limit as usize);
    let next = parts.last().filter(|_| has_more).map(|part| part.id().to_owned());
    Ok(NetworkParts { parts: parts.iter().map(|part| json!(part)).collect(), next })
}
