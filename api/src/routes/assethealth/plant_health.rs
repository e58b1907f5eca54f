//! GET /api/assethealth/planthealth/{id}/{year}: transformers and breakers of a substation at the end of a year.

use analysis::cable_health::year;
use analysis::plant_health::plant;
use axum::Json;
use axum::extract::{RawPathParams, State};
use grid::cable_health::REFERENCE_CURRENCY;
use wire::Envelope;
use wire::cable_health::PlantHealth;

use crate::error::Error;
use crate::extract::{Location, Scoped};
use crate::state::Services;

/// Returns the health of plant. For a large transformer the worse of its parts is used.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/assethealth/planthealth/{id}/{year}", tag = "assethealth", operation_id = "plantHealth", security(("bearer" = [])),
    params(("id" = i64, Path, description = "A substation"), ("year" = i32, Path, description = "1850 to 2200")),
    responses(
        (status = 200, description = "Plant by name", body = Envelope<PlantHealth>),
        (status = 400, description = "The year cannot be used", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    scoped: Scoped<Location>,
    params: RawPathParams,
) -> Result<Json<Envelope<PlantHealth>>, Error> {
    let (view, Location(location)) = (&scoped.view, &scoped.target);
    let text = params.iter().find(|(name, _)| *name == "year").map_or("", |(_, year)| year);
    let year = year("year", text)?;
    let plant = plant(services.store(), view, location.id, year).await?;
    Ok(Json(Envelope::ok(PlantHealth { plant, currency: REFERENCE_CURRENCY.0.to_owned(), price_base: REFERENCE_CURRENCY.1.to_owned() })))
}
