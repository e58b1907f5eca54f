//! GET /api/analytics/faulttypesovertime/{type}/{id}: faults by day, feeder and type.

#![allow(unused_qualifications, reason = "the path macro repeats the type of the query")]

use analysis::calendar::Calendar;
use analysis::fault_trends::trends;
use axum::Json;
use axum::extract::{Query, State};
use identity::Area;
use store::kept::Level;
use wire::Envelope;
use wire::trends::FaultTrends;

use crate::error::Error;
use crate::extract::Scoped;
use crate::routes::analytics::past::Past;
use crate::state::Services;

/// Length of the default period, days, including today.
const DAYS_DEFAULT: i64 = 30;

/// Returns the faults that began in a period, by day of the utility, substation, feeder and type. The default is 30 days including today.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/analytics/faulttypesovertime/{type}/{id}", tag = "analytics", operation_id = "faultTypesOverTime",
    security(("bearer" = [])),
    params(
        ("type" = String, Path, description = "client, circle, division, town, subdivision, section, location or asset"),
        ("id" = i64, Path, description = "The id of the area or asset"), Past
    ),
    responses((status = 200, description = "Rows of at most the newest 20,000 faults", body = Envelope<FaultTrends>))
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    scoped: Scoped<Area>,
    Query(past): Query<Past>,
) -> Result<Json<Envelope<FaultTrends>>, Error> {
    let calendar = Calendar::of(&scoped.view, Services::now());
    let span = past.read(calendar.now, |to| calendar.midnight_of(to, 1 - DAYS_DEFAULT))?;
    let kept_since = services.kept_since(&[Level::Fault], span.0).await?;
    Ok(Json(Envelope::ok(trends(services.store(), &scoped.view, scoped.target, span).await?).kept_since(kept_since)))
}
