//! How the field communicates: rows of RTUs and feeders by the day. The specification names the calls and not their rows; these are ours.

use serde::{Deserialize, Serialize};

/// The communication of an RTU on a day. Values are null if not known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RtuStatusRow {
    /// The day in the utility's zone, `YYYY-MM-DD`.
    pub date: String,
    /// The gateway.
    pub gateway_id: i64,
    /// Its edge node name.
    pub gateway_code: String,
    /// Its display name.
    pub gateway_name: String,
    /// Its substation.
    pub location_id: i64,
    /// That one's name.
    pub location_name: String,
    /// The circle above it.
    pub circle_id: Option<i64>,
    /// From the circle down to the substation.
    pub bread_crumb_name: String,
    /// Whether it was online at the end of the day; for today, now.
    pub online: Option<bool>,
    /// Since when that has been so; ISO 8601 UTC.
    pub since: Option<String>,
    /// The share of the day, up to now, in which it was online, %; on the day of its first connection, from then on.
    pub availability: Option<f64>,
    /// For how long it was not, minutes.
    pub outage_minutes: Option<f64>,
    /// How often it was lost.
    pub outages: u32,
    /// How often it connected.
    pub connects: u32,
    /// Values that arrived.
    pub values: Option<i64>,
    /// Values that arrived more than a minute after their time.
    pub late_values: Option<i64>,
    /// Sequence numbers that never arrived.
    pub missing_messages: Option<i64>,
    /// How far its clock was ahead of the server's at the worst, ms; negative if behind.
    pub clock_skew_ms: Option<i64>,
    /// When its last message of the day arrived, to ten seconds; ISO 8601 UTC.
    pub last_message: Option<String>,
}

/// How an RTU communicated in the hours of a day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RtuHoursRow {
    /// The day in the utility's zone, `YYYY-MM-DD`.
    pub date: String,
    /// The gateway.
    pub gateway_id: i64,
    /// Its display name.
    pub gateway_name: String,
    /// Its substation.
    pub location_id: i64,
    /// That one's name.
    pub location_name: String,
    /// From the circle down to the substation.
    pub bread_crumb_name: String,
    /// The share of the day, up to now, in which it was online, %.
    pub availability: Option<f64>,
    /// The same for each hour from midnight on: 24, and 23 or 25 on days with a clock change; null for future and unknown hours.
    pub hours: Vec<Option<f64>>,
}

/// The communication of the device of a feeder's bay on a day: online while its gateway is, and while it has not reported its death.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FeederCommRow {
    /// The day in the utility's zone, `YYYY-MM-DD`.
    pub date: String,
    /// The feeder.
    pub asset_id: i64,
    /// Its name.
    pub asset_name: String,
    /// The substation.
    pub location_id: i64,
    /// That one's name.
    pub location_name: String,
    /// From the circle down to the substation.
    pub bread_crumb_name: String,
    /// The gateway that reports it; null for a feeder without points.
    pub gateway_id: Option<i64>,
    /// The bay's device.
    pub device: String,
    /// Whether it was online at the end of the day; for today, now.
    pub online: Option<bool>,
    /// Since when that has been so; ISO 8601 UTC.
    pub since: Option<String>,
    /// The share of the day, up to now, in which it was online, %.
    pub availability: Option<f64>,
    /// For how long it was not, minutes.
    pub outage_minutes: Option<f64>,
    /// How often it was lost.
    pub outages: u32,
}

/// Whether a feeder is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum FeederStatus {
    /// Its breaker is closed.
    On,
    /// Its breaker is open, and no current flows.
    Off,
    /// The position is not known or not to be believed, or a current contradicts it.
    Unknown,
}

/// A feeder at the end of a day; of today, now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FeederOnRow {
    /// The feeder.
    pub asset_id: i64,
    /// Its name.
    pub asset_name: String,
    /// The substation.
    pub location_id: i64,
    /// That one's name.
    pub location_name: String,
    /// From the circle down to the substation.
    pub bread_crumb_name: String,
    /// Customers fed through it.
    pub customers: i32,
    /// Whether it is on.
    pub status: FeederStatus,
    /// Its breaker, as text; null before the first report, and for a feeder without a breaker of its own.
    pub position: Option<String>,
    /// Since when the breaker has been so; ISO 8601 UTC.
    pub since: Option<String>,
    /// Current R, A.
    pub current_r: Option<f64>,
    /// Current Y, A.
    pub current_y: Option<f64>,
    /// Current B, A.
    pub current_b: Option<f64>,
    /// Whether a current flows; null if none is known.
    pub loaded: Option<bool>,
    /// For how long of the day the breaker is known to have been closed, minutes.
    pub on_minutes: Option<f64>,
    /// For how long it is known to have been open, minutes.
    pub off_minutes: Option<f64>,
    /// Quality code (grid::Quality): the worst of position and currents.
    pub quality: u8,
    /// Source time of the latest of them; ISO 8601 UTC.
    pub reported_date_time: Option<String>,
}

/// Why a feeder is off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum OutageCause {
    /// Its protection opened the breaker, or nobody that we know of.
    Trip,
    /// Somebody here ordered it.
    Switched,
}

/// A time in which a feeder's breaker was open.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FeederOutageRow {
    /// The feeder.
    pub asset_id: i64,
    /// Its name.
    pub asset_name: String,
    /// The substation.
    pub location_id: i64,
    /// That one's name.
    pub location_name: String,
    /// From the circle down to the substation.
    pub bread_crumb_name: String,
    /// Customers fed through it.
    pub customers: i32,
    /// When it went off, by the device's clock; ISO 8601 UTC.
    pub since: String,
    /// When its breaker was closed again; null while it is open, and if that was not within the day.
    pub restored: Option<String>,
    /// For how long it was off, up to its restoration, to now or to the end of the day, minutes.
    pub minutes: f64,
    /// Why.
    pub cause: OutageCause,
    /// Quality code of the report that it went off; communication lost if it is offline now.
    pub quality: u8,
}

/// How an asset is monitored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AssetMonitoring {
    /// The asset.
    pub asset_id: i64,
    /// Its name.
    pub asset_name: String,
    /// The substation.
    pub location_id: i64,
    /// That one's name.
    pub location_name: String,
    /// The gateway that reports it; null for an asset without points.
    pub gateway_id: Option<i64>,
    /// Its display name.
    pub gateway_name: Option<String>,
    /// The device of the bay.
    pub device: String,
    /// Whether it is online now.
    pub online: Option<bool>,
    /// Since when that has been so; ISO 8601 UTC.
    pub since: Option<String>,
    /// When the last message of the gateway arrived; ISO 8601 UTC.
    pub last_message: Option<String>,
    /// The share of today in which it was online, %.
    pub availability_today: Option<f64>,
    /// The same for the last seven times 24 hours.
    pub availability7_days: Option<f64>,
    /// The same for the last thirty times 24 hours.
    pub availability30_days: Option<f64>,
    /// How often it was lost in those.
    pub outages30_days: u32,
    /// Its points, by code.
    pub points: Vec<MonitoredPoint>,
    /// The last fifty changes of its link, newest first.
    pub changes: Vec<LinkChangeRow>,
}

/// A point with its latest value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct MonitoredPoint {
    /// The point.
    pub point_id: i64,
    /// The last part of its metric name.
    pub code: String,
    /// The value.
    pub value: Option<f64>,
    /// The position or signal as text; null for a measurand.
    pub text: Option<String>,
    /// The unit.
    pub unit: String,
    /// Decimals to show.
    pub decimals: u8,
    /// Quality code (grid::Quality).
    pub quality: u8,
    /// Source time; ISO 8601 UTC.
    pub reported_date_time: Option<String>,
    /// The age at which it is stale, ms; null for report by exception.
    pub age_limit_ms: Option<i64>,
}

/// A change of a link.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct LinkChangeRow {
    /// From when on; ISO 8601 UTC.
    pub at: String,
    /// Whether it was online from then on.
    pub online: bool,
    /// How long that lasted, or has lasted, minutes.
    pub minutes: f64,
}
