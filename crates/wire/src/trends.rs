//! Faults over time, by day, feeder and type. The first fields are spelled as specification 3, section 3 has them.

use serde::{Deserialize, Serialize};

/// The faults that began in a span.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FaultTrends {
    /// By day, substation, feeder and type. A day without faults has no row.
    pub rows: Vec<FaultTrendRow>,
    /// The number of open faults among them.
    pub open: i64,
    /// Whether there were more faults than are used: the oldest are missing, and `partial` is among the flags.
    pub cut: bool,
    /// Faults that ended before this are deleted; ISO 8601 UTC. Null if they are kept for ever.
    pub kept_from: Option<String>,
    /// The start of the span; ISO 8601 UTC.
    pub from: String,
    /// Its end.
    pub to: String,
    /// The utility's time zone (IANA): days are its days.
    pub time_zone: String,
    /// `no_data` (no fault began), `open` (one is open), `partial` (`cut`, or the period begins before `keptFrom`).
    pub flags: Vec<String>,
}

/// The faults of a type that began on a day on a feeder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FaultTrendRow {
    /// The day on which they began, `YYYY-MM-DD`. A fault that lasts past midnight counts there with all its minutes.
    #[serde(rename = "Dt")]
    pub day: String,
    /// The same as `DD/MM`.
    pub dt: String,
    /// `LG`, `LL`, `LLG`, `LLL`, or `Not known` if a current is missing.
    #[serde(rename = "FaultType")]
    pub fault_type: String,
    /// The feeder.
    pub asset_id: i64,
    /// Name of the asset.
    pub asset_name: String,
    /// The substation.
    pub location_id: i64,
    /// Name of the substation.
    pub location_name: String,
    /// The number of faults, including open ones.
    #[serde(rename = "NoOfTimes")]
    pub times: i64,
    /// Minutes of the ended ones; null if none has ended.
    #[serde(rename = "Duration")]
    pub minutes: Option<f64>,
    /// The number of open ones.
    pub open: i64,
}
