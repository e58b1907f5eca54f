//! GET /api/analytics/measurementunit/{type}/{id}: the units of power and energy of an area or asset.

use analysis::unit::power;
use axum::Json;
use identity::Area;
use wire::Envelope;
use wire::energy::MeasurementUnit;

use crate::extract::Scoped;

/// Returns the units of power and energy of an area or asset.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/analytics/measurementunit/{type}/{id}", tag = "analytics", operation_id = "measurementUnit", security(("bearer" = [])),
    params(("type" = String, Path, description = "`client`, `division`, `location`, another level, or `asset`"), ("id" = i64, Path, description = "The id of the area or asset")),
    responses((status = 200, description = "kW and kWh for an asset, otherwise MW and MWh", body = Envelope<MeasurementUnit>))
))]
pub(crate) async fn handle(scoped: Scoped<Area>) -> Json<Envelope<MeasurementUnit>> {
    let (unit, kilowatts) = power(scoped.target);
    Json(Envelope::ok(MeasurementUnit {
        power_unit: unit.to_owned(),
        energy_unit: format!("{unit}h"),
        power_factor_to_mw: kilowatts / 1_000.0,
    }))
}
