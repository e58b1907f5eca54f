//! Rows of tables, the same over REST and on the live socket. Specification 2, section 3 defines the first fields; our own fields follow them.

use serde::{Deserialize, Serialize};

/// A row of the event list (sequence of events).
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
    /// New status as text.
    #[serde(rename = "ChangeTo")]
    pub change_to: String,
    /// The raw status value.
    #[serde(rename = "Value")]
    pub value: Option<f64>,
    /// Id of the asset.
    #[serde(rename = "AssetId")]
    pub asset_id: i64,
    /// Id of the point that changed.
    #[serde(rename = "PointId")]
    pub point_id: i64,
    /// Id of the substation.
    #[serde(rename = "LocationId")]
    pub location_id: i64,
    /// The substation's name.
    #[serde(rename = "LocationName")]
    pub location_name: String,
    /// Receive time; ISO 8601 UTC.
    #[serde(rename = "ReceivedTime")]
    pub received_time: String,
    /// Quality code.
    #[serde(rename = "Quality")]
    pub quality: u8,
    /// Position in the utility's event stream, in commit order.
    pub offset: i64,
}

/// A row of the load current table: the phase currents of a feeder and the fault currents of its last trip.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct LoadCurrentRow {
    /// Source time of the latest value in the row; ISO 8601 UTC, null before the first value.
    #[serde(rename = "reportedDateTime")]
    pub reported: Option<String>,
    /// Battery voltage of the substation's data concentrator (DCU, its RTU), V.
    #[serde(rename = "dcuBatVol")]
    pub dcu_battery_v: Option<f64>,
    /// The feeder's name.
    #[serde(rename = "deviceName")]
    pub feeder_name: String,
    /// Load current of phase R, A.
    #[serde(rename = "lc_Ir")]
    pub load_r_a: Option<f64>,
    /// Load current of phase Y, A.
    #[serde(rename = "lc_Iy")]
    pub load_y_a: Option<f64>,
    /// Load current of phase B, A.
    #[serde(rename = "lc_Ib")]
    pub load_b_a: Option<f64>,
    /// Fault current of phase R, A.
    #[serde(rename = "fC_Ir")]
    pub fault_r_a: Option<f64>,
    /// Fault current of phase Y, A.
    #[serde(rename = "fC_Iy")]
    pub fault_y_a: Option<f64>,
    /// Fault current of phase B, A.
    #[serde(rename = "fC_Ib")]
    pub fault_b_a: Option<f64>,
    /// Id of the feeder, the key of the row.
    pub id: i64,
    /// Id of the gateway that reports the feeder.
    #[serde(rename = "deviceId")]
    pub device_id: i64,
    /// Worst quality code of the values in the row.
    pub quality: u8,
    /// Age at which the row is stale, ms; null for report by exception.
    #[serde(rename = "ageLimitMs")]
    pub age_limit_ms: Option<i64>,
    /// Id of the substation.
    #[serde(rename = "locationId")]
    pub location_id: i64,
}

/// The link state of a gateway.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct GatewayRow {
    /// Id of the gateway.
    pub id: i64,
    /// Edge node name of the gateway.
    pub code: String,
    /// Display name of the gateway.
    pub name: String,
    /// Id of the substation.
    pub location_id: i64,
    /// Whether the gateway is online: its last birth was not followed by a death.
    pub online: bool,
    /// When this state began, epoch ms; null if it was never online.
    pub since: Option<i64>,
    /// Receive time of its last message, epoch ms.
    pub last_seen: Option<i64>,
}

/// A digital input with its present state (specification 2, section 3).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct DiRow {
    /// Id of the asset.
    #[serde(rename = "AssetId")]
    pub asset_id: i64,
    /// Id of the status point.
    #[serde(rename = "Asset2DiSettingId")]
    pub point_id: i64,
    /// The raw status; null if it was never received.
    #[serde(rename = "DICurrentStatus")]
    pub status: Option<i64>,
    /// The status as text: `OPEN`, `CLOSED`, `INTERMEDIATE`, `INVALID`, `ACTIVE` or `INACTIVE`.
    #[serde(rename = "DICurrentStatusText")]
    pub status_text: String,
    /// 1 if direct operation is possible, otherwise 0.
    #[serde(rename = "ControlAssetReq")]
    pub control_asset_req: u8,
    /// 1 if select before operate is possible, otherwise 0.
    #[serde(rename = "IsSBOSupported")]
    pub is_sbo_supported: u8,
    /// Quality code.
    pub quality: u8,
    /// Source time; ISO 8601 UTC.
    #[serde(rename = "sourceTime")]
    pub source_time: Option<String>,
    /// The last part of the point's metric name.
    #[serde(rename = "pointCode")]
    pub point_code: String,
    /// The asset's name.
    #[serde(rename = "assetName")]
    pub asset_name: String,
    /// Id of the gateway that reports the point: the `deviceId` of digiops/cbstatus.
    #[serde(rename = "gatewayId")]
    pub gateway_id: i64,
}

/// The digital inputs of one substation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct DiValues {
    /// One row for each digital input.
    #[serde(rename = "diData")]
    pub di_data: Vec<DiRow>,
}

/// A column of a table whose columns depend on its points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Column {
    /// The key in each row.
    pub name: String,
    /// Heading of the column.
    pub alias: String,
    /// Unit of the values; empty if none applies, absent for texts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Number of decimals to show; absent for texts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decimals: Option<u8>,
}

impl Column {
    /// Returns a column of texts, times or ids.
    pub fn plain(name: &str, alias: &str) -> Self {
        Self { name: name.to_owned(), alias: alias.to_owned(), unit: None, decimals: None }
    }
}

/// The measured values of a substation's diagram: electrical (pds), assets (ads) and battery (dc), each with its columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct DataValues {
    /// Electrical values, one row for each asset; keys are the column names.
    pub pds_data: Vec<serde_json::Map<String, serde_json::Value>>,
    /// Columns of `pdsData`.
    pub pds_columns: Vec<Column>,
    /// Temperatures, tap positions and oil levels, one row for each transformer.
    pub ads_data: Vec<serde_json::Map<String, serde_json::Value>>,
    /// Columns of `adsData`.
    pub ads_columns: Vec<Column>,
    /// Battery values, one row for each battery or RTU.
    pub dc_data: Vec<serde_json::Map<String, serde_json::Value>>,
    /// Columns of `dcData`.
    pub dc_columns: Vec<Column>,
}

/// A point of a substation with its present value, whether the diagram shows it or not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct GenericRow {
    /// Id of the asset.
    pub asset_id: i64,
    /// Name of the asset.
    pub asset_name: String,
    /// Id of the point.
    pub point_id: i64,
    /// Address of the point within its gateway, `device/metric`.
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
    /// Source time; ISO 8601 UTC.
    pub source_time: Option<String>,
    /// Age at which the value is stale, ms.
    pub age_limit_ms: Option<i64>,
}

/// All points of a substation or asset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct GenericValues {
    /// One row for each point.
    pub gds_data: Vec<GenericRow>,
    /// The columns to show.
    pub gds_columns: Vec<Column>,
}

/// The link states of all gateways that the caller can see.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct HostState {
    /// One row for each gateway.
    pub gateways: Vec<GatewayRow>,
}
