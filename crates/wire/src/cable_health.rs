//! Health of cables, transformers and breakers. Specification 3, section 3 defines the field names of a section.

use grid::cable_health::{Criticality, HealthIndex};
use serde::{Deserialize, Serialize};

mod configuration;

pub use configuration::{HealthConfiguration, ReplacementPerKm};

/// The years for which health can be requested.
pub const YEARS: std::ops::RangeInclusive<i32> = 1850..=2200;
/// Colour of a section without a model or with an unknown figure.
const UNKNOWN: &str = "#b3b3b3";

/// Returns the colour of a health index band, `#rrggbb`. Exports use it too.
pub fn health_colour(band: Option<HealthIndex>) -> &'static str {
    band.map_or(UNKNOWN, |band| ["#1a9850", "#91cf60", "#fee08b", "#fc8d59", "#d73027"][band as usize])
}

/// Returns the colour of a criticality index, `#rrggbb`.
pub fn criticality_colour(band: Option<Criticality>) -> &'static str {
    band.map_or(UNKNOWN, |band| ["#deebf7", "#9ecae1", "#4292c6", "#084594"][band as usize])
}

/// Returns the colour of a cell of the risk matrix, `#rrggbb`: from green for low to red for high criticality and poor health.
pub fn field_colour(criticality: Criticality, health: HealthIndex) -> &'static str {
    ["#91cf60", "#fee08b", "#fc8d59", "#d73027"][usize::midpoint(criticality as usize, health as usize)]
}

/// Returns the colour of a probability of failure within a year, in percent.
pub fn probability_colour(percent: Option<f64>) -> &'static str {
    match percent {
        None => UNKNOWN,
        Some(percent) if percent < 1.0 => "#1a9850",
        Some(percent) if percent < 2.0 => "#91cf60",
        Some(percent) if percent < 5.0 => "#fee08b",
        Some(percent) if percent < 10.0 => "#fc8d59",
        Some(_) => "#d73027",
    }
}

/// Returns the colour of an age in years.
pub fn age_colour(years: i32) -> &'static str {
    match years {
        ..=19 => "#1a9850",
        20..=39 => "#91cf60",
        40..=59 => "#fee08b",
        60..=79 => "#fc8d59",
        80.. => "#d73027",
    }
}

/// A cable section at the end of a year. Figures that depend on its health are null if it has no model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "PascalCase")]
pub struct CableSection {
    /// Name of the feeder or line that the section belongs to.
    pub asset_name: String,
    /// Id of the feeder or line.
    pub asset_id: i64,
    /// Name of the cable.
    pub cable_asset_name: String,
    /// The utility's own identifier of the section.
    pub cable_object_id: String,
    /// Number of the section in the cable.
    pub section: String,
    /// Criticality index, `C1` to `C4`.
    pub criticality_index: Option<String>,
    /// Health index band, `HI1` to `HI5`.
    pub health_index_band: Option<String>,
    /// Length, km.
    #[serde(rename = "SectionLengthKM")]
    pub length_km: f64,
    /// Length, m.
    #[serde(rename = "SectionLength")]
    pub length_m: f64,
    /// Age, years.
    pub age_of_cable: i32,
    /// Probability of failure: failures of the whole section a year. For pressurised cables these are leaks, and there can be more than one a year.
    #[serde(rename = "POF")]
    pub pof: Option<f64>,
    /// Probability that the section fails within a year, percent.
    #[serde(rename = "POFPercent")]
    pub pof_percent: Option<f64>,
    /// Consequence of failure: the cost of one failure.
    #[serde(rename = "COF")]
    pub cof: Option<f64>,
    /// Environmental part of `COF`.
    #[serde(rename = "CoFEnvironment")]
    pub cof_environment: Option<f64>,
    /// Financial part of `COF`: repair.
    #[serde(rename = "CoFFinancial")]
    pub cof_financial: Option<f64>,
    /// Safety part of `COF`.
    #[serde(rename = "CoFSafety")]
    pub cof_safety: Option<f64>,
    /// Network performance part of `COF`: loss of supply.
    #[serde(rename = "CoFNetwork")]
    pub cof_network: Option<f64>,
    /// Customers supplied by the section; null if not known.
    #[serde(rename = "ConsumersPerCS")]
    pub consumers_per_section: Option<i32>,
    /// Customers supplied by the cable.
    pub consumers_per_cable: Option<i32>,
    /// Customers supplied by the feeder; null if not known.
    pub consumer_per_feeder: Option<i32>,
    /// Recorded faults since the section was laid; null without a list of faults.
    pub no_of_faults: Option<usize>,
    /// `CNAIM v2.1` or `Not modelled`.
    pub model: String,
    /// Why the section is not modelled.
    pub model_note: Option<String>,
    /// Years until the health score reaches 8, where HI5 begins; 999 if it takes longer.
    pub remaining_life: Option<f64>,
    /// Health score, 0.5 (new) to 10.
    pub health_score: Option<f64>,
    /// Health score in ten years without replacement, at most 15.
    pub future_score: Option<f64>,
    /// Risk: `POF` × `COF`, cost of failures a year.
    pub risk: Option<f64>,
    /// Nominal voltage, kV.
    pub voltage_kv: f64,
    /// Line path: longitude and latitude of each place; null if not known.
    pub line: Option<Vec<[f64; 2]>>,
    /// Colour of the probability of failure, `#rrggbb`.
    pub colcolor: String,
    /// Colour of the criticality index.
    #[serde(rename = "CIColor")]
    pub ci_color: String,
    /// Colour of the health index band.
    #[serde(rename = "HIColor")]
    pub hi_color: String,
    /// Colour of the age.
    pub age_display_color: String,
}

/// A row of the risk matrix: the sections of one criticality index by health index band.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "UPPERCASE")]
pub struct MatrixRow {
    /// Criticality index, `C1` to `C4`.
    pub ci: String,
    /// Colour of the criticality index.
    #[serde(rename = "CIRowColor")]
    pub ci_row_color: String,
    /// Number of sections in HI1.
    pub hi1: usize,
    /// Number of sections in HI2.
    pub hi2: usize,
    /// Number of sections in HI3.
    pub hi3: usize,
    /// Number of sections in HI4.
    pub hi4: usize,
    /// Number of sections in HI5.
    pub hi5: usize,
    /// Colour of the cell of HI1.
    #[serde(rename = "HI1Color")]
    pub hi1_color: String,
    /// Colour of the cell of HI2.
    #[serde(rename = "HI2Color")]
    pub hi2_color: String,
    /// Colour of the cell of HI3.
    #[serde(rename = "HI3Color")]
    pub hi3_color: String,
    /// Colour of the cell of HI4.
    #[serde(rename = "HI4Color")]
    pub hi4_color: String,
    /// Colour of the cell of HI5.
    #[serde(rename = "HI5Color")]
    pub hi5_color: String,
    /// Length of the sections in HI1, km.
    #[serde(rename = "HI1Km")]
    pub hi1_km: f64,
    /// Length of the sections in HI2, km.
    #[serde(rename = "HI2Km")]
    pub hi2_km: f64,
    /// Length of the sections in HI3, km.
    #[serde(rename = "HI3Km")]
    pub hi3_km: f64,
    /// Length of the sections in HI4, km.
    #[serde(rename = "HI4Km")]
    pub hi4_km: f64,
    /// Length of the sections in HI5, km.
    #[serde(rename = "HI5Km")]
    pub hi5_km: f64,
    /// Risk of the sections in HI1, cost a year.
    #[serde(rename = "HI1Risk")]
    pub hi1_risk: f64,
    /// Risk of the sections in HI2, cost a year.
    #[serde(rename = "HI2Risk")]
    pub hi2_risk: f64,
    /// Risk of the sections in HI3, cost a year.
    #[serde(rename = "HI3Risk")]
    pub hi3_risk: f64,
    /// Risk of the sections in HI4, cost a year.
    #[serde(rename = "HI4Risk")]
    pub hi4_risk: f64,
    /// Risk of the sections in HI5, cost a year.
    #[serde(rename = "HI5Risk")]
    pub hi5_risk: f64,
}

/// The sections of a feeder by health index band.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "UPPERCASE")]
pub struct FeederRow {
    /// Name of the feeder.
    #[serde(rename = "FeederName")]
    pub feeder_name: String,
    /// Id of the feeder.
    #[serde(rename = "AssetId")]
    pub asset_id: i64,
    /// Number of sections in HI1.
    pub hi1: usize,
    /// Number of sections in HI2.
    pub hi2: usize,
    /// Number of sections in HI3.
    pub hi3: usize,
    /// Number of sections in HI4.
    pub hi4: usize,
    /// Number of sections in HI5.
    pub hi5: usize,
    /// Colour of HI1.
    #[serde(rename = "HI1Color")]
    pub hi1_color: String,
    /// Colour of HI2.
    #[serde(rename = "HI2Color")]
    pub hi2_color: String,
    /// Colour of HI3.
    #[serde(rename = "HI3Color")]
    pub hi3_color: String,
    /// Colour of HI4.
    #[serde(rename = "HI4Color")]
    pub hi4_color: String,
    /// Colour of HI5.
    #[serde(rename = "HI5Color")]
    pub hi5_color: String,
}

/// The cables of a substation at the end of a year.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CableHealth {
    /// All sections, ordered by feeder and cable.
    pub cable_sections: Vec<CableSection>,
    /// The risk matrix: four rows, C1 first. Each modelled section is in one cell, so the sum of the cells and `notModelled` is the number of all sections.
    pub criticality_index_vs_health_index: Vec<MatrixRow>,
    /// Feeders with modelled sections, ordered by name.
    pub feeder_vs_health_index: Vec<FeederRow>,
    /// Number of sections without a model.
    pub not_modelled: usize,
    /// Version of the methodology for the bands, which sets the end of HI1: `v2.1` or `v1.1`.
    pub bands: String,
    /// Currency of all costs, ISO 4217.
    pub currency: String,
    /// The year of the prices.
    pub price_base: String,
    /// The requested year.
    pub year: i32,
    /// Id of the substation.
    pub asset_point_id: i64,
}

/// The sections of a cell, row or column of the risk matrix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CableSections {
    /// Sections, ordered by feeder and cable.
    pub cable_sections: Vec<CableSection>,
}

/// A request for the sections of a cell, row or column of the risk matrix.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CableFilter {
    /// Id of the substation.
    pub assetpoint_id: i64,
    /// The requested year.
    pub health_year: i32,
    /// `C1` to `C4`; empty or null for all.
    #[serde(default, rename = "cI")]
    pub criticality: Option<String>,
    /// `HI1` to `HI5`; empty or null for all.
    #[serde(default, rename = "hI")]
    pub health: Option<String>,
}

/// A request for the risk of future years.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RiskQuestion {
    /// Id of the substation.
    pub assetpoint_id: i64,
    /// The first year of the forecast.
    pub health_year: i32,
    /// Number of years after the first one, 1 to 40; default: 20.
    #[serde(default)]
    pub years: Option<u32>,
    /// Sections to replace (`CableObjectId`), at most 20,000.
    #[serde(default)]
    pub replaced: Vec<String>,
    /// A second list of sections to replace, for comparison; null if there is none.
    #[serde(default)]
    pub compared: Option<Vec<String>>,
}

/// The cost of replacing the sections of a list, from the utility's prices per km (`health.replacementPerKm` of its configuration).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReplacementCost {
    /// Number of modelled sections in the list.
    pub sections: usize,
    /// Total length of these sections, km.
    pub km: f64,
    /// Cost in the currency of the risk; null if a voltage in the list has no configured price.
    pub cost: Option<f64>,
}

/// Risk of the modelled sections of a substation by year.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RiskForecast {
    /// The years, starting with the requested one.
    pub years: Vec<i32>,
    /// Risk of each year without replacement. The risk of the first year is the sum of the risk matrix.
    pub do_nothing: Vec<f64>,
    /// Risk of each year if the sections of the first list are replaced in the second year.
    pub replaced: Vec<f64>,
    /// Risk of each year for the second list; null if there is none.
    pub compared: Option<Vec<f64>>,
    /// Cost of replacing the sections of the first list.
    pub replaced_cost: ReplacementCost,
    /// Cost of replacing the sections of the second list; null if there is none.
    pub compared_cost: Option<ReplacementCost>,
    /// Number of sections in the forecast.
    pub sections: usize,
    /// Number of sections without a model.
    pub not_modelled: usize,
    /// Currency of all costs, ISO 4217.
    pub currency: String,
    /// The year of the prices.
    pub price_base: String,
}

/// A substation with data about cable sections or plant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct HealthStation {
    /// Id of the substation.
    pub asset_point_id: i64,
    /// Name of the substation.
    pub asset_point_name: String,
    /// Years with data, newest first.
    pub years: Vec<i32>,
}

/// The substations with sections or plant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct HealthStations {
    /// Substations, ordered by name.
    pub substations: Vec<HealthStation>,
    /// Id of the substation to select first; null if there is none.
    pub default_substation: Option<i64>,
    /// The year to select first; null if there is none.
    pub default_year: Option<i32>,
}

/// A transformer or breaker at the end of a year.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "PascalCase")]
pub struct PlantRow {
    /// Id of the asset.
    pub asset_id: i64,
    /// Name of the asset.
    pub asset_name: String,
    /// Kind of plant, such as `33 kV transformer`.
    pub kind: String,
    /// For a large transformer, the part with the worse health score: `main` or `tap_changer`. `tap_changer` too if only its condition is known.
    pub part: Option<String>,
    /// Health score, 0.5 (new) to 10.
    pub health_score: Option<f64>,
    /// Health index band, `HI1` to `HI5`.
    pub health_index_band: Option<String>,
    /// Probability of failure: failures a year.
    #[serde(rename = "POF")]
    pub pof: Option<f64>,
    /// Consequence of failure: the cost of one failure.
    #[serde(rename = "COF")]
    pub cof: Option<f64>,
    /// Risk: `POF` × `COF`, cost of failures a year.
    pub risk: Option<f64>,
    /// Years until the health score reaches 8; 999 if it takes longer.
    pub remaining_life: Option<f64>,
    /// Age, years.
    pub age_of_plant: i32,
    /// `CNAIM v2.1` or `Not modelled`.
    pub model: String,
    /// Why the asset is not modelled.
    pub model_note: Option<String>,
}

/// The plant of a substation (transformers and breakers) at the end of a year.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PlantHealth {
    /// Plant, ordered by name.
    pub plant: Vec<PlantRow>,
    /// Currency of all costs, ISO 4217.
    pub currency: String,
    /// The year of the prices.
    pub price_base: String,
}

/// An error in an imported file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ImportFault {
    /// Number of the line, from 1.
    pub line: u64,
    /// Name of the column; empty if the error is about the whole line.
    pub column: String,
    /// What is wrong, and what is allowed.
    pub what: String,
}

/// A column that an import changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ChangedColumn {
    /// Name of the column in the file.
    pub column: String,
    /// Number of rows that change the column.
    pub rows: usize,
}

/// The result of an import, or of its dry run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct HealthImported {
    /// `register`, `condition`, `faults` or `plant`.
    pub kind: String,
    /// Whether this was a dry run, which stores nothing.
    pub dry_run: bool,
    /// Number of rows in the file.
    pub rows: usize,
    /// Number of new rows.
    pub added: usize,
    /// Number of rows that replace a stored row.
    pub changed: usize,
    /// Number of rows that are stored already without a difference.
    pub same: usize,
    /// For each changed column, how many rows change it.
    pub columns: Vec<ChangedColumn>,
    /// Errors in the order of the lines, at most 100. If there is an error, nothing is stored.
    pub faults: Vec<ImportFault>,
    /// Number of all errors.
    pub faults_total: usize,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_worst_field_is_red_and_the_best_is_green() {
        assert_eq!(field_colour(Criticality::C1, HealthIndex::Hi1), "#91cf60");
        assert_eq!(field_colour(Criticality::C4, HealthIndex::Hi5), "#d73027");
        let mut row = serde_json::to_value(FeederRow {
            feeder_name: "F".into(),
            asset_id: 1,
            hi1: 1,
            hi2: 2,
            hi3: 3,
            hi4: 4,
            hi5: 5,
            hi1_color: String::new(),
            hi2_color: String::new(),
            hi3_color: String::new(),
            hi4_color: String::new(),
            hi5_color: String::new(),
        })
        .expect("JSON");
        row.as_object_mut().expect("an object").retain(|_, value| value != "");
        assert_eq!(
            row,
            json!({"FeederName": "F", "AssetId": 1, "HI1": 1, "HI2": 2, "HI3": 3, "HI4": 4, "HI5": 5}),
            "as the specification spells them"
        );
    }
}
