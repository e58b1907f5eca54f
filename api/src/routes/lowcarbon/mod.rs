//! Low-carbon sites and the plans of their days (specification 3, section 2.2).

mod plan;

pub(crate) mod compare;
pub(crate) mod demand_file;
pub(crate) mod run;
pub(crate) mod sites;

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use identity::View;
use store::site::SiteRecord;

use crate::error::Error;
use crate::state::Services;

/// `{deviceId}` is a site that the caller may see. The permission is that for the substation of the site.
#[derive(Debug, Clone)]
pub(crate) struct VisibleSite {
    /// The caller's view.
    pub view: View,
    /// The site.
    pub site: SiteRecord,
}

impl FromRequestParts<Services> for VisibleSite {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, services: &Services) -> Result<Self, Error> {
        let view = View::from_request_parts(parts, services).await?;
        let params = RawPathParams::from_request_parts(parts, services).await.map_err(|_| Error::NotFound)?;
        let device_id = device_id(&params).ok_or(Error::NotFound)?;
        let site = services.store().site(view.principal.client, device_id).await?.ok_or(Error::NotFound)?;
        let is_seen = view.field.node(site.location).is_some_and(|node| view.sees(node));
        if is_seen { Ok(Self { view, site }) } else { Err(Error::NotFound) }
    }
}

/// Parses `{deviceId}` of a path; `None` if it is not a number.
pub(crate) fn device_id(params: &RawPathParams) -> Option<i64> {
    params.iter().find(|(name, _)| *name == "deviceId").and_then(|(_, id)| id.parse().ok())
}
