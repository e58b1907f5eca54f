//! GET /api/analytics/registersteps/{type}/{id}/{days} and PUT /api/analytics/registerstep/{id}: refused steps of energy registers, and their confirmation.

use analysis::register_steps::{step_at, steps};
use axum::Json;
use axum::extract::{Path, State};
use grid::PointId;
use identity::{Area, RequestOrigin};
use store::register_step::StepConfirmation;
use wire::Envelope;
use wire::energy::{ConfirmRegisterStep, RegisterSteps};
use wire::time::parse_iso;

use crate::body::Body;
use crate::error::Error;
use crate::extract::{Asset, Scoped};
use crate::page::{Diagram, Writes};
use crate::routes::alarms::{name_of, text};
use crate::state::Services;

/// Longest period, days.
const DAYS_MAX: i64 = 92;
const DAY_MS: i64 = 86_400_000;
/// Maximum length of a note, characters.
const NOTE_MAX: usize = 500;

/// Returns the steps of energy registers of an area or asset that were refused in the last days, including those that users have confirmed.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/analytics/registersteps/{type}/{id}/{days}", tag = "analytics", operation_id = "registerSteps", security(("bearer" = [])),
    params(
        ("type" = String, Path, description = "`client`, a level, or `asset`"), ("id" = i64, Path, description = "The id of the area or asset"),
        ("days" = i64, Path, description = "1 to 92")
    ),
    responses(
        (status = 200, description = "At most 200 steps, the newest first", body = Envelope<RegisterSteps>),
        (status = 400, description = "The number of days cannot be used", body = wire::envelope::Failure),
        (status = 404, description = "The area or asset does not exist, or the caller cannot see it", body = wire::envelope::Failure)
    )
))]
pub(crate) async fn list(
    State(services): State<Services>,
    scoped: Scoped<Area>,
    Path(parts): Path<(String, String, String)>,
) -> Result<Json<Envelope<RegisterSteps>>, Error> {
    let days = parts.2.parse().ok().filter(|days| (1..=DAYS_MAX).contains(days));
    let days: i64 = days.ok_or_else(|| Error::BadRequest(format!("days must lie between 1 and {DAYS_MAX}")))?;
    let now = Services::now();
    let found = steps(services.store(), &scoped.view, scoped.target, (now.plus_millis(-days * DAY_MS), now)).await?;
    Ok(Json(Envelope::ok(found)))
}

/// Confirms that a refused step of a register of an asset was real, so that it counts, or withdraws the confirmation. It needs the right to operate.
#[cfg_attr(test, utoipa::path(
    put, path = "/api/analytics/registerstep/{id}", tag = "analytics", operation_id = "confirmRegisterStep", security(("bearer" = [])),
    params(("id" = i64, Path, description = "The asset of the meter")), request_body = ConfirmRegisterStep,
    responses(
        (status = 200, description = "Whether the step is confirmed now", body = Envelope<bool>),
        (status = 400, description = "The input cannot be used; the message names what is wrong", body = wire::envelope::Failure),
        (status = 403, description = "The caller has no right to operate", body = wire::envelope::Failure),
        (status = 404, description = "The asset does not exist or is not visible, or has no such step", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn put(
    State(services): State<Services>,
    scoped: Scoped<Asset>,
    _: Writes<Diagram>,
    trail: RequestOrigin,
    Body(body): Body<ConfirmRegisterStep>,
) -> Result<Json<Envelope<bool>>, Error> {
    let (view, asset) = (&scoped.view, scoped.target.0);
    if !view.principal.can_operate {
        return Err(Error::Forbidden("You need permission to operate to confirm a step of a register."));
    }
    let bad = |what: String| Error::BadRequest(what);
    let at = parse_iso(&body.at).ok_or_else(|| bad("at must be ISO 8601, such as 2026-11-01T00:00:00Z".to_owned()))?;
    let note =
        text(&body.note, NOTE_MAX).ok_or_else(|| bad(format!("note must have 1 to {NOTE_MAX} characters without control characters")))?;
    let (client, point) = (view.principal.client, PointId(body.point_id));
    if view.field.point(point).is_none_or(|point| point.asset != asset.id) {
        return Err(Error::NotFound);
    }
    if body.is_real {
        let step = step_at(services.store(), view, asset.id, point, at).await?.ok_or(Error::NotFound)?;
        let by = name_of(&services, view).await?;
        let confirmation = StepConfirmation { point, step, by, confirmed: Services::now(), note };
        services.store().confirm_step(client, &confirmation, &trail.origin).await?;
    } else if !services.store().withdraw_step(client, (point, at), &note, &trail.origin).await? {
        return Err(Error::NotFound);
    }
    Ok(Json(Envelope::ok(body.is_real)))
}
