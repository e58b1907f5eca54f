//! GET and POST /api/reports/runs/{id}/links, DELETE /api/reports/links/{id}, GET /api/reports/file/{token}: links that open a file without
//! a session. A link contains a secret of 256 random bits, which is returned once and stored as a hash.

use auth::{hash_token, new_token};
use axum::Json;
use axum::extract::{Path, State};
use axum::response::Response;
use identity::{RequestOrigin, View, throttle};
use reports::schedule::pieces::{StoredFile, send};
use reports::schedule::shape::{Link, NewLink};
use reports::schedule::{DAY_MS, LINK_DAYS_MAX, LINKS_MAX, address, has_page, whose};
use serde::Deserialize;
use serde_json::json;
use store::audit::{Entry, Origin};
use store::report::ReportPermissions;
use wire::Envelope;
use wire::time::iso;

use crate::body::Body;
use crate::error::Error;
use crate::extract::Caller;
use crate::file_answer::file_answer;
use crate::page::{PageAccess, ReportExport, Writes};
use crate::routes::reports::runs::{kept, seen};
use crate::state::Services;

/// The lifetime of a link.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, schema(as = ReportLinkEntry))]
pub(crate) struct LinkEntry {
    /// 1 to 30, and not longer than the file is kept.
    days: i64,
}

/// Returns the valid links to the file of a run.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/reports/runs/{id}/links", tag = "reports", operation_id = "reportLinks", security(("bearer" = [])),
    params(("id" = i64, Path, description = "A run")),
    responses(
        (status = 200, description = "Newest first, without the tokens", body = Envelope<Vec<Link>>),
        (status = 404, description = "There is no such run that the caller can see", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn list(
    State(services): State<Services>,
    view: View,
    _: PageAccess<ReportExport>,
    Path(id): Path<String>,
) -> Result<Json<Envelope<Vec<Link>>>, Error> {
    let found = seen(&services, &view, &id).await?;
    let links = services.store().report_links(view.principal.client, found.run.id, Services::now()).await?;
    Ok(Json(Envelope::ok(links.into_iter().map(Link::from).collect())))
}

/// Creates a link to the file of a run. Everybody with the link can fetch the file until it expires or is withdrawn, or until its creator cannot sign in or has
/// other rights.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/reports/runs/{id}/links", tag = "reports", operation_id = "makeReportLink", security(("bearer" = [])),
    params(("id" = i64, Path, description = "A run")), request_body = LinkEntry,
    responses(
        (status = 200, description = "The link", body = Envelope<NewLink>),
        (status = 400, description = "`days` is not 1 to 30", body = wire::envelope::Failure),
        (status = 404, description = "There is no such run that the caller can see, or its file is deleted", body = wire::envelope::Failure),
        (status = 422, description = "The file has 50 links already", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn make(
    State(services): State<Services>,
    view: View,
    _: Writes<ReportExport>,
    trail: RequestOrigin,
    Path(id): Path<String>,
    Body(LinkEntry { days }): Body<LinkEntry>,
) -> Result<Json<Envelope<NewLink>>, Error> {
    if !(1..=LINK_DAYS_MAX).contains(&days) {
        return Err(Error::BadRequest(format!("days must lie between 1 and {LINK_DAYS_MAX}")));
    }
    let found = seen(&services, &view, &id).await?;
    let StoredFile { run, .. } = kept(&view, &found)?;
    let ((token, hash), now) = (new_token(), Services::now());
    let principal = &view.principal;
    let permissions = ReportPermissions { node: principal.node, role: principal.role_id };
    let (by, span) = ((principal.client, principal.member, permissions), (now, now.plus_millis(days * DAY_MS)));
    let made = services.store().put_report_link(by, run, &hash, span, LINKS_MAX, &trail.origin).await?;
    let made = made.ok_or_else(|| Error::Impossible(format!("There are {LINKS_MAX} links to this file; withdraw one first.")))?;
    Ok(Json(Envelope::ok(NewLink { id: made.id, url: address(services.reports(), &token), expires: iso(made.expires) })))
}

/// Withdraws a link, which then opens nothing.
#[cfg_attr(test, utoipa::path(
    delete, path = "/api/reports/links/{id}", tag = "reports", operation_id = "withdrawReportLink", security(("bearer" = [])),
    params(("id" = i64, Path, description = "A link")),
    responses(
        (status = 200, description = "The link is withdrawn", body = Envelope<String>),
        (status = 404, description = "There is no such link that the caller can withdraw", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn withdraw(
    State(services): State<Services>,
    Caller(principal): Caller,
    _: Writes<ReportExport>,
    trail: RequestOrigin,
    Path(id): Path<String>,
) -> Result<Json<Envelope<String>>, Error> {
    let id = id.parse().map_err(|_| Error::NotFound)?;
    if services.store().remove_report_link(principal.client, whose(&principal), id, &trail.origin).await? {
        Ok(Json(Envelope::ok("The link has been withdrawn.".to_owned())))
    } else {
        Err(Error::NotFound)
    }
}

/// Returns the file of a link, without a session. A link that is wrong, expired or withdrawn, or whose file is deleted, gets the same answer.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/reports/file/{token}", tag = "reports", operation_id = "reportFileByLink",
    params(("token" = String, Path, description = "The token of the link")),
    responses(
        (status = 200, description = "The file, with its name in Content-Disposition", content_type = "application/octet-stream", body = Vec<u8>),
        (status = 404, description = "The link opens nothing", body = wire::envelope::Failure),
        (status = 429, description = "Too many wrong tokens from this address, or too many files are being fetched; see Retry-After", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn open(State(services): State<Services>, trail: RequestOrigin, Path(token): Path<String>) -> Result<Response, Error> {
    let attempt = throttle::secret(services.store(), trail.from).await?;
    let opened = services.store().report_by_link(&hash_token(&token), Services::now()).await?.ok_or(Error::NotFound)?;
    if !has_page(services.reports(), opened.client, opened.role).await? {
        return Err(Error::NotFound);
    }
    attempt.settle(services.store()).await?;
    let origin = Origin { client: Some(opened.client), actor: None, session: None, ..trail.origin };
    let entry = Entry::new(&origin, "report_link_used", format!("report run {}", opened.run));
    let entry = entry.changing(None, Some(json!({ "link": opened.link, "file": opened.file_name })));
    let file =
        StoredFile { client: opened.client, run: opened.run, name: opened.file_name, media_type: opened.media_type, bytes: opened.bytes };
    Ok(file_answer(send(services.reports(), file, &entry).await?))
}
