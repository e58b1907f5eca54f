//! GET /api/report/currentforecast/{id}/{days}: forecast and actual current of an asset.

use analysis::forecast_chart::chart;
use axum::Json;
use axum::extract::{RawPathParams, State};
use grid::forecast::Measure;
use wire::Envelope;
use wire::forecast::ForecastChart;

use crate::error::Error;
use crate::extract::{Asset, Scoped};
use crate::routes::analytics::forecast::days;
use crate::state::Services;

/// Returns forecast and actual current of an asset (the mean of its phases, A) by the hour, over the last days and ahead.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/report/currentforecast/{id}/{days}", tag = "report", operation_id = "currentForecast", security(("bearer" = [])),
    params(("id" = i64, Path, description = "A feeder, incomer or transformer"), ("days" = i64, Path, description = "Days back: 1, 7 or 30")),
    responses(
        (status = 200, description = "Rows by the hour", body = Envelope<ForecastChart>),
        (status = 400, description = "`days` is not 1, 7 or 30", body = wire::envelope::Failure),
        (status = 404, description = "The asset does not exist, or the caller cannot see it", body = wire::envelope::Failure)
    )
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    scoped: Scoped<Asset>,
    params: RawPathParams,
) -> Result<Json<Envelope<ForecastChart>>, Error> {
    let days = days(&params).filter(|days| [1, 7, 30].contains(days));
    let days = days.ok_or_else(|| Error::BadRequest("days must be 1, 7 or 30".to_owned()))?;
    Ok(Json(Envelope::ok(chart(services.store(), &scoped.view, &scoped.target.0, Measure::Current, days).await?)))
}
