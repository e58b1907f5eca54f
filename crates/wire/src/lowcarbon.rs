//! Low-carbon sites and the plan of their day (specification 3, section 2.2; docs/reference/low-carbon.md defines the figures).
//!
//! A day is 48 half hours by the utility's clock. On a day with a clock change, a half hour that the clock skips is null, and one that it shows twice is the
//! mean of both; `slot_hours` has the length of each half hour. Powers are means of a half hour in kW, energies are in kWh, prices in money per kWh. Unknown
//! values are null.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A site in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct LowCarbonSite {
    /// Id of the site, unique within the utility.
    pub device_id: i64,
    /// Name of the site.
    pub name: String,
    /// Id of the substation.
    pub location_id: i64,
    /// Name of the substation.
    pub location_name: String,
    /// Names from the circle down to the site, joined by ` › `.
    pub bread_crumb_name: String,
    /// Latitude, degrees north; null if not known.
    pub lat: Option<f64>,
    /// Longitude, degrees east; null if not known.
    pub lon: Option<f64>,
}

/// The parameters of a plan with the names of the specification.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct OptimiserParameters {
    /// Largest energy in the battery, kWh.
    #[serde(rename = "BatteryCapacityMaxKwh")]
    pub capacity_max_kwh: f64,
    /// Smallest energy in the battery, kWh.
    #[serde(rename = "BatteryCapacityMinKwh")]
    pub capacity_min_kwh: f64,
    /// Largest charging power, before charging losses, kW.
    #[serde(rename = "BatteryChargeRateKw")]
    pub charge_rate_kw: f64,
    /// Largest discharging power, after discharging losses, kW.
    #[serde(rename = "BatteryDischargeRateKw")]
    pub discharge_rate_kw: f64,
    /// First half hour in which the battery can charge: 0 to 48, half hours of the day despite the name.
    #[serde(rename = "ChargingStartTimeHours")]
    pub charging_start: u32,
    /// Number of the half hour after the last one in which the battery can charge. If it is not greater than the start, it is on the next day.
    #[serde(rename = "ChargingEndTimeHours")]
    pub charging_end: u32,
    /// First half hour in which the battery can discharge, 0 to 48.
    #[serde(rename = "DischargingStartTimeHours")]
    pub discharging_start: u32,
    /// Number of the half hour after the last one in which the battery can discharge. If it is not greater than the start, it is on the next day.
    #[serde(rename = "DischargingEndTimeHours")]
    pub discharging_end: u32,
    /// Peak power of the solar panels, kWp.
    #[serde(rename = "SolarCapacityKwp")]
    pub solar_kwp: f64,
    /// Latitude, degrees north. Latitude and longitude 0 mean "not set".
    pub lat: f64,
    /// Longitude, degrees east.
    pub lon: f64,
    /// `cost_with_solar` or `cost_without_solar`.
    #[serde(rename = "Objective")]
    pub objective: String,
    /// Id of the site.
    #[serde(rename = "deviceId")]
    pub device_id: i64,
}

/// Prices of energy, per kWh.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SiteTariff {
    /// Currency, ISO 4217.
    pub currency: String,
    /// Price of energy from the grid, one for each of the 48 half hours.
    pub import_price: Vec<f64>,
    /// Price of energy to the grid, one for each of the 48 half hours, never above the import price; null if export is not paid.
    #[serde(default)]
    pub export_price: Option<Vec<f64>>,
}

/// A point that measures a site.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SitePoint {
    /// Id of the point.
    pub point_id: i64,
    /// Name of the asset and of the quantity.
    pub name: String,
}

/// The measured points of a site; null where a quantity is not measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SitePointNames {
    /// Power that the site consumes.
    pub site: Option<SitePoint>,
    /// Power of the solar panels.
    pub solar: Option<SitePoint>,
    /// Power of the battery: positive while charging, negative while discharging.
    pub battery: Option<SitePoint>,
    /// Power from the grid: positive for import, negative for export.
    pub grid: Option<SitePoint>,
    /// The energy in the battery.
    pub storage: Option<SitePoint>,
}

/// A site with all parameters of its plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct LowCarbonSiteDetail {
    /// The site as in lists.
    pub site: LowCarbonSite,
    /// Default parameters of a plan.
    pub parameters: OptimiserParameters,
    /// Prices of energy.
    pub tariff: SiteTariff,
    /// Charging efficiency, per unit.
    pub charge_efficiency: f64,
    /// Discharging efficiency, per unit.
    pub discharge_efficiency: f64,
    /// Energy in the battery at the start of a day, kWh; null for `BatteryCapacityMinKwh`.
    pub initial_energy_kwh: Option<f64>,
    /// Whether export to the grid is allowed.
    pub may_export: bool,
    /// The largest import from the grid, kW; null without a limit.
    pub import_limit_kw: Option<f64>,
    /// Whether the battery must have the same energy at the end of the day as at the start.
    pub ends_as_it_began: bool,
    /// Performance factor of the panels under a clear sky, per unit.
    pub performance_factor: f64,
    /// Output of the panels, kW, one value for each of the 48 half hours; null to compute it from a clear sky.
    pub solar_profile: Option<Vec<f64>>,
    /// The measured points of the site.
    pub points: SitePointNames,
    /// The utility's time zone (IANA).
    pub time_zone: String,
    /// Whether the caller can change the site.
    pub may_change: bool,
}

/// Ids of the measured points of a site, as entered by a user; null where a quantity is not measured.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct SitePointIds {
    /// Power that the site consumes: a point in W, kW or MW.
    pub site: Option<i64>,
    /// Power of the solar panels: a point in W, kW or MW.
    pub solar: Option<i64>,
    /// Power of the battery, positive while charging: a point in W, kW or MW.
    pub battery: Option<i64>,
    /// Power from the grid, negative for export: a point in W, kW or MW.
    pub grid: Option<i64>,
    /// Energy in the battery: a point in Wh, kWh or MWh, or in % of `BatteryCapacityMaxKwh`.
    pub storage: Option<i64>,
}

/// A site as entered by a user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LowCarbonSiteEntry {
    /// Name, 1 to 200 characters.
    pub name: String,
    /// Id of the substation.
    pub location_id: i64,
    /// Latitude, degrees north; null if not known, together with `lon`.
    #[serde(default)]
    pub lat: Option<f64>,
    /// Longitude, degrees east.
    #[serde(default)]
    pub lon: Option<f64>,
    /// Parameters by the names of the specification, each a number or a text. Default: the values of the specification.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(value_type = Object))]
    pub parameters: Map<String, Value>,
    /// Prices of energy.
    pub tariff: SiteTariff,
    /// Charging efficiency, above 0, up to 1; default: 0.95.
    #[serde(default = "efficiency")]
    pub charge_efficiency: f64,
    /// Discharging efficiency, above 0, up to 1; default: 0.95.
    #[serde(default = "efficiency")]
    pub discharge_efficiency: f64,
    /// Energy in the battery at the start of a day, kWh; null for `BatteryCapacityMinKwh`.
    #[serde(default)]
    pub initial_energy_kwh: Option<f64>,
    /// Whether export to the grid is allowed. If so, an export price is required.
    #[serde(default)]
    pub may_export: bool,
    /// The largest import from the grid, kW; null without a limit.
    #[serde(default)]
    pub import_limit_kw: Option<f64>,
    /// Whether the battery must have the same energy at the end of the day as at the start.
    #[serde(default)]
    pub ends_as_it_began: bool,
    /// Performance factor of the panels under a clear sky, 0 to 1; default: 0.8.
    #[serde(default = "performance")]
    pub performance_factor: f64,
    /// Output of the panels, kW, 48 half hours; null to compute it from a clear sky.
    #[serde(default)]
    pub solar_profile: Option<Vec<f64>>,
    /// The measured points of the site.
    #[serde(default)]
    pub points: SitePointIds,
}

fn efficiency() -> f64 {
    0.95
}

fn performance() -> f64 {
    0.8
}

/// The stored demand file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct DemandFileTaken {
    /// The handle of the file in requests of the same user for the same site.
    pub handle: String,
    /// Number of days in the file; null if it has no times.
    pub days: Option<usize>,
    /// Number of values in the file.
    pub values: usize,
    /// When the file is deleted; ISO 8601 UTC.
    pub expires: String,
}

/// Parameters of a plan. Default of each parameter: that of the site.
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

/// A request for two plans side by side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct CompareRequest {
    /// Parameters of the first plan.
    #[cfg_attr(feature = "schema", schema(value_type = OptimiserRequest))]
    pub base: Map<String, Value>,
    /// Parameters of the second plan. Default of each parameter: that of `base`.
    #[cfg_attr(feature = "schema", schema(value_type = OptimiserRequest))]
    pub changed: Map<String, Value>,
}

/// The plan or the measured values of a day: 48 values in each list, with the names of the specification.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct OptimiserSlots {
    /// Start of each half hour: 0, 0.5 to 23.5.
    pub hour_of_day: Vec<f64>,
    /// Length of each half hour, h: 0.5. On days with a clock change also 0 if the clock skips it and 1 if the clock shows it twice. Power × length is energy.
    pub slot_hours: Vec<f64>,
    /// Power that the site consumes, kW.
    #[serde(rename = "Base_Demand_Kw")]
    pub base_demand_kw: Vec<Option<f64>>,
    /// Power of the battery, kW: positive while charging, negative while discharging.
    #[serde(rename = "Battery_Charge_Discharge_Kw")]
    pub battery_kw: Vec<Option<f64>>,
    /// Energy in the battery, kWh: at the start of each half hour for a plan, the mean of the half hour for measured values.
    #[serde(rename = "Battery_Storage_Kwh")]
    pub storage_kwh: Vec<Option<f64>>,
    /// Power from the grid, kW; negative for export.
    #[serde(rename = "NetDemand_Kw")]
    pub net_demand_kw: Vec<Option<f64>>,
    /// Power of the panels, kW. In a plan: the available power, including the part that is not used.
    #[serde(rename = "PV_Generation_Kw")]
    pub pv_kw: Vec<Option<f64>>,
}

/// Sums of a day, kWh; null if not known.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct OptimiserStats {
    /// Energy that the site consumed.
    pub site: Option<f64>,
    /// Energy of the solar panels.
    pub solar: Option<f64>,
    /// Energy imported from the grid.
    pub grid_import: Option<f64>,
    /// Energy exported to the grid.
    pub grid_export: Option<f64>,
    /// Energy charged into the battery.
    pub battery_charge: Option<f64>,
    /// Energy discharged from the battery.
    pub battery_discharge: Option<f64>,
}

/// The sources of the site's energy, whole percent with the sum 100.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct OptimiserShares {
    /// Percent from the panels.
    pub solar: u8,
    /// Percent from the battery.
    pub battery: u8,
    /// Percent from the grid.
    pub grid: u8,
}

/// The measured values of a day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ReportedDay {
    /// The day in the utility's time zone, `YYYY-MM-DD`.
    pub day: String,
    /// Means of the half hours.
    pub results: OptimiserSlots,
    /// Sums of the known values.
    pub stats: OptimiserStats,
    /// Shares over the half hours in which demand, panels and battery are known; null if there are none, or if no energy was used.
    pub shares: Option<OptimiserShares>,
    /// Share of the half hours in which all points of the site are known, %.
    pub coverage: f64,
}

/// The plan of a day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Optimised {
    /// The day in the utility's time zone, `YYYY-MM-DD`.
    pub day: String,
    /// The utility's time zone (IANA).
    pub time_zone: String,
    /// Values of the plan.
    pub results: OptimiserSlots,
    /// Sums of the plan.
    pub stats: OptimiserStats,
    /// The sources of the site's energy; null if it uses none.
    pub shares: Option<OptimiserShares>,
    /// Cost of imported energy less revenue of exported energy, in `currency`.
    pub cost: f64,
    /// Cost without a battery, in `currency`; null if the import limit cannot be kept without it.
    pub cost_without_battery: Option<f64>,
    /// `costWithoutBattery` − `cost`; null if the former is null.
    pub saving: Option<f64>,
    /// Currency of all money, ISO 4217.
    pub currency: String,
    /// Energy in the battery at the start of each half hour and at the end of the last one, % of its capacity; null if the capacity is 0.
    pub storage_percent: Option<Vec<Option<f64>>>,
    /// Unused power of the panels, kW.
    pub curtailed_kw: Vec<Option<f64>>,
    /// Energy in the battery at the start of each half hour and at the end of the last one, kWh.
    pub storage_kwh: Vec<Option<f64>>,
    /// The source of the demand: `file`, `forecast`, or `mean` (of this kind of day in the last four weeks).
    pub demand_from: String,
    /// The source of the panels' power: `profile`, `clear-sky`, or `none`.
    pub solar_from: String,
    /// When the latest forecast used for the demand was issued; ISO 8601 UTC. Null if none was used.
    pub issued: Option<String>,
    /// Warnings about this plan, one sentence each.
    pub warnings: Vec<String>,
    /// Yesterday's measured values; null if nothing was measured, and in a comparison.
    pub historical: Option<ReportedDay>,
}

/// Two plans side by side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Compared {
    /// The first plan.
    pub base: Optimised,
    /// The second plan.
    pub changed: Optimised,
    /// Cost of the second plan − cost of the first one, in their currency.
    pub cost_difference: f64,
    /// Energy imported by the second plan − energy imported by the first one, kWh.
    pub import_difference_kwh: f64,
    /// Energy in the battery at the end of the second plan − at the end of the first one, kWh.
    pub stored_difference_kwh: f64,
}
