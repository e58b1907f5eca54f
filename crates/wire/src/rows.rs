//! The rows of tables, the same over REST and over the stream. Spelling as in specification 2, section 3; what we add stands after it.

use serde::{Deserialize, Serialize};

/// One row of the event log (sequence of events).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct EventRow {
    /// The asset's name.
    #[serde(rename = "AssetName")]
    pub asset_name: String,
    /// The signal, such as `Position`.
    #[serde(rename = "DISignal")]
    pub signal: String,
    /// When it happened, by the device's clock; ISO 8601 UTC.
    #[serde(rename = "EventTime")]
    pub event_time: String,
    /// What it changed to, as text.
    #[serde(rename = "ChangeTo")]
    pub change_to: String,
    /// The raw status value.
    #[serde(rename = "Value")]
    pub value: Option<f64>,
    /// The asset.
    #[serde(rename = "AssetId")]
    pub asset_id: i64,
    /// The point that changed.
    #[serde(rename = "PointId")]
    pub point_id: i64,
    /// The substation.
    #[serde(rename = "LocationId")]
    pub location_id: i64,
    /// The substation's name.
    #[serde(rename = "LocationName")]
    pub location_name: String,
    /// When ingest received it; ISO 8601 UTC.
    #[serde(rename = "ReceivedTime")]
    pub received_time: String,
    /// Quality code (grid::Quality).
    #[serde(rename = "Quality")]
    pub quality: u8,
    /// Position in the utility's event stream, in commit order.
    pub offset: i64,
}

/// One row of the load current table: the phase currents of one feeder and the fault currents of its last trip.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct LoadCurrentRow {
    /// Source time of the latest value in the row; ISO 8601 UTC, null before the first value.
    #[serde(rename = "reportedDateTime")]
    pub reported: Option<String>,
    /// Battery voltage of the data concentrator (the substation's RTU), V.
    #[serde(rename = "dcuBatVol")]
    pub dcu_battery_v: Option<f64>,
    /// The feeder's name.
    #[serde(rename = "deviceName")]
    pub feeder_name: String,
    /// Load current R, A.
    #[serde(rename = "lc_Ir")]
    pub load_r_a: Option<f64>,
    /// Load current Y, A.
    #[serde(rename = "lc_Iy")]
    pub load_y_a: Option<f64>,
    /// Load current B, A.
    #[serde(rename = "lc_Ib")]
    pub load_b_a: Option<f64>,
    /// Fault current R, A.
    #[serde(rename = "fC_Ir")]
    pub fault_r_a: Option<f64>,
    /// Fault current Y, A.
    #[serde(rename = "fC_Iy")]
    pub fault_y_a: Option<f64>,
    /// Fault current B, A.
    #[serde(rename = "fC_Ib")]
    pub fault_b_a: Option<f64>,
    /// The feeder asset; rows are replaced by it.
    pub id: i64,
    /// The gateway that reports it.
    #[serde(rename = "deviceId")]
    pub device_id: i64,
    /// Worst quality code of the values in the row.
    pub quality: u8,
    /// Age at which the row is stale, ms; null for report by exception.
    #[serde(rename = "ageLimitMs")]
    pub age_limit_ms: Option<i64>,
    /// The substation.
    #[serde(rename = "locationId")]
    pub location_id: i64,
}

/// The link state of an RTU or gateway.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct GatewayRow {
    /// The gateway.
    pub id: i64,
    /// Its edge node name.
    pub code: String,
    /// Its display name.
    pub name: String,
    /// Its substation.
    pub location_id: i64,
    /// Whether its birth certificate is in force.
    pub online: bool,
    /// Since when it has this state, epoch ms; null if it was never online.
    pub since: Option<i64>,
    /// When its last message arrived, epoch ms.
    pub last_seen: Option<i64>,
}

/// A digital input with its present state (specification 2, section 3).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct DiRow {
    /// The asset.
    #[serde(rename = "AssetId")]
    pub asset_id: i64,
    /// The status point.
    #[serde(rename = "Asset2DiSettingId")]
    pub point_id: i64,
    /// The raw status; null when never received.
    #[serde(rename = "DICurrentStatus")]
    pub status: Option<i64>,
    /// The status as text: OPEN, CLOSED, INTERMEDIATE, INVALID, ACTIVE, INACTIVE.
    #[serde(rename = "DICurrentStatusText")]
    pub status_text: String,
    /// 0 when direct operation is not possible.
    #[serde(rename = "ControlAssetReq")]
    pub control_asset_req: u8,
    /// 0 when select before operate is not possible.
    #[serde(rename = "IsSBOSupported")]
    pub is_sbo_supported: u8,
    /// Quality code.
    pub quality: u8,
    /// By the device's clock; ISO 8601 UTC.
    #[serde(rename = "sourceTime")]
    pub source_time: Option<String>,
    /// The code that ends the metric name.
    #[serde(rename = "pointCode")]
    pub point_code: String,
    /// The asset's name.
    #[serde(rename = "assetName")]
    pub asset_name: String,
    /// The gateway that reports it: the `deviceId` of digiops/cbstatus.
    #[serde(rename = "gatewayId")]
    pub gateway_id: i64,
}

/// The digital inputs of one substation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct DiValues {
    /// All of them.
    #[serde(rename = "diData")]
    pub di_data: Vec<DiRow>,
}

/// A column of a table whose columns come from the data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Column {
    /// The key in each row.
    pub name: String,
    /// The heading.
    pub alias: String,
    /// Unit of its values; empty without a unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Decimals to show of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decimals: Option<u8>,
}

impl Column {
    /// A column of texts, times or ids.
    pub fn plain(name: &str, alias: &str) -> Self {
        Self { name: name.to_owned(), alias: alias.to_owned(), unit: None, decimals: None }
    }
}

/// The measured values of one substation's diagram: electrical (pds), assets (ads) and battery (dc), each with its columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct DataValues {
    /// Electrical values, a row an asset; keys are the column names.
    pub pds_data: Vec<serde_json::Map<String, serde_json::Value>>,
    /// Columns of `pdsData`.
    pub pds_columns: Vec<Column>,
    /// Temperatures, taps and oil, a row a transformer.
    pub ads_data: Vec<serde_json::Map<String, serde_json::Value>>,
    /// Columns of `adsData`.
    pub ads_columns: Vec<Column>,
    /// Battery values, a row a battery or RTU.
    pub dc_data: Vec<serde_json::Map<String, serde_json::Value>>,
    /// Columns of `dcData`.
    pub dc_columns: Vec<Column>,
}

/// One point of a substation with its value now, whether it is on the diagram or not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct GenericRow {
    /// The asset.
    pub asset_id: i64,
    /// Name of the asset.
    pub asset_name: String,
    /// The point.
    pub point_id: i64,
    /// Its address within the gateway, `device/metric`.
    pub point_name: String,
    /// The value; null when absent.
    pub value: Option<f64>,
    /// Unit, empty if none applies.
    pub unit: String,
    /// Decimals to show.
    pub decimals: u8,
    /// `status` or `measurand`.
    pub kind: String,
    /// For a status: `double`, `single` or `signal`.
    pub encoding: Option<String>,
    /// Quality code.
    pub quality: u8,
    /// By the device's clock; ISO 8601 UTC.
    pub source_time: Option<String>,
    /// Age at which the value is stale, ms.
    pub age_limit_ms: Option<i64>,
}

/// Every point of a substation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct GenericValues {
    /// A row a point.
    pub gds_data: Vec<GenericRow>,
    /// The columns to show.
    pub gds_columns: Vec<Column>,
}

/// The link state of every RTU and gateway that the caller can see.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct HostState {
    /// A row a gateway.
    pub gateways: Vec<GatewayRow>,
}
