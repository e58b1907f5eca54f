//! The health of cable sections at the end of a year (CNAIM v2.1), as rows of an answer.

use grid::NodeId;
use grid::cable_health::{Assessed, Criticality, HealthIndex};
use identity::View;
use store::Store;
use store::cable::SectionRecord;
use store::registry::NodeRecord;
use wire::cable_health::{CableSection, HealthConfiguration, YEARS, age_colour, criticality_colour, health_colour, probability_colour};

use crate::error::Error;

/// The name of the model in an answer.
pub const MODEL: &str = "CNAIM v2.1";
/// The name of the model for a section that cannot be assessed.
pub const NO_MODEL: &str = "Not modelled";
/// Years from now to the future score.
const FUTURE_YEARS: f64 = 10.0;

/// A section with its assessment, or the reason why it cannot be assessed.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The section as registered.
    pub record: SectionRecord,
    /// The assessment, or the reason why there is none.
    pub assessed: Result<Assessed, String>,
}

impl Judged {
    /// Returns the row of an answer.
    pub fn row(&self, view: &View, year: i32) -> CableSection {
        let SectionRecord { code, asset, cable, section, entry, faults, consumers, cable_consumers, line } = &self.record;
        let feeder = view.field.asset(*asset);
        let known = self.assessed.as_ref().ok();
        let of = |figure: fn(&Assessed) -> f64| known.map(figure);
        let percent = of(|known| known.probability * 100.0);
        let (band, criticality) = (known.map(|known| known.band), known.map(|known| known.criticality));
        let age = year - entry.installed;
        CableSection {
            asset_name: feeder.map(|feeder| feeder.name.clone()).unwrap_or_default(),
            asset_id: asset.0,
            cable_asset_name: cable.clone(),
            cable_object_id: code.clone(),
            section: section.clone(),
            criticality_index: criticality.map(|band| band.as_str().to_owned()),
            health_index_band: band.map(|band| band.as_str().to_owned()),
            length_km: entry.length_km,
            length_m: entry.length_km * 1_000.0,
            age_of_cable: age,
            pof: of(|known| known.failures),
            pof_percent: percent,
            cof: of(|known| known.cost.total()),
            cof_environment: of(|known| known.cost.environmental),
            cof_financial: of(|known| known.cost.financial),
            cof_safety: of(|known| known.cost.safety),
            cof_network: of(|known| known.cost.network),
            consumers_per_section: *consumers,
            consumers_per_cable: *cable_consumers,
            // The number of customers counts as unknown if it is 0: a feeder of cables always supplies some.
            consumer_per_feeder: feeder.map(|feeder| feeder.customers).filter(|customers| *customers > 0),
            no_of_faults: *faults,
            model: if known.is_some() { MODEL } else { NO_MODEL }.to_owned(),
            model_note: self.assessed.as_ref().err().cloned(),
            remaining_life: of(|known| known.health.remaining_years()),
            health_score: of(|known| known.health.score()),
            future_score: of(|known| known.health.after(FUTURE_YEARS)),
            risk: of(|known| known.risk),
            voltage_kv: entry.kv,
            line: line.clone(),
            colcolor: probability_colour(percent).to_owned(),
            ci_color: criticality_colour(criticality).to_owned(),
            hi_color: health_colour(band).to_owned(),
            age_display_color: age_colour(age).to_owned(),
        }
    }

    /// Returns whether the section is in a field, row or column of the risk matrix. Without filters the result is true for every section, even for one without
    /// an assessment.
    pub fn lies_in(&self, criticality: Option<Criticality>, health: Option<HealthIndex>) -> bool {
        match &self.assessed {
            Ok(known) => criticality.is_none_or(|band| band == known.criticality) && health.is_none_or(|band| band == known.band),
            Err(_) => criticality.is_none() && health.is_none(),
        }
    }
}

/// Returns all sections of a substation with their assessment at the end of a year.
pub async fn judged(store: &Store, view: &View, station: NodeId, year: i32) -> Result<Vec<Judged>, Error> {
    let bands = configuration(view).bands();
    let records = store.cable_sections(view.principal.client, station, year).await?;
    let judge = |record: SectionRecord| {
        let section = record.entry.section(year).map_err(|why| why.to_string());
        let assessed = section.and_then(|section| section.assess(bands).map_err(|fault| fault.to_string()));
        Judged { record, assessed }
    };
    Ok(records.into_iter().map(judge).collect())
}

/// Returns the configuration of the caller's utility.
pub fn configuration(view: &View) -> HealthConfiguration {
    HealthConfiguration::of(&view.field.client().config)
}

/// Returns the substation with this id, if the caller may see it.
pub fn station(view: &View, id: i64) -> Result<&NodeRecord, Error> {
    let found = view.field.node(NodeId(id)).filter(|node| node.level == grid::Level::Substation && view.sees(node));
    found.ok_or(Error::NotFound)
}

/// Parses a year. Fails if it is outside of the supported years.
pub fn year(name: &str, text: &str) -> Result<i32, Error> {
    let year = text.parse().ok().filter(|year| YEARS.contains(year));
    year.ok_or_else(|| Error::BadRequest(format!("{name} must be a year from {} to {}", YEARS.start(), YEARS.end())))
}
