//! POST /api/assethealth/cableriskforecast: the risk of the years to come, if nothing is done and if some sections are replaced.

use std::collections::HashSet;

use axum::Json;
use axum::extract::State;
use grid::cable_health::{Forecast, YEARS_MAX};
use wire::Envelope;
use wire::cable_health::{RiskForecast, RiskQuestion};
use wire::envelope::Failure;

use super::cable_assessed::{CURRENCY, Judged, judged, station, year};
use crate::body::Body;
use crate::error::Error;
use crate::extract::View;
use crate::state::Services;

/// The largest body, bytes: room for the longest list.
pub(crate) const BODY_MAX_BYTES: usize = 2 * 1024 * 1024;
/// Sections that can be replaced at once.
const REPLACED_MAX: usize = store::cable::SECTIONS_MAX as usize;
/// How far it goes unless told.
const YEARS: u32 = 20;

/// The risk of the modelled sections of a substation by year. Changes nothing.
#[utoipa::path(
    post, path = "/api/assethealth/cableriskforecast", tag = "assethealth", operation_id = "cableRiskForecast", security(("bearer" = [])),
    request_body = RiskQuestion,
    responses(
        (status = 200, description = "The year asked about, and those after it", body = Envelope<RiskForecast>),
        (status = 400, description = "No such year or section, or too many of either", body = Failure),
        (status = 404, description = "There is no such substation", body = Failure),
    )
)]
pub(crate) async fn handle(
    State(services): State<Services>,
    view: View,
    Body(asked): Body<RiskQuestion>,
) -> Result<Json<Envelope<RiskForecast>>, Error> {
    let location = station(&view, asked.assetpoint_id)?.id;
    let first = year("healthYear", &asked.health_year.to_string())?;
    let years = asked.years.unwrap_or(YEARS);
    if !(1..=YEARS_MAX).contains(&years) {
        return Err(Error::BadRequest(format!("years must be from 1 to {YEARS_MAX}")));
    }
    if asked.replaced.len() > REPLACED_MAX {
        return Err(Error::BadRequest(format!("replaced: {} sections are named, {REPLACED_MAX} are allowed", asked.replaced.len())));
    }
    let sections = judged(&services, &view, location, first).await?;
    let listed: HashSet<&str> = sections.iter().map(|section| section.record.code.as_str()).collect();
    if let Some(at) = asked.replaced.iter().position(|code| !listed.contains(code.as_str())) {
        return Err(Error::BadRequest(format!("replaced[{at}]: there is no such section in this substation in that year")));
    }
    let on_list: HashSet<&str> = asked.replaced.iter().map(String::as_str).collect();
    let known = sections.iter().filter_map(|Judged { record, assessed }| Some((assessed.as_ref().ok()?, on_list.contains(&*record.code))));
    let known: Vec<_> = known.collect();
    let Forecast { do_nothing, replaced } = Forecast::of(known.iter().copied(), years);
    Ok(Json(Envelope::ok(RiskForecast {
        years: (first..).take(do_nothing.len()).collect(),
        do_nothing,
        replaced,
        sections: known.len(),
        not_modelled: sections.len() - known.len(),
        currency: CURRENCY.0.to_owned(),
        price_base: CURRENCY.1.to_owned(),
    })))
}
