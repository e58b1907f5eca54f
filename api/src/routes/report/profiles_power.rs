//! GET /api/report/totalpowerdemand and reactivepwrvstime, POST /api/report/activepwrvstime: powers over time.

use analysis::lines as chart;
use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use grid::AssetId;
use identity::View;
use serde::Deserialize;
use wire::Envelope;
use wire::history::PowerProfileRow;

use crate::body::Body;
use crate::error::Error;
use crate::extract::{Asset, Scoped};
use crate::routes::report::profiles::{Months, lines, measure, rows};
use crate::state::Services;

type Rows = Json<Envelope<Vec<PowerProfileRow>>>;

async fn powers(services: &Services, view: &View, asset: AssetId, months: Months) -> Result<Rows, Error> {
    let measures = [measure("active")?, measure("reactive")?, measure("apparent")?];
    let lines = lines(services, view, asset, months, &measures).await?;
    Ok(rows(&lines, |reported_time, place| {
        let mean = |code: &str| lines.at(code, place)[0];
        PowerProfileRow {
            reported_time,
            real_power1: mean("Pr"),
            real_power2: mean("Py"),
            real_power3: mean("Pb"),
            reactive_power1: mean("Qr"),
            reactive_power2: mean("Qy"),
            reactive_power3: mean("Qb"),
            total_power1: mean("Sr"),
            total_power2: mean("Sy"),
            total_power3: mean("Sb"),
            real_power: mean("P"),
            reactive_power: mean("Q"),
            total_power: mean("S"),
        }
    }))
}

/// Returns mean active, reactive and apparent power of an asset's phases over one month or six.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/report/totalpowerdemand/{id}/{months}", tag = "report", operation_id = "totalPowerDemand", security(("bearer" = [])),
    params(("id" = i64, Path, description = "An asset"), ("months" = i64, Path, description = "1 or 6")),
    responses((status = 200, description = "Rows, oldest first", body = Envelope<Vec<PowerProfileRow>>), (status = 400, description = "`months` is neither 1 nor 6"))
))]
pub(crate) async fn total(State(services): State<Services>, scoped: Scoped<Asset>, months: Months) -> Result<Rows, Error> {
    powers(&services, &scoped.view, scoped.target.0.id, months).await
}

/// Returns the same rows as `totalpowerdemand`, for the screen of reactive power.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/report/reactivepwrvstime/{id}/{months}", tag = "report", operation_id = "reactivePowerOverTime", security(("bearer" = [])),
    params(("id" = i64, Path, description = "An asset"), ("months" = i64, Path, description = "1 or 6")),
    responses((status = 200, description = "Rows, oldest first", body = Envelope<Vec<PowerProfileRow>>), (status = 400, description = "`months` is neither 1 nor 6"))
))]
pub(crate) async fn reactive(State(services): State<Services>, scoped: Scoped<Asset>, months: Months) -> Result<Rows, Error> {
    powers(&services, &scoped.view, scoped.target.0.id, months).await
}

/// The asset and the period.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ActivePower {
    /// The asset.
    device_id: i64,
    /// Months: 1 or 6.
    sze: i64,
}

/// Returns the same rows as `totalpowerdemand`, for the screen of active power. It is a POST and changes nothing.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/report/activepwrvstime", tag = "report", operation_id = "activePowerOverTime", security(("bearer" = [])),
    request_body = ActivePower,
    responses(
        (status = 200, description = "Rows, oldest first", body = Envelope<Vec<PowerProfileRow>>),
        (status = 404, description = "The asset does not exist, or the caller cannot see it", body = wire::envelope::Failure)
    )
))]
pub(crate) async fn active(State(services): State<Services>, view: View, Body(body): Body<ActivePower>) -> Response {
    let answer = async {
        let asset = chart::seen(&view, body.device_id)?;
        powers(&services, &view, asset.id, Months::parse(&body.sze.to_string())?).await
    };
    answer.await.into_response()
}
