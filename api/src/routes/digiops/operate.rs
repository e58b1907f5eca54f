//! POST /api/digiops: select, operate, cancel.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use control::{Action, CommandRequest, Outcome, RefusalClass, not_permitted};
use grid::{AssetId, GatewayId, PointId};
use identity::{RequestOrigin, View};
use serde_json::{Value, json};
use tokio::time::Instant;
use wire::Envelope;
use wire::control::{CommandRow, Operate};

use crate::audit;
use crate::body::Body;
use crate::error::Error;
use crate::idempotency_key::idempotency_key;
use crate::page::{Diagram, Writes};
use crate::state::Services;

/// Maximum number of characters of a reason.
const REASON_MAX: usize = 200;
/// Maximum number of characters that are stored of the operator in a body.
const CLAIM_MAX: usize = 100;

/// Selects or operates a breaker, or cancels a selection. The answer arrives within 5 s with the state that was reached; later states arrive in
/// `commands/{location}`.
///
/// Accepted is not done: only the new position makes a command DONE. Exactly one of `isSelect`, `isExecute`, `directOperate` and `isCancel` is 1.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/digiops", tag = "digiops", operation_id = "operate", security(("bearer" = [])), request_body = Operate,
    params(("Idempotency-Key" = Option<String>, Header, description = "New for each intention of the user; a repeated key gets the first answer and never runs twice")),
    responses(
        (status = 200, description = "The command in its present state; null if there was nothing to cancel", body = Envelope<Option<CommandRow>>),
        (status = 403, description = "The caller has no permission to operate it, or credentials are missing", body = wire::control::OperateFailure),
        (status = 404, description = "There is no such breaker", body = wire::envelope::Failure),
        (status = 409, description = "Refused by a rule or by the gateway, or not executed", body = wire::control::OperateFailure),
        (status = 422, description = "The switch cannot be operated in this way", body = wire::control::OperateFailure),
        (status = 503, description = "The command cannot be recorded, so it is not executed", body = wire::control::OperateFailure),
        (status = 504, description = "The command may have been published, and its outcome is unknown: check the device in the field before you try again", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    view: View,
    writes: Result<Writes<Diagram>, Error>,
    trail: RequestOrigin,
    headers: HeaderMap,
    Body(body): Body<Operate>,
) -> Result<Json<Envelope<Option<CommandRow>>>, Error> {
    let arrived = Instant::now();
    let about = [body.asset_id, body.product_id, body.point_id];
    let requested = async {
        writes?;
        let point = view.field.point(PointId(body.point_id)).ok_or(Error::NotFound)?;
        let seen = view.field.node(point.location).is_some_and(|location| view.sees(location));
        if !seen || point.asset != AssetId(body.asset_id) || point.gateway != GatewayId(body.product_id) {
            return Err(Error::NotFound);
        }
        let command = command_request(&view, body, &headers, arrived)?;
        Ok(services.control().request(view.field.clone(), &view.principal, &trail.origin, command).await?)
    };
    let outcome = requested.await;
    if let Some(cause) = unaudited_cause(&outcome) {
        let [asset, gateway, point] = about;
        audit::attempted(&services, &trail.origin, asset, json!({ "asset": asset, "gateway": gateway, "point": point, "cause": cause }))
            .await;
    }
    let outcome = match outcome? {
        Outcome::NotPermitted => not_permitted(),
        outcome => outcome,
    };
    match outcome {
        Outcome::Accepted(row) => {
            let message = row.message.clone();
            Ok(Json(Envelope::ok(Some(*row)).with_message(&message)))
        }
        Outcome::NothingToDo => Ok(Json(Envelope::ok(None).with_message("There was nothing to cancel."))),
        Outcome::Refused { class, message, details } => {
            let details = serde_json::to_value(details).map_err(|_| Error::Internal)?;
            Err(Error::Operate { status: status(class), message, details })
        }
        Outcome::NotPermitted => Err(Error::Internal),
    }
}

/// Returns the HTTP status of a class of refusals.
fn status(class: RefusalClass) -> StatusCode {
    match class {
        RefusalClass::NoAuthority => StatusCode::FORBIDDEN,
        RefusalClass::NotSupported => StatusCode::UNPROCESSABLE_ENTITY,
        RefusalClass::Conflict => StatusCode::CONFLICT,
        RefusalClass::NotRecorded => StatusCode::SERVICE_UNAVAILABLE,
    }
}

/// Returns the reason of a failed attempt, if the decision itself did not enter the attempt in the audit.
fn unaudited_cause(outcome: &Result<Outcome, Error>) -> Option<&'static str> {
    match outcome {
        Ok(Outcome::NotPermitted) => Some("no right to operate it"),
        Err(Error::NotFound) => Some("not there, or not the caller's to see"),
        Err(Error::Unauthorised) => Some("the session is over"),
        Err(Error::Forbidden(why)) => Some(why),
        _ => None,
    }
}

/// Validates the form of the body.
fn command_request(view: &View, body: Operate, headers: &HeaderMap, arrived: Instant) -> Result<CommandRequest, Error> {
    let bad = |message: &str| Error::BadRequest(message.to_owned());
    let action = match (body.select, body.execute, body.direct, body.cancel) {
        (true, false, false, false) => Action::Select,
        (false, true, false, false) => Action::Execute,
        (false, false, true, false) => Action::Direct,
        (false, false, false, true) => Action::Cancel,
        _ => return Err(bad("exactly one of isSelect, isExecute, directOperate and isCancel must be 1")),
    };
    let command = match body.command_id.as_deref() {
        None | Some("") => None,
        Some(id) => Some(id.parse().map_err(|_| bad("commandId must be a UUID"))?),
    };
    let reason = body.reason.unwrap_or_default();
    if reason.chars().count() > REASON_MAX || reason.chars().any(char::is_control) {
        return Err(Error::BadRequest(format!("reason may have {REASON_MAX} characters without control characters")));
    }
    let key = idempotency_key(headers)?;
    let scheduled = match body.scheduled_time.as_deref().map(str::trim) {
        None | Some("") => None,
        Some(text) => Some(wire::time::parse_iso(text).ok_or_else(|| bad("scheduledTime must be ISO 8601"))?),
    };
    Ok(CommandRequest {
        action,
        asset: AssetId(body.asset_id),
        point: PointId(body.point_id),
        from: body.from_status,
        to: body.to_status,
        scheduled,
        command,
        reason,
        key: key.map(str::to_owned),
        claims: body
            .created_by
            .filter(|claimed| !is_of(claimed, view))
            .map(|claimed| claimed.to_string().chars().take(CLAIM_MAX).collect::<String>().into()),
        arrived,
    })
}

/// Returns whether the body has no operator, or names the caller as the operator.
fn is_of(claimed: &Value, view: &View) -> bool {
    let own = view.principal.member.0;
    match claimed {
        Value::Null => true,
        Value::Number(id) => id.as_i64() == Some(own),
        Value::String(id) => id.is_empty() || id.parse() == Ok(own),
        _ => false,
    }
}
