//! Communication with gateways and devices: availability of RTUs and feeders by day. The specification names the calls; the rows are defined here.

use serde::{Deserialize, Serialize};

/// The communication of an RTU on a day. Values are null if not known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RtuStatusRow {
    /// The day in the utility's zone, `YYYY-MM-DD`.
    pub date: String,
    /// Id of the gateway.
    pub gateway_id: i64,
    /// Edge node name of the gateway.
    pub gateway_code: String,
    /// Display name of the gateway.
    pub gateway_name: String,
    /// Id of the substation.
    pub location_id: i64,
    /// Name of the substation.
    pub location_name: String,
    /// Id of the circle above the substation.
    pub circle_id: Option<i64>,
    /// Names from the circle down to the substation, joined by ` › `.
    pub bread_crumb_name: String,
    /// Whether it was online at the end of the day; for today, now.
    pub online: Option<bool>,
    /// When this state began; ISO 8601 UTC.
    pub since: Option<String>,
    /// Share of the day, up to now, in which it was online, %. On the day of its first connection: share of the time since then.
    pub availability: Option<f64>,
    /// Minutes of the day in which it was offline.
    pub outage_minutes: Option<f64>,
    /// How often it went offline.
    pub outages: u32,
    /// How often it came online.
    pub connects: u32,
    /// Number of values received.
    pub values: Option<i64>,
    /// Number of values received more than a minute after their source time.
    pub late_values: Option<i64>,
    /// Number of messages that were not received, by gaps in the sequence numbers.
    pub missing_messages: Option<i64>,
    /// The largest deviation of its clock from the server's clock, ms; negative if it was behind.
    pub clock_skew_ms: Option<i64>,
    /// When its last message of the day was received, with a resolution of ten seconds; ISO 8601 UTC.
    pub last_message: Option<String>,
}

/// The availability of an RTU in the hours of a day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RtuHoursRow {
    /// The day in the utility's zone, `YYYY-MM-DD`.
    pub date: String,
    /// Id of the gateway.
    pub gateway_id: i64,
    /// Display name of the gateway.
    pub gateway_name: String,
    /// Id of the substation.
    pub location_id: i64,
    /// Name of the substation.
    pub location_name: String,
    /// Names from the circle down to the substation, joined by ` › `.
    pub bread_crumb_name: String,
    /// Share of the day, up to now, in which it was online, %.
    pub availability: Option<f64>,
    /// Share of each hour in which it was online, %, from midnight on: 24 entries, 23 or 25 on days with a clock change; null for future and unknown hours.
    pub hours: Vec<Option<f64>>,
}

/// The communication with the device of a feeder's bay on a day. The device is online while its gateway is online and has not reported its death.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FeederCommRow {
    /// The day in the utility's zone, `YYYY-MM-DD`.
    pub date: String,
    /// Id of the feeder.
    pub asset_id: i64,
    /// Name of the asset.
    pub asset_name: String,
    /// Id of the substation.
    pub location_id: i64,
    /// Name of the substation.
    pub location_name: String,
    /// Names from the circle down to the substation, joined by ` › `.
    pub bread_crumb_name: String,
    /// Id of the gateway that reports the feeder; null for a feeder without points.
    pub gateway_id: Option<i64>,
    /// Name of the bay's device.
    pub device: String,
    /// Whether it was online at the end of the day; for today, now.
    pub online: Option<bool>,
    /// When this state began; ISO 8601 UTC.
    pub since: Option<String>,
    /// Share of the day, up to now, in which it was online, %.
    pub availability: Option<f64>,
    /// Minutes of the day in which it was offline.
    pub outage_minutes: Option<f64>,
    /// How often it went offline.
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
    /// The position is not known or not reliable, or a measured current contradicts it.
    Unknown,
}

/// The state of a feeder at the end of a day; for today, now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FeederOnRow {
    /// Id of the feeder.
    pub asset_id: i64,
    /// Name of the asset.
    pub asset_name: String,
    /// Id of the substation.
    pub location_id: i64,
    /// Name of the substation.
    pub location_name: String,
    /// Names from the circle down to the substation, joined by ` › `.
    pub bread_crumb_name: String,
    /// Customers that the feeder supplies.
    pub customers: i32,
    /// The state of the feeder.
    pub status: FeederStatus,
    /// Position of the breaker as text; null before the first report, and for a feeder without a breaker of its own.
    pub position: Option<String>,
    /// When the breaker reached this position; ISO 8601 UTC.
    pub since: Option<String>,
    /// Current of phase R, A.
    pub current_r: Option<f64>,
    /// Current of phase Y, A.
    pub current_y: Option<f64>,
    /// Current of phase B, A.
    pub current_b: Option<f64>,
    /// Whether a current flows; null if no current is known.
    pub loaded: Option<bool>,
    /// Minutes of the day in which the breaker is known to have been closed.
    pub on_minutes: Option<f64>,
    /// Minutes of the day in which the breaker is known to have been open.
    pub off_minutes: Option<f64>,
    /// Quality code: the worst of position and currents.
    pub quality: u8,
    /// Source time of the latest of position and currents; ISO 8601 UTC.
    pub reported_date_time: Option<String>,
}

/// Why a feeder is off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum OutageCause {
    /// The breaker opened without a command of the utility: by its protection, or by an unknown cause.
    Trip,
    /// A user of the utility opened the breaker with a command.
    Switched,
}

/// A time in which a feeder's breaker was open.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FeederOutageRow {
    /// Id of the feeder.
    pub asset_id: i64,
    /// Name of the asset.
    pub asset_name: String,
    /// Id of the substation.
    pub location_id: i64,
    /// Name of the substation.
    pub location_name: String,
    /// Names from the circle down to the substation, joined by ` › `.
    pub bread_crumb_name: String,
    /// Customers that the feeder supplies.
    pub customers: i32,
    /// When the breaker opened, by the device's clock; ISO 8601 UTC.
    pub since: String,
    /// When the breaker was closed again; null while it is open, and if it was closed after the end of the day.
    pub restored: Option<String>,
    /// Minutes from the opening to the restoration, to now, or to the end of the day.
    pub minutes: f64,
    /// Cause of the opening.
    pub cause: OutageCause,
    /// Quality code of the report of the opening; communication lost if the device is offline now.
    pub quality: u8,
}

/// How an asset is monitored: its gateway, its device and its points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AssetMonitoring {
    /// Id of the asset.
    pub asset_id: i64,
    /// Name of the asset.
    pub asset_name: String,
    /// Id of the substation.
    pub location_id: i64,
    /// Name of the substation.
    pub location_name: String,
    /// Id of the gateway that reports the asset; null for an asset without points.
    pub gateway_id: Option<i64>,
    /// Display name of the gateway.
    pub gateway_name: Option<String>,
    /// Name of the bay's device.
    pub device: String,
    /// Whether the device is online now.
    pub online: Option<bool>,
    /// When this state began; ISO 8601 UTC.
    pub since: Option<String>,
    /// When the last message of the gateway was received; ISO 8601 UTC.
    pub last_message: Option<String>,
    /// Share of today, up to now, in which the device was online, %.
    pub availability_today: Option<f64>,
    /// Share of the last 7 × 24 hours in which the device was online, %.
    pub availability7_days: Option<f64>,
    /// Share of the last 30 × 24 hours in which the device was online, %.
    pub availability30_days: Option<f64>,
    /// How often the device went offline in the last 30 × 24 hours.
    pub outages30_days: u32,
    /// The points of the asset, ordered by code.
    pub points: Vec<MonitoredPoint>,
    /// The last fifty changes of the device's link, newest first.
    pub changes: Vec<LinkChangeRow>,
}

/// A point and its latest value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct MonitoredPoint {
    /// Id of the point.
    pub point_id: i64,
    /// The last part of the point's metric name.
    pub code: String,
    /// The value.
    pub value: Option<f64>,
    /// The position or signal as text; null for a measurand.
    pub text: Option<String>,
    /// The unit.
    pub unit: String,
    /// Decimals to show.
    pub decimals: u8,
    /// Quality code.
    pub quality: u8,
    /// Source time; ISO 8601 UTC.
    pub reported_date_time: Option<String>,
    /// Age limit of the point, ms; null for report by exception.
    pub age_limit_ms: Option<i64>,
}

/// A change of a link state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct LinkChangeRow {
    /// When the link changed; ISO 8601 UTC.
    pub at: String,
    /// Whether the link was online after the change.
    pub online: bool,
    /// How long that state has lasted, minutes.
    pub minutes: f64,
}
