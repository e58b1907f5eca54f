//! GET /api/analytics/energybudget/{type}/{id}/month: the energy of the running month, as budgeted, used so far, and expected.

use analysis::energy_budget::of_month;
use axum::Json;
use axum::extract::State;
use identity::Area;
use wire::Envelope;
use wire::forecast::EnergyBudget;

use crate::error::Error;
use crate::extract::Scoped;
use crate::state::Services;

/// The running month of an area or an asset: its energy budget, what was used up to yesterday, and what is expected of the rest, kWh from the first day on.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/analytics/energybudget/{type}/{id}/month", tag = "analytics", operation_id = "energyBudget", security(("bearer" = [])),
    params(("type" = String, Path, description = "`client`, a level, or `asset`"), ("id" = i64, Path, description = "Of that type")),
    responses(
        (status = 200, description = "A row for each day of the month", body = Envelope<EnergyBudget>),
        (status = 404, description = "There is nothing of that type and id, or nothing that the caller may know of", body = wire::envelope::Failure)
    )
))]
pub(crate) async fn handle(State(services): State<Services>, scoped: Scoped<Area>) -> Result<Json<Envelope<EnergyBudget>>, Error> {
    Ok(Json(Envelope::ok(of_month(services.store(), &scoped.view, scoped.target).await?)))
}
