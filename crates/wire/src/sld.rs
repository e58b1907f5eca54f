//! The single-line diagram file, version 1: what `sld/substationsldfile` serves and what the demo ships.
//!
//! A portable file names points by `device/metric` and assets by code; the served file carries their ids as well and describes each point it uses.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The word in `format`.
pub const FORMAT: &str = "switchyard-sld";
/// The version written today.
pub const VERSION: u32 = 1;

/// A diagram.
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
    /// To the right.
    pub width: f64,
    /// Downwards.
    pub height: f64,
}

/// What a client must know of a point to show it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PointInfo {
    /// `device/metric`.
    pub address: String,
    /// The asset it belongs to.
    pub asset: i64,
    /// Name of the asset.
    pub asset_name: String,
    /// The code that ends the metric name.
    pub code: String,
    /// `status` or `measurand`.
    pub kind: String,
    /// For a status: `double`, `single` or `signal`.
    pub encoding: Option<String>,
    /// Unit.
    pub unit: String,
    /// Decimals to show.
    pub decimals: u8,
    /// Age at which it is stale, ms.
    pub age_limit_ms: Option<i64>,
}

/// The diagram of a substation as a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SldFile {
    /// A [`Drawing`] as JSON; empty without a drawing.
    pub sld_file_contents: String,
}

/// Which changes are acknowledged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Acknowledge {
    /// The substation.
    pub location_id: i64,
    /// Its status points; all of them when absent.
    #[serde(default)]
    pub point_ids: Option<Vec<i64>>,
}

/// The result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Acknowledged {
    /// Points that had something to acknowledge.
    pub acknowledged: usize,
}
