//! Energy, losses, demand and its peaks, the profile of a battery and the readings of a transformer (specification 3, sections 2.1 and 3).
//!
//! Energies and losses are kWh wherever they stand. `coverage` is the share of the time for which values were known, percent, and `flags` are words: `no_data`,
//! `partial`, `register_reset`, `negative_loss`, `late`, `coarse`, `not_metered`. What has no meter is named in `missing`, up to 100 names.

use serde::{Deserialize, Serialize};

/// The units of an area or asset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct MeasurementUnit {
    /// `kW` for an asset, `MW` above.
    pub power_unit: String,
    /// `kWh` for an asset, `MWh` above. Rows that are named `_KWh` are kWh for all.
    pub energy_unit: String,
    /// What a value in `powerUnit` is multiplied by to be MW.
    pub power_factor_to_mw: f64,
}

/// Energy in, energy out and losses over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct EnergyOverTime {
    /// The length of a row's time, ms; of days the nominal one.
    pub bucket_ms: i64,
    /// The utility's time zone (IANA).
    pub time_zone: String,
    /// Of all rows.
    pub coverage: f64,
    /// Of all rows, and `not_metered`.
    pub flags: Vec<String>,
    /// What has no meter: assets, and substations without an incoming line or a feeder.
    pub missing: Vec<String>,
    /// Oldest first.
    pub rows: Vec<EnergyRow>,
}

/// Energy in, energy out and losses in one bucket of time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct EnergyRow {
    /// Its start, epoch ms.
    #[serde(rename = "timeMs")]
    pub time_ms: i64,
    /// Its start, ISO 8601 UTC.
    pub time: String,
    /// Its start by the utility's clock: `HH:MM`, or `DD/MM` for days.
    pub hours: String,
    /// Energy in, kWh; null if not known.
    #[serde(rename = "energyIn_KWh")]
    pub energy_in: Option<f64>,
    /// Energy out, kWh.
    #[serde(rename = "energyOut_KWh")]
    pub energy_out: Option<f64>,
    /// Energy in − energy out, kWh. Negative if meters differ.
    pub loss: Option<f64>,
    /// Energy out / energy in, percent; null if no energy entered.
    pub efficiency: Option<f64>,
    /// The share of its time, over all substations in it, that is known, percent.
    pub coverage: f64,
    /// `no_data`, `partial`, `register_reset`, `negative_loss`.
    pub flags: Vec<String>,
}

/// The efficiency of the last full quarter of an hour with the best coverage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct RealTimeEfficiency {
    /// Percent; null if no energy entered, or if not known.
    pub efficiency: Option<f64>,
    /// kWh.
    pub loss: Option<f64>,
    /// kWh.
    #[serde(rename = "energyIn_KWh")]
    pub energy_in: Option<f64>,
    /// kWh.
    #[serde(rename = "energyOut_KWh")]
    pub energy_out: Option<f64>,
    /// Its start, ISO 8601 UTC.
    pub from: String,
    /// Its end.
    pub to: String,
    /// Percent of the quarter, over all substations.
    pub coverage: f64,
    /// As for rows; `late` if a later quarter has ended and is not known.
    pub flags: Vec<String>,
    /// What has no meter.
    pub missing: Vec<String>,
    /// The end of the quarter, ISO 8601 UTC; null if nothing is known of the last hour.
    #[serde(rename = "reportedDateTime")]
    pub reported: Option<String>,
}

/// Losses by how long ago they began to be counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AccumulatedLosses {
    /// The utility's time zone (IANA): days, months and years are of it.
    pub time_zone: String,
    /// Of all rows, and `not_metered`.
    pub flags: Vec<String>,
    /// What has no meter.
    pub missing: Vec<String>,
    /// `Today`, `Yesterday`, `Last 7 days` (today and the six before it), `This month`, `Last month`, `This year`.
    pub rows: Vec<AccumulatedRow>,
}

/// Losses over some time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct AccumulatedRow {
    /// Which time.
    pub interval: String,
    /// kWh; null if not known.
    #[serde(rename = "accumulatedLosses_KWh")]
    pub losses: Option<f64>,
    /// kWh.
    #[serde(rename = "energyIn_KWh")]
    pub energy_in: Option<f64>,
    /// kWh.
    #[serde(rename = "energyOut_KWh")]
    pub energy_out: Option<f64>,
    /// Its start, ISO 8601 UTC.
    pub from: String,
    /// Its end; for a row that has not ended, the last full ten minutes.
    pub to: String,
    /// Percent.
    pub coverage: f64,
    /// As of other rows.
    pub flags: Vec<String>,
}

/// How the efficiency has changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct EfficiencyChange {
    /// Efficiency of the compared quarter of an hour, percent; null if not known.
    pub efficiency: Option<f64>,
    /// Its start, ISO 8601 UTC.
    pub from: String,
    /// Its end.
    pub to: String,
    /// Of all rows, and `not_metered`.
    pub flags: Vec<String>,
    /// What has no meter.
    pub missing: Vec<String>,
    /// `15 minutes`, `1 hour`, `1 day`, `1 week`, `1 month`, `1 year` before it.
    pub rows: Vec<EfficiencyChangeRow>,
}

/// The efficiency some time ago.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct EfficiencyChangeRow {
    /// How long ago.
    pub interval: String,
    /// What it was then, percent.
    pub efficiency: Option<f64>,
    /// How much it is above that now, in percentage points.
    pub change_percent: Option<f64>,
    /// The start of the time that it was of, ISO 8601 UTC.
    pub from: String,
    /// Its end.
    pub to: String,
    /// Percent.
    pub coverage: f64,
    /// As for other rows; `coarse` for a whole hour, if quarters are no longer kept.
    pub flags: Vec<String>,
}

/// Demand over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct DemandOverTime {
    /// `kW` of an asset, `MW` above.
    pub unit: String,
    /// The length of a block, minutes: 15 or 30, or 60 where finer values are not kept (`coarse`).
    pub block_minutes: i64,
    /// The utility's time zone (IANA).
    pub time_zone: String,
    /// Of all blocks, percent.
    pub coverage: f64,
    /// `no_data`, `partial`, `coarse`, `not_metered`.
    pub flags: Vec<String>,
    /// Feeders whose power is not measured.
    pub missing: Vec<String>,
    /// A row a block, oldest first; only blocks that are over.
    pub rows: Vec<DemandRow>,
}

/// The demand of one block.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct DemandRow {
    /// Its start, epoch ms.
    pub time_ms: i64,
    /// Its start, ISO 8601 UTC.
    pub time: String,
    /// The hour that the utility's clock shows there, 0 to 23.
    pub hour: u8,
    /// The average power of the known values; null if none is known.
    pub demand: Option<f64>,
    /// The share of its values that is present, percent.
    pub coverage: f64,
}

/// Peaks of demand.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PeakDemand {
    /// `kW` of an asset, `MW` above.
    pub unit: String,
    /// The length of a block, minutes; of a table that of today.
    pub block_minutes: i64,
    /// Of all blocks, percent; of a table those of today.
    pub coverage: f64,
    /// Of all rows, and `not_metered`.
    pub flags: Vec<String>,
    /// Feeders whose power is not measured.
    pub missing: Vec<String>,
    /// One an interval.
    pub rows: Vec<PeakDemandRow>,
}

/// The largest block of an interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PeakDemandRow {
    /// That of the node or asset.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// Whose reading it is: the same name.
    pub reading_from: String,
    /// `night`, `morning`, `day`, `evening`; in a table `today`, `month` and `year` besides.
    pub time_interval: String,
    /// The average power of the largest block; null if no block has three quarters of its values.
    pub peak_demand: Option<f64>,
    /// The start of that block, ISO 8601 UTC.
    pub reported_date_time: Option<String>,
    /// The same by the utility's calendar, `YYYY-MM-DD`.
    pub date: Option<String>,
    /// And by its clock, `HH:MM`.
    pub time: Option<String>,
    /// The hour of that, 0 to 23.
    pub hour: Option<u8>,
    /// The length of its block, minutes.
    pub block_minutes: i64,
    /// Of all blocks of the interval, percent.
    pub coverage: f64,
    /// `no_data`, `partial`, `coarse`.
    pub flags: Vec<String>,
}

/// The profile of a battery: first its units, then its rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(untagged)]
pub enum DcPart {
    /// One.
    Units(Vec<DcUnits>),
    /// Oldest first, at most 2,000.
    Rows(Vec<DcRow>),
}

/// Units of a battery's profile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct DcUnits {
    /// Of the current.
    #[serde(rename = "IUnit")]
    pub current: String,
    /// Of the voltage.
    #[serde(rename = "VolUnit")]
    pub voltage: String,
}

/// Voltage and current of a battery, means over a row's time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct DcRow {
    /// ISO 8601 UTC: the start of the row's time.
    #[serde(rename = "ReportedDateTime")]
    pub reported: String,
    /// Voltage; null if it was not measured.
    #[serde(rename = "Battery_VDC")]
    pub voltage: Option<f64>,
    /// Current, positive while charging; null if not measured.
    #[serde(rename = "Battery_ADC")]
    pub current: Option<f64>,
}

/// Returns the latest readings of a transformer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TransformerLive {
    /// One entry; none for an asset that is not a transformer.
    pub data_stream: Vec<TransformerReadings>,
}

/// The readings of a transformer. All are null if not measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TransformerReadings {
    /// Winding temperature indicator, °C.
    #[serde(rename = "WTI")]
    pub winding_c: Option<f64>,
    /// Oil temperature indicator, °C.
    #[serde(rename = "OTI")]
    pub oil_c: Option<f64>,
    /// Ambient temperature, °C, at the transformer, otherwise at its substation.
    #[serde(rename = "AmbientTemp")]
    pub ambient_c: Option<f64>,
    /// `LOW` below 25 %, `HIGH` above 95 %, otherwise `NORMAL`.
    #[serde(rename = "OilLevel")]
    pub oil_level: Option<String>,
    /// Percent.
    #[serde(rename = "oilLevelPercent")]
    pub oil_level_percent: Option<f64>,
    /// Position of the tap changer.
    #[serde(rename = "TapPosition")]
    pub tap: Option<f64>,
    /// Rated voltages, such as `33/11`, kV.
    #[serde(rename = "ExpectedVoltage")]
    pub expected_voltage: Option<String>,
    /// Between the lines of its low side, V.
    #[serde(rename = "ActualVoltage")]
    pub actual_voltage: Option<f64>,
    /// Source time of the oldest of them, ISO 8601 UTC.
    #[serde(rename = "ReportedDateTime")]
    pub reported: Option<String>,
    /// The worst quality code of the received values; never received if there are none.
    pub quality: u8,
    /// The shortest age limit of its points, ms; null if all report by exception.
    #[serde(rename = "ageLimitMs")]
    pub age_limit_ms: Option<i64>,
    /// The state of each reading: sensors fail one by one.
    pub readings: TransformerStandings,
}

/// The state of each reading of a transformer, under the name of the reading; null if not measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TransformerStandings {
    /// Winding temperature indicator.
    #[serde(rename = "WTI")]
    pub winding: Option<TransformerStanding>,
    /// Oil temperature indicator.
    #[serde(rename = "OTI")]
    pub oil: Option<TransformerStanding>,
    /// Air.
    #[serde(rename = "AmbientTemp")]
    pub ambient: Option<TransformerStanding>,
    /// Oil level, as text and in percent.
    #[serde(rename = "OilLevel")]
    pub oil_level: Option<TransformerStanding>,
    /// Position of the tap changer.
    #[serde(rename = "TapPosition")]
    pub tap: Option<TransformerStanding>,
    /// Voltage of the low side.
    #[serde(rename = "ActualVoltage")]
    pub actual_voltage: Option<TransformerStanding>,
}

/// The state of one reading.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TransformerStanding {
    /// Its quality code; never received before the first value.
    pub quality: u8,
    /// Its source time, ISO 8601 UTC; null before the first value.
    pub reported_date_time: Option<String>,
    /// When it is stale, ms after its source time; null for report by exception.
    pub age_limit_ms: Option<i64>,
}
