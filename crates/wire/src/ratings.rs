//! Ratings of transformers, as administrators read and write them.

use serde::{Deserialize, Serialize};

/// The rating of a transformer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RatingBody {
    /// Rated power of the cooling stage in service, MVA: above 0, below 10000.
    pub rated_mva: f64,
    /// `onan`, `onaf` or `distribution`.
    pub cooling: String,
    /// Insulation paper: `normal` or `upgraded` (thermally upgraded).
    pub paper: String,
    /// Loading regime whose limits apply to two hours of overload: `normal_cyclic`, `long_emergency` or `short_emergency`.
    pub regime: String,
    /// Thermal parameters, from the heat-run test; null for the default of the cooling.
    #[serde(default)]
    pub parameters: ThermalParameters,
    /// Temperatures at which the indicators alarm and trip.
    #[serde(default)]
    pub limits: IndicatorLimits,
    /// Life used before the first stored value, years: 0 to below 1000.
    #[serde(default)]
    pub used_life_years: f64,
}

/// Thermal parameters of IEC 60076-7; null for the default of the cooling.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ThermalParameters {
    /// Load losses over no-load losses at rated load (R): above 0, below 10000.
    pub loss_ratio: Option<f64>,
    /// Rise of the top oil over ambient temperature at rated load, K: above 0, below 200.
    pub oil_rise_k: Option<f64>,
    /// Rise of the hot spot over the top oil at rated load, K: above 0, below 200.
    pub gradient_k: Option<f64>,
    /// Oil exponent (x): above 0, below 5.
    pub oil_exponent: Option<f64>,
    /// Winding exponent (y): above 0, below 5.
    pub winding_exponent: Option<f64>,
    /// Time constant of the oil, min: above 0, below 10000.
    pub oil_minutes: Option<f64>,
    /// Time constant of the winding, min: above 0, below 10000.
    pub winding_minutes: Option<f64>,
    /// Constant k11: above 0, below 20.
    pub k11: Option<f64>,
    /// Constant k21: at least 1, below 20.
    pub k21: Option<f64>,
    /// Constant k22: above 0, below 20.
    pub k22: Option<f64>,
}

/// Temperatures at which the indicators of a transformer alarm and trip, °C, -50 to 250; null for none. They raise alarms, unless the point has its own rules.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct IndicatorLimits {
    /// Oil temperature of the alarm.
    pub oil_alarm_c: Option<f64>,
    /// Oil temperature of the trip; not below that of the alarm.
    pub oil_trip_c: Option<f64>,
    /// Winding temperature of the alarm.
    pub winding_alarm_c: Option<f64>,
    /// Winding temperature of the trip; not below that of the alarm.
    pub winding_trip_c: Option<f64>,
}

/// A transformer and its rating.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TransformerRating {
    /// Id of the transformer.
    pub asset_id: i64,
    /// Name of the transformer.
    pub asset_name: String,
    /// Id of the substation.
    pub location_id: i64,
    /// Name of the substation.
    pub location_name: String,
    /// The rating; null if none was entered.
    pub rating: Option<RatingBody>,
    /// Default thermal parameters of its cooling, used for parameters that are null.
    pub defaults: ThermalParameters,
}
