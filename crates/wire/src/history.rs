//! The history of an asset: one answer for every chart, and the rows of the documented profile calls, which are made of the same.

use serde::{Deserialize, Serialize};

/// The history of one measure of an asset. All lists have one entry for each of `times`; null is a gap.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct HistoryChart {
    /// The asset.
    pub asset_id: i64,
    /// Its name.
    pub asset_name: String,
    /// The requested measure.
    pub measure: String,
    /// The utility's time zone (IANA): days are its days.
    pub time_zone: String,
    /// The start of the requested period; ISO 8601 UTC.
    pub from: String,
    /// Its end.
    pub to: String,
    /// The length of a bucket, ms; null if `source` is `raw`. For days the nominal length.
    pub bucket_ms: Option<i64>,
    /// The resolution of the buckets: `raw`, `1m`, `10m`, `1h` or `1d`.
    pub source: String,
    /// Starts of the buckets, epoch ms, in order; equidistant unless `source` is `raw` or days have a clock change. The first one contains `from`. For `raw`,
    /// the times of the values, and those at which a value ends.
    pub times: Vec<i64>,
    /// A series for each point, in the order of the phases.
    pub series: Vec<HistorySeries>,
}

/// One line of a chart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct HistorySeries {
    /// The code that ends the point's metric name.
    pub code: String,
    /// Its display name.
    pub name: String,
    /// `R`, `Y`, `B` or null.
    pub phase: Option<String>,
    /// Unit, empty if none applies.
    pub unit: String,
    /// Decimals to show.
    pub decimals: u8,
    /// The mean of each bucket; for registers as the measure defines: consumed in the bucket, consumed since the start, or the last reading.
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
    /// ISO 8601 UTC: the start of the row's time.
    #[serde(rename = "timeStamp")]
    pub time: String,
    /// Mean of R.
    pub current1: Option<f64>,
    /// Mean of Y.
    pub current2: Option<f64>,
    /// Mean of B.
    pub current3: Option<f64>,
    /// Smallest of R.
    #[serde(rename = "current1Min")]
    pub min1: Option<f64>,
    /// Smallest of Y.
    #[serde(rename = "current2Min")]
    pub min2: Option<f64>,
    /// Smallest of B.
    #[serde(rename = "current3Min")]
    pub min3: Option<f64>,
    /// Largest of R.
    #[serde(rename = "current1Max")]
    pub max1: Option<f64>,
    /// Largest of Y.
    #[serde(rename = "current2Max")]
    pub max2: Option<f64>,
    /// Largest of B.
    #[serde(rename = "current3Max")]
    pub max3: Option<f64>,
}

/// Frequency, Hz. It is measured once for all phases: the second and third are null.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct FrequencyProfileRow {
    /// ISO 8601 UTC.
    #[serde(rename = "timeStamp")]
    pub time: String,
    /// Mean.
    pub frequency1: Option<f64>,
    /// Null.
    pub frequency2: Option<f64>,
    /// Null.
    pub frequency3: Option<f64>,
    /// Worst quality code; null if there is no value.
    pub status: Option<u8>,
    /// Smallest.
    #[serde(rename = "frequency1Min")]
    pub min1: Option<f64>,
    /// Largest.
    #[serde(rename = "frequency1Max")]
    pub max1: Option<f64>,
}

/// Voltages from phase to earth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct VoltageProfileRow {
    /// ISO 8601 UTC.
    #[serde(rename = "reportedTime")]
    pub time: String,
    /// Mean of R.
    #[serde(rename = "r_RMSVoltage")]
    pub r: Option<f64>,
    /// Mean of Y.
    #[serde(rename = "y_RMSVoltage")]
    pub y: Option<f64>,
    /// Mean of B.
    #[serde(rename = "b_RMSVoltage")]
    pub b: Option<f64>,
    /// Smallest of R.
    #[serde(rename = "r_RMSVoltageMin")]
    pub r_min: Option<f64>,
    /// Smallest of Y.
    #[serde(rename = "y_RMSVoltageMin")]
    pub y_min: Option<f64>,
    /// Smallest of B.
    #[serde(rename = "b_RMSVoltageMin")]
    pub b_min: Option<f64>,
    /// Largest of R.
    #[serde(rename = "r_RMSVoltageMax")]
    pub r_max: Option<f64>,
    /// Largest of Y.
    #[serde(rename = "y_RMSVoltageMax")]
    pub y_max: Option<f64>,
    /// Largest of B.
    #[serde(rename = "b_RMSVoltageMax")]
    pub b_max: Option<f64>,
    /// `kV`.
    #[serde(rename = "VoltageUnit")]
    pub unit: String,
}

/// Powers of the phases R, Y, B and of all three: MW, MVAr, MVA.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PowerProfileRow {
    /// ISO 8601 UTC.
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
    /// Active power of all three.
    pub real_power: Option<f64>,
    /// Reactive power of all three.
    pub reactive_power: Option<f64>,
    /// Apparent power of all three.
    pub total_power: Option<f64>,
}

/// Energy, as the call defines it: consumed in the time of the row, consumed since the first row, or the register reading.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct EnergyProfileRow {
    /// ISO 8601 UTC.
    #[serde(rename = "RptDateTime")]
    pub time: String,
    /// Active energy of R.
    #[serde(rename = "AEnergy_R")]
    pub r: Option<f64>,
    /// Active energy of Y.
    #[serde(rename = "AEnergy_Y")]
    pub y: Option<f64>,
    /// Active energy of B.
    #[serde(rename = "AEnergy_B")]
    pub b: Option<f64>,
    /// Imported active energy.
    #[serde(rename = "ActiveImpCumEng")]
    pub imported: Option<f64>,
    /// Active energy given out.
    #[serde(rename = "ActiveExpCumEng")]
    pub exported: Option<f64>,
    /// Imported reactive energy, MVArh.
    #[serde(rename = "ReactiveImpCumEng")]
    pub reactive_imported: Option<f64>,
    /// Reactive energy given out, MVArh.
    #[serde(rename = "ReactiveExpCumEng")]
    pub reactive_exported: Option<f64>,
    /// `MWh`.
    #[serde(rename = "EnergyUnit")]
    pub unit: String,
}
