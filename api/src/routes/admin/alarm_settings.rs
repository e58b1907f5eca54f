//! GET and PUT /api/admin/alarmsettings/{id}: the alarm rules of a point.

use std::collections::HashSet;

use axum::Json;
use axum::extract::{Path, State};
use grid::alarm::{AlarmKind, PRIORITIES, Rule};
use grid::{Point, PointId, point};
use identity::{RequestOrigin, View};
use wire::Envelope;
use wire::alarms::{AlarmRule, AlarmSettings};
use wire::bus::BusMessage;

use crate::body::Body;
use crate::error::Error;
use crate::page::{Administration, Writes};
use crate::routes::admin::Administrator;
use crate::state::Services;

/// The longest delay: one day, s.
const DELAY_MAX_S: i32 = 86_400;
const TEXT_MAX: usize = 100;

fn of_caller<'a>(view: &'a View, id: &str) -> Result<&'a Point, Error> {
    let id = id.parse().map(PointId).map_err(|_| Error::NotFound)?;
    let point = view.field.point(id).ok_or(Error::NotFound)?;
    view.field.node(point.location).filter(|location| view.sees(location)).map(|_| point).ok_or(Error::NotFound)
}

/// Returns the alarm rules of a point.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/admin/alarmsettings/{id}", tag = "admin", operation_id = "alarmSettings", security(("bearer" = [])),
    params(("id" = i64, Path, description = "A point")),
    responses(
        (status = 200, description = "At most one rule of each kind", body = Envelope<AlarmSettings>),
        (status = 403, description = "The caller is no administrator", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn get(
    State(services): State<Services>,
    Administrator(principal): Administrator,
    view: View,
    Path(id): Path<String>,
) -> Result<Json<Envelope<AlarmSettings>>, Error> {
    let point = of_caller(&view, &id)?;
    let rules = services.store().alarm_rules(principal.client, Some(point.id)).await?;
    Ok(Json(Envelope::ok(AlarmSettings { rules: rules.iter().map(AlarmRule::from).collect() })))
}

/// Replaces the alarm rules of a point. They are effective within a second, also for the present value.
#[cfg_attr(test, utoipa::path(
    put, path = "/api/admin/alarmsettings/{id}", tag = "admin", operation_id = "changeAlarmSettings", security(("bearer" = [])),
    request_body = AlarmSettings, params(("id" = i64, Path, description = "A point")),
    responses(
        (status = 200, description = "The stored rules", body = Envelope<AlarmSettings>),
        (status = 400, description = "The input cannot be used; the message names what is wrong", body = wire::envelope::Failure),
        (status = 403, description = "The caller has no permission", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn put(
    State(services): State<Services>,
    Administrator(principal): Administrator,
    view: View,
    _: Writes<Administration>,
    trail: RequestOrigin,
    Path(id): Path<String>,
    Body(settings): Body<AlarmSettings>,
) -> Result<Json<Envelope<AlarmSettings>>, Error> {
    let point = of_caller(&view, &id)?;
    let rules = checked(point, &settings.rules).map_err(Error::BadRequest)?;
    services.store().replace_alarm_rules(principal.client, point.id, &rules, &trail.origin).await?;
    services.0.deps.bus.publish(BusMessage::AlarmRules { client: principal.client.0 });
    Ok(Json(Envelope::ok(AlarmSettings { rules: rules.iter().map(AlarmRule::from).collect() })))
}

/// Validates the rules. The error is the message for the user.
fn checked(point: &Point, given: &[AlarmRule]) -> Result<Vec<Rule>, String> {
    let mut kinds = HashSet::new();
    let rules = given.iter().enumerate().map(|(at, rule)| {
        let rule = one(point, rule).map_err(|wrong| format!("rules[{at}].{wrong}"))?;
        if kinds.insert(rule.kind) { Ok(rule) } else { Err(format!("rules[{at}].kind is there already, once is allowed")) }
    });
    rules.collect()
}

fn one(point: &Point, rule: &AlarmRule) -> Result<Rule, String> {
    let is_measured = point.kind == point::PointKind::Measurand;
    let allowed = if is_measured { "high, low, high_high, low_low or data" } else { "state" };
    let kind = AlarmKind::parse(&rule.kind).filter(|kind| kind.is_set() && (*kind == AlarmKind::State) != is_measured);
    let kind = kind.ok_or_else(|| format!("kind must be {allowed} for this point"))?;
    let has_limit = !matches!(kind, AlarmKind::State | AlarmKind::Data);
    if rule.limit.is_some_and(f64::is_finite) != has_limit || (rule.limit.is_some() && !has_limit) {
        return Err(if has_limit { "limit must be a number" } else { "limit has no place in a rule of this kind" }.to_owned());
    }
    if rule.state_value.is_some_and(f64::is_finite) != (kind == AlarmKind::State)
        || (rule.state_value.is_some() && kind != AlarmKind::State)
    {
        let needs_state_value = kind == AlarmKind::State;
        return Err(
            if needs_state_value { "stateValue must be a raw status" } else { "stateValue has no place in a rule of this kind" }.to_owned()
        );
    }
    if !rule.deadband.is_finite() || rule.deadband < 0.0 {
        return Err("deadband must be 0 or more".to_owned());
    }
    for (name, delay) in [("onDelayS", rule.on_delay_s), ("offDelayS", rule.off_delay_s)] {
        if !(0..=DELAY_MAX_S).contains(&delay) {
            return Err(format!("{name} must lie between 0 and {DELAY_MAX_S}"));
        }
    }
    if !PRIORITIES.contains(&rule.priority) {
        return Err("priority must be 1, 2 or 3".to_owned());
    }
    let text = rule.text.trim();
    if text.chars().count() > TEXT_MAX || text.chars().any(char::is_control) {
        return Err(format!("text may have {TEXT_MAX} characters without control characters"));
    }
    Ok(Rule {
        point: point.id,
        kind,
        enabled: rule.enabled,
        limit: rule.limit,
        deadband: rule.deadband,
        state_value: rule.state_value,
        on_delay_s: rule.on_delay_s,
        off_delay_s: rule.off_delay_s,
        priority: rule.priority,
        text: text.to_owned(),
    })
}
