//! Forecasts beside measured values, and the energy budget of a month (specification 3, section 3; docs/reference/forecasts.md defines the
//! figures).

use serde::{Deserialize, Serialize};

use crate::cable_health::ImportFault;
use crate::flag::Flag;

/// Forecast and measured values of an asset, by hour.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ForecastChart {
    /// Unit of all values: `kW` or `A`.
    pub unit: String,
    /// The utility's time zone (IANA).
    pub time_zone: String,
    /// The start of the rows; ISO 8601 UTC.
    pub from: String,
    /// The start of the current hour; ISO 8601 UTC. Rows before it are in the past.
    pub to: String,
    /// Mean of the rows' `mape`, %; null if no row has one.
    pub mape: Option<f64>,
    /// Sum of the errors / sum of the actual values, %, over all hours that have both values; null if there are none.
    pub wape: Option<f64>,
    /// Number of rows with a `mape`.
    pub used: usize,
    /// Number of rows with both values but without a `mape`, because the actual value is smaller than `least`.
    pub skipped: usize,
    /// The smallest actual value for which `mape` is computed: 1 % of the rating, or of the largest actual value if the rating is not known; at least 1.
    pub least: f64,
    /// 1 − WAPE / WAPE of `naive`, over the hours that have all three values. 1 is without error, 0 equals `naive`, below 0 is worse. Null if there are no such
    /// hours.
    pub skill: Option<f64>,
    /// Mean absolute percentage error of `naive`, %.
    pub mape_naive: Option<f64>,
    /// The method of the latest forecast: `mstl_ets`, `mean_of_4_weeks` or `yesterday`; null if there is none.
    pub method: Option<String>,
    /// The time up to which measured values were used for the latest forecast; ISO 8601 UTC. Null if there is no forecast.
    pub issued_at: Option<String>,
    /// Share of the hours before `to` with an actual value, %; null if nothing was measured.
    pub coverage: Option<f64>,
    /// `no_data`, `partial`, `late`, `not_metered`, `backcast` (some rows before `to` were computed afterwards, from the values before them).
    #[cfg_attr(feature = "schema", schema(value_type = Vec<String>))]
    pub flags: Vec<Flag>,
    /// One row for each hour, oldest first, without a gap.
    pub rows: Vec<ForecastRow>,
}

/// The forecast and measured value of one hour.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ForecastRow {
    /// Start of the hour; ISO 8601 UTC.
    #[serde(rename = "Dt")]
    pub dt: String,
    /// Start of the hour; epoch ms.
    pub time_ms: i64,
    /// Mean of the measured values; null if nothing was measured, and for future hours.
    pub actual: Option<f64>,
    /// The latest forecast that was issued before the hour; null if there is none.
    pub forecast: Option<f64>,
    /// The value below which the actual value is expected in one of ten hours; null if too little is known.
    pub q10: Option<f64>,
    /// The value that the actual value is expected to exceed in one of ten hours.
    pub q90: Option<f64>,
    /// The measured value of the same hour a week earlier.
    pub naive: Option<f64>,
    /// Error of the forecast, % of the actual value; null if one of the values is missing, or if the actual value is smaller than `least`.
    pub mape: Option<f64>,
    /// `actual` before the current hour, `forecast` from it on.
    #[serde(rename = "type")]
    pub kind: String,
}

/// The energy budget of the current month.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct EnergyBudget {
    /// A row for each day of the month.
    pub forecast_values: Vec<EnergyBudgetRow>,
    /// The budget of the whole month, kWh; null without a history.
    pub budget_kwh: Option<f64>,
    /// The source of the budget: `entered` (by a user), `last_year` (the same month of last year) or `four_weeks` (the four weeks before the month); null if
    /// there is no budget.
    pub basis: Option<String>,
    /// Consumption minus budget up to the last day with both, kWh; null on the first day of the month, and without a budget.
    pub variance_kwh: Option<f64>,
    /// The same as a share of the budget up to that day, %.
    pub variance_percent: Option<f64>,
    /// The expected consumption of the whole month, kWh; null if it cannot be estimated.
    pub expected_kwh: Option<f64>,
    /// Expected consumption minus budget of the whole month, kWh: above 0 an overrun, below 0 an underrun; null without both.
    pub overrun_kwh: Option<f64>,
    /// The value below which this difference is expected in one of ten months, kWh; null if too little is known.
    pub overrun_low_kwh: Option<f64>,
    /// The value that it is expected to exceed in one of ten months, kWh.
    pub overrun_high_kwh: Option<f64>,
    /// The method of the forecast: `mean_of_4_weeks`; null if there is none.
    pub method: Option<String>,
    /// Midnight at the start of today in the utility's time zone, ISO 8601 UTC. Values before it are actual, later ones forecast.
    pub issued_at: String,
    /// The utility's time zone (IANA).
    pub time_zone: String,
    /// Share of the past days of this month, over all meters, for which the energy is known, %; null on the first day.
    pub coverage: Option<f64>,
    /// `no_data`, `partial`, `register_reset`, `register_step`, `not_metered`.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<String>))]
    pub flags: Vec<Flag>,
    /// Names of feeders without an energy register.
    pub missing: Vec<String>,
}

/// The budget of a month that a user has entered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct EnteredBudgetRow {
    /// The month, `YYYY-MM`.
    pub month: String,
    /// The energy of the whole month, kWh.
    pub budget_kwh: f64,
}

/// The budget of a month to store.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BudgetDraft {
    /// The month, `YYYY-MM`, from 2000 to 2199.
    pub month: String,
    /// The energy of the whole month, kWh, above 0 and below 1e12; null removes the budget.
    pub budget_kwh: Option<f64>,
}

/// The result of an import of budgets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct BudgetsImported {
    /// Number of new budgets.
    pub added: usize,
    /// Number of budgets that replace another one.
    pub changed: usize,
    /// Number of budgets that are stored already.
    pub same: usize,
    /// Errors in the order of the lines, at most 100. If there is an error, nothing is stored.
    pub faults: Vec<ImportFault>,
}

/// The energy budget up to one day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct EnergyBudgetRow {
    /// Day of the month, from 1.
    pub day: i8,
    /// Month, from 1.
    pub month: i8,
    /// The year.
    pub year: i16,
    /// Midnight at the start of the day in the utility's time zone; epoch ms.
    pub time_ms: i64,
    /// The budget from the start of the month to the end of this day, kWh.
    #[serde(rename = "EnergyBudgetKwh")]
    pub budget: Option<f64>,
    /// The energy from the start of the month to the end of this day, kWh; null if nothing is known of the day.
    #[serde(rename = "EnergyConsumptionKwh")]
    pub consumption: Option<f64>,
    /// `actual` up to yesterday, `forecast` from today on.
    #[serde(rename = "type")]
    pub kind: String,
    /// For a forecast: the value below which it is expected in one of ten months; null if too little is known.
    pub q10: Option<f64>,
    /// For a forecast: the value that it is expected to exceed in one of ten months.
    pub q90: Option<f64>,
}
