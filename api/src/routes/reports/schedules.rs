//! GET and POST /api/reports/schedules, PUT and DELETE /api/reports/schedules/{id}: schedules of reports. Users have their own;
//! administrators of the utility can see and change all.

use analysis::calendar::Calendar;
use axum::Json;
use axum::extract::{Path, State};
use identity::{RequestOrigin, View};
use jiff::tz::TimeZone;
use reports::schedule::due::Rhythm;
use reports::schedule::entry::ScheduleEntry;
use reports::schedule::shape::Schedule;
use reports::schedule::{rhythm, whose};
use store::report::{Added, ScheduleDraft, ScheduleRecord, Timing};
use wire::Envelope;

use crate::body::Body;
use crate::error::Error;
use crate::extract::Caller;
use crate::page::{PageAccess, ReportExport, Writes};
use crate::state::Services;

/// Limits of schedules of one user, and of one utility.
const SCHEDULES_MAX: (i64, i64) = (50, 500);

/// Returns the schedules that the caller can see, with the latest run of each.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/reports/schedules", tag = "reports", operation_id = "reportSchedules", security(("bearer" = [])),
    responses((status = 200, description = "By name", body = Envelope<Vec<Schedule>>))
))]
pub(crate) async fn list(
    State(services): State<Services>,
    Caller(principal): Caller,
    _: PageAccess<ReportExport>,
) -> Result<Json<Envelope<Vec<Schedule>>>, Error> {
    let found = services.store().report_schedules(principal.client, whose(&principal)).await?;
    Ok(Json(Envelope::ok(found.into_iter().map(|schedule| Schedule::for_viewer(schedule, principal.member)).collect())))
}

/// Adds a schedule. Its request must be one that the caller could make now; its runs have the rights that the caller has then.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/reports/schedules", tag = "reports", operation_id = "addReportSchedule", security(("bearer" = [])),
    request_body = ScheduleEntry,
    responses(
        (status = 200, description = "The stored schedule", body = Envelope<Schedule>),
        (status = 400, description = "The input cannot be used; the message names what is wrong", body = wire::envelope::Failure),
        (status = 404, description = "There is no such area", body = wire::envelope::Failure),
        (status = 422, description = "The user has 50 already, or the utility 500", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn add(
    State(services): State<Services>,
    view: View,
    _: Writes<ReportExport>,
    trail: RequestOrigin,
    Body(entry): Body<ScheduleEntry>,
) -> Result<Json<Envelope<Schedule>>, Error> {
    let (draft, rhythm) = entry.checked(services.reports(), &view).await?;
    let timing = timing(&view, &draft, rhythm, None);
    let owner = (view.principal.client, view.principal.member);
    match services.store().add_report_schedule(owner, &draft, &timing, SCHEDULES_MAX, &trail.origin).await? {
        Added::As(id) => shown(&services, &view, id).await,
        Added::Full => {
            let (own, all) = SCHEDULES_MAX;
            Err(Error::Impossible(format!("There are {own} schedules of yours, or {all} of the utility; remove one first.")))
        }
    }
}

/// Replaces a schedule. A new time is used from now on, without making up for earlier ones. A schedule that is only disabled is not validated again.
#[cfg_attr(test, utoipa::path(
    put, path = "/api/reports/schedules/{id}", tag = "reports", operation_id = "changeReportSchedule", security(("bearer" = [])),
    params(("id" = i64, Path, description = "The id of the schedule or request")), request_body = ScheduleEntry,
    responses(
        (status = 200, description = "The stored schedule", body = Envelope<Schedule>),
        (status = 400, description = "The input cannot be used; the message names what is wrong", body = wire::envelope::Failure),
        (status = 404, description = "There is no such schedule that the caller can change", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn change(
    State(services): State<Services>,
    view: View,
    _: Writes<ReportExport>,
    trail: RequestOrigin,
    Path(id): Path<String>,
    Body(entry): Body<ScheduleEntry>,
) -> Result<Json<Envelope<Schedule>>, Error> {
    let id = id.parse().map_err(|_| Error::NotFound)?;
    let of = (view.principal.client, whose(&view.principal));
    let before = services.store().report_schedule(of.0, of.1, id).await?.map(|kept| kept.draft);
    let (draft, rhythm) = match before.filter(|kept| entry.only_stops(kept)) {
        Some(kept) => {
            let due = rhythm(&kept.every, kept.weekday, kept.day_of_month, kept.at_minute).ok_or(Error::Internal)?;
            (ScheduleDraft { enabled: false, ..kept }, due)
        }
        None => entry.checked(services.reports(), &view).await?,
    };
    let timed = |before: &ScheduleRecord| timing(&view, &draft, rhythm, Some(before));
    if !services.store().change_report_schedule(of, id, &draft, &trail.origin, timed).await? {
        return Err(Error::NotFound);
    }
    shown(&services, &view, id).await
}

/// Removes a schedule with its runs, their files and their links.
#[cfg_attr(test, utoipa::path(
    delete, path = "/api/reports/schedules/{id}", tag = "reports", operation_id = "removeReportSchedule", security(("bearer" = [])),
    params(("id" = i64, Path, description = "The id of the schedule or request")),
    responses(
        (status = 200, description = "The site is removed", body = Envelope<String>),
        (status = 404, description = "There is no such schedule that the caller can remove", body = wire::envelope::Failure),
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
    if services.store().remove_report_schedule(principal.client, whose(&principal), id, &trail.origin).await? {
        Ok(Json(Envelope::ok("The schedule has been removed with its files.".to_owned())))
    } else {
        Err(Error::NotFound)
    }
}

async fn shown(services: &Services, view: &View, id: i64) -> Result<Json<Envelope<Schedule>>, Error> {
    let found = services.store().report_schedule(view.principal.client, whose(&view.principal), id).await?;
    found.map(|schedule| Json(Envelope::ok(Schedule::for_viewer(schedule, view.principal.member)))).ok_or(Error::NotFound)
}

/// Returns the next due time of a schedule after a change. If its times are unchanged, the due time is unchanged. Otherwise it is the first due time after now.
fn timing(view: &View, draft: &ScheduleDraft, rhythm: Rhythm, before: Option<&ScheduleRecord>) -> Timing {
    let now = Services::now();
    let calendar = Calendar::of(view, now);
    let zone: &TimeZone = calendar.zone();
    let name = view.field.client().time_zone.clone();
    let (since, settled) = before.filter(|before| before.draft.is_due_as(draft)).map_or((now, now), |same| (same.since, same.settled));
    Timing { since, settled, next_due: rhythm.next(settled, zone).filter(|_| draft.enabled), zone: name }
}
