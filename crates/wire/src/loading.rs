//! What may be loaded on a transformer, over time (specification 3; what the figures mean is our own definition, docs/API.md).

use serde::{Deserialize, Serialize};

/// One row of the permissible loading of a transformer: means over a bucket of time.
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
    /// The load that it can carry permanently at this ambient temperature, per unit of VAbase; null without ambient temperature or rating.
    #[serde(rename = "LoadMult")]
    pub continuous: Option<f64>,
    /// Measured apparent power; null if nothing was measured.
    #[serde(rename = "VApres")]
    pub present: Option<f64>,
    /// The load that it can carry for two hours from its present thermal state, 0 if a limit is already exceeded; null if that state is not known.
    #[serde(rename = "VA2hr")]
    pub two_hours: Option<f64>,
    /// Rated power; null where no rating is known.
    #[serde(rename = "VAbase")]
    pub base: Option<f64>,
    /// LoadMult times VAbase.
    #[serde(rename = "VAavl")]
    pub available: Option<f64>,
    /// Of the four powers: MVA.
    pub unit: String,
    /// Years at the reference temperature of its insulation that have aged it as much as its life up to this time; null without rating.
    #[serde(rename = "UsedLifeInYears")]
    pub used_life_years: Option<f64>,
    /// Hours that are not in it, because no temperature was known; null without rating.
    #[serde(rename = "MissingHours")]
    pub missing_hours: Option<f64>,
    /// VApres compared with the others: `WITHIN`, `TIME_LIMITED` (above VAavl), `CRITICAL` (above VA2hr), `LIMIT_EXCEEDED` (a temperature is too high already),
    /// `UNKNOWN`.
    #[serde(rename = "Status")]
    pub status: String,
}
