//! GET /api/report/accumulatedenergybyassetid, energyprofilebyassetid, activeimpexpenergybyassetid and reactiveimpexpenergybyassetid:
//! register readings and the energy that they counted.

use analysis::measure::Measure;
use axum::Json;
use axum::extract::State;
use wire::Envelope;
use wire::history::EnergyProfileRow;

use crate::error::Error;
use crate::extract::{Asset, Scoped};
use crate::routes::report::profiles::{Months, lines, rows};
use crate::state::Services;

type Rows = Json<Envelope<Vec<EnergyProfileRow>>>;

async fn energies(services: &Services, scoped: &Scoped<Asset>, months: Months, measure: Measure) -> Result<Rows, Error> {
    let lines = lines(services, &scoped.view, scoped.target.0.id, months, &[measure]).await?;
    Ok(rows(&lines, |time, place| {
        let value = |code: &str| lines.at(code, place)[0];
        EnergyProfileRow {
            time,
            r: value("EImpR"),
            y: value("EImpY"),
            b: value("EImpB"),
            imported: value("EImp"),
            exported: value("EExp"),
            reactive_imported: value("RImp"),
            reactive_exported: value("RExp"),
            unit: "MWh".to_owned(),
        }
    }))
}

/// Returns the energy consumed since the first row, over one month or six.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/report/accumulatedenergybyassetid/{id}/{months}", tag = "report", operation_id = "accumulatedEnergy", security(("bearer" = [])),
    params(("id" = i64, Path, description = "An asset"), ("months" = i64, Path, description = "1 or 6")),
    responses((status = 200, description = "Rows, oldest first", body = Envelope<Vec<EnergyProfileRow>>), (status = 400, description = "`months` is neither 1 nor 6"))
))]
pub(crate) async fn accumulated(State(services): State<Services>, scoped: Scoped<Asset>, months: Months) -> Result<Rows, Error> {
    energies(&services, &scoped, months, Measure::ACCUMULATED).await
}

/// Returns the energy consumed in the time of each row, over one month or six.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/report/energyprofilebyassetid/{id}/{months}", tag = "report", operation_id = "energyProfile", security(("bearer" = [])),
    params(("id" = i64, Path, description = "An asset"), ("months" = i64, Path, description = "1 or 6")),
    responses((status = 200, description = "Rows, oldest first", body = Envelope<Vec<EnergyProfileRow>>), (status = 400, description = "`months` is neither 1 nor 6"))
))]
pub(crate) async fn profile(State(services): State<Services>, scoped: Scoped<Asset>, months: Months) -> Result<Rows, Error> {
    energies(&services, &scoped, months, Measure::CONSUMED).await
}

/// Returns the last register readings in the time of each row, over one month or six.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/report/activeimpexpenergybyassetid/{id}/{months}", tag = "report", operation_id = "activeEnergy", security(("bearer" = [])),
    params(("id" = i64, Path, description = "An asset"), ("months" = i64, Path, description = "1 or 6")),
    responses((status = 200, description = "Rows, oldest first", body = Envelope<Vec<EnergyProfileRow>>), (status = 400, description = "`months` is neither 1 nor 6"))
))]
pub(crate) async fn active(State(services): State<Services>, scoped: Scoped<Asset>, months: Months) -> Result<Rows, Error> {
    energies(&services, &scoped, months, Measure::REGISTER).await
}

/// Returns the same rows as `activeimpexpenergybyassetid`, for the screen of reactive energy.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/report/reactiveimpexpenergybyassetid/{id}/{months}", tag = "report", operation_id = "reactiveEnergy", security(("bearer" = [])),
    params(("id" = i64, Path, description = "An asset"), ("months" = i64, Path, description = "1 or 6")),
    responses((status = 200, description = "Rows, oldest first", body = Envelope<Vec<EnergyProfileRow>>), (status = 400, description = "`months` is neither 1 nor 6"))
))]
pub(crate) async fn reactive(State(services): State<Services>, scoped: Scoped<Asset>, months: Months) -> Result<Rows, Error> {
    energies(&services, &scoped, months, Measure::REGISTER).await
}
