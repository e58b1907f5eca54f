//! Load and voltage duration curves of a feeder, and the settings of its relay. docs/reference/history.md, Feeder curves, defines the
//! figures.

use grid::protection::Setting;
use serde::{Deserialize, Serialize};

use crate::flag::Flag;

/// The curves of a feeder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FeederCurves {
    /// Id of the feeder.
    pub asset_id: i64,
    /// Name of the asset.
    pub asset_name: String,
    /// Unit of the demand: kW.
    pub unit: String,
    /// Unit of the voltages: kV.
    pub voltage_unit: String,
    /// The start of the period; ISO 8601 UTC.
    pub from: String,
    /// The end of the period, at most the time of the request; ISO 8601 UTC.
    pub to: String,
    /// The utility's time zone (IANA): hours of the day are its hours.
    pub time_zone: String,
    /// The length of a bucket of `load`, ms; null if `load` has raw values.
    pub bucket_ms: Option<i64>,
    /// Share of the period for which the demand is known, %.
    pub coverage: f64,
    /// The load curve: active power of each bucket, at most 4000 buckets. A gap is null.
    pub load: Vec<FeederLoadPoint>,
    /// The load duration curve: 101 points; empty if no demand is known.
    pub duration: Vec<FeederDurationPoint>,
    /// The voltage duration curves, phase to earth: each phase is sorted separately.
    pub voltage: Vec<FeederVoltagePoint>,
    /// The demand by hour of the day: 24 rows, or empty. They are computed from hourly buckets, or from ten minutes if the hours of the time zone differ from
    /// those of UTC.
    pub by_hour: Vec<FeederHour>,
    /// Why `byHour` is empty: `no_data`, `not_kept` (such buckets are not stored for the whole period) or `too_long`; otherwise null.
    pub by_hour_missing: Option<String>,
    /// The settings of the relay and their curves.
    pub protection: FeederProtection,
    /// Faults that began in the period, newest first, at most 500.
    pub faults: Vec<FeederFaultPoint>,
    /// Whether there were more than 500 faults, so that the oldest are missing.
    pub cut: bool,
    /// `no_data` (no demand is known), `not_metered` (the feeder has no active power), `partial` (a part of the demand is missing, or `cut`), `coarse`.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<String>))]
    pub flags: Vec<Flag>,
}

/// A bucket of the load curve.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FeederLoadPoint {
    /// Start of the bucket; epoch ms.
    pub time_ms: i64,
    /// Mean demand; null if nothing is known.
    pub demand: Option<f64>,
    /// Smallest demand.
    pub min: Option<f64>,
    /// Largest demand.
    pub max: Option<f64>,
}

/// A point of the load duration curve.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FeederDurationPoint {
    /// Share of the known time, 0 to 100 %.
    pub percent_of_time: f64,
    /// The demand that was reached or exceeded for this share of the time.
    pub demand: f64,
}

/// A point of the voltage duration curves; null for a phase that is not measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FeederVoltagePoint {
    /// Share of the known time, 0 to 100 %.
    pub percent_of_time: f64,
    /// The voltage of phase R that was reached or exceeded for this share of the time.
    pub vr: Option<f64>,
    /// The voltage of phase Y that was reached or exceeded for this share of the time.
    pub vy: Option<f64>,
    /// The voltage of phase B that was reached or exceeded for this share of the time.
    pub vb: Option<f64>,
}

/// The demand in one hour of the day over all days of the period; null if not known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FeederHour {
    /// Hour by the utility's clock, 0 to 23.
    pub hour: u8,
    /// Smallest demand.
    pub min: Option<f64>,
    /// Mean demand.
    pub mean: Option<f64>,
    /// Largest demand.
    pub max: Option<f64>,
}

/// The settings of a relay and the curves that follow from them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FeederProtection {
    /// One entry for each element; empty if no settings were entered.
    pub settings: Vec<RelaySetting>,
    /// The time-current curve of each element, up to the largest current in the chart.
    pub curves: Vec<ProtectionCurve>,
}

/// The time-current curve of a relay element.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ProtectionCurve {
    /// The element, such as `51`.
    pub element: String,
    /// Primary current (A) and operating time (s), at equal distances on a logarithmic axis of current.
    pub points: Vec<[f64; 2]>,
}

/// A fault in the chart of the protection curves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FeederFaultPoint {
    /// Id of the fault.
    pub id: i64,
    /// The largest phase current of the fault, A; null while the currents are not known.
    pub amps: Option<f64>,
    /// The time from the operation of the relay to the opening of the breaker, s, without the relay's operating time; null if no relay reported.
    #[serde(rename = "breakerOpeningS")]
    pub breaker_opening_s: Option<f64>,
    /// `LG`, `LL`, `LLG`, `LLL` or `Not known`.
    #[serde(rename = "type")]
    pub fault_type: String,
    /// Time of the first opening; ISO 8601 UTC.
    pub time: String,
    /// Time of the first opening; epoch ms.
    pub time_ms: i64,
    /// The phase element that should operate first at this current; null if there is none, or if the current is not known.
    pub element: Option<String>,
    /// Operating time of that element at this current, s, without the opening time of the breaker.
    pub expected_s: Option<f64>,
}

/// The settings of the relay of a feeder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RelaySettings {
    /// The settings, at most one for each element.
    pub settings: Vec<RelaySetting>,
}

/// The setting of a relay element; IEEE C37.2 defines the numbers of the elements.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RelaySetting {
    /// `51` or `50` for the phases, `51N` or `50N` for the residual current.
    pub element: String,
    /// Pickup: the primary current from which the element operates, A; 1 to 100000.
    pub pickup_a: f64,
    /// `definite_time`, `iec_standard_inverse`, `iec_very_inverse`, `iec_extremely_inverse`, `iec_long_inverse`, `ieee_moderately_inverse`, `ieee_very_inverse`
    /// or `ieee_extremely_inverse`. The elements `50` and `50N` require `definite_time`.
    pub curve: String,
    /// Time multiplier or time dial of an inverse curve, 0.01 to 15; null for `definite_time`.
    #[serde(default)]
    pub tms: Option<f64>,
    /// The definite time, s, 0 to 600; null for an inverse curve.
    #[serde(default)]
    pub time_s: Option<f64>,
}

impl From<&Setting> for RelaySetting {
    fn from(setting: &Setting) -> Self {
        Self {
            element: setting.element.as_str().to_owned(),
            pickup_a: setting.pickup_a,
            curve: setting.curve.as_str().to_owned(),
            tms: setting.tms,
            time_s: setting.time_s,
        }
    }
}
