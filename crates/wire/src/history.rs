//! The history of an asset: one format for every chart, and the rows of the profile calls of the specification, which are derived from it.

use serde::{Deserialize, Serialize};

/// The history of one measure of an asset. All lists have one entry for each of `times`; null is a gap.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct HistoryChart {
    /// Id of the asset.
    pub asset_id: i64,
    /// Name of the asset.
    pub asset_name: String,
    /// The requested measure.
    pub measure: String,
    /// The utility's time zone (IANA): days are its days.
    pub time_zone: String,
    /// The start of the requested period; ISO 8601 UTC.
    pub from: String,
    /// The end of the requested period; ISO 8601 UTC.
    pub to: String,
    /// The length of a bucket, ms; null if `source` is `raw`. For days: 86,400,000.
    pub bucket_ms: Option<i64>,
    /// The resolution of the buckets: `raw`, `1m`, `10m`, `1h` or `1d`.
    pub source: String,
    /// Starts of the buckets, epoch ms, in order. They are equidistant, except for raw values and for days with a clock change. The first bucket contains
    /// `from`. If `source` is `raw`: the times of the values, and the times from which a value is no longer valid.
    pub times: Vec<i64>,
    /// One series for each point, in the order of the phases.
    pub series: Vec<HistorySeries>,
}

/// One series of a chart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct HistorySeries {
    /// The last part of the point's metric name.
    pub code: String,
    /// Display name of the quantity.
    pub name: String,
    /// Phase `R`, `Y` or `B`; null if the quantity has no phase.
    pub phase: Option<String>,
    /// Unit, empty if none applies.
    pub unit: String,
    /// Decimals to show.
    pub decimals: u8,
    /// The mean of each bucket. For registers, depending on the measure: energy in the bucket, energy since the start, or the last reading.
    pub mean: Vec<Option<f64>>,
    /// The smallest value of each bucket; for consumption the same as `mean`.
    pub min: Vec<Option<f64>>,
    /// The largest value of each bucket; for consumption the same as `mean`.
    pub max: Vec<Option<f64>>,
    /// The worst quality code of each bucket; null if there is no value.
    pub quality: Vec<Option<u8>>,
}

/// Currents of the phases, A.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CurrentProfileRow {
    /// Start of the row's period; ISO 8601 UTC.
    #[serde(rename = "timeStamp")]
    pub time: String,
    /// Mean current of R.
    pub current1: Option<f64>,
    /// Mean current of Y.
    pub current2: Option<f64>,
    /// Mean current of B.
    pub current3: Option<f64>,
    /// Smallest current of R.
    #[serde(rename = "current1Min")]
    pub min1: Option<f64>,
    /// Smallest current of Y.
    #[serde(rename = "current2Min")]
    pub min2: Option<f64>,
    /// Smallest current of B.
    #[serde(rename = "current3Min")]
    pub min3: Option<f64>,
    /// Largest current of R.
    #[serde(rename = "current1Max")]
    pub max1: Option<f64>,
    /// Largest current of Y.
    #[serde(rename = "current2Max")]
    pub max2: Option<f64>,
    /// Largest current of B.
    #[serde(rename = "current3Max")]
    pub max3: Option<f64>,
}

/// Frequency, Hz. It is the same for all phases: `frequency2` and `frequency3` are always null.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct FrequencyProfileRow {
    /// Start of the row's period; ISO 8601 UTC.
    #[serde(rename = "timeStamp")]
    pub time: String,
    /// Mean frequency.
    pub frequency1: Option<f64>,
    /// Always null.
    pub frequency2: Option<f64>,
    /// Always null.
    pub frequency3: Option<f64>,
    /// Worst quality code; null if there is no value.
    pub status: Option<u8>,
    /// Smallest frequency.
    #[serde(rename = "frequency1Min")]
    pub min1: Option<f64>,
    /// Largest frequency.
    #[serde(rename = "frequency1Max")]
    pub max1: Option<f64>,
}

/// Voltages from phase to earth, kV.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct VoltageProfileRow {
    /// Start of the row's period; ISO 8601 UTC.
    #[serde(rename = "reportedTime")]
    pub time: String,
    /// Mean voltage of R.
    #[serde(rename = "r_RMSVoltage")]
    pub r: Option<f64>,
    /// Mean voltage of Y.
    #[serde(rename = "y_RMSVoltage")]
    pub y: Option<f64>,
    /// Mean voltage of B.
    #[serde(rename = "b_RMSVoltage")]
    pub b: Option<f64>,
    /// Smallest voltage of R.
    #[serde(rename = "r_RMSVoltageMin")]
    pub r_min: Option<f64>,
    /// Smallest voltage of Y.
    #[serde(rename = "y_RMSVoltageMin")]
    pub y_min: Option<f64>,
    /// Smallest voltage of B.
    #[serde(rename = "b_RMSVoltageMin")]
    pub b_min: Option<f64>,
    /// Largest voltage of R.
    #[serde(rename = "r_RMSVoltageMax")]
    pub r_max: Option<f64>,
    /// Largest voltage of Y.
    #[serde(rename = "y_RMSVoltageMax")]
    pub y_max: Option<f64>,
    /// Largest voltage of B.
    #[serde(rename = "b_RMSVoltageMax")]
    pub b_max: Option<f64>,
    /// Always `kV`.
    #[serde(rename = "VoltageUnit")]
    pub unit: String,
}

/// Powers of the phases R, Y, B and of all three phases: active in MW, reactive in MVAr, apparent in MVA.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PowerProfileRow {
    /// Start of the row's period; ISO 8601 UTC.
    pub reported_time: String,
    /// Active power of R.
    pub real_power1: Option<f64>,
    /// Active power of Y.
    pub real_power2: Option<f64>,
    /// Active power of B.
    pub real_power3: Option<f64>,
    /// Reactive power of R.
    pub reactive_power1: Option<f64>,
    /// Reactive power of Y.
    pub reactive_power2: Option<f64>,
    /// Reactive power of B.
    pub reactive_power3: Option<f64>,
    /// Apparent power of R.
    pub total_power1: Option<f64>,
    /// Apparent power of Y.
    pub total_power2: Option<f64>,
    /// Apparent power of B.
    pub total_power3: Option<f64>,
    /// Active power of all three phases.
    pub real_power: Option<f64>,
    /// Reactive power of all three phases.
    pub reactive_power: Option<f64>,
    /// Apparent power of all three phases.
    pub total_power: Option<f64>,
}

/// Energy. Depending on the call: energy in the row's period, energy since the first row, or the register reading.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct EnergyProfileRow {
    /// Start of the row's period; ISO 8601 UTC.
    #[serde(rename = "RptDateTime")]
    pub time: String,
    /// Active energy of R, MWh.
    #[serde(rename = "AEnergy_R")]
    pub r: Option<f64>,
    /// Active energy of Y, MWh.
    #[serde(rename = "AEnergy_Y")]
    pub y: Option<f64>,
    /// Active energy of B, MWh.
    #[serde(rename = "AEnergy_B")]
    pub b: Option<f64>,
    /// Imported active energy, MWh.
    #[serde(rename = "ActiveImpCumEng")]
    pub imported: Option<f64>,
    /// Exported active energy, MWh.
    #[serde(rename = "ActiveExpCumEng")]
    pub exported: Option<f64>,
    /// Imported reactive energy, MVArh.
    #[serde(rename = "ReactiveImpCumEng")]
    pub reactive_imported: Option<f64>,
    /// Exported reactive energy, MVArh.
    #[serde(rename = "ReactiveExpCumEng")]
    pub reactive_exported: Option<f64>,
    /// Unit of the active energies: always `MWh`.
    #[serde(rename = "EnergyUnit")]
    pub unit: String,
}
