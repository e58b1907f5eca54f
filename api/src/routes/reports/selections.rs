//! GET and POST /api/reports/selections, PUT and DELETE /api/reports/selections/{id}: saved requests of the caller.

use axum::Json;
use axum::extract::{Path, State};
use identity::{RequestOrigin, View};
use reports::schedule::entry::SelectionEntry;
use reports::schedule::shape::Selection;
use wire::Envelope;

use crate::body::Body;
use crate::error::Error;
use crate::extract::Caller;
use crate::page::{PageAccess, ReportExport, Writes};
use crate::state::Services;

/// Maximum number of saved requests of one user in a utility.
const SELECTIONS_MAX: i64 = 100;

/// Returns the saved requests of the caller.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/reports/selections", tag = "reports", operation_id = "reportSelections", security(("bearer" = [])),
    responses((status = 200, description = "By name", body = Envelope<Vec<Selection>>))
))]
pub(crate) async fn list(
    State(services): State<Services>,
    Caller(principal): Caller,
    _: PageAccess<ReportExport>,
) -> Result<Json<Envelope<Vec<Selection>>>, Error> {
    let found = services.store().report_selections(principal.client, principal.member).await?;
    Ok(Json(Envelope::ok(found.into_iter().map(Selection::from).collect())))
}

/// Saves a request, which must be one that the caller could make now.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/reports/selections", tag = "reports", operation_id = "addReportSelection", security(("bearer" = [])),
    request_body = SelectionEntry,
    responses(
        (status = 200, description = "The saved request", body = Envelope<Selection>),
        (status = 400, description = "The input cannot be used; the message names what is wrong", body = wire::envelope::Failure),
        (status = 404, description = "There is no such area", body = wire::envelope::Failure),
        (status = 422, description = "There are 100 already", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn add(
    State(services): State<Services>,
    view: View,
    _: Writes<ReportExport>,
    trail: RequestOrigin,
    Body(entry): Body<SelectionEntry>,
) -> Result<Json<Envelope<Selection>>, Error> {
    let draft = entry.checked(services.reports(), &view).await?;
    let owner = (view.principal.client, view.principal.member);
    let added = services.store().put_report_selection(owner, &draft, Services::now(), SELECTIONS_MAX, &trail.origin).await?;
    let added = added.ok_or_else(|| Error::Impossible(format!("You have saved {SELECTIONS_MAX} selections already; remove one first.")))?;
    Ok(Json(Envelope::ok(added.into())))
}

/// Replaces a saved request of the caller.
#[cfg_attr(test, utoipa::path(
    put, path = "/api/reports/selections/{id}", tag = "reports", operation_id = "changeReportSelection", security(("bearer" = [])),
    params(("id" = i64, Path, description = "The id of the schedule or request")), request_body = SelectionEntry,
    responses(
        (status = 200, description = "The saved request", body = Envelope<Selection>),
        (status = 400, description = "The input cannot be used; the message names what is wrong", body = wire::envelope::Failure),
        (status = 404, description = "The caller has no such saved request", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn change(
    State(services): State<Services>,
    view: View,
    _: Writes<ReportExport>,
    trail: RequestOrigin,
    Path(id): Path<String>,
    Body(entry): Body<SelectionEntry>,
) -> Result<Json<Envelope<Selection>>, Error> {
    let id = id.parse().map_err(|_| Error::NotFound)?;
    let draft = entry.checked(services.reports(), &view).await?;
    let owner = (view.principal.client, view.principal.member);
    let changed = services.store().change_report_selection(owner, id, Some(&draft), &trail.origin).await?;
    changed.map(|changed| Json(Envelope::ok(changed.into()))).ok_or(Error::NotFound)
}

/// Removes a saved request of the caller.
#[cfg_attr(test, utoipa::path(
    delete, path = "/api/reports/selections/{id}", tag = "reports", operation_id = "removeReportSelection", security(("bearer" = [])),
    params(("id" = i64, Path, description = "The id of the schedule or request")),
    responses(
        (status = 200, description = "The site is removed", body = Envelope<String>),
        (status = 404, description = "The caller has no such saved request", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn remove(
    State(services): State<Services>,
    Caller(principal): Caller,
    _: Writes<ReportExport>,
    trail: RequestOrigin,
    Path(id): Path<String>,
) -> Result<Json<Envelope<String>>, Error> {
    let id = id.parse().map_err(|_| Error::NotFound)?;
    let owner = (principal.client, principal.member);
    let removed = services.store().change_report_selection(owner, id, None, &trail.origin).await?;
    removed.map(|_| Json(Envelope::ok("The selection has been removed.".to_owned()))).ok_or(Error::NotFound)
}
