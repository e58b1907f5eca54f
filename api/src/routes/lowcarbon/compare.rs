//! POST /api/optimisebattery/{deviceId}/compare: the same day with two sets of parameters.

use axum::Json;
use axum::extract::State;
use dispatch::Comparison;
use identity::throttle;
use serde_json::{Map, Value};
use wire::Envelope;
use wire::lowcarbon::{CompareRequest, Compared, OptimiserRequest};

use crate::body::Body;
use crate::error::Error;
use crate::routes::lowcarbon::VisibleSite;
use crate::routes::lowcarbon::plan::{inputs, planned};
use crate::routes::lowcarbon::run::PER_MINUTE;
use crate::state::Services;

/// Returns two plans of one day, and the differences of cost, import and stored energy. Parameters that `changed` omits are those of `base`.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/optimisebattery/{deviceId}/compare", tag = "lowcarbon", operation_id = "compareBattery", security(("bearer" = [])),
    params(("deviceId" = i64, Path, description = "A site")), request_body = CompareRequest,
    responses(
        (status = 200, description = "Both plans", body = Envelope<Compared>),
        (status = 400, description = "Parameters cannot be used; the message says in which of the two", body = wire::envelope::Failure),
        (status = 404, description = "There is no such site, or the demand file no longer exists", body = wire::envelope::Failure),
        (status = 422, description = "One of the two has no plan; the message says which and why", body = wire::envelope::Failure),
        (status = 429, description = "More than sixty in a minute; see Retry-After", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    visible: VisibleSite,
    Body(CompareRequest { base, changed }): Body<CompareRequest>,
) -> Result<Json<Envelope<Compared>>, Error> {
    throttle::by_minute(services.store(), "plans", visible.view.principal.session, PER_MINUTE).await?;
    let now = Services::now();
    let mut both = base.clone();
    both.extend(changed);
    let (base, changed) = (request("base", base)?, request("changed", both)?);
    let (one, other) = (inputs(&services, &visible, &base, now).await, inputs(&services, &visible, &changed, now).await);
    let (one, other) = (one.map_err(|error| of("base", error))?, other.map_err(|error| of("changed", error))?);
    let (plan, base) = planned(&services, one).await.map_err(|error| of("base", error))?;
    let (plan_changed, changed) = planned(&services, other).await.map_err(|error| of("changed", error))?;
    if base.day != changed.day {
        return Err(Error::BadRequest("changed: day must be that of base".to_owned()));
    }
    let Comparison { cost_difference, import_difference_kwh, stored_difference_kwh } = dispatch::compare(&plan, &plan_changed);
    Ok(Json(Envelope::ok(Compared { cost_difference, import_difference_kwh, stored_difference_kwh, base, changed })))
}

fn request(which: &str, body: Map<String, Value>) -> Result<OptimiserRequest, Error> {
    serde_json::from_value(Value::Object(body)).map_err(|error| Error::BadRequest(format!("{which}: {error}")))
}

/// Adds to the message of an error which of the two parameter sets is wrong. "Not found" stays unchanged.
fn of(which: &str, error: Error) -> Error {
    match error {
        Error::BadRequest(what) => Error::BadRequest(format!("{which}: {what}")),
        Error::Impossible(what) => Error::Impossible(format!("{which}: {what}")),
        error => error,
    }
}
