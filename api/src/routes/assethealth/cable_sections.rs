//! GET /api/assethealth/cablehealthdatabyassetpoint/{id}/{year} and POST /api/assethealth/cablehealthfilterdata: the cable sections of a
//! substation, its risk matrix, and the sections of a cell.

use analysis::cable_health::{configuration, judged, station, year};
use axum::Json;
use axum::extract::{RawPathParams, State};
use grid::cable_health::{Assessed, Cell, Criticality, HealthIndex, Matrix, REFERENCE_CURRENCY, by_group};
use identity::View;
use wire::Envelope;
use wire::cable_health::{CableFilter, CableHealth, CableSections, FeederRow, MatrixRow, criticality_colour, field_colour, health_colour};

use crate::body::Body;
use crate::error::Error;
use crate::extract::{Location, Scoped};
use crate::state::Services;

/// Returns the cable sections at the end of a year: the register at that time, the latest known condition, and the faults up to then.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/assethealth/cablehealthdatabyassetpoint/{id}/{year}", tag = "assethealth", operation_id = "cableHealth",
    security(("bearer" = [])),
    params(("id" = i64, Path, description = "A substation"), ("year" = i32, Path, description = "1850 to 2200")),
    responses(
        (status = 200, description = "Sections, matrix, and health by feeder", body = Envelope<CableHealth>),
        (status = 400, description = "The year cannot be used", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn of_substation(
    State(services): State<Services>,
    scoped: Scoped<Location>,
    params: RawPathParams,
) -> Result<Json<Envelope<CableHealth>>, Error> {
    let (view, Location(location)) = (&scoped.view, &scoped.target);
    let text = params.iter().find(|(name, _)| *name == "year").map_or("", |(_, year)| year);
    let year = year("year", text)?;
    let sections = judged(services.store(), view, location.id, year).await?;
    let known: Vec<(_, &Assessed)> =
        sections.iter().filter_map(|section| Some((section.record.asset, section.assessed.as_ref().ok()?))).collect();
    let matrix = Matrix::of(known.iter().map(|(_, assessed)| *assessed));
    let mut feeders: Vec<FeederRow> = by_group(known.iter().copied())
        .into_iter()
        .map(|(asset, cells)| {
            let name = view.field.asset(asset).map(|asset| asset.name.clone()).unwrap_or_default();
            feeder_row(name, asset.0, &cells)
        })
        .collect();
    feeders.sort_by(|one, other| (&one.feeder_name, one.asset_id).cmp(&(&other.feeder_name, other.asset_id)));
    Ok(Json(Envelope::ok(CableHealth {
        criticality_index_vs_health_index: matrix.rows().map(|(criticality, cells)| matrix_row(criticality, cells)).collect(),
        feeder_vs_health_index: feeders,
        not_modelled: sections.len() - known.len(),
        cable_sections: sections.iter().map(|section| section.row(view, year)).collect(),
        bands: configuration(view).health_bands,
        currency: REFERENCE_CURRENCY.0.to_owned(),
        price_base: REFERENCE_CURRENCY.1.to_owned(),
        year,
        asset_point_id: location.id.0,
    })))
}

/// Returns the sections of a cell, row or column of the risk matrix. It changes nothing.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/assethealth/cablehealthfilterdata", tag = "assethealth", operation_id = "cableHealthOfField", security(("bearer" = [])),
    request_body = CableFilter,
    responses(
        (status = 200, description = "As many sections as the cell counts; all sections without `cI` and `hI`", body = Envelope<CableSections>),
        (status = 400, description = "The year or the index cannot be used", body = wire::envelope::Failure),
        (status = 404, description = "There is no such substation", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn of_field(
    State(services): State<Services>,
    view: View,
    Body(body): Body<CableFilter>,
) -> Result<Json<Envelope<CableSections>>, Error> {
    let location = station(&view, body.assetpoint_id)?.id;
    let year = year("healthYear", &body.health_year.to_string())?;
    let criticality = band("cI", body.criticality.as_deref(), Criticality::parse, "C1 to C4")?;
    let health = band("hI", body.health.as_deref(), HealthIndex::parse, "HI1 to HI5")?;
    let sections = judged(services.store(), &view, location, year).await?;
    let within = sections.iter().filter(|section| section.lies_in(criticality, health));
    Ok(Json(Envelope::ok(CableSections { cable_sections: within.map(|section| section.row(&view, year)).collect() })))
}

/// Parses a band; `None` if absent.
fn band<T>(name: &str, word: Option<&str>, read: impl Fn(&str) -> Option<T>, allowed: &str) -> Result<Option<T>, Error> {
    let word = word.filter(|word| !word.is_empty());
    let found = word.map(|word| read(word).ok_or_else(|| Error::BadRequest(format!("{name} must be {allowed}, or empty for all"))));
    found.transpose()
}

fn matrix_row(criticality: Criticality, cells: &[Cell; 5]) -> MatrixRow {
    let [one, two, three, four, five] = cells;
    let [first, second, third, fourth, fifth] = HealthIndex::ALL.map(|health| field_colour(criticality, health).to_owned());
    MatrixRow {
        ci: criticality.as_str().to_owned(),
        ci_row_color: criticality_colour(Some(criticality)).to_owned(),
        hi1: one.sections,
        hi2: two.sections,
        hi3: three.sections,
        hi4: four.sections,
        hi5: five.sections,
        hi1_color: first,
        hi2_color: second,
        hi3_color: third,
        hi4_color: fourth,
        hi5_color: fifth,
        hi1_km: one.km,
        hi2_km: two.km,
        hi3_km: three.km,
        hi4_km: four.km,
        hi5_km: five.km,
        hi1_risk: one.risk,
        hi2_risk: two.risk,
        hi3_risk: three.risk,
        hi4_risk: four.risk,
        hi5_risk: five.risk,
    }
}

fn feeder_row(feeder_name: String, asset_id: i64, cells: &[Cell; 5]) -> FeederRow {
    let [one, two, three, four, five] = cells;
    let [first, second, third, fourth, fifth] = HealthIndex::ALL.map(|health| health_colour(Some(health)).to_owned());
    FeederRow {
        feeder_name,
        asset_id,
        hi1: one.sections,
        hi2: two.sections,
        hi3: three.sections,
        hi4: four.sections,
        hi5: five.sections,
        hi1_color: first,
        hi2_color: second,
        hi3_color: third,
        hi4_color: fourth,
        hi5_color: fifth,
    }
}
