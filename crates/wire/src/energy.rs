//! Energy, losses, demand and peak demand, the profile of a battery and the readings of a transformer (specification 3, sections 2.1 and 3).
//!
//! Energies and losses are in kWh in all rows. `coverage` is the share of the period for which values are known, percent. `flags` can contain `no_data`,
//! `partial`, `register_reset`, `register_step`, `negative_loss`, `late`, `coarse` and `not_metered`. `missing` has the names of what is not metered, at most 100.

use grid::demand::IntegrationPeriod;
use serde::{Deserialize, Serialize};

use crate::flag::Flag;

/// Settings for demand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DemandConfiguration {
    /// The demand-integration period, minutes: 15 or 30. All figures of demand are means of such blocks.
    pub integration_minutes: i64,
}

impl Default for DemandConfiguration {
    fn default() -> Self {
        Self { integration_minutes: IntegrationPeriod::default().minutes() }
    }
}

impl DemandConfiguration {
    /// Reads `demand` of a utility's configuration document. If it is absent or invalid, it has its default.
    pub fn of(config: &serde_json::Value) -> Self {
        let read = config.get("demand").and_then(|own| Self::deserialize(own).ok());
        read.filter(|read| read.check().is_ok()).unwrap_or_default()
    }

    /// Checks the settings. The error is the message for the user.
    pub fn check(self) -> Result<(), String> {
        let period = IntegrationPeriod::of_minutes(self.integration_minutes);
        period.map(drop).ok_or_else(|| "demand.integrationMinutes must be 15 or 30".to_owned())
    }

    /// Returns the demand-integration period.
    pub fn period(self) -> IntegrationPeriod {
        IntegrationPeriod::of_minutes(self.integration_minutes).unwrap_or_default()
    }
}

/// The units of power and energy for an area or asset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct MeasurementUnit {
    /// `kW` for an asset, `MW` for an area.
    pub power_unit: String,
    /// `kWh` for an asset, `MWh` for an area. Fields whose names end in `_KWh` are always in kWh.
    pub energy_unit: String,
    /// Factor that converts a power in `powerUnit` to MW.
    pub power_factor_to_mw: f64,
}

/// Energy in, energy out and losses over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct EnergyOverTime {
    /// Length of a row's period, ms; for days the nominal length.
    pub bucket_ms: i64,
    /// The utility's time zone (IANA).
    pub time_zone: String,
    /// Coverage of all rows, percent.
    pub coverage: f64,
    /// Flags of all rows, and `not_metered`.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<String>))]
    pub flags: Vec<Flag>,
    /// Names of assets without a meter, and of substations without an incomer or a feeder; at most 100.
    pub missing: Vec<String>,
    /// Rows, oldest first.
    pub rows: Vec<EnergyRow>,
}

/// Energy in, energy out and losses of one bucket.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct EnergyRow {
    /// Start of the bucket, epoch ms.
    #[serde(rename = "timeMs")]
    pub time_ms: i64,
    /// Start of the bucket, ISO 8601 UTC.
    pub time: String,
    /// Start of the bucket by the utility's clock: `HH:MM`, or `DD/MM` for days.
    pub hours: String,
    /// Energy in, kWh; null if not known.
    #[serde(rename = "energyIn_KWh")]
    pub energy_in: Option<f64>,
    /// Energy out, kWh.
    #[serde(rename = "energyOut_KWh")]
    pub energy_out: Option<f64>,
    /// Energy in − energy out, kWh. It can be negative because of the errors of the meters.
    pub loss: Option<f64>,
    /// Energy out / energy in, percent; null if no energy entered.
    pub efficiency: Option<f64>,
    /// Coverage of the bucket over all its substations, percent.
    pub coverage: f64,
    /// `no_data`, `partial`, `register_reset`, `register_step`, `negative_loss`.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<String>))]
    pub flags: Vec<Flag>,
}

/// The efficiency of the last complete quarter of an hour with the best coverage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct RealTimeEfficiency {
    /// Energy out / energy in, percent; null if no energy entered, or if not known.
    pub efficiency: Option<f64>,
    /// Losses, kWh.
    pub loss: Option<f64>,
    /// Energy in, kWh.
    #[serde(rename = "energyIn_KWh")]
    pub energy_in: Option<f64>,
    /// Energy out, kWh.
    #[serde(rename = "energyOut_KWh")]
    pub energy_out: Option<f64>,
    /// Start of the quarter of an hour, ISO 8601 UTC.
    pub from: String,
    /// End of the quarter of an hour, ISO 8601 UTC.
    pub to: String,
    /// Coverage of the quarter of an hour over all substations, percent.
    pub coverage: f64,
    /// Flags as for rows; `late` if a later quarter of an hour has ended and is not known.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<String>))]
    pub flags: Vec<Flag>,
    /// Names of assets and substations without a meter, at most 100.
    pub missing: Vec<String>,
    /// End of the quarter of an hour, ISO 8601 UTC; null if nothing is known of the last hour.
    #[serde(rename = "reportedDateTime")]
    pub reported: Option<String>,
}

/// Losses accumulated over several periods.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AccumulatedLosses {
    /// The utility's time zone (IANA), in which days, months and years begin.
    pub time_zone: String,
    /// Flags of all rows, and `not_metered`.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<String>))]
    pub flags: Vec<Flag>,
    /// Names of assets and substations without a meter, at most 100.
    pub missing: Vec<String>,
    /// Rows for `Today`, `Yesterday`, `Last 7 days` (today and the six days before), `This month`, `Last month`, `This year`.
    pub rows: Vec<AccumulatedRow>,
}

/// Losses of one period.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct AccumulatedRow {
    /// Name of the period.
    pub interval: String,
    /// Losses, kWh; null if not known.
    #[serde(rename = "accumulatedLosses_KWh")]
    pub losses: Option<f64>,
    /// Energy in, kWh.
    #[serde(rename = "energyIn_KWh")]
    pub energy_in: Option<f64>,
    /// Energy out, kWh.
    #[serde(rename = "energyOut_KWh")]
    pub energy_out: Option<f64>,
    /// Start of the period, ISO 8601 UTC.
    pub from: String,
    /// End of the period, ISO 8601 UTC; for a period that has not ended, the end of the last complete ten minutes.
    pub to: String,
    /// Coverage, percent.
    pub coverage: f64,
    /// Flags as for the rows of energy.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<String>))]
    pub flags: Vec<Flag>,
}

/// The change of the efficiency against earlier times.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct EfficiencyChange {
    /// Efficiency of the compared quarter of an hour, percent; null if not known.
    pub efficiency: Option<f64>,
    /// Start of that quarter of an hour, ISO 8601 UTC.
    pub from: String,
    /// End of that quarter of an hour, ISO 8601 UTC.
    pub to: String,
    /// Flags of all rows, and `not_metered`.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<String>))]
    pub flags: Vec<Flag>,
    /// Names of assets and substations without a meter, at most 100.
    pub missing: Vec<String>,
    /// Rows for `15 minutes`, `1 hour`, `1 day`, `1 week`, `1 month` and `1 year` earlier.
    pub rows: Vec<EfficiencyChangeRow>,
}

/// The efficiency at an earlier time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct EfficiencyChangeRow {
    /// How much earlier, such as `1 hour`.
    pub interval: String,
    /// Efficiency at that time, percent.
    pub efficiency: Option<f64>,
    /// Present efficiency − efficiency at that time, percentage points.
    pub change_percent: Option<f64>,
    /// Start of that period, ISO 8601 UTC.
    pub from: String,
    /// End of that period, ISO 8601 UTC.
    pub to: String,
    /// Coverage, percent.
    pub coverage: f64,
    /// Flags as for the rows of energy; `coarse` if the period is a whole hour, because quarters of an hour are no longer stored.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<String>))]
    pub flags: Vec<Flag>,
}

/// Demand over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct DemandOverTime {
    /// `kW` for an asset, `MW` for an area.
    pub unit: String,
    /// Length of a block, minutes: 15 or 30, the demand-integration period of the utility.
    pub block_minutes: i64,
    /// Whether each row is a day of the utility's clock. So are the rows of a span of more than 92 days.
    pub by_day: bool,
    /// The utility's time zone (IANA).
    pub time_zone: String,
    /// Coverage of all blocks, percent.
    pub coverage: f64,
    /// `no_data`, `partial`, `not_metered`.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<String>))]
    pub flags: Vec<Flag>,
    /// Names of feeders whose power is not measured.
    pub missing: Vec<String>,
    /// One row for each ended block or for each day, oldest first.
    pub rows: Vec<DemandRow>,
}

/// The demand of one block, or of the blocks of a day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct DemandRow {
    /// Start of the block, epoch ms.
    pub time_ms: i64,
    /// Start of the block, ISO 8601 UTC.
    pub time: String,
    /// Hour of the start by the utility's clock, 0 to 23.
    pub hour: u8,
    /// The average power of the known values; null if none is known.
    pub demand: Option<f64>,
    /// The smallest demand of a block; null unless the row is a day.
    pub lowest: Option<f64>,
    /// The largest demand of a block, the peak demand of the day; null unless the row is a day.
    pub highest: Option<f64>,
    /// Share of the values that are known, percent.
    pub coverage: f64,
}

/// The peak demands of an area or asset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PeakDemand {
    /// `kW` for an asset, `MW` for an area.
    pub unit: String,
    /// Length of a block, minutes: 15 or 30, the demand-integration period of the utility.
    pub block_minutes: i64,
    /// Coverage of all blocks, percent. In the table of peaks: the coverage of the row of today.
    pub coverage: f64,
    /// Flags of all rows, and `not_metered`.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<String>))]
    pub flags: Vec<Flag>,
    /// Names of feeders whose power is not measured.
    pub missing: Vec<String>,
    /// One row for each interval.
    pub rows: Vec<PeakDemandRow>,
}

/// The peak demand of one interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PeakDemandRow {
    /// Id of the node or asset.
    pub id: i64,
    /// Name of the node or asset.
    pub name: String,
    /// Name of the node or asset, the same as `name`.
    pub reading_from: String,
    /// `night`, `morning`, `day` or `evening`; in a table also `today`, `month` and `year`.
    pub time_interval: String,
    /// The average power of the largest block; null if no block has enough values.
    pub peak_demand: Option<f64>,
    /// The start of that block, ISO 8601 UTC.
    pub reported_date_time: Option<String>,
    /// Date of that start in the utility's time zone, `YYYY-MM-DD`.
    pub date: Option<String>,
    /// Time of that start by the utility's clock, `HH:MM`.
    pub time: Option<String>,
    /// Hour of that start by the utility's clock, 0 to 23.
    pub hour: Option<u8>,
    /// Length of the block, minutes.
    pub block_minutes: i64,
    /// Coverage of all blocks of the interval, percent.
    pub coverage: f64,
    /// `no_data`, `partial`.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<String>))]
    pub flags: Vec<Flag>,
}

/// A part of the answer for a battery's profile: the first part has the units, the second one the rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(untagged)]
pub enum DcPart {
    /// The units, one entry.
    Units(Vec<DcUnits>),
    /// The rows, oldest first, at most 2,000.
    Rows(Vec<DcRow>),
}

/// Units of a battery's profile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct DcUnits {
    /// Unit of the current.
    #[serde(rename = "IUnit")]
    pub current: String,
    /// Unit of the voltage.
    #[serde(rename = "VolUnit")]
    pub voltage: String,
}

/// Voltage and current of a battery: means of the row's period.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct DcRow {
    /// Start of the row's period, ISO 8601 UTC.
    #[serde(rename = "ReportedDateTime")]
    pub reported: String,
    /// Voltage; null if it was not measured.
    #[serde(rename = "Battery_VDC")]
    pub voltage: Option<f64>,
    /// Current, positive while charging; null if not measured.
    #[serde(rename = "Battery_ADC")]
    pub current: Option<f64>,
}

/// The latest readings of a transformer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TransformerLive {
    /// One entry; none for an asset that is not a transformer.
    pub data_stream: Vec<TransformerReadings>,
}

/// The readings of a transformer; null if not measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TransformerReadings {
    /// Winding temperature indicator, °C.
    #[serde(rename = "WTI")]
    pub winding_c: Option<f64>,
    /// Oil temperature indicator, °C.
    #[serde(rename = "OTI")]
    pub oil_c: Option<f64>,
    /// Ambient temperature at the transformer, or if not measured there, at its substation, °C.
    #[serde(rename = "AmbientTemp")]
    pub ambient_c: Option<f64>,
    /// `LOW` below 25 %, `HIGH` above 95 %, otherwise `NORMAL`.
    #[serde(rename = "OilLevel")]
    pub oil_level: Option<String>,
    /// Oil level, percent.
    #[serde(rename = "oilLevelPercent")]
    pub oil_level_percent: Option<f64>,
    /// Position of the tap changer.
    #[serde(rename = "TapPosition")]
    pub tap: Option<f64>,
    /// Rated voltages, such as `33/11`, kV.
    #[serde(rename = "ExpectedVoltage")]
    pub expected_voltage: Option<String>,
    /// Line-to-line voltage of the low-voltage side, V.
    #[serde(rename = "ActualVoltage")]
    pub actual_voltage: Option<f64>,
    /// Source time of the oldest reading, ISO 8601 UTC.
    #[serde(rename = "ReportedDateTime")]
    pub reported: Option<String>,
    /// The worst quality code of the received readings; never received if there are none.
    pub quality: u8,
    /// The shortest age limit of the readings, ms; null if all report by exception.
    #[serde(rename = "ageLimitMs")]
    pub age_limit_ms: Option<i64>,
    /// Quality and age of each reading, because sensors can fail separately.
    pub readings: TransformerStandings,
}

/// Quality and age of each reading of a transformer, with the name of the reading; null if not measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TransformerStandings {
    /// Winding temperature indicator.
    #[serde(rename = "WTI")]
    pub winding: Option<TransformerStanding>,
    /// Oil temperature indicator.
    #[serde(rename = "OTI")]
    pub oil: Option<TransformerStanding>,
    /// Ambient temperature.
    #[serde(rename = "AmbientTemp")]
    pub ambient: Option<TransformerStanding>,
    /// Oil level, as text and in percent.
    #[serde(rename = "OilLevel")]
    pub oil_level: Option<TransformerStanding>,
    /// Position of the tap changer.
    #[serde(rename = "TapPosition")]
    pub tap: Option<TransformerStanding>,
    /// Voltage of the low-voltage side.
    #[serde(rename = "ActualVoltage")]
    pub actual_voltage: Option<TransformerStanding>,
}

/// Quality and age of one reading.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TransformerStanding {
    /// Quality code; never received before the first value.
    pub quality: u8,
    /// Source time, ISO 8601 UTC; null before the first value.
    pub reported_date_time: Option<String>,
    /// Age limit: age after which the reading is stale, ms; null for report by exception.
    pub age_limit_ms: Option<i64>,
    /// Limit of the alarm `high`, in the unit of the reading; null if the reading raises no such alarm.
    pub high_limit: Option<f64>,
    /// Limit of the alarm `high_high`, in the unit of the reading; null if the reading raises no such alarm.
    pub high_high_limit: Option<f64>,
}

/// The steps of energy registers that were refused in a period.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RegisterSteps {
    /// The steps, the newest first, at most 200.
    pub rows: Vec<RegisterStepRow>,
    /// Whether there are more steps.
    pub cut: bool,
}

/// A step of an energy register that its line cannot have carried. It does not count unless a user has confirmed it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RegisterStepRow {
    /// The asset whose meter it is.
    pub asset_id: i64,
    /// Its name.
    pub asset_name: String,
    /// The point of the register.
    pub point_id: i64,
    /// Whether it is the register of imported energy; otherwise that of exported energy.
    pub is_import: bool,
    /// Time of the reading before the step, ISO 8601 UTC.
    pub from: String,
    /// That reading, kWh.
    pub from_kwh: f64,
    /// Time of the reading after the step, ISO 8601 UTC.
    pub at: String,
    /// That reading, kWh.
    pub at_kwh: f64,
    /// The energy of the step, kWh.
    pub amount_kwh: f64,
    /// The largest energy that the line can carry between both readings, kWh.
    pub allowed_kwh: f64,
    /// Name of the user who has confirmed the step; null if it is refused.
    pub confirmed_by: Option<String>,
    /// Time of the confirmation, ISO 8601 UTC.
    pub confirmed: Option<String>,
    /// The reason that the user gave.
    pub note: Option<String>,
}

/// The confirmation of a step, or its withdrawal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConfirmRegisterStep {
    /// The point of the register.
    pub point_id: i64,
    /// Time of the reading after the step, as in the list of steps, ISO 8601.
    pub at: String,
    /// True to confirm the step, false to withdraw the confirmation.
    pub is_real: bool,
    /// The reason, 1 to 500 characters.
    pub note: String,
}
