//! POST /api/optimisebattery/{deviceId} and GET /api/lowcarbon/site/{deviceId}/reported: the plan of a day with the least cost, and the
//! measured values of yesterday.

use analysis::low_carbon::{Day, reported};
use axum::Json;
use axum::extract::State;
use grid::Micros;
use identity::throttle;
use wire::Envelope;
use wire::lowcarbon::{Optimised, OptimiserRequest, ReportedDay};

use crate::body::Body;
use crate::error::Error;
use crate::routes::lowcarbon::VisibleSite;
use crate::routes::lowcarbon::plan::{inputs, planned};
use crate::state::Services;

/// Maximum number of runs of one session per minute.
pub(super) const PER_MINUTE: i64 = 60;

/// Returns the plan of a day with the least cost, and yesterday as measured. It changes nothing and sends nothing to the battery.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/optimisebattery/{deviceId}", tag = "lowcarbon", operation_id = "optimiseBattery", security(("bearer" = [])),
    params(("deviceId" = i64, Path, description = "A site")), request_body = OptimiserRequest,
    responses(
        (status = 200, description = "The plan", body = Envelope<Optimised>),
        (status = 400, description = "Parameters cannot be used; the message names each", body = wire::envelope::Failure),
        (status = 404, description = "There is no such site, or the demand file no longer exists", body = wire::envelope::Failure),
        (status = 422, description = "There is no plan: the message names the constraint that cannot be kept, or what is not known", body = wire::envelope::Failure),
        (status = 429, description = "More than sixty in a minute; see Retry-After", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    visible: VisibleSite,
    Body(request): Body<OptimiserRequest>,
) -> Result<Json<Envelope<Optimised>>, Error> {
    throttle::by_minute(services.store(), "plans", visible.view.principal.session, PER_MINUTE).await?;
    let now = Services::now();
    let (_, mut answer) = planned(&services, inputs(&services, &visible, &request, now).await?).await?;
    answer.historical = yesterday(&services, &visible, now).await?;
    Ok(Json(Envelope::ok(answer)))
}

/// Returns yesterday's measured values of a site, also without a plan; null if nothing was measured.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/lowcarbon/site/{deviceId}/reported", tag = "lowcarbon", operation_id = "lowCarbonReported", security(("bearer" = [])),
    params(("deviceId" = i64, Path, description = "A site")),
    responses(
        (status = 200, description = "The day, as `historical` of a plan", body = Envelope<Option<ReportedDay>>),
        (status = 404, description = "There is no such site", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn measured(State(services): State<Services>, visible: VisibleSite) -> Result<Json<Envelope<Option<ReportedDay>>>, Error> {
    Ok(Json(Envelope::ok(yesterday(&services, &visible, Services::now()).await?)))
}

async fn yesterday(services: &Services, visible: &VisibleSite, now: Micros) -> Result<Option<ReportedDay>, Error> {
    let day = Day::today(&visible.view, now).plus(-1);
    Ok(reported(services.store(), &visible.view, &visible.site, &day).await?)
}
