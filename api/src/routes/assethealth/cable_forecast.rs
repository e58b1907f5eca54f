//! POST /api/assethealth/cableriskforecast: the risk of future years without and with the replacement of some sections.

use std::collections::HashSet;

use analysis::cable_health::{Judged, configuration, judged, station, year};
use axum::Json;
use axum::extract::State;
use grid::cable_health::{Assessed, Choice, Forecast, REFERENCE_CURRENCY, YEARS_MAX};
use identity::View;
use store::cable::SectionRecord;
use wire::Envelope;
use wire::cable_health::{ReplacementCost, ReplacementPerKm, RiskForecast, RiskQuestion};

use crate::body::Body;
use crate::error::Error;
use crate::state::Services;

/// Limit of the body, bytes: room for two of the longest lists.
pub(crate) const BODY_MAX_BYTES: usize = 4 * 1024 * 1024;
/// Maximum number of sections that are replaced.
const REPLACED_MAX: usize = store::cable::SECTIONS_MAX as usize;
/// Default number of years.
const YEARS: u32 = 20;

/// Returns the risk of the modelled sections of a substation by year. It changes nothing.
#[cfg_attr(test, utoipa::path(
    post, path = "/api/assethealth/cableriskforecast", tag = "assethealth", operation_id = "cableRiskForecast", security(("bearer" = [])),
    request_body = RiskQuestion,
    responses(
        (status = 200, description = "The requested year, and the years after it", body = Envelope<RiskForecast>),
        (status = 400, description = "The year or a section cannot be used, or there are too many", body = wire::envelope::Failure),
        (status = 404, description = "There is no such substation", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn handle(
    State(services): State<Services>,
    view: View,
    Body(body): Body<RiskQuestion>,
) -> Result<Json<Envelope<RiskForecast>>, Error> {
    let location = station(&view, body.assetpoint_id)?.id;
    let first = year("healthYear", &body.health_year.to_string())?;
    let years = body.years.unwrap_or(YEARS);
    if !(1..=YEARS_MAX).contains(&years) {
        return Err(Error::BadRequest(format!("years must be from 1 to {YEARS_MAX}")));
    }
    let sections = judged(services.store(), &view, location, first).await?;
    let replaced = listed("replaced", &body.replaced, &sections)?;
    let compared = body.compared.as_deref().map(|codes| listed("compared", codes, &sections)).transpose()?;
    let on = |list: &HashSet<&str>, record: &SectionRecord| list.contains(&*record.code);
    let choice = |record| Choice { replaced: on(&replaced, record), compared: compared.as_ref().is_some_and(|list| on(list, record)) };
    let known = sections.iter().filter_map(|Judged { record, assessed }| Some((assessed.as_ref().ok()?, choice(record))));
    let known: Vec<(&Assessed, Choice)> = known.collect();
    let forecast = Forecast::of(known.iter().copied(), years);
    let prices = configuration(&view).replacement_per_km;
    let cost = |is_on: fn(Choice) -> bool| cost(known.iter().filter(|(_, choice)| is_on(*choice)).map(|(section, _)| *section), prices);
    Ok(Json(Envelope::ok(RiskForecast {
        years: (first..).take(forecast.do_nothing.len()).collect(),
        do_nothing: forecast.do_nothing,
        replaced: forecast.replaced,
        compared: compared.as_ref().map(|_| forecast.compared),
        replaced_cost: cost(|choice| choice.replaced),
        compared_cost: compared.map(|_| cost(|choice| choice.compared)),
        sections: known.len(),
        not_modelled: sections.len() - known.len(),
        currency: REFERENCE_CURRENCY.0.to_owned(),
        price_base: REFERENCE_CURRENCY.1.to_owned(),
    })))
}

/// Checks that all sections of a list exist.
fn listed<'a>(name: &str, codes: &'a [String], sections: &[Judged]) -> Result<HashSet<&'a str>, Error> {
    if codes.len() > REPLACED_MAX {
        return Err(Error::BadRequest(format!("{name}: {} sections are named, {REPLACED_MAX} are allowed", codes.len())));
    }
    let there: HashSet<&str> = sections.iter().map(|section| section.record.code.as_str()).collect();
    if let Some(at) = codes.iter().position(|code| !there.contains(code.as_str())) {
        return Err(Error::BadRequest(format!("{name}[{at}]: there is no such section in this substation in that year")));
    }
    Ok(codes.iter().map(String::as_str).collect())
}

/// Returns the cost of replacing some sections by new ones.
fn cost<'a>(sections: impl Iterator<Item = &'a Assessed>, prices: ReplacementPerKm) -> ReplacementCost {
    let none = ReplacementCost { sections: 0, km: 0.0, cost: Some(0.0) };
    sections.fold(none, |sum, section| {
        let price = prices.of(section.successor().kind.voltage);
        let cost = sum.cost.zip(price).map(|(sum, price)| sum + price as f64 * section.length_km);
        ReplacementCost { sections: sum.sections + 1, km: sum.km + section.length_km, cost }
    })
}

#[cfg(test)]
mod tests {
    use grid::cable_health::{Bands, CableKind, Conductor, Insulation, Metal, Section, Voltage};

    use super::*;

    #[test]
    fn a_list_costs_what_its_kilometres_do_and_nobody_knows_where_a_price_is_missing() {
        let section = |voltage, km| {
            let kind = CableKind { voltage, insulation: Insulation::Oil };
            Section::new(kind, Metal::Lead, Conductor::Copper, 40.0, km).assess(Bands::V2_1).expect("a section")
        };
        let prices = ReplacementPerKm { kv33: Some(400_000), kv66: Some(700_000), kv132: None };
        let (short, long, large) = (section(Voltage::Kv33, 0.5), section(Voltage::Kv66, 2.0), section(Voltage::Kv132, 1.0));
        assert_eq!(cost([&short, &long].into_iter(), prices), ReplacementCost { sections: 2, km: 2.5, cost: Some(1_600_000.0) });
        assert_eq!(cost([&short, &large].into_iter(), prices), ReplacementCost { sections: 2, km: 1.5, cost: None });
        assert_eq!(cost([].into_iter(), ReplacementPerKm::default()).cost, Some(0.0), "nothing costs nothing");
    }
}
