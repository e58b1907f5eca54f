//! Pages that a role may only look at. A call that changes something from a page names the page among its arguments, and is refused where the caller's
//! role does not have it, or only to look at (trust.md S12): what a browser hides is no protection.

use std::marker::PhantomData;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use crate::error::Error;
use crate::extract::Caller;
use crate::state::Services;

/// A page of the catalogue from which something is changed.
pub(crate) trait Page {
    /// Its fixed key.
    const KEY: &'static str;
}

/// The administration of a utility.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Administration;

impl Page for Administration {
    const KEY: &'static str = "admin.members";
}

/// The single-line diagram: whose page is read-only operates nothing and hangs no tags.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Diagram;

impl Page for Diagram {
    const KEY: &'static str = "dashboard.sld";
}

/// The report of another server.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EmbeddedReport;

impl Page for EmbeddedReport {
    const KEY: &'static str = "powerbi.report";
}

/// Reports to look at and to take away.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReportExport;

impl Page for ReportExport {
    const KEY: &'static str = reports::PAGE;
}

/// The caller has the page `P`, if only to look at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Opens<P>(PhantomData<P>);

impl<P: Page> FromRequestParts<Services> for Opens<P> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, services: &Services) -> Result<Self, Error> {
        let Caller(principal) = Caller::from_request_parts(parts, services).await?;
        let pages = services.store().page_access(principal.client, principal.role_id..=principal.role_id).await?;
        let has = pages.iter().any(|access| access.page.tab_key == P::KEY);
        if has { Ok(Self(PhantomData)) } else { Err(Error::Forbidden("your role does not have this page")) }
    }
}

/// The optimiser of low-carbon sites: whose page is read-only runs it and leaves no files.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Optimiser;

impl Page for Optimiser {
    const KEY: &'static str = "lc.site-analytics";
}

/// The caller may change something from the page `P`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Writes<P>(PhantomData<P>);

impl<P: Page> FromRequestParts<Services> for Writes<P> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, services: &Services) -> Result<Self, Error> {
        let Caller(principal) = Caller::from_request_parts(parts, services).await?;
        let may = !principal.demo && services.store().may_write_from(principal.client, principal.role_id, P::KEY).await?;
        if may { Ok(Self(PhantomData)) } else { Err(Error::Forbidden("your role may only look at this page")) }
    }
}
