//! Health of cables and plant. The names of a section's fields are those of specification 3, section 3.

use grid::cable_health::{Criticality, HealthIndex};
use serde::{Deserialize, Serialize};

mod configuration;

pub use configuration::{HealthConfiguration, ReplacementPerKm};

/// The years that can be asked about.
pub const YEARS: std::ops::RangeInclusive<i32> = 1850..=2200;
/// Colour of what is not modelled or not known.
const UNKNOWN: &str = "#b3b3b3";

/// The colour of a band of health, for exports.
pub fn health_colour(band: Option<HealthIndex>) -> &'static str {
    band.map_or(UNKNOWN, |band| ["#1a9850", "#91cf60", "#fee08b", "#fc8d59", "#d73027"][band as usize])
}

/// The colour of a band of criticality.
pub fn criticality_colour(band: Option<Criticality>) -> &'static str {
    band.map_or(UNKNOWN, |band| ["#deebf7", "#9ecae1", "#4292c6", "#084594"][band as usize])
}

/// The colour of a field of the risk matrix: the worse and the more critical, the redder.
pub fn field_colour(criticality: Criticality, health: HealthIndex) -> &'static str {
    ["#91cf60", "#fee08b", "#fc8d59", "#d73027"][usize::midpoint(criticality as usize, health as usize)]
}

/// The colour of a probability of failure within a year, percent.
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

/// The colour of an age, years.
pub fn age_colour(years: i32) -> &'static str {
    match years {
        ..=19 => "#1a9850",
        20..=39 => "#91cf60",
        40..=59 => "#fee08b",
        60..=79 => "#fc8d59",
        80.. => "#d73027",
    }
}

/// A cable section at the end of a year. Figures that follow from its health are null if it has no model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "PascalCase")]
pub struct CableSection {
    /// The feeder or line that it is a part of.
    pub asset_name: String,
    /// Its id.
    pub asset_id: i64,
    /// The cable.
    pub cable_asset_name: String,
    /// What the utility knows the section by.
    pub cable_object_id: String,
    /// Its number in the cable.
    pub section: String,
    /// `C1` to `C4`.
    pub criticality_index: Option<String>,
    /// `HI1` to `HI5`.
    pub health_index_band: Option<String>,
    /// km.
    #[serde(rename = "SectionLengthKM")]
    pub length_km: f64,
    /// Metres.
    #[serde(rename = "SectionLength")]
    pub length_m: f64,
    /// Years.
    pub age_of_cable: i32,
    /// Failures a year of the whole section. For pressurised cables these are leaks, and can be more than one.
    #[serde(rename = "POF")]
    pub pof: Option<f64>,
    /// Probability that it fails within a year, percent.
    #[serde(rename = "POFPercent")]
    pub pof_percent: Option<f64>,
    /// What a failure costs.
    #[serde(rename = "COF")]
    pub cof: Option<f64>,
    /// The part of the environment.
    #[serde(rename = "CoFEnvironment")]
    pub cof_environment: Option<f64>,
    /// The part of repair.
    #[serde(rename = "CoFFinancial")]
    pub cof_financial: Option<f64>,
    /// The part of safety.
    #[serde(rename = "CoFSafety")]
    pub cof_safety: Option<f64>,
    /// The part of missing supply.
    #[serde(rename = "CoFNetwork")]
    pub cof_network: Option<f64>,
    /// Customers supplied by the section; null if not known.
    #[serde(rename = "ConsumersPerCS")]
    pub consumers_per_section: Option<i32>,
    /// On the cable.
    pub consumers_per_cable: Option<i32>,
    /// Customers of the feeder; null if not known.
    pub consumer_per_feeder: Option<i32>,
    /// Recorded faults since it was laid; null without a list of faults.
    pub no_of_faults: Option<usize>,
    /// `CNAIM v2.1` or `Not modelled`.
    pub model: String,
    /// Why it is not modelled.
    pub model_note: Option<String>,
    /// Years until its score reaches 8, where HI5 begins; 999 if that is further away.
    pub remaining_life: Option<f64>,
    /// 0.5 (new) to 10.
    pub health_score: Option<f64>,
    /// The same ten years on if nothing is done, up to 15.
    pub future_score: Option<f64>,
    /// `POF` times `COF`: what its failures cost a year.
    pub risk: Option<f64>,
    /// Nominal voltage.
    pub voltage_kv: f64,
    /// Its route: longitude and latitude; null if not known.
    pub line: Option<Vec<[f64; 2]>>,
    /// Colour of its probability of failure, `#rrggbb`.
    pub colcolor: String,
    /// Of its criticality.
    #[serde(rename = "CIColor")]
    pub ci_color: String,
    /// Of its health.
    #[serde(rename = "HIColor")]
    pub hi_color: String,
    /// Of its age.
    pub age_display_color: String,
}

/// A row of the risk matrix: sections of a criticality by their health.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "UPPERCASE")]
pub struct MatrixRow {
    /// `C1` to `C4`.
    pub ci: String,
    /// Its colour.
    #[serde(rename = "CIRowColor")]
    pub ci_row_color: String,
    /// Sections in HI1.
    pub hi1: usize,
    /// In HI2.
    pub hi2: usize,
    /// In HI3.
    pub hi3: usize,
    /// In HI4.
    pub hi4: usize,
    /// In HI5.
    pub hi5: usize,
    /// Colour of the field.
    #[serde(rename = "HI1Color")]
    pub hi1_color: String,
    /// The same of HI2.
    #[serde(rename = "HI2Color")]
    pub hi2_color: String,
    /// Of HI3.
    #[serde(rename = "HI3Color")]
    pub hi3_color: String,
    /// Of HI4.
    #[serde(rename = "HI4Color")]
    pub hi4_color: String,
    /// Of HI5.
    #[serde(rename = "HI5Color")]
    pub hi5_color: String,
    /// Their length in HI1, km.
    #[serde(rename = "HI1Km")]
    pub hi1_km: f64,
    /// The same of HI2.
    #[serde(rename = "HI2Km")]
    pub hi2_km: f64,
    /// Of HI3.
    #[serde(rename = "HI3Km")]
    pub hi3_km: f64,
    /// Of HI4.
    #[serde(rename = "HI4Km")]
    pub hi4_km: f64,
    /// Of HI5.
    #[serde(rename = "HI5Km")]
    pub hi5_km: f64,
    /// Their risk in HI1, a year.
    #[serde(rename = "HI1Risk")]
    pub hi1_risk: f64,
    /// The same of HI2.
    #[serde(rename = "HI2Risk")]
    pub hi2_risk: f64,
    /// Of HI3.
    #[serde(rename = "HI3Risk")]
    pub hi3_risk: f64,
    /// Of HI4.
    #[serde(rename = "HI4Risk")]
    pub hi4_risk: f64,
    /// Of HI5.
    #[serde(rename = "HI5Risk")]
    pub hi5_risk: f64,
}

/// Sections of a feeder by their health.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "UPPERCASE")]
pub struct FeederRow {
    /// The feeder.
    #[serde(rename = "FeederName")]
    pub feeder_name: String,
    /// Its id.
    #[serde(rename = "AssetId")]
    pub asset_id: i64,
    /// Sections in HI1.
    pub hi1: usize,
    /// In HI2.
    pub hi2: usize,
    /// In HI3.
    pub hi3: usize,
    /// In HI4.
    pub hi4: usize,
    /// In HI5.
    pub hi5: usize,
    /// Colour of the band.
    #[serde(rename = "HI1Color")]
    pub hi1_color: String,
    /// The same of HI2.
    #[serde(rename = "HI2Color")]
    pub hi2_color: String,
    /// Of HI3.
    #[serde(rename = "HI3Color")]
    pub hi3_color: String,
    /// Of HI4.
    #[serde(rename = "HI4Color")]
    pub hi4_color: String,
    /// Of HI5.
    #[serde(rename = "HI5Color")]
    pub hi5_color: String,
}

/// The cables of a substation at the end of a year.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CableHealth {
    /// All sections, by feeder and cable.
    pub cable_sections: Vec<CableSection>,
    /// Four rows, C1 first. Each modelled section is in one cell: their sum and `notModelled` are all sections.
    pub criticality_index_vs_health_index: Vec<MatrixRow>,
    /// Feeders with modelled sections, by name.
    pub feeder_vs_health_index: Vec<FeederRow>,
    /// Number of sections without a model.
    pub not_modelled: usize,
    /// `v2.1` or `v1.1`: where HI1 ends.
    pub bands: String,
    /// Currency of all costs, ISO 4217.
    pub currency: String,
    /// The year of the prices.
    pub price_base: String,
    /// The requested year.
    pub year: i32,
    /// The substation.
    pub asset_point_id: i64,
}

/// Sections that fit a field of the risk matrix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CableSections {
    /// By feeder and cable.
    pub cable_sections: Vec<CableSection>,
}

/// A request for the sections of a cell, row or column of the risk matrix.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CableFilter {
    /// The substation.
    pub assetpoint_id: i64,
    /// The year.
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
    /// The substation.
    pub assetpoint_id: i64,
    /// The year that it begins with.
    pub health_year: i32,
    /// Years after that one, 1 to 40; default 20.
    #[serde(default)]
    pub years: Option<u32>,
    /// Sections to be replaced (`CableObjectId`), 20,000 at most.
    #[serde(default)]
    pub replaced: Vec<String>,
    /// A second list to compare with; null if there is none.
    #[serde(default)]
    pub compared: Option<Vec<String>>,
}

/// What it costs to replace the sections of a list, by the utility's own prices of a km (`health.replacementPerKm` of its configuration).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReplacementCost {
    /// Modelled sections on the list.
    pub sections: usize,
    /// Their length.
    pub km: f64,
    /// In the currency of the risk; null if no price is configured for a voltage of the list.
    pub cost: Option<f64>,
}

/// Risk of the modelled sections of a substation by year.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RiskForecast {
    /// The years, from the requested one on.
    pub years: Vec<i32>,
    /// Risk of each year if nothing is done; that of the first is the sum of the risk matrix.
    pub do_nothing: Vec<f64>,
    /// Risk of each year if the named sections are new in the second one.
    pub replaced: Vec<f64>,
    /// The same for the second list; null if there is none.
    pub compared: Option<Vec<f64>>,
    /// What the first list costs.
    pub replaced_cost: ReplacementCost,
    /// The cost of the second list; null if there is none.
    pub compared_cost: Option<ReplacementCost>,
    /// The sections in the forecast.
    pub sections: usize,
    /// Number of sections without a model.
    pub not_modelled: usize,
    /// Currency of all costs, ISO 4217.
    pub currency: String,
    /// The year of the prices.
    pub price_base: String,
}

/// A substation that has sections or plant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct HealthStation {
    /// The substation.
    pub asset_point_id: i64,
    /// Its name.
    pub asset_point_name: String,
    /// Years with data, newest first.
    pub years: Vec<i32>,
}

/// The substations with sections or plant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct HealthStations {
    /// By name.
    pub substations: Vec<HealthStation>,
    /// The default selection; null if there is none.
    pub default_substation: Option<i64>,
    /// The year to begin with.
    pub default_year: Option<i32>,
}

/// A transformer or breaker at the end of a year.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "PascalCase")]
pub struct PlantRow {
    /// The asset.
    pub asset_id: i64,
    /// Name of the asset.
    pub asset_name: String,
    /// Such as `33 kV transformer`.
    pub kind: String,
    /// For a large transformer the part that decides, the worse one: `main` or `tap_changer`; also if only the tap changer is known.
    pub part: Option<String>,
    /// 0.5 (new) to 10.
    pub health_score: Option<f64>,
    /// `HI1` to `HI5`.
    pub health_index_band: Option<String>,
    /// Failures a year.
    #[serde(rename = "POF")]
    pub pof: Option<f64>,
    /// What a failure costs.
    #[serde(rename = "COF")]
    pub cof: Option<f64>,
    /// `POF` times `COF`.
    pub risk: Option<f64>,
    /// Years until the score reaches 8; 999 if that is further away.
    pub remaining_life: Option<f64>,
    /// Years.
    pub age_of_plant: i32,
    /// `CNAIM v2.1` or `Not modelled`.
    pub model: String,
    /// Why it is not modelled.
    pub model_note: Option<String>,
}

/// The plant of a substation at the end of a year.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PlantHealth {
    /// By name.
    pub plant: Vec<PlantRow>,
    /// Currency of all costs, ISO 4217.
    pub currency: String,
    /// The year of the prices.
    pub price_base: String,
}

/// An error in a file, with its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ImportFault {
    /// The line, the first being 1.
    pub line: u64,
    /// The column by its name; empty if it is about the whole line.
    pub column: String,
    /// What is wrong and what is allowed.
    pub what: String,
}

/// A column that an import changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ChangedColumn {
    /// Its name in the file.
    pub column: String,
    /// Rows that change in it.
    pub rows: usize,
}

/// The result of an import, or of its dry run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct HealthImported {
    /// `register`, `condition`, `faults` or `plant`.
    pub kind: String,
    /// Whether nothing was stored in any case.
    pub dry_run: bool,
    /// Rows of the file.
    pub rows: usize,
    /// New ones.
    pub added: usize,
    /// Rows that replace a stored row.
    pub changed: usize,
    /// Rows that are stored already.
    pub same: usize,
    /// How many of the changed rows change each column; columns without changes are missing.
    pub columns: Vec<ChangedColumn>,
    /// Errors in the order of the lines, at most 100; with one nothing is stored.
    pub faults: Vec<ImportFault>,
    /// How much of that there is in all.
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
