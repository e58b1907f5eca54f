//! GET /api/reports/schedules/{id}/runs, POST /api/reports/schedules/{id}/run, POST /api/reports/runs/{id}/stop, GET
//! /api/reports/runs/{id}/file: lists, starts and stops the runs of a schedule, and returns their files.

use analysis::calendar::Calendar;
use axum::Json;
use axum::extract::{Path, State};
use axum::response::Response;
use identity::{RequestOrigin, View, throttle};
use reports::schedule::due::{Days, parse_period, period_text};
use reports::schedule::entry::{days_of, resolve_for};
use reports::schedule::pieces::{StoredFile, send};
use reports::schedule::shape::Run;
use reports::schedule::whose;
use serde_json::json;
use store::audit::Entry;
use store::report::{AskedRun, ReportPermissions, RunRecord, RunState, StoppedRun};
use wire::Envelope;

use crate::error::Error;
use crate::extract::Caller;
use crate::file_answer::file_answer;
use crate::page::{PageAccess, ReportExport, Writes};
use crate::routes::alarms::name_of;
use crate::state::Services;

/// Maximum number of listed runs.
const LISTED_MAX: i64 = 100;
/// Maximum number of runs that one member may start per minute; the next constant is the maximum per hour.
const PER_MINUTE: i64 = 10;
const PER_HOUR: i64 = 20;

/// Returns the latest runs of a schedule.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/reports/schedules/{id}/runs", tag = "reports", operation_id = "reportRuns", security(("bearer" = [])),
    params(("id" = i64, Path, description = "A schedule")),
    responses(
        (status = 200, description = "Newest first, at most 100", body = Envelope<Vec<Run>>),
        (status = 404, description = "There is no such schedule that the caller can see", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn list(
    State(services): State<Services>,
    Caller(principal): Caller,
    _: PageAccess<ReportExport>,
    Path(id): Path<String>,
) -> Result<Json<Envelope<Vec<Run>>>, Error> {
    let id = id.parse().map_err(|_| Error::NotFound)?;
    services.store().report_schedule(principal.client, whose(&principal), id).await?.ok_or(Error::NotFound)?;
    let runs = services.store().report_runs(principal.client, id, LISTED_MAX).await?;
    Ok(Json(Envelope::ok(runs.into_iter().map(Run::from).collect())))
}

/// Starts one more run of a schedule, for the period that has ended now. The answer does not wait for it.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/reports/schedules/{id}/run", tag = "reports", operation_id = "runReportSchedule", security(("bearer" = [])),
    params(("id" = i64, Path, description = "A schedule")),
    responses(
        (status = 200, description = "The waiting run", body = Envelope<Run>),
        (status = 404, description = "There is no such schedule that the caller can run", body = wire::envelope::Failure),
        (status = 422, description = "One of its runs waits or is in progress", body = wire::envelope::Failure),
        (status = 429, description = "More than ten in a minute or twenty in an hour; see Retry-After", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn ask(
    State(services): State<Services>,
    view: View,
    _: Writes<ReportExport>,
    trail: RequestOrigin,
    Path(id): Path<String>,
) -> Result<Json<Envelope<Run>>, Error> {
    let id = id.parse().map_err(|_| Error::NotFound)?;
    let principal = &view.principal;
    let schedule = services.store().report_schedule(principal.client, whose(principal), id).await?.ok_or(Error::NotFound)?;
    throttle::by_minute(services.store(), "report runs", principal.member, PER_MINUTE).await?;
    throttle::hourly(services.store(), "report runs of an hour", principal.member, PER_HOUR).await?;
    let now = Services::now();
    let days = Days::parse(&schedule.draft.period).ok_or(Error::Internal)?;
    let period = days_of(&schedule.draft.question, days, now, Calendar::of(&view, now).zone())?.map(period_text).unwrap_or_default();
    let by = (principal.client, principal.member);
    let run = services.store().ask_report_run(by, id, now, &period, &trail.origin).await?;
    let run = run.ok_or_else(|| Error::Impossible("This report waits or is being made already.".to_owned()))?;
    Ok(Json(Envelope::ok(run.into())))
}

/// Stops a run that waits or is in progress. Nothing of it is kept or mailed; the schedule continues.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/reports/runs/{id}/stop", tag = "reports", operation_id = "stopReportRun", security(("bearer" = [])),
    params(("id" = i64, Path, description = "A run")),
    responses(
        (status = 200, description = "The failed run; its message names who stopped it", body = Envelope<Run>),
        (status = 404, description = "There is no such run that the caller can stop", body = wire::envelope::Failure),
        (status = 409, description = "The run has ended already; the message has the outcome", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn stop(
    State(services): State<Services>,
    view: View,
    _: Writes<ReportExport>,
    trail: RequestOrigin,
    Path(id): Path<String>,
) -> Result<Json<Envelope<Run>>, Error> {
    let id = id.parse().map_err(|_| Error::NotFound)?;
    let why = format!("Stopped by {}.", name_of(&services, &view).await?);
    let of = (view.principal.client, whose(&view.principal));
    match services.store().stop_report_run(of, id, Services::now(), &why, &trail.origin).await?.ok_or(Error::NotFound)? {
        StoppedRun::Now(run) => Ok(Json(Envelope::ok(run.into()))),
        StoppedRun::Before(run) => Err(Error::Late(ended(&run))),
    }
}

/// Returns how the run ended. Used if a request to stop the run came too late.
fn ended(run: &RunRecord) -> String {
    let how = if run.state == RunState::Done { "The report is made." } else { &run.message };
    format!("There is nothing to stop any more. {how}").trim_end().to_owned()
}

/// Returns the file of a run. It is entered in the audit.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/reports/runs/{id}/file", tag = "reports", operation_id = "reportRunFile", security(("bearer" = [])),
    params(("id" = i64, Path, description = "A run")),
    responses(
        (status = 200, description = "The file, with its name in Content-Disposition", content_type = "application/octet-stream", body = Vec<u8>),
        (status = 404, description = "There is no such run that the caller can see, or its file is deleted", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn file(
    State(services): State<Services>,
    view: View,
    _: PageAccess<ReportExport>,
    trail: RequestOrigin,
    Path(id): Path<String>,
) -> Result<Response, Error> {
    let found = seen(&services, &view, &id).await?;
    let file = kept(&view, &found)?;
    let what = json!({ "run": file.run, "file": file.name, "bytes": file.bytes });
    let entry = Entry::new(&trail.origin, "report_file_fetched", format!("report schedule {}", found.run.schedule));
    Ok(file_answer(send(services.reports(), file, &entry.changing(None, Some(what))).await?))
}

/// Returns a run of a schedule that the caller may see. The caller must also be able to see everything that the file contains, as it was
/// when the file was created.
pub(crate) async fn seen(services: &Services, view: &View, id: &str) -> Result<AskedRun, Error> {
    let id = id.parse().map_err(|_| Error::NotFound)?;
    let principal = &view.principal;
    let found = services.store().report_run(principal.client, whose(principal), id).await?.ok_or(Error::NotFound)?;
    if !principal.administers() {
        if found.made_as.is_some_and(|made_as| !reaches(view, made_as)) {
            return Err(Error::NotFound);
        }
        let days = Days::parse(&found.period_word).ok_or(Error::Internal)?;
        let period = if found.run.period.is_empty() { None } else { Some(parse_period(&found.run.period).ok_or(Error::Internal)?) };
        resolve_for(&found.question, days, period, services.reports(), view).await.map_err(|_| Error::NotFound)?;
    }
    Ok(found)
}

/// Returns whether the caller can see everything that the creator of a file could see: the caller must have the same node or a node above it, and the same role
/// or a higher one.
fn reaches(view: &View, made_as: ReportPermissions) -> bool {
    let principal = &view.principal;
    let sees = match made_as.node {
        // If the node no longer exists, no caller with a node can see it.
        Some(node) => view.field.node(node).is_some_and(|node| view.sees(node)),
        None => principal.may_see_all(principal.client),
    };
    sees && principal.role_id <= made_as.role
}

/// Returns the file of a run.
pub(crate) fn kept(view: &View, AskedRun { run, .. }: &AskedRun) -> Result<StoredFile, Error> {
    match (run.kept && run.state == RunState::Done, &run.file_name, &run.media_type, run.bytes) {
        (true, Some(name), Some(media_type), Some(bytes)) => {
            Ok(StoredFile { client: view.principal.client, run: run.id, name: name.clone(), media_type: media_type.clone(), bytes })
        }
        _ => Err(Error::Gone("There is no file of this run, or it is not kept any more.")),
    }
}
