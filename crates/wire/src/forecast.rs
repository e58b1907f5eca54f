//! Forecasts beside what came, and the energy budget of a month (specification 3, section 3; what the figures mean is docs/API.md, "Forecasts").

use serde::{Deserialize, Serialize};

/// Forecast and measured values of an asset, by the hour.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ForecastChart {
    /// `kW` or `A`, of all values.
    pub unit: String,
    /// The utility's time zone (IANA).
    pub time_zone: String,
    /// The start of the rows; ISO 8601 UTC.
    pub from: String,
    /// The current hour: rows before it are in the past.
    pub to: String,
    /// Mean of the rows' `mape`, %; null if no row has one.
    pub mape: Option<f64>,
    /// Sum of the errors over sum of the actual values, %, over all hours that have both; null if there are none.
    pub wape: Option<f64>,
    /// The number of rows with a `mape`.
    pub used: usize,
    /// Rows with both values that are not in it because the actual one is smaller than `least`.
    pub skipped: usize,
    /// The smallest actual value with a percentage: 1 % of the rating, or of the largest actual value if none is known, and at least 1.
    pub least: f64,
    /// 1 − WAPE / WAPE of `naive`, over the hours that have all three: 1 is without error, 0 no better than last week, below 0 worse. Null if there are none.
    pub skill: Option<f64>,
    /// What `mape` would be for `naive`.
    pub mape_naive: Option<f64>,
    /// The method of the latest forecast: `mstl_ets`, `mean_of_4_weeks` or `yesterday`; null if there is none.
    pub method: Option<String>,
    /// The time up to which the latest forecast knew the measured values; ISO 8601 UTC. Null if there is none.
    pub issued_at: Option<String>,
    /// Hours before `to` with an actual value, % of all; null if nothing was measured.
    pub coverage: Option<f64>,
    /// `no_data`, `partial`, `late`, `not_metered`, `backcast` (some rows before `to` were forecast afterwards, from the data before them).
    pub flags: Vec<String>,
    /// An hour each, oldest first, without a gap.
    pub rows: Vec<ForecastRow>,
}

/// One hour.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ForecastRow {
    /// Its start; ISO 8601 UTC.
    #[serde(rename = "Dt")]
    pub dt: String,
    /// The same, epoch ms.
    pub time_ms: i64,
    /// Mean of the measured values; null if nothing was measured, or in the future.
    pub actual: Option<f64>,
    /// The latest forecast issued before it; null if there was none.
    pub forecast: Option<f64>,
    /// The value below which the actual one should be in one of ten hours; null if too little is known.
    pub q10: Option<f64>,
    /// What it should exceed in one of ten.
    pub q90: Option<f64>,
    /// The measured value of the same hour a week before.
    pub naive: Option<f64>,
    /// The error, % of the actual value; null if one of the two is missing or the actual one is too small.
    pub mape: Option<f64>,
    /// `actual` before the running hour, `forecast` from it on.
    #[serde(rename = "type")]
    pub kind: String,
}

/// The energy budget of the running month.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct EnergyBudget {
    /// A row for each day of the month.
    pub forecast_values: Vec<EnergyBudgetRow>,
    /// The budget of the whole month, kWh; null without a history.
    pub budget_kwh: Option<f64>,
    /// The source of the budget: `last_year` (the same month) or `four_weeks` (those before the month); null if there is none.
    pub basis: Option<String>,
    /// The method of the forecast: `mean_of_4_weeks`; null if there is none.
    pub method: Option<String>,
    /// Midnight of today by the utility's clock: what was measured before then is actual; ISO 8601 UTC.
    pub issued_at: String,
    /// The utility's time zone (IANA).
    pub time_zone: String,
    /// Days of this month that are over and of which the energy is known, of each meter, % of all; null on the first day.
    pub coverage: Option<f64>,
    /// `no_data`, `partial`, `register_reset`, `not_metered`.
    pub flags: Vec<String>,
    /// Names of feeders that have no energy register.
    pub missing: Vec<String>,
}

/// One day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct EnergyBudgetRow {
    /// Of the month, from 1.
    pub day: i8,
    /// From 1.
    pub month: i8,
    /// The year.
    pub year: i16,
    /// Its midnight by the utility's clock, epoch ms.
    pub time_ms: i64,
    /// The budget from the start of the month to the end of this day.
    #[serde(rename = "EnergyBudgetKwh")]
    pub budget: Option<f64>,
    /// The energy from the start of the month to the end of this day; null for a day of which nothing is known.
    #[serde(rename = "EnergyConsumptionKwh")]
    pub consumption: Option<f64>,
    /// `actual` up to yesterday, `forecast` from today on.
    #[serde(rename = "type")]
    pub kind: String,
    /// For a forecast: the value below which it should be in one of ten months; null if too little is known.
    pub q10: Option<f64>,
    /// And exceed in one of ten.
    pub q90: Option<f64>,
}
