//! What a feeder carried and at which voltage, for how much of the time; and how its relay is set. Our definition (docs/API.md).

use grid::protection::Setting;
use serde::{Deserialize, Serialize};

/// The curves of a feeder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FeederCurves {
    /// The feeder.
    pub asset_id: i64,
    /// Name of the asset.
    pub asset_name: String,
    /// Unit of the demand: kW.
    pub unit: String,
    /// Unit of the voltages: kV.
    pub voltage_unit: String,
    /// The start of the span; ISO 8601 UTC.
    pub from: String,
    /// Its end, which is not later than now.
    pub to: String,
    /// The utility's time zone (IANA): hours of the day are its hours.
    pub time_zone: String,
    /// The length of a bucket of `load`, ms; null for single values.
    pub bucket_ms: Option<i64>,
    /// Share of the span for which the demand is known, %.
    pub coverage: f64,
    /// The load curve: active power in each bucket, 4000 at most. A gap is null.
    pub load: Vec<FeederLoadPoint>,
    /// The load duration curve: 101 points, or none.
    pub duration: Vec<FeederDurationPoint>,
    /// The same of the voltages between phase and earth, each phase by itself.
    pub voltage: Vec<FeederVoltagePoint>,
    /// The demand by hour of the day: 24 rows, from hours, or from ten minutes if the hours of the zone are not those of UTC; or none.
    pub by_hour: Vec<FeederHour>,
    /// Why there are none: `no_data`, `not_kept` (such buckets are not kept for the whole period) or `too_long`; otherwise null.
    pub by_hour_missing: Option<String>,
    /// How the relay is set, and what that means.
    pub protection: FeederProtection,
    /// Faults that began in the period, newest first, at most 500.
    pub faults: Vec<FeederFaultPoint>,
    /// Whether there were more of them: then the oldest are missing.
    pub cut: bool,
    /// `no_data` (no demand is known), `not_metered` (the feeder has no active power), `partial` (of the demand, or `cut`), `coarse`.
    pub flags: Vec<String>,
}

/// A bucket of the load curve.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FeederLoadPoint {
    /// Its start; epoch ms.
    pub time_ms: i64,
    /// The mean; null if nothing is known.
    pub demand: Option<f64>,
    /// The smallest value.
    pub min: Option<f64>,
    /// The largest value.
    pub max: Option<f64>,
}

/// A point of the load duration curve.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FeederDurationPoint {
    /// 0 to 100: for so much of the time that is known,
    pub percent_of_time: f64,
    /// the demand was at least this.
    pub demand: f64,
}

/// A point of the voltage duration curves; a phase that is not measured is null.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FeederVoltagePoint {
    /// 0 to 100: for so much of the time that is known,
    pub percent_of_time: f64,
    /// phase R had at least this,
    pub vr: Option<f64>,
    /// phase Y this,
    pub vy: Option<f64>,
    /// and phase B this.
    pub vb: Option<f64>,
}

/// An hour of the day over all days of the period; null if not known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FeederHour {
    /// 0 to 23.
    pub hour: u8,
    /// The smallest value.
    pub min: Option<f64>,
    /// The mean.
    pub mean: Option<f64>,
    /// The largest value.
    pub max: Option<f64>,
}

/// How a relay is set, and what that means.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FeederProtection {
    /// One entry for each element; empty if none was entered.
    pub settings: Vec<RelaySetting>,
    /// The curve of each element, up to the largest current that is drawn.
    pub curves: Vec<ProtectionCurve>,
}

/// The curve of an element.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ProtectionCurve {
    /// The element.
    pub element: String,
    /// Primary current (A) and time (s), equally far apart on a logarithmic axis.
    pub points: Vec<[f64; 2]>,
}

/// A fault among the curves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FeederFaultPoint {
    /// Its id.
    pub id: i64,
    /// The largest current of a phase, A; null while the currents are not known.
    pub amps: Option<f64>,
    /// The time between the operation of the relay and the opening of the breaker, s, without the relay's own time; null if no relay reported.
    #[serde(rename = "breakerOpeningS")]
    pub breaker_opening_s: Option<f64>,
    /// `LG`, `LL`, `LLG`, `LLL` or `Not known`.
    #[serde(rename = "type")]
    pub fault_type: String,
    /// The first opening; ISO 8601 UTC.
    pub time: String,
    /// The same; epoch ms.
    pub time_ms: i64,
    /// The phase element that should operate first at this current; null if there is none, or the current is not known.
    pub element: Option<String>,
    /// After how many seconds it is set to operate: the relay's time, without that of the breaker.
    pub expected_s: Option<f64>,
}

/// What the relay of a feeder is set to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RelaySettings {
    /// At most one an element.
    pub settings: Vec<RelaySetting>,
}

/// An element of a relay, by the numbers of IEEE C37.2.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RelaySetting {
    /// `51` and `50` of the phases, `51N` and `50N` of the residual current.
    pub element: String,
    /// From which primary current on, A; 1 to 100000.
    pub pickup_a: f64,
    /// `definite_time`, `iec_standard_inverse`, `iec_very_inverse`, `iec_extremely_inverse`, `iec_long_inverse`, `ieee_moderately_inverse`,
    /// `ieee_very_inverse` or `ieee_extremely_inverse`. A 50 and a 50N have `definite_time`.
    pub curve: String,
    /// Time multiplier or time dial of an inverse curve, 0.01 to 15; null for a definite time.
    #[serde(default)]
    pub tms: Option<f64>,
    /// The definite time, s, 0 to 600; null for an inverse curve.
    #[serde(default)]
    pub time_s: Option<f64>,
}

impl From<&Setting> for RelaySetting {
    fn from(setting: &Setting) -> Self {
        Self {
            element: setting.element.word().to_owned(),
            pickup_a: setting.pickup_a,
            curve: setting.curve.word().to_owned(),
            tms: setting.tms,
            time_s: setting.time_s,
        }
    }
}
