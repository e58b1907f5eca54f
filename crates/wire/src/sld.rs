//! The file format of the single-line diagram, version 1, as `sld/substationsldfile` serves it and as the demo data contain it.
//!
//! A portable file names points by `device/metric` and assets by code. A served file also contains their ids and describes each point that it uses.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Value of `format`.
pub const FORMAT: &str = "switchyard-sld";
/// Value of `version`.
pub const VERSION: u32 = 1;

/// A single-line diagram.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Drawing {
    /// Always [`FORMAT`].
    pub format: String,
    /// Always [`VERSION`].
    pub version: u32,
    /// Name of the substation.
    pub name: String,
    /// Extent in drawing units.
    pub size: Size,
    /// Symbols, lines and texts. Each has `id` and `class`; the rest depends on the class.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<Object>))]
    pub elements: Vec<Map<String, Value>>,
    /// The points that elements refer to, by point id. Empty in a portable file.
    #[serde(default)]
    pub points: BTreeMap<i64, PointInfo>,
}

/// Extent of a drawing.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Size {
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

/// What a client needs to show a point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PointInfo {
    /// Address of the point within its gateway, `device/metric`.
    pub address: String,
    /// Id of the asset.
    pub asset: i64,
    /// Name of the asset.
    pub asset_name: String,
    /// The last part of the point's metric name.
    pub code: String,
    /// `status` or `measurand`.
    pub kind: String,
    /// For a status: `double`, `single` or `signal`.
    pub encoding: Option<String>,
    /// Unit, empty if none applies.
    pub unit: String,
    /// Decimals to show.
    pub decimals: u8,
    /// Age limit of the point, ms; null for report by exception.
    pub age_limit_ms: Option<i64>,
}

/// The file of a substation's diagram.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SldFile {
    /// A [`Drawing`] as JSON; empty without a drawing.
    pub sld_file_contents: String,
}

/// The changes to acknowledge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Acknowledge {
    /// Id of the substation.
    pub location_id: i64,
    /// Status points to acknowledge; if absent, all of the substation.
    #[serde(default)]
    pub point_ids: Option<Vec<i64>>,
}

/// The number of acknowledged changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Acknowledged {
    /// Number of points with a change that this call acknowledged.
    pub acknowledged: usize,
}
