//! Faults over time, by day, feeder and type. Specification 3, section 3 defines the first fields of a row.

use serde::{Deserialize, Serialize};

use crate::flag::Flag;

/// The faults that began in a period.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FaultTrends {
    /// By day, substation, feeder and type. A day without faults has no row.
    pub rows: Vec<FaultTrendRow>,
    /// Number of faults in the period that are open.
    pub open: i64,
    /// Whether there are more faults than the limit. Then the oldest are left out, and `flags` contains `partial`.
    pub cut: bool,
    /// Faults that ended before this time have been deleted; ISO 8601 UTC. Null if faults are never deleted.
    pub kept_from: Option<String>,
    /// The start of the period; ISO 8601 UTC.
    pub from: String,
    /// The end of the period; ISO 8601 UTC.
    pub to: String,
    /// The utility's time zone (IANA): days are its days.
    pub time_zone: String,
    /// `no_data` (no fault began), `open` (one is open), `partial` (`cut`, or the period begins before `keptFrom`).
    #[cfg_attr(feature = "schema", schema(value_type = Vec<String>))]
    pub flags: Vec<Flag>,
}

/// The faults of one type that began on one day on one feeder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FaultTrendRow {
    /// Day on which the faults began, `YYYY-MM-DD`. A fault that lasts past midnight counts on this day with its whole duration.
    #[serde(rename = "Dt")]
    pub day: String,
    /// The day as `DD/MM`.
    pub dt: String,
    /// `LG`, `LL`, `LLG`, `LLL`, or `Not known` if a current is missing.
    #[serde(rename = "FaultType")]
    pub fault_type: String,
    /// Id of the feeder.
    pub asset_id: i64,
    /// Name of the asset.
    pub asset_name: String,
    /// Id of the substation.
    pub location_id: i64,
    /// Name of the substation.
    pub location_name: String,
    /// Number of faults, including open ones.
    #[serde(rename = "NoOfTimes")]
    pub times: i64,
    /// Sum of the durations of ended faults, minutes; null if none has ended.
    #[serde(rename = "Duration")]
    pub minutes: Option<f64>,
    /// Number of open faults.
    pub open: i64,
}
