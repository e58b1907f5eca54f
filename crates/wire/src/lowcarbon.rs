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
    /// The substation that it lies at.
    pub location_id: i64,
    /// Its name.
    pub location_name: String,
    /// The names above the site and its own, joined by ` › `.
    pub bread_crumb_name: String,
    /// Degrees north; null where nobody has said.
    pub lat: Option<f64>,
    /// Degrees east.
    pub lon: Option<f64>,
}

/// The parameters of a run with the names of the specification.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct OptimiserParameters {
    /// What the battery may hold at most, kWh.
    #[serde(rename = "BatteryCapacityMaxKwh")]
    pub capacity_max_kwh: f64,
    /// What has to stay in it, kWh.
    #[serde(rename = "BatteryCapacityMinKwh")]
    pub capacity_min_kwh: f64,
    /// kW, before losses.
    #[serde(rename = "BatteryChargeRateKw")]
    pub charge_rate_kw: f64,
    /// kW, behind losses.
    #[serde(rename = "BatteryDischargeRateKw")]
    pub discharge_rate_kw: f64,
    /// Half hours of the day, 0 to 48, whatever the name says: the first in which it may charge.
    #[serde(rename = "ChargingStartTimeHours")]
    pub charging_start: u32,
    /// The half hour behind the last; below the start it is one of the next day.
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
    /// To the grid, 48 half hours, nowhere above the price of import; null where nothing is paid.
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

/// What measures a site; null where nothing does.
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
    /// What the battery holds.
    pub storage: Option<SitePoint>,
}

/// A site with all that its plan is made from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct LowCarbonSiteDetail {
    /// As in lists.
    pub site: LowCarbonSite,
    /// What a run takes where nothing else is said.
    pub parameters: OptimiserParameters,
    /// Prices.
    pub tariff: SiteTariff,
    /// Of what is charged so much arrives, per unit.
    pub charge_efficiency: f64,
    /// Of what is taken out so much arrives, per unit.
    pub discharge_efficiency: f64,
    /// What the battery holds when a day begins, kWh; null is BatteryCapacityMinKwh.
    pub initial_energy_kwh: Option<f64>,
    /// Whether anything may be given to the grid.
    pub may_export: bool,
    /// The most that may be drawn from the grid, kW; null where nothing limits it.
    pub import_limit_kw: Option<f64>,
    /// Whether the battery has to end the day as full as it began.
    pub ends_as_it_began: bool,
    /// What of a clear sky comes out of the panels, per unit.
    pub performance_factor: f64,
    /// What the panels give, kW by half hour, in the place of the clear sky; null where that is taken.
    pub solar_profile: Option<Vec<f64>>,
    /// What measures the site.
    pub points: SitePointNames,
    /// The utility's time zone (IANA).
    pub time_zone: String,
    /// Whether the caller may change it.
    pub may_change: bool,
}

/// What measures a site, as somebody enters it.
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
    /// What the battery holds: in Wh, kWh or MWh, or in % of BatteryCapacityMaxKwh.
    pub storage: Option<i64>,
}

/// A site as somebody enters it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LowCarbonSiteEntry {
    /// 1 to 200 characters.
    pub name: String,
    /// A substation.
    pub location_id: i64,
    /// Degrees north; null for both where nobody knows.
    #[serde(default)]
    pub lat: Option<f64>,
    /// Degrees east.
    #[serde(default)]
    pub lon: Option<f64>,
    /// The names of the specification with numbers or texts; what is left out has the specification's default.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(value_type = Object))]
    pub parameters: Map<String, Value>,
    /// Prices.
    pub tariff: SiteTariff,
    /// Above 0, up to 1; 0.95 unless told.
    #[serde(default = "efficiency")]
    pub charge_efficiency: f64,
    /// The same of what is taken out.
    #[serde(default = "efficiency")]
    pub discharge_efficiency: f64,
    /// kWh; null is BatteryCapacityMinKwh.
    #[serde(default)]
    pub initial_energy_kwh: Option<f64>,
    /// Whether anything may be given to the grid; there is an export price then.
    #[serde(default)]
    pub may_export: bool,
    /// kW; null where nothing limits it.
    #[serde(default)]
    pub import_limit_kw: Option<f64>,
    /// Whether the battery has to end the day as full as it began.
    #[serde(default)]
    pub ends_as_it_began: bool,
    /// 0 to 1; 0.8 unless told.
    #[serde(default = "performance")]
    pub performance_factor: f64,
    /// kW, 48 half hours; null where the clear sky is taken.
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
    /// Stands for the file in runs of the same person for the same site.
    pub handle: String,
    /// Days of the file; null where it has no times.
    pub days: Option<usize>,
    /// Values that were read.
    pub values: usize,
    /// When it goes; ISO 8601 UTC.
    pub expires: String,
}

/// How a run is asked for. What is left out is the site's own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct OptimiserRequest {
    /// `today`, which is the default, `tomorrow`, or a day such as `2026-11-22`: not after tomorrow, and not more than 400 days ago.
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
    /// As it is.
    #[cfg_attr(feature = "schema", schema(value_type = OptimiserRequest))]
    pub base: Map<String, Value>,
    /// As it might be; what is left out is as in `base`.
    #[cfg_attr(feature = "schema", schema(value_type = OptimiserRequest))]
    pub changed: Map<String, Value>,
}

/// Rows of a day, 48 values each, with the names of the specification.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct OptimiserSlots {
    /// When each half hour begins: 0, 0.5 to 23.5.
    pub hour_of_day: Vec<f64>,
    /// How long each half hour lasts, h: 0.5, but for the days on which the clocks change: 0 where one is left out, 1 where one is there twice. A power times
    /// this is an energy.
    pub slot_hours: Vec<f64>,
    /// What the site takes.
    #[serde(rename = "Base_Demand_Kw")]
    pub base_demand_kw: Vec<Option<f64>>,
    /// Above 0 the battery charges, below it discharges.
    #[serde(rename = "Battery_Charge_Discharge_Kw")]
    pub battery_kw: Vec<Option<f64>>,
    /// What the battery holds: of a plan at the beginning of each half hour, of what was measured its mean.
    #[serde(rename = "Battery_Storage_Kwh")]
    pub storage_kwh: Vec<Option<f64>>,
    /// What comes from the grid; below 0 it goes there.
    #[serde(rename = "NetDemand_Kw")]
    pub net_demand_kw: Vec<Option<f64>>,
    /// What the panels give; of a plan what they could give.
    #[serde(rename = "PV_Generation_Kw")]
    pub pv_kw: Vec<Option<f64>>,
}

/// Sums of a day, kWh; null where nothing is known.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct OptimiserStats {
    /// What the site used.
    pub site: Option<f64>,
    /// What its panels gave.
    pub solar: Option<f64>,
    /// What came from the grid.
    pub grid_import: Option<f64>,
    /// What went there.
    pub grid_export: Option<f64>,
    /// What went into the battery.
    pub battery_charge: Option<f64>,
    /// What came out of it.
    pub battery_discharge: Option<f64>,
}

/// Where the energy of the site came from, whole percent that sum to 100.
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

/// A day as it was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ReportedDay {
    /// The day by the utility's clock.
    pub day: String,
    /// Means of half hours.
    pub results: OptimiserSlots,
    /// Sums of what is known.
    pub stats: OptimiserStats,
    /// Of the half hours of which demand, panels and battery are known; null where there are none, or nothing was used.
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
    /// Where the site's energy comes from; null where it uses none.
    pub shares: Option<OptimiserShares>,
    /// What the grid costs, less what it pays.
    pub cost: f64,
    /// The same without a battery; null where the import limit cannot be kept without it.
    pub cost_without_battery: Option<f64>,
    /// The difference of the two.
    pub saving: Option<f64>,
    /// Of all money.
    pub currency: String,
    /// What the battery holds at the beginning of each half hour and at the end of the last, % of its capacity; null where that is 0.
    pub storage_percent: Option<Vec<Option<f64>>>,
    /// What of the panels is not taken, kW.
    pub curtailed_kw: Vec<Option<f64>>,
    /// What the battery holds at the beginning of each half hour and at the end of the last, kWh.
    pub storage_kwh: Vec<Option<f64>>,
    /// Where the demand is from: `file`, `forecast`, or `mean` (of this kind of day in the last four weeks).
    pub demand_from: String,
    /// Where the panels' power is from: `profile`, `clear-sky`, or `none`.
    pub solar_from: String,
    /// When the newest forecast was issued that the demand is from; ISO 8601 UTC. Null where it is from none.
    pub issued: Option<String>,
    /// What one should know of this plan, a sentence each.
    pub warnings: Vec<String>,
    /// Yesterday as it was measured; null where nothing was, and where two runs are compared.
    pub historical: Option<ReportedDay>,
}

/// Two plans side by side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Compared {
    /// As it is.
    pub base: Optimised,
    /// As it might be.
    pub changed: Optimised,
    /// What the change costs; below 0 it saves.
    pub cost_difference: f64,
    /// What it draws more from the grid, kWh.
    pub import_difference_kwh: f64,
    /// What it holds more in the battery at the end, kWh.
    pub stored_difference_kwh: f64,
}
