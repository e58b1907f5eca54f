//! Reliability of supply: outages, the indices that are made of them, and what a utility has decided about how they are counted.

use grid::outage::Cause;
use grid::reliability::{Indices, MOMENTARY_MIN, Threshold};
use serde::{Deserialize, Serialize};

/// An outage as computed from the events, without corrections.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ComputedOutage {
    /// The first opening; ISO 8601 UTC.
    pub started: String,
    /// When the supply returned; null while it is open.
    pub ended: Option<String>,
    /// `fault`, `planned`, `switching`, `load_shedding`, `upstream` or `unknown`.
    pub cause: String,
}

/// An event of an outage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct OutageEvent {
    /// Its position in the utility's stream of events.
    pub offset: i64,
    /// The point.
    pub point_id: i64,
    /// Its asset.
    pub asset_name: String,
    /// Its name, such as `Position`.
    pub signal: String,
    /// The raw status.
    pub value: Option<f64>,
    /// The same as text, such as `OPEN`.
    pub change_to: String,
    /// When it happened, by the device's clock; ISO 8601 UTC.
    pub source: String,
}

/// A time in which a feeder had no supply: reclosings that belong together are one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct OutageRow {
    /// Its id.
    pub id: i64,
    /// Shared by the feeders that lost their supply by the same switching; they are one interruption.
    pub incident_id: i64,
    /// The feeder.
    pub asset_id: i64,
    /// Name of the asset.
    pub asset_name: String,
    /// The substation.
    pub location_id: i64,
    /// Name of the substation.
    pub location_name: String,
    /// Names from the circle down to the substation, joined by ` › `.
    pub bread_crumb_name: String,
    /// Customers that the feeder supplies.
    pub customers: i32,
    /// The first opening, by the device's clock or as corrected; ISO 8601 UTC.
    pub started: String,
    /// When the supply returned; null while it is open.
    pub ended: Option<String>,
    /// Minutes from start to end; null while it is open.
    pub minutes: Option<f64>,
    /// `momentary`, `sustained`, or `open`.
    pub class: String,
    /// `fault`, `planned`, `switching`, `load_shedding`, `upstream` or `unknown`.
    pub cause: String,
    /// How often the supply was lost within it.
    pub trips: i32,
    /// Whether it is in the indices; null for a single outage if that depends on the major event days of an area.
    pub counts_in: Option<bool>,
    /// Why not: `by_hand`, `feeds_substation`, `agricultural`, `cause` or `major_event_day`; `removed` for one that no longer exists.
    pub excluded_because: Option<String>,
    /// Whether a user has corrected it.
    pub corrected: bool,
    /// The user of the last correction.
    pub corrected_by: Option<String>,
    /// When; ISO 8601 UTC.
    pub corrected_at: Option<String>,
    /// And why.
    pub note: Option<String>,
    /// The outage as computed; null if the events no longer show it.
    pub computed: Option<ComputedOutage>,
    /// Its events, oldest first, at most 64; null in lists.
    pub events: Option<Vec<OutageEvent>>,
    /// Whether it began on a major event day of the requested area; null for a single outage, because each area has its own.
    pub major_event_day: Option<bool>,
    /// `open`, `provisional`.
    pub flags: Vec<String>,
}

/// Outages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Outages {
    /// Newest first.
    pub rows: Vec<OutageRow>,
    /// Whether there are more.
    pub cut: bool,
}

/// A correction of an outage. Missing or null fields have their computed values. It replaces an earlier correction.
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
    /// It counts in no index.
    #[serde(default)]
    pub exclude: bool,
    /// Why, 1 to 1000 characters.
    pub note: String,
}

/// Indices of IEEE 1366. Null if they are not defined: an average of nothing.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ReliabilityIndices {
    /// Minutes without supply of a customer on average.
    pub saidi: Option<f64>,
    /// Sustained interruptions of a customer on average.
    pub saifi: Option<f64>,
    /// Minutes of a sustained interruption on average.
    pub caidi: Option<f64>,
    /// Sustained interruptions of each customer who had one.
    pub caifi: Option<f64>,
    /// Momentary interruptions of a customer on average.
    pub maifi: Option<f64>,
    /// Minutes without supply of each customer who had any.
    pub ctaidi: Option<f64>,
    /// Part of the time in which customers had supply, 0 to 1.
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

/// A day that was so bad that it would hide all others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct MajorEventDay {
    /// `YYYY-MM-DD` in the utility's zone.
    pub day: String,
    /// Its SAIDI, min.
    pub saidi: f64,
}

/// The reliability of a month.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReliabilityScores {
    /// Minutes without supply of a customer on average.
    pub saidi: Option<f64>,
    /// Sustained interruptions of a customer on average.
    pub saifi: Option<f64>,
    /// Minutes of a sustained interruption on average.
    pub caidi: Option<f64>,
    /// Sustained interruptions of each customer who had one.
    pub caifi: Option<f64>,
    /// Momentary interruptions of a customer on average.
    pub maifi: Option<f64>,
    /// Minutes without supply of each customer who had any.
    pub ctaidi: Option<f64>,
    /// Part of the time in which customers had supply, 0 to 1.
    pub asai: Option<f64>,
    /// Customers supplied by the feeders, in units of `weighting`.
    pub customers_served: Option<f64>,
    /// Sustained interruptions of customers (CI).
    pub customer_interruptions: Option<f64>,
    /// Minutes of customers without supply (CMI).
    pub customer_minutes: Option<f64>,
    /// Customers who had a sustained interruption, each counted once (CN).
    pub customers_interrupted: Option<f64>,
    /// Momentary interruptions of customers.
    pub momentary_interruptions: Option<f64>,
    /// Outages of feeders that count, of any length.
    pub outages: Option<usize>,
    /// The number of open ones among them.
    pub open_outages: Option<usize>,
    /// Days above the limit.
    pub major_event_days: Vec<MajorEventDay>,
    /// The limit T_MED, min: from the daily SAIDI of the five calendar years before; null if those have fewer than two days with interruptions.
    pub t_med: Option<f64>,
    /// The indices without major event days.
    pub without_major_event_days: ReliabilityIndices,
    /// What customers are counted in: `customers`, `connected_kva` or `feeders`.
    pub weighting: Weighting,
    /// Up to how long an interruption is momentary, min.
    pub momentary_threshold_min: f64,
    /// The first midnight of the month in the utility's zone; ISO 8601 UTC.
    pub from: String,
    /// The midnight at its end.
    pub to: String,
    /// `no_data`, `no_customers`, `partial`, `late`, `open`, `provisional`.
    pub flags: Vec<String>,
}

/// A day of a month. Null for future and unknown days.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReliabilityDay {
    /// `DD/MM`.
    pub dt: String,
    /// `YYYY-MM-DD`.
    pub date: String,
    /// The month, such as `Nov`.
    pub mon: String,
    /// Sustained interruptions that began on it; feeders that went off by the same switching are one.
    pub interruptions: Option<usize>,
    /// How long these lasted, the longest feeder of each, min.
    pub duration: Option<f64>,
    /// Minutes of customers without supply.
    pub customer_minutes: Option<f64>,
    /// Its SAIDI, min.
    pub saidi: Option<f64>,
    /// Whether it is a major event day.
    pub major_event_day: Option<bool>,
}

/// The days of a month.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ReliabilityProfile {
    /// Every day of the month.
    pub rows: Vec<ReliabilityDay>,
    /// As of the month's scores.
    pub flags: Vec<String>,
}

/// A month of a year, or the year.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ReliabilityMonth {
    /// Such as `Nov`; for the year `Total`.
    pub month: String,
    /// `YYYYMM`; of the year `YYYY`.
    pub yyyymm: String,
    /// As of the month's scores.
    #[serde(rename = "SAIDI")]
    pub saidi: Option<f64>,
    /// As of the month's scores.
    #[serde(rename = "SAIFI")]
    pub saifi: Option<f64>,
    /// As of the month's scores.
    #[serde(rename = "CAIDI")]
    pub caidi: Option<f64>,
    /// As of the month's scores.
    #[serde(rename = "CAIFI")]
    pub caifi: Option<f64>,
    /// As of the month's scores.
    #[serde(rename = "MAIFI")]
    pub maifi: Option<f64>,
    /// As of the month's scores.
    pub flags: Vec<String>,
}

/// A year.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ReliabilityYear {
    /// Which one.
    pub year: i16,
    /// Its twelve months.
    pub rows: Vec<ReliabilityMonth>,
    /// The year, from the sums of its months.
    pub total: ReliabilityMonth,
    /// Those of all months.
    pub flags: Vec<String>,
}

/// A report of reliability.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReliabilityReportQuestion {
    /// `client`, `circle`, `division`, `town`, `subdivision`, `section`, `location` or `asset`.
    pub level: String,
    /// Its id.
    pub level_id: i64,
    /// 1 daily, 2 monthly, 3 quarterly, 4 financial year, 5 none, 6 date range, 7 single date, 9 weekly.
    pub frequency: i64,
    /// By the frequency: 1 and 7 `YYYY-MM-DD`, 2 `YYYY-MM`, 3 `YYYY-Q1` to `YYYY-Q4`, 4 `YYYY-YYYY` (April to March), 5 empty (the year so far),
    /// 6 `YYYY-MM-DD,YYYY-MM-DD` (both included), 9 `YYYY-W01` to `YYYY-W53`.
    #[serde(default)]
    pub frequency_value: String,
}

/// What a feeder is in figures of reliability besides its customers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FeederSupplyRow {
    /// Connected load, kVA; null if it is not known.
    #[serde(default)]
    pub connected_kva: Option<f64>,
    /// Whether it serves agriculture for the most part.
    #[serde(default)]
    pub agricultural: bool,
}

/// What a customer counts as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Weighting {
    /// By their number.
    #[default]
    Customers,
    /// By their connected load.
    ConnectedKva,
    /// Every feeder is one.
    Feeders,
}

/// What a utility has decided about how its reliability is counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ReliabilityConfiguration {
    /// Up to how long an interruption is momentary, min; 0 to 60.
    pub momentary_threshold_min: f64,
    /// Whether one of exactly that length is momentary.
    pub inclusive: bool,
    /// What customers are counted in.
    pub weighting: Weighting,
    /// Whether predominantly agricultural feeders are left out, with their customers.
    pub exclude_agricultural: bool,
    /// Causes that do not count, each once.
    pub exclude_causes: Vec<String>,
    /// Whether the indices leave out major event days.
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
    /// As a utility's document has it under `reliability`. What cannot be read is as usual.
    pub fn of(config: &serde_json::Value) -> Self {
        let Some(own) = config.get("reliability") else { return Self::default() };
        let read: Option<Self> = serde_json::from_value(own.clone()).ok();
        read.filter(|read| read.check().is_ok()).unwrap_or_default()
    }

    /// Says what of it cannot be taken.
    pub fn check(&self) -> Result<(), String> {
        if !(0.0..=60.0).contains(&self.momentary_threshold_min) {
            return Err("reliability.momentaryThresholdMin must lie between 0 and 60".to_owned());
        }
        for (at, word) in self.exclude_causes.iter().enumerate() {
            if Cause::from_word(word).is_none() {
                let words: Vec<&str> = Cause::ALL.into_iter().map(Cause::word).collect();
                return Err(format!("reliability.excludeCauses[{at}] must be one of {}", words.join(", ")));
            }
            if self.exclude_causes[..at].contains(word) {
                return Err(format!("reliability.excludeCauses[{at}] is named twice, once is allowed"));
            }
        }
        Ok(())
    }

    /// Where momentary ends.
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
