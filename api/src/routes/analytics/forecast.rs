//! GET /api/analytics/peakdemandforecastvsactual/asset/{id}/{days}: forecast and actual demand of an asset. The current has a route of its
//! own (`routes/report/current_forecast.rs`).

use analysis::forecast_chart::{DAYS_MAX, chart};
use axum::Json;
use axum::extract::{RawPathParams, State};
use grid::forecast::Measure;
use wire::Envelope;
use wire::forecast::ForecastChart;

use crate::error::Error;
use crate::extract::{Asset, Scoped};
use crate::state::Services;

/// Returns forecast and actual demand of an asset (kW) by the hour, over the last days and ahead.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/analytics/peakdemandforecastvsactual/asset/{id}/{days}", tag = "analytics", operation_id = "demandForecast",
    security(("bearer" = [])),
    params(("id" = i64, Path, description = "A feeder, incomer or transformer"), ("days" = i64, Path, description = "Days back, 1 to 92")),
    responses(
        (status = 200, description = "Rows by the hour", body = Envelope<ForecastChart>),
        (status = 400, description = "`days` cannot be used", body = wire::envelope::Failure),
        (status = 404, description = "The asset does not exist, or the caller cannot see it", body = wire::envelope::Failure)
    )
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    scoped: Scoped<Asset>,
    params: RawPathParams,
) -> Result<Json<Envelope<ForecastChart>>, Error> {
    let days = days(&params).filter(|days| (1..=DAYS_MAX).contains(days));
    let days = days.ok_or_else(|| Error::BadRequest(format!("days must lie between 1 and {DAYS_MAX}")))?;
    Ok(Json(Envelope::ok(chart(services.store(), &scoped.view, &scoped.target.0, Measure::Demand, days).await?)))
}

/// Parses `{days}` of the path.
pub(crate) fn days(params: &RawPathParams) -> Option<i64> {
    params.iter().find(|(name, _)| *name == "days").and_then(|(_, days)| days.parse().ok())
}
