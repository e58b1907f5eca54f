//! Permission to change data from a page. A handler that changes data names the page among its parameters. It is refused if the caller's
//! role does not have the page or has it read-only: hiding a page in the browser protects nothing (OWASP ASVS 5.0, 8.3.1).

use std::marker::PhantomData;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use crate::error::Error;
use crate::extract::Caller;
use crate::state::Services;

/// A page of the catalogue from which data are changed.
pub(crate) trait Page {
    /// The fixed key of the page.
    const KEY: &'static str;
}

/// The administration of a utility.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Administration;

impl Page for Administration {
    const KEY: &'static str = "admin.members";
}

/// The single-line diagram. A role with this page read-only may not operate devices or place tags.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Diagram;

impl Page for Diagram {
    const KEY: &'static str = "dashboard.sld";
}

/// The embedded report of another server.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EmbeddedReport;

impl Page for EmbeddedReport {
    const KEY: &'static str = "powerbi.report";
}

/// Viewing and exporting reports.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReportExport;

impl Page for ReportExport {
    const KEY: &'static str = reports::PAGE;
}

/// The caller's role has the page `P`, possibly read-only.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageAccess<P>(PhantomData<P>);

impl<P: Page> FromRequestParts<Services> for PageAccess<P> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, services: &Services) -> Result<Self, Error> {
        let Caller(principal) = Caller::from_request_parts(parts, services).await?;
        let pages = services.reserved().page_access(principal.client, principal.role_id..=principal.role_id).await?;
        let has = pages.iter().any(|access| access.page.tab_key == P::KEY);
        if has { Ok(Self(PhantomData)) } else { Err(Error::Forbidden("your role does not have this page")) }
    }
}

/// The optimiser of low-carbon sites. A role with this page read-only may run it, but may not upload files.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Optimiser;

impl Page for Optimiser {
    const KEY: &'static str = "lc.site-analytics";
}

/// The caller may change data from the page `P`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Writes<P>(PhantomData<P>);

impl<P: Page> FromRequestParts<Services> for Writes<P> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, services: &Services) -> Result<Self, Error> {
        let Caller(principal) = Caller::from_request_parts(parts, services).await?;
        let may = !principal.demo && services.reserved().may_write_from(principal.client, principal.role_id, P::KEY).await?;
        if may { Ok(Self(PhantomData)) } else { Err(Error::Forbidden("your role may only look at this page")) }
    }
}
