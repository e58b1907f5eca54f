//! POST /api/alarms/shelve and /api/alarms/unshelve.

use axum::Json;
use axum::extract::State;
use grid::Micros;
use grid::alarm::{Act, AlarmRecord};
use identity::{RequestOrigin, View};
use wire::Envelope;
use wire::alarms::{AlarmRow, ShelveAlarm, UnshelveAlarm};

use crate::body::Body;
use crate::error::Error;
use crate::page::{Diagram, Writes};
use crate::state::Services;

/// The longest shelving: one week. To suppress an alarm for longer, its rule must be changed.
const MINUTES_MAX: i64 = 7 * 24 * 60;
const REASON_MAX: usize = 200;

/// Shelves an alarm for a limited time. It continues to change meanwhile.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/alarms/shelve", tag = "alarms", operation_id = "shelveAlarm", security(("bearer" = [])), request_body = ShelveAlarm,
    responses(
        (status = 200, description = "The alarm", body = Envelope<AlarmRow>),
        (status = 400, description = "The input cannot be used; the message names what is wrong", body = wire::envelope::Failure),
        (status = 403, description = "The caller has no permission, or another desk holds the area of the alarm", body = wire::envelope::Failure),
        (status = 404, description = "There is no such alarm", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn shelve(
    State(services): State<Services>,
    view: View,
    _: Writes<Diagram>,
    trail: RequestOrigin,
    Body(ShelveAlarm { id, minutes, reason }): Body<ShelveAlarm>,
) -> Result<Json<Envelope<AlarmRow>>, Error> {
    if !(1..=MINUTES_MAX).contains(&minutes) {
        return Err(Error::BadRequest(format!("minutes must lie between 1 and {MINUTES_MAX}")));
    }
    let reason = super::text(&reason, REASON_MAX)
        .ok_or_else(|| Error::BadRequest(format!("reason must have 1 to {REASON_MAX} characters without control characters")))?;
    let name = super::name_of(&services, &view).await?;
    let act = |alarm: &mut AlarmRecord, at: Micros| {
        let outcome = alarm.life.step(Act::Shelve(at.plus_millis(minutes * 60_000)));
        (alarm.shelved_by, alarm.shelved_reason) = (Some(name.clone()), Some(reason.clone()));
        outcome.change()
    };
    let acted =
        services.store().act_on_alarms(view.principal.client, &[id], &trail.origin, |found| super::may(&view, 1, found), act).await??;
    Ok(Json(Envelope::ok(super::publish_and_return(&services, &view, acted)?)))
}

/// Ends the shelving of an alarm.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/alarms/unshelve", tag = "alarms", operation_id = "unshelveAlarm", security(("bearer" = [])), request_body = UnshelveAlarm,
    responses(
        (status = 200, description = "The alarm", body = Envelope<AlarmRow>),
        (status = 403, description = "The caller has no permission, or another desk holds the area of the alarm", body = wire::envelope::Failure),
        (status = 404, description = "There is no such alarm", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn unshelve(
    State(services): State<Services>,
    view: View,
    _: Writes<Diagram>,
    trail: RequestOrigin,
    Body(UnshelveAlarm { id }): Body<UnshelveAlarm>,
) -> Result<Json<Envelope<AlarmRow>>, Error> {
    let act = |alarm: &mut AlarmRecord, _: Micros| {
        let outcome = alarm.life.step(Act::Unshelve);
        (alarm.shelved_by, alarm.shelved_reason) = (None, None);
        outcome.change()
    };
    let acted =
        services.store().act_on_alarms(view.principal.client, &[id], &trail.origin, |found| super::may(&view, 1, found), act).await??;
    Ok(Json(Envelope::ok(super::publish_and_return(&services, &view, acted)?)))
}
