//! GET /api/analytics/energybudget/{type}/{id}/month: the energy of the current month: budget, consumption so far, and forecast. GET
//! /api/analytics/energybudget/{type}/{id}/entered: the budgets that users have entered.

use analysis::calendar::Calendar;
use analysis::energy_budget::of_month;
use axum::Json;
use axum::extract::State;
use identity::Area;
use jiff::Span;
use store::kept::Level;
use wire::Envelope;
use wire::forecast::{EnergyBudget, EnteredBudgetRow};

use crate::error::Error;
use crate::extract::Scoped;
use crate::routes::admin::energy_budgets::rows;
use crate::state::Services;

/// Returns the current month of an area or asset: its energy budget, its consumption up to yesterday, and the forecast for the rest, in kWh from the first day
/// on.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/analytics/energybudget/{type}/{id}/month", tag = "analytics", operation_id = "energyBudget", security(("bearer" = [])),
    params(("type" = String, Path, description = "`client`, a level, or `asset`"), ("id" = i64, Path, description = "The id of the area or asset")),
    responses(
        (status = 200, description = "A row for each day of the month", body = Envelope<EnergyBudget>),
        (status = 404, description = "The area or asset does not exist, or the caller cannot see it", body = wire::envelope::Failure)
    )
))]
pub(crate) async fn handle(State(services): State<Services>, scoped: Scoped<Area>) -> Result<Json<Envelope<EnergyBudget>>, Error> {
    // The budget is the same month of last year, and the forecast follows from earlier days.
    let now = Services::now();
    let from = Calendar::of(&scoped.view, now).before(now, Span::new().years(1));
    let kept_since = services.kept_since(&[Level::Day], from).await?;
    Ok(Json(Envelope::ok(of_month(services.store(), &scoped.view, scoped.target).await?).kept_since(kept_since)))
}

/// Returns the energy budgets that users have entered for an area or asset, the newest month first, at most 120.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/analytics/energybudget/{type}/{id}/entered", tag = "analytics", operation_id = "enteredEnergyBudgets", security(("bearer" = [])),
    params(("type" = String, Path, description = "`client`, a level, or `asset`"), ("id" = i64, Path, description = "The id of the area or asset")),
    responses(
        (status = 200, description = "A row for each month with a budget", body = Envelope<Vec<EnteredBudgetRow>>),
        (status = 404, description = "The area or asset does not exist, or the caller cannot see it", body = wire::envelope::Failure)
    )
))]
pub(crate) async fn entered(
    State(services): State<Services>,
    scoped: Scoped<Area>,
) -> Result<Json<Envelope<Vec<EnteredBudgetRow>>>, Error> {
    let budgets = services.store().energy_budgets(scoped.view.principal.client, scoped.target.0).await?;
    Ok(Json(Envelope::ok(rows(budgets))))
}
