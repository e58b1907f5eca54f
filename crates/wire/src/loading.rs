//! The permissible loading of a transformer over time (specification 3; docs/reference/asset-health.md defines the figures).

use serde::{Deserialize, Serialize};

/// A row of the permissible loading of a transformer: means of a bucket.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PermissibleLoadRow {
    /// The start of the bucket; ISO 8601 UTC.
    #[serde(rename = "ReportedDateTime")]
    pub reported: String,
    /// Oil temperature indicator, °C; null if nothing was measured.
    #[serde(rename = "OTI")]
    pub oil_c: Option<f64>,
    /// Winding temperature indicator, °C; null if nothing was measured.
    #[serde(rename = "WTI")]
    pub winding_c: Option<f64>,
    /// Ambient temperature, °C, measured at the transformer, otherwise at its substation; null if not measured.
    #[serde(rename = "AmbT")]
    pub ambient_c: Option<f64>,
    /// The permissible continuous load at this ambient temperature, per unit of `VAbase`; null without ambient temperature or rating.
    #[serde(rename = "LoadMult")]
    pub continuous: Option<f64>,
    /// Measured apparent power, MVA; null if nothing was measured.
    #[serde(rename = "VApres")]
    pub present: Option<f64>,
    /// The permissible load for two hours from the present thermal state, MVA; 0 if a limit is already exceeded; null if the thermal state is not known.
    #[serde(rename = "VA2hr")]
    pub two_hours: Option<f64>,
    /// Rated power, MVA; null without a rating.
    #[serde(rename = "VAbase")]
    pub base: Option<f64>,
    /// `LoadMult` × `VAbase`, MVA.
    #[serde(rename = "VAavl")]
    pub available: Option<f64>,
    /// Unit of the four powers: `MVA`.
    pub unit: String,
    /// Used life up to this time: years at the reference temperature with the same ageing of the insulation; null without a rating.
    #[serde(rename = "UsedLifeInYears")]
    pub used_life_years: Option<f64>,
    /// Hours without a known temperature, which `UsedLifeInYears` does not include; null without a rating.
    #[serde(rename = "MissingHours")]
    pub missing_hours: Option<f64>,
    /// State of the measured power: `WITHIN`, `TIME_LIMITED` (above `VAavl`), `CRITICAL` (above `VA2hr`), `LIMIT_EXCEEDED` (a temperature already exceeds its
    /// limit) or `UNKNOWN`.
    #[serde(rename = "Status")]
    pub status: String,
}
