//! GET /api/assethealth/cablehealthsubstations: the substations and years with data on cable health, and the initial selection.

use std::collections::HashMap;

use analysis::cable_health::configuration;
use axum::Json;
use axum::extract::State;
use identity::{Region, View};
use store::cable::StationYears;
use wire::Envelope;
use wire::cable_health::{HealthStation, HealthStations};

use crate::error::Error;
use crate::state::Services;

/// Maximum number of years in the list; the latest ones are used.
const YEARS_MAX: i32 = 100;

/// Returns the substations with sections or plant that the caller can see.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/assethealth/cablehealthsubstations", tag = "assethealth", operation_id = "cableHealthSubstations",
    security(("bearer" = [])),
    responses((status = 200, description = "Substations by name, and the default selection", body = Envelope<HealthStations>))
))]
pub(crate) async fn handle(State(services): State<Services>, view: View) -> Result<Json<Envelope<HealthStations>>, Error> {
    let known = services.store().cable_stations(view.principal.client).await?;
    let known: HashMap<_, StationYears> = known.into_iter().map(|station| (station.location, station)).collect();
    let seen = Region::of_caller(&view).map(|region| region.substations(&view)).unwrap_or_default();
    let substations: Vec<HealthStation> = seen
        .into_iter()
        .filter_map(|node| {
            let StationYears { first, last, .. } = *known.get(&node.id)?;
            let years = (first.max(last - YEARS_MAX + 1)..=last).rev().collect();
            Some(HealthStation { asset_point_id: node.id.0, asset_point_name: node.name.clone(), years })
        })
        .collect();
    let configuration = configuration(&view);
    let chosen = substations.iter().find(|station| Some(station.asset_point_id) == configuration.health_substation);
    let chosen = chosen.or(substations.first());
    let newest = chosen.and_then(|station| station.years.first().copied());
    let default_year = configuration.health_year.filter(|year| chosen.is_some_and(|station| station.years.contains(year)));
    Ok(Json(Envelope::ok(HealthStations {
        default_substation: chosen.map(|station| station.asset_point_id),
        default_year: default_year.or(newest),
        substations,
    })))
}
