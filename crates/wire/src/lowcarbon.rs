//! Low-carbon sites and the plan of their day (specification 3, section 2.2; what the figures mean is docs/API.md, "Low-carbon sites").
//!
//! A day is 48 half hours by the utility's clock; where that is changed, figures of half hours that it leaves out are null, and those of half hours that it
//! shows twice are the mean of both (`slot_hours` says which). Powers are kW and hold for the half hour, energies kWh, prices money per kWh. What is not known is null.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A site in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct LowCarbonSite {
    /// Its number, unique within the utility.
    pub device_id: i64,
    /// Its name.
    pub name: String,
    /// Its substation.
    pub location_id: i64,
    /// Its name.
    pub location_name: String,
    /// The names above the site and its own, joined by ` › `.
    pub bread_crumb_name: String,
    /// Degrees north; null if not known.
    pub lat: Option<f64>,
    /// Degrees east.
    pub lon: Option<f64>,
}

/// The parameters of a run with the names of the specification.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct OptimiserParameters {
    /// The largest energy in the battery, kWh.
    #[serde(rename = "BatteryCapacityMaxKwh")]
    pub capacity_max_kwh: f64,
    /// What has to stay in it, kWh.
    #[serde(rename = "BatteryCapacityMinKwh")]
    pub capacity_min_kwh: f64,
    /// kW, before losses.
    #[serde(rename = "BatteryChargeRateKw")]
    pub charge_rate_kw: f64,
    /// kW, after losses.
    #[serde(rename = "BatteryDischargeRateKw")]
    pub discharge_rate_kw: f64,
    /// Half hours of the day, 0 to 48, despite the name: the first in which it can charge.
    #[serde(rename = "ChargingStartTimeHours")]
    pub charging_start: u32,
    /// The half hour after the last one; if it is not greater than the start, it is in the next day.
    #[serde(rename = "ChargingEndTimeHours")]
    pub charging_end: u32,
    /// The same of discharging.
    #[serde(rename = "DischargingStartTimeHours")]
    pub discharging_start: u32,
    /// The same of discharging.
    #[serde(rename = "DischargingEndTimeHours")]
    pub discharging_end: u32,
    /// Peak power of the panels.
    #[serde(rename = "SolarCapacityKwp")]
    pub solar_kwp: f64,
    /// Degrees north; 0 for both is "not set".
    pub lat: f64,
    /// Degrees east.
    pub lon: f64,
    /// `cost_with_solar` or `cost_without_solar`.
    #[serde(rename = "Objective")]
    pub objective: String,
    /// The site.
    #[serde(rename = "deviceId")]
    pub device_id: i64,
}

/// Prices of a kWh.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SiteTariff {
    /// ISO 4217.
    pub currency: String,
    /// From the grid, 48 half hours.
    pub import_price: Vec<f64>,
    /// To the grid, 48 half hours, never above the import price; null if export is not paid.
    #[serde(default)]
    pub export_price: Option<Vec<f64>>,
}

/// A point that measures a site.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SitePoint {
    /// The point.
    pub point_id: i64,
    /// Its asset and what it measures.
    pub name: String,
}

/// The meters of a site; null without meters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SitePointNames {
    /// What the site takes.
    pub site: Option<SitePoint>,
    /// What its panels give.
    pub solar: Option<SitePoint>,
    /// What its battery takes; below 0 it gives.
    pub battery: Option<SitePoint>,
    /// What it draws from the grid; below 0 it gives.
    pub grid: Option<SitePoint>,
    /// The energy in the battery.
    pub storage: Option<SitePoint>,
}

/// Returns a site with everything from which its plan is computed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct LowCarbonSiteDetail {
    /// As in lists.
    pub site: LowCarbonSite,
    /// The defaults of a plan.
    pub parameters: OptimiserParameters,
    /// Prices.
    pub tariff: SiteTariff,
    /// Charging efficiency, per unit.
    pub charge_efficiency: f64,
    /// Discharging efficiency, per unit.
    pub discharge_efficiency: f64,
    /// The energy in the battery at the start of a day, kWh; null for BatteryCapacityMinKwh.
    pub initial_energy_kwh: Option<f64>,
    /// Whether export to the grid is allowed.
    pub may_export: bool,
    /// The largest import from the grid, kW; null without a limit.
    pub import_limit_kw: Option<f64>,
    /// Whether the battery must end the day with the energy with which it began.
    pub ends_as_it_began: bool,
    /// Performance factor of the panels under a clear sky, per unit.
    pub performance_factor: f64,
    /// The output of the panels, kW by half hour, instead of the clear sky; null for the clear sky.
    pub solar_profile: Option<Vec<f64>>,
    /// What measures the site.
    pub points: SitePointNames,
    /// The utility's time zone (IANA).
    pub time_zone: String,
    /// Whether the caller can change it.
    pub may_change: bool,
}

/// The meters of a site, as entered by a user.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct SitePointIds {
    /// What the site takes: a point in W, kW or MW.
    pub site: Option<i64>,
    /// What its panels give.
    pub solar: Option<i64>,
    /// What its battery takes; below 0 it gives.
    pub battery: Option<i64>,
    /// What it draws from the grid; below 0 it gives.
    pub grid: Option<i64>,
    /// The energy in the battery: in Wh, kWh or MWh, or in % of BatteryCapacityMaxKwh.
    pub storage: Option<i64>,
}

/// A site as entered by a user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LowCarbonSiteEntry {
    /// 1 to 200 characters.
    pub name: String,
    /// A substation.
    pub location_id: i64,
    /// Degrees north; null for both if not known.
    #[serde(default)]
    pub lat: Option<f64>,
    /// Degrees east.
    #[serde(default)]
    pub lon: Option<f64>,
    /// The names of the specification with numbers or texts; a missing one has the default of the specification.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(value_type = Object))]
    pub parameters: Map<String, Value>,
    /// Prices.
    pub tariff: SiteTariff,
    /// Above 0, up to 1; default 0.95.
    #[serde(default = "efficiency")]
    pub charge_efficiency: f64,
    /// The same for discharging.
    #[serde(default = "efficiency")]
    pub discharge_efficiency: f64,
    /// kWh; null is BatteryCapacityMinKwh.
    #[serde(default)]
    pub initial_energy_kwh: Option<f64>,
    /// Whether export to the grid is allowed; an export price is required then.
    #[serde(default)]
    pub may_export: bool,
    /// kW; null if nothing limits it.
    #[serde(default)]
    pub import_limit_kw: Option<f64>,
    /// Whether the battery must end the day with the energy with which it began.
    #[serde(default)]
    pub ends_as_it_began: bool,
    /// 0 to 1; default 0.8.
    #[serde(default = "performance")]
    pub performance_factor: f64,
    /// kW, 48 half hours; null for the clear sky.
    #[serde(default)]
    pub solar_profile: Option<Vec<f64>>,
    /// What measures the site.
    #[serde(default)]
    pub points: SitePointIds,
}

fn efficiency() -> f64 {
    0.95
}

fn performance() -> f64 {
    0.8
}

/// What was read of a demand file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct DemandFileTaken {
    /// The handle of the file in requests of the same user for the same site.
    pub handle: String,
    /// Days of the file; null if it has no times.
    pub days: Option<usize>,
    /// Values that were read.
    pub values: usize,
    /// When it is deleted; ISO 8601 UTC.
    pub expires: String,
}

/// Parameters of a plan. Missing ones are those of the site.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct OptimiserRequest {
    /// `today` (default), `tomorrow`, or a day such as `2026-11-22`: not after tomorrow, and at most 400 days ago.
    pub day: Option<String>,
    /// The handle of a demand file.
    #[serde(rename = "demandFile")]
    pub demand_file: Option<String>,
    /// The parameters of the specification by their names, each a number or a text.
    #[serde(flatten)]
    #[cfg_attr(feature = "schema", schema(value_type = Object))]
    pub parameters: Map<String, Value>,
}

/// Two runs side by side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct CompareRequest {
    /// The first variant.
    #[cfg_attr(feature = "schema", schema(value_type = OptimiserRequest))]
    pub base: Map<String, Value>,
    /// The second plan; parameters that it omits are those of `base`.
    #[cfg_attr(feature = "schema", schema(value_type = OptimiserRequest))]
    pub changed: Map<String, Value>,
}

/// Rows of a day, 48 values each, with the names of the specification.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct OptimiserSlots {
    /// When each half hour begins: 0, 0.5 to 23.5.
    pub hour_of_day: Vec<f64>,
    /// Length of each half hour, h: 0.5, except on days with a clock change: 0 if the clock skips it, 1 if the clock shows it twice. Power × length is energy.
    pub slot_hours: Vec<f64>,
    /// What the site takes.
    #[serde(rename = "Base_Demand_Kw")]
    pub base_demand_kw: Vec<Option<f64>>,
    /// Above 0 the battery charges, below it discharges.
    #[serde(rename = "Battery_Charge_Discharge_Kw")]
    pub battery_kw: Vec<Option<f64>>,
    /// The energy in the battery: for a plan at the beginning of each half hour, for measured values its mean.
    #[serde(rename = "Battery_Storage_Kwh")]
    pub storage_kwh: Vec<Option<f64>>,
    /// Power from the grid; negative to the grid.
    #[serde(rename = "NetDemand_Kw")]
    pub net_demand_kw: Vec<Option<f64>>,
    /// What the panels give; of a plan what they could give.
    #[serde(rename = "PV_Generation_Kw")]
    pub pv_kw: Vec<Option<f64>>,
}

/// Sums of a day, kWh; null if not known.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct OptimiserStats {
    /// What the site used.
    pub site: Option<f64>,
    /// What its panels gave.
    pub solar: Option<f64>,
    /// Energy from the grid.
    pub grid_import: Option<f64>,
    /// What went there.
    pub grid_export: Option<f64>,
    /// What went into the battery.
    pub battery_charge: Option<f64>,
    /// Discharged energy.
    pub battery_discharge: Option<f64>,
}

/// The sources of the site's energy, whole percent with the sum 100.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct OptimiserShares {
    /// From the panels.
    pub solar: u8,
    /// From the battery.
    pub battery: u8,
    /// From the grid.
    pub grid: u8,
}

/// A measured day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ReportedDay {
    /// The day by the utility's clock.
    pub day: String,
    /// Means of half hours.
    pub results: OptimiserSlots,
    /// Sums of the known values.
    pub stats: OptimiserStats,
    /// Of the half hours in which demand, panels and battery are known; null if there are none, or no energy was used.
    pub shares: Option<OptimiserShares>,
    /// Half hours that are known, of all that measures the site, %.
    pub coverage: f64,
}

/// The plan of a day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Optimised {
    /// The day by the utility's clock.
    pub day: String,
    /// The utility's time zone (IANA).
    pub time_zone: String,
    /// The plan.
    pub results: OptimiserSlots,
    /// Its sums.
    pub stats: OptimiserStats,
    /// The sources of the site's energy; null if it uses none.
    pub shares: Option<OptimiserShares>,
    /// What the grid costs, less what it pays.
    pub cost: f64,
    /// The same without a battery; null if the import limit cannot be kept without it.
    pub cost_without_battery: Option<f64>,
    /// The difference of the two.
    pub saving: Option<f64>,
    /// Of all money.
    pub currency: String,
    /// The energy in the battery at the beginning of each half hour and at the end of the last, % of its capacity; null if that is 0.
    pub storage_percent: Option<Vec<Option<f64>>>,
    /// Unused power of the panels, kW.
    pub curtailed_kw: Vec<Option<f64>>,
    /// The energy in the battery at the beginning of each half hour and at the end of the last, kWh.
    pub storage_kwh: Vec<Option<f64>>,
    /// The source of the demand: `file`, `forecast`, or `mean` (of this kind of day in the last four weeks).
    pub demand_from: String,
    /// The source of the panels' power: `profile`, `clear-sky`, or `none`.
    pub solar_from: String,
    /// When the latest forecast used for the demand was issued; ISO 8601 UTC. Null if none was used.
    pub issued: Option<String>,
    /// Warnings about this plan, one sentence each.
    pub warnings: Vec<String>,
    /// Yesterday as measured; null if nothing was measured, and in a comparison.
    pub historical: Option<ReportedDay>,
}

/// Two plans side by side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Compared {
    /// The first variant.
    pub base: Optimised,
    /// The second variant.
    pub changed: Optimised,
    /// What the change costs; below 0 it saves.
    pub cost_difference: f64,
    /// What it draws more from the grid, kWh.
    pub import_difference_kwh: f64,
    /// How much more energy is in the battery at the end, kWh.
    pub stored_difference_kwh: f64,
}
