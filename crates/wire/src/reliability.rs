//! Reliability of supply: outages, indices, and the settings of a utility for counting them.

use grid::outage::Cause;
use grid::reliability::{Indices, MOMENTARY_MIN, Threshold};
use serde::{Deserialize, Serialize};

use crate::flag::Flag;

/// An outage as computed from the events, without corrections.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ComputedOutage {
    /// The first opening; ISO 8601 UTC.
    pub started: String,
    /// When the supply returned; null while the outage lasts.
    pub ended: Option<String>,
    /// `fault`, `planned`, `switching`, `load_shedding`, `upstream` or `unknown`.
    pub cause: String,
}

/// An event of an outage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct OutageEvent {
    /// Offset of the event in the utility's stream of events.
    pub offset: i64,
    /// Id of the point.
    pub point_id: i64,
    /// Its asset.
    pub asset_name: String,
    /// Name of the signal, such as `Position`.
    pub signal: String,
    /// The raw status.
    pub value: Option<f64>,
    /// The raw status as text, such as `OPEN`.
    pub change_to: String,
    /// Source time of the event; ISO 8601 UTC.
    pub source: String,
}

/// An outage: a time in which a feeder had no supply. Openings and reclosings of one disturbance are one outage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct OutageRow {
    /// Id of the outage.
    pub id: i64,
    /// Id of the incident: feeders that lost their supply by the same switching share it and count as one interruption.
    pub incident_id: i64,
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
    /// Customers interrupted: those of the feeder that were without supply, by the network; or else all that the feeder supplies.
    pub customers: i32,
    /// Whether the number of customers is known: counted in the network, or entered for the feeder. If not, `customers` is 0.
    pub customers_known: bool,
    /// The first opening, by the device's clock or as corrected; ISO 8601 UTC.
    pub started: String,
    /// When the supply returned; null while the outage lasts.
    pub ended: Option<String>,
    /// Minutes from start to end; null while the outage lasts.
    pub minutes: Option<f64>,
    /// `momentary`, `sustained`, or `open`.
    pub class: String,
    /// `fault`, `planned`, `switching`, `load_shedding`, `upstream` or `unknown`.
    pub cause: String,
    /// How often the supply was lost during the outage.
    pub trips: i32,
    /// Whether the indices include the outage.
    pub counts_in: Option<bool>,
    /// Why the indices do not include it: `by_hand`, `feeds_substation`, `agricultural`, `cause`, `before_sustained` (reclosings before a sustained
    /// outage), `no_customers` (the feeder supplies nobody) or `major_event_day`; `removed` if the outage no longer exists.
    pub excluded_because: Option<String>,
    /// Whether a user has corrected the outage.
    pub corrected: bool,
    /// The user who corrected it last.
    pub corrected_by: Option<String>,
    /// When it was corrected last; ISO 8601 UTC.
    pub corrected_at: Option<String>,
    /// Reason for the correction.
    pub note: Option<String>,
    /// The outage as computed from the events; null if the events no longer show it.
    pub computed: Option<ComputedOutage>,
    /// Events of the outage, oldest first, at most 64; null in lists.
    pub events: Option<Vec<OutageEvent>>,
    /// Whether the outage began on a major event day of the utility.
    pub major_event_day: Option<bool>,
    /// `open`, `provisional`.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<String>))]
    pub flags: Vec<Flag>,
}

/// A list of outages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Outages {
    /// Outages, newest first.
    pub rows: Vec<OutageRow>,
    /// Whether there are more outages than listed.
    pub cut: bool,
}

/// A correction of an outage. It replaces an earlier correction. Missing or null fields have their computed values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct CorrectOutage {
    /// The first opening; ISO 8601.
    #[serde(default)]
    pub started: Option<String>,
    /// When the supply returned; ISO 8601.
    #[serde(default)]
    pub ended: Option<String>,
    /// `fault`, `planned`, `switching`, `load_shedding`, `upstream` or `unknown`.
    #[serde(default)]
    pub cause: Option<String>,
    /// Whether to leave the outage out of all indices.
    #[serde(default)]
    pub exclude: bool,
    /// Reason for the correction, 1 to 1000 characters.
    pub note: String,
}

/// Indices of IEEE 1366. An index is null if it is not defined, because it would be an average over nothing.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ReliabilityIndices {
    /// SAIDI: minutes without supply per customer.
    pub saidi: Option<f64>,
    /// SAIFI: sustained interruptions per customer.
    pub saifi: Option<f64>,
    /// CAIDI: mean duration of a sustained interruption, min.
    pub caidi: Option<f64>,
    /// CAIFI: sustained interruptions per customer with at least one.
    pub caifi: Option<f64>,
    /// MAIFI: momentary interruptions per customer.
    pub maifi: Option<f64>,
    /// CTAIDI: minutes without supply per customer with at least one sustained interruption.
    pub ctaidi: Option<f64>,
    /// ASAI: share of the time in which customers had supply, 0 to 1.
    pub asai: Option<f64>,
}

impl From<Option<Indices>> for ReliabilityIndices {
    fn from(indices: Option<Indices>) -> Self {
        indices.map_or_else(Self::default, |indices| Self {
            saidi: Some(indices.saidi),
            saifi: Some(indices.saifi),
            caidi: indices.caidi,
            caifi: indices.caifi,
            maifi: Some(indices.maifi),
            ctaidi: indices.ctaidi,
            asai: indices.asai,
        })
    }
}

/// A major event day: a day on which the SAIDI of the whole utility is above T_MED (IEEE 1366).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct MajorEventDay {
    /// Date in the utility's time zone, `YYYY-MM-DD`.
    pub day: String,
    /// SAIDI of the whole utility on the day, min.
    pub saidi: f64,
}

/// The reliability of a month.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReliabilityScores {
    /// SAIDI: minutes without supply per customer.
    pub saidi: Option<f64>,
    /// SAIFI: sustained interruptions per customer.
    pub saifi: Option<f64>,
    /// CAIDI: mean duration of a sustained interruption, min.
    pub caidi: Option<f64>,
    /// CAIFI: sustained interruptions per customer with at least one.
    pub caifi: Option<f64>,
    /// MAIFI: momentary interruptions per customer.
    pub maifi: Option<f64>,
    /// CTAIDI: minutes without supply per customer with at least one sustained interruption.
    pub ctaidi: Option<f64>,
    /// ASAI: share of the time in which customers had supply, 0 to 1.
    pub asai: Option<f64>,
    /// Customers served: those of all feeders, in units of `weighting`.
    pub customers_served: Option<f64>,
    /// Customer interruptions (CI): sustained interruptions, each multiplied by its customers.
    pub customer_interruptions: Option<f64>,
    /// Customer minutes without supply (CMI).
    pub customer_minutes: Option<f64>,
    /// Customers with at least one sustained interruption (CN).
    pub customers_interrupted: Option<f64>,
    /// Momentary interruptions, each multiplied by its customers.
    pub momentary_interruptions: Option<f64>,
    /// Number of outages of feeders that the indices include, of any duration.
    pub outages: Option<usize>,
    /// Number of sustained outages among them: those in SAIDI, SAIFI, CAIDI, CAIFI, CTAIDI and ASAI.
    pub sustained_outages: Option<usize>,
    /// Number of momentary outages among them: those in MAIFI.
    pub momentary_outages: Option<usize>,
    /// Number of these outages that have not ended.
    pub open_outages: Option<usize>,
    /// Days on which the SAIDI of the whole utility is above `tMed`. They apply to each of its areas.
    pub major_event_days: Vec<MajorEventDay>,
    /// Threshold T_MED, min, from the daily SAIDI of the whole utility in the five calendar years before; null if these have fewer than two days with
    /// interruptions.
    pub t_med: Option<f64>,
    /// The indices without major event days.
    pub without_major_event_days: ReliabilityIndices,
    /// Unit in which customers are counted: `customers`, `connected_kva` or `feeders`.
    pub weighting: Weighting,
    /// Longest duration of a momentary interruption, min.
    pub momentary_threshold_min: f64,
    /// Midnight at the start of the month in the utility's time zone; ISO 8601 UTC.
    pub from: String,
    /// Midnight at the end of the month; ISO 8601 UTC.
    pub to: String,
    /// `no_data`, `no_feeder`, `no_customers`, `partial`, `late`, `open`, `provisional`.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<String>))]
    pub flags: Vec<Flag>,
}

/// The reliability of one day. Values are null for future and unknown days.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReliabilityDay {
    /// Date, `DD/MM`.
    pub dt: String,
    /// Date in the utility's time zone, `YYYY-MM-DD`.
    pub date: String,
    /// The month, such as `Nov`.
    pub mon: String,
    /// Number of sustained interruptions that began on the day. Feeders that lost supply by the same switching count once.
    pub interruptions: Option<usize>,
    /// Sum of their durations, min: of each interruption the duration of its longest feeder.
    pub duration: Option<f64>,
    /// Customer minutes without supply.
    pub customer_minutes: Option<f64>,
    /// SAIDI of the day, min.
    pub saidi: Option<f64>,
    /// Whether the day is a major event day.
    pub major_event_day: Option<bool>,
}

/// The reliability of each day of a month.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ReliabilityProfile {
    /// One row for each day of the month.
    pub rows: Vec<ReliabilityDay>,
    /// Flags as for the scores of the month.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<String>))]
    pub flags: Vec<Flag>,
}

/// The reliability of a month, or of the whole year.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ReliabilityMonth {
    /// Name of the month, such as `Nov`; `Total` for the year.
    pub month: String,
    /// `YYYYMM`; `YYYY` for the year.
    pub yyyymm: String,
    /// SAIDI, as in the scores of the month.
    #[serde(rename = "SAIDI")]
    pub saidi: Option<f64>,
    /// SAIFI, as in the scores of the month.
    #[serde(rename = "SAIFI")]
    pub saifi: Option<f64>,
    /// CAIDI, as in the scores of the month.
    #[serde(rename = "CAIDI")]
    pub caidi: Option<f64>,
    /// CAIFI, as in the scores of the month.
    #[serde(rename = "CAIFI")]
    pub caifi: Option<f64>,
    /// MAIFI, as in the scores of the month.
    #[serde(rename = "MAIFI")]
    pub maifi: Option<f64>,
    /// Flags, as in the scores of the month.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<String>))]
    pub flags: Vec<Flag>,
}

/// The reliability of a year by month.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ReliabilityYear {
    /// The year.
    pub year: i16,
    /// Twelve rows, one for each month.
    pub rows: Vec<ReliabilityMonth>,
    /// Indices of the year, from the sums over its months.
    pub total: ReliabilityMonth,
    /// All flags of the months.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<String>))]
    pub flags: Vec<Flag>,
}

/// A request for a reliability report.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReliabilityReportQuestion {
    /// `client`, `circle`, `division`, `town`, `subdivision`, `section`, `location` or `asset`.
    pub level: String,
    /// Id of the node or asset.
    pub level_id: i64,
    /// 1 daily, 2 monthly, 3 quarterly, 4 financial year, 5 none, 6 date range, 7 single date, 9 weekly.
    pub frequency: i64,
    /// The period, in the form of the frequency: 1 and 7 `YYYY-MM-DD`, 2 `YYYY-MM`, 3 `YYYY-Q1` to `YYYY-Q4`, 4 `YYYY-YYYY` (April to March), 5 empty (the year
    /// so far), 6 `YYYY-MM-DD,YYYY-MM-DD` (both included), 9 `YYYY-W01` to `YYYY-W53`.
    #[serde(default)]
    pub frequency_value: String,
}

/// Properties of a feeder for reliability indices, in addition to its customers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FeederSupplyRow {
    /// Connected load, kVA; null if not known.
    #[serde(default)]
    pub connected_kva: Option<f64>,
    /// Whether the feeder supplies mainly agriculture.
    #[serde(default)]
    pub agricultural: bool,
}

/// The unit in which customers are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Weighting {
    /// Number of customers.
    #[default]
    Customers,
    /// Connected load of the feeder, kVA.
    ConnectedKva,
    /// Each feeder counts as one.
    Feeders,
}

/// Settings of a utility for reliability indices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ReliabilityConfiguration {
    /// Longest duration of a momentary interruption, min; 0 to 60.
    pub momentary_threshold_min: f64,
    /// Whether an interruption of exactly this duration is momentary.
    pub inclusive: bool,
    /// Unit in which customers are counted.
    pub weighting: Weighting,
    /// Whether to leave out predominantly agricultural feeders and their customers.
    pub exclude_agricultural: bool,
    /// Causes whose outages are left out, each once.
    pub exclude_causes: Vec<String>,
    /// Whether to leave out major event days.
    pub exclude_major_event_days: bool,
}

impl Default for ReliabilityConfiguration {
    fn default() -> Self {
        Self {
            momentary_threshold_min: MOMENTARY_MIN,
            inclusive: true,
            weighting: Weighting::Customers,
            exclude_agricultural: false,
            exclude_causes: Vec::new(),
            exclude_major_event_days: false,
        }
    }
}

impl ReliabilityConfiguration {
    /// Reads `reliability` of a utility's configuration document. If it is absent or invalid, all settings have their defaults.
    pub fn of(config: &serde_json::Value) -> Self {
        let Some(own) = config.get("reliability") else { return Self::default() };
        let read: Option<Self> = serde_json::from_value(own.clone()).ok();
        read.filter(|read| read.check().is_ok()).unwrap_or_default()
    }

    /// Checks all settings. The error names the setting and the accepted values.
    pub fn check(&self) -> Result<(), String> {
        if !(0.0..=60.0).contains(&self.momentary_threshold_min) {
            return Err("reliability.momentaryThresholdMin must lie between 0 and 60".to_owned());
        }
        for (at, word) in self.exclude_causes.iter().enumerate() {
            if Cause::parse(word).is_none() {
                let words: Vec<&str> = Cause::ALL.into_iter().map(Cause::as_str).collect();
                return Err(format!("reliability.excludeCauses[{at}] must be one of {}", words.join(", ")));
            }
            if self.exclude_causes[..at].contains(word) {
                return Err(format!("reliability.excludeCauses[{at}] is named twice, once is allowed"));
            }
        }
        Ok(())
    }

    /// Returns the limit between momentary and sustained interruptions.
    pub fn threshold(&self) -> Threshold {
        Threshold { minutes: self.momentary_threshold_min, inclusive: self.inclusive }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_cannot_be_read_is_as_usual() {
        let of = |reliability| ReliabilityConfiguration::of(&json!({ "reliability": reliability }));
        let own = of(json!({ "momentaryThresholdMin": 3, "weighting": "feeders", "excludeCauses": ["planned"] }));
        assert_eq!((own.threshold().minutes, own.weighting, own.inclusive), (3.0, Weighting::Feeders, true));
        for broken in [
            json!({ "momentaryThresholdMin": 61 }),
            json!({ "momentaryThresholdMin": -1 }),
            json!({ "excludeCauses": ["weather"] }),
            json!({ "excludeCauses": ["fault", "fault"] }),
            json!({ "unknown": 1 }),
            json!("five"),
        ] {
            assert_eq!(of(broken.clone()), ReliabilityConfiguration::default(), "{broken}");
        }
        assert_eq!(ReliabilityConfiguration::of(&json!({})), ReliabilityConfiguration::default());
    }
}
