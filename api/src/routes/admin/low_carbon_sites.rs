//! GET /api/admin/lowcarbonsites, PUT and DELETE /api/admin/lowcarbonsite/{deviceId}: the low-carbon sites of a utility with the data for
//! their plans.

use analysis::low_carbon::site_record;
use axum::Json;
use axum::extract::{RawPathParams, State};
use axum::http::{HeaderMap, header};
use identity::{RequestOrigin, View};
use store::site::{Names, Precondition, StoreSiteResult};
use wire::Envelope;
use wire::lowcarbon::{LowCarbonSiteDetail, LowCarbonSiteEntry};

use crate::body::Body;
use crate::error::Error;
use crate::page::{Administration, Writes};
use crate::routes::admin::Administrator;
use crate::routes::lowcarbon::device_id;
use crate::routes::lowcarbon::sites::detail;
use crate::state::Services;

/// Maximum number of sites of one utility.
const SITES_MAX: i64 = 500;
/// The largest integer that browsers represent exactly.
const DEVICE_MAX: i64 = 9_007_199_254_740_991;

/// Returns all low-carbon sites of the utility with their configuration.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/admin/lowcarbonsites", tag = "admin", operation_id = "configuredLowCarbonSites", security(("bearer" = [])),
    responses((status = 200, description = "By name", body = Envelope<Vec<LowCarbonSiteDetail>>))
))]
pub(crate) async fn list(
    State(services): State<Services>,
    Administrator(principal): Administrator,
    view: View,
) -> Result<Json<Envelope<Vec<LowCarbonSiteDetail>>>, Error> {
    let sites = services.store().sites(principal.client).await?;
    Ok(Json(Envelope::ok(sites.iter().filter_map(|site| detail(&view, site, true)).collect())))
}

/// Creates or replaces a site. `If-None-Match: *` only creates, `If-Match: *` only replaces.
#[cfg_attr(test, utoipa::path(
    put, path = "/api/admin/lowcarbonsite/{deviceId}", tag = "admin", operation_id = "putLowCarbonSite", security(("bearer" = [])),
    params(
        ("deviceId" = i64, Path, description = "The site's number, from 1"),
        ("If-None-Match" = Option<String>, Header, description = "`*`: only a new site"),
        ("If-Match" = Option<String>, Header, description = "`*`: only an existing site"),
    ),
    request_body = LowCarbonSiteEntry,
    responses(
        (status = 200, description = "The stored configuration", body = Envelope<LowCarbonSiteDetail>),
        (status = 400, description = "The input cannot be used; the message names each field", body = wire::envelope::Failure),
        (status = 412, description = "The site exists already, or does not exist", body = wire::envelope::Failure),
    )
))]
#[allow(clippy::too_many_arguments, reason = "each is a part of the request that the handler names")]
pub(crate) async fn put(
    State(services): State<Services>,
    Administrator(principal): Administrator,
    _: Writes<Administration>,
    trail: RequestOrigin,
    view: View,
    params: RawPathParams,
    headers: HeaderMap,
    Body(entry): Body<LowCarbonSiteEntry>,
) -> Result<Json<Envelope<LowCarbonSiteDetail>>, Error> {
    let device_id = device_id(&params).filter(|id| (1..=DEVICE_MAX).contains(id)).ok_or(Error::NotFound)?;
    let site = site_record(&view, device_id, entry)?;
    match services.store().put_site(principal.client, &site, precondition(&headers)?, SITES_MAX, &trail.origin).await? {
        StoreSiteResult::Stored => Ok(Json(Envelope::ok(detail(&view, &site, true).ok_or(Error::Internal)?))),
        StoreSiteResult::Exists => {
            Err(Error::Unmet(format!("there is a site {device_id} already, and nothing of it was changed: choose another number")))
        }
        StoreSiteResult::Missing => Err(Error::Unmet(format!("there is no site {device_id} any more"))),
        StoreSiteResult::Full(others) => Err(Error::BadRequest(format!("there are {others} sites; up to {SITES_MAX}"))),
        StoreSiteResult::Unknown(Names::Location) => Err(Error::BadRequest("locationId: there is no such substation".to_owned())),
        StoreSiteResult::Unknown(Names::Points) => Err(Error::BadRequest("points: one of them is not there any more".to_owned())),
    }
}

/// Returns the precondition of the request: `If-Match: *` or `If-None-Match: *`.
fn precondition(headers: &HeaderMap) -> Result<Precondition, Error> {
    match (headers.get(header::IF_NONE_MATCH), headers.get(header::IF_MATCH)) {
        (None, None) => Ok(Precondition::Either),
        (Some(any), None) if any == "*" => Ok(Precondition::New),
        (None, Some(any)) if any == "*" => Ok(Precondition::There),
        _ => Err(Error::BadRequest("If-None-Match, If-Match: one of them, and only *".to_owned())),
    }
}

/// Removes a site and its demand files. Measured values are kept.
#[cfg_attr(test, utoipa::path(
    delete, path = "/api/admin/lowcarbonsite/{deviceId}", tag = "admin", operation_id = "removeLowCarbonSite", security(("bearer" = [])),
    params(("deviceId" = i64, Path, description = "The site's number")),
    responses((status = 200, description = "The site is removed", body = Envelope<String>))
))]
pub(crate) async fn delete(
    State(services): State<Services>,
    Administrator(principal): Administrator,
    _: Writes<Administration>,
    trail: RequestOrigin,
    params: RawPathParams,
) -> Result<Json<Envelope<String>>, Error> {
    let device_id = device_id(&params).ok_or(Error::NotFound)?;
    if services.store().remove_site(principal.client, device_id, &trail.origin).await? {
        Ok(Json(Envelope::ok("The site has been removed.".to_owned())))
    } else {
        Err(Error::NotFound)
    }
}
