//! Values that users enter by hand: until when they count, and which values are plausible.

use crate::measure::Quantity;
use crate::{Micros, Ordinal, Quality, Reading, enum_text};

/// Maximum age of an observation at its entry, ms: 7 days.
pub const OBSERVED_AGE_MAX_MS: i64 = 7 * 24 * 60 * 60 * 1_000;
/// How far the time of an observation may be ahead of the server's clock, ms.
const OBSERVED_AHEAD_MAX_MS: i64 = 2_000;
/// The highest plausible voltage as a multiple of the nominal one. An earth fault raises the voltage to earth of the other phases to 1.73 times.
const VOLTAGE_MAX: f64 = 1.9;

/// When an entry yields to telemetry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EntryRule {
    /// At the first report that is newer than the entry.
    UntilReported,
    /// Never: it counts until a user withdraws it. For a point that is known to be wrong.
    UntilWithdrawn,
}

enum_text! {
    /// Returns the text in the database and the API.
    EntryRule { UntilReported = "untilReported", UntilWithdrawn = "untilWithdrawn" }
}

/// The rule and the times of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryTerms {
    /// When it yields to telemetry.
    pub rule: EntryRule,
    /// Time of the observation, as the user states it.
    pub observed: Micros,
    /// Time of the entry.
    pub entered: Micros,
    /// The greatest number of the readings that the points of the value had at the entry. `None` if it is not known: for entries of earlier releases, and for
    /// positions that several gateways report.
    pub seen: Option<Ordinal>,
}

impl EntryTerms {
    /// Returns whether the entry counts beside the last reading of a point.
    ///
    /// A report is newer if ingest has numbered it after those at the entry, or if it was measured after the observation. Without such numbers, it is newer if it was
    /// received after the entry: those are times of two clocks. One that the device marks as invalid or stale says nothing.
    /// A reading whose link is lost was a report before, so it ends the entry: the quality that it had is not known any more.
    pub fn counts(self, last: Option<&Reading>) -> bool {
        let is_report = |reading: &&Reading| !matches!(reading.quality, Quality::Invalid | Quality::Stale | Quality::Never);
        let follows =
            |reading: &Reading| self.seen.and_then(|seen| reading.ordinal.follows(seen)).unwrap_or(reading.received > self.entered);
        let is_newer = |reading: &Reading| follows(reading) || reading.source > self.observed;
        self.rule == EntryRule::UntilWithdrawn || !last.filter(is_report).is_some_and(is_newer)
    }
}

/// A value that a user has entered for a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnteredValue {
    /// The value in the unit of the point; a position as its number.
    pub value: f64,
    /// Until when it counts.
    pub terms: EntryTerms,
}

impl EnteredValue {
    /// Returns the reading to show instead of the last one of the point, with quality substituted; `None` if telemetry counts. `last` must have the quality
    /// that was reported, not that of the link.
    pub fn shown(&self, last: Option<&Reading>) -> Option<Reading> {
        self.terms.counts(last).then(|| Reading {
            value: Some(self.value),
            quality: Quality::Substituted,
            source: self.terms.observed,
            received: self.terms.entered,
            ordinal: last.map(|reading| reading.ordinal).unwrap_or_default(),
        })
    }
}

/// Why the time of an observation is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObservedError {
    /// It is in the future.
    Future,
    /// It is older than [`OBSERVED_AGE_MAX_MS`].
    Old,
}

/// Checks the time of an observation.
///
/// # Errors
/// It is in the future or too old.
pub fn check_observed(observed: Micros, now: Micros) -> Result<(), ObservedError> {
    let age_ms = now.millis_since(observed);
    if age_ms < -OBSERVED_AHEAD_MAX_MS {
        return Err(ObservedError::Future);
    }
    if age_ms > OBSERVED_AGE_MAX_MS { Err(ObservedError::Old) } else { Ok(()) }
}

/// The plausible values of a quantity, both ends included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlausibleRange {
    /// The least value.
    pub least: f64,
    /// The greatest value.
    pub greatest: f64,
}

impl PlausibleRange {
    /// Returns whether a value is plausible.
    pub fn contains(self, value: f64) -> bool {
        (self.least..=self.greatest).contains(&value)
    }
}

/// Returns the plausible values of a quantity by the code of its point; `None` for what cannot be entered, such as registers and signals. `nominal_kv` is the
/// nominal voltage between two phases at the place, if it is known.
pub fn plausible(code: &str, quantity: Quantity, nominal_kv: Option<f64>) -> Option<PlausibleRange> {
    let range = |least, greatest| Some(PlausibleRange { least, greatest });
    match quantity {
        Quantity::Voltage => {
            let is_to_earth = matches!(code, "Vr" | "Vy" | "Vb");
            let nominal = nominal_kv.map(|kv| if is_to_earth { kv / 3.0_f64.sqrt() } else { kv });
            range(0.0, nominal.map_or(1_200.0, |kv| kv * VOLTAGE_MAX))
        }
        Quantity::Current | Quantity::FaultCurrent => range(0.0, 100_000.0),
        Quantity::ActivePower | Quantity::ReactivePower => range(-5_000.0, 5_000.0),
        Quantity::ApparentPower => range(0.0, 5_000.0),
        Quantity::PowerFactor => range(-1.0, 1.0),
        Quantity::Frequency => range(0.0, 75.0),
        Quantity::Temperature => range(-60.0, 300.0),
        Quantity::DcVoltage => range(0.0, 1_500.0),
        Quantity::DcCurrent => range(-10_000.0, 10_000.0),
        Quantity::Tap => range(-50.0, 50.0),
        Quantity::Percent => range(0.0, 100.0),
        Quantity::Angle
        | Quantity::Distortion
        | Quantity::Flicker
        | Quantity::ActiveEnergy
        | Quantity::ReactiveEnergy
        | Quantity::Count
        | Quantity::Status
        | Quantity::Other => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Term;

    const OBSERVED: Micros = Micros(1_000_000_000);
    const ENTERED: Micros = Micros(2_000_000_000);

    fn terms(rule: EntryRule) -> EntryTerms {
        EntryTerms { rule, observed: OBSERVED, entered: ENTERED, seen: None }
    }

    fn reading(quality: Quality, source: Micros, received: Micros) -> Reading {
        Reading { value: Some(2.0), quality, source, received, ordinal: Ordinal::default() }
    }

    #[test]
    fn entry_yields_to_the_first_newer_report() {
        use Quality::{CommLost, Good, Invalid, Questionable, Stale, Substituted};
        let (before, after) = (OBSERVED.plus_millis(-1), ENTERED.plus_millis(1));
        let between = OBSERVED.plus_millis(1);
        for (quality, source, received, counts) in [
            (Good, before, before, true),
            (CommLost, before, before, true),
            (Good, between, between, false),
            (Good, before, after, false),
            (Good, after, after, false),
            (Substituted, after, after, false),
            (Questionable, after, after, false),
            (CommLost, before, after, false),
            (Invalid, after, after, true),
            (Stale, after, after, true),
        ] {
            let last = reading(quality, source, received);
            assert_eq!(terms(EntryRule::UntilReported).counts(Some(&last)), counts, "{quality:?} {source:?} {received:?}");
            assert!(terms(EntryRule::UntilWithdrawn).counts(Some(&last)), "{quality:?}: it counts until it is withdrawn");
        }
        assert!(terms(EntryRule::UntilReported).counts(None), "nothing was ever reported");
    }

    #[test]
    fn entry_yields_by_the_number_of_a_report_whatever_the_clocks_say() {
        let (before, after) = (OBSERVED.plus_millis(-1), ENTERED.plus_millis(1));
        let of = |term, count| Ordinal::of_term(Term(term), count);
        let seen = EntryTerms { seen: Some(of(3, 7)), ..terms(EntryRule::UntilReported) };
        for (ordinal, source, received, counts, why) in [
            (of(3, 7), before, after, true, "the clock of the entry is behind: the report was there"),
            (of(3, 2), before, after, true, "the report of another point, from before"),
            (of(3, 8), before, before, false, "the clock of the entry is ahead: the report came afterwards"),
            (of(4, 1), before, before, false, "from the next ingest"),
            (of(3, 7), ENTERED, before, false, "measured after the observation"),
            (Ordinal { epoch: 1, seq: 1 }, before, after, false, "without a number, times decide"),
            (Ordinal { epoch: 1, seq: 1 }, before, before, true, "without a number, times decide"),
        ] {
            let last = Reading { ordinal, ..reading(Quality::Good, source, received) };
            assert_eq!(seen.counts(Some(&last)), counts, "{why}");
        }
        let never = EntryTerms { seen: Some(Ordinal::LOWEST), ..seen };
        let first = Reading { ordinal: of(1, 1), ..reading(Quality::Good, before, before) };
        assert!(!never.counts(Some(&first)), "the first report of a point");
        let all = EntryTerms { seen: Some(Ordinal::HIGHEST), ..seen };
        assert!(all.counts(Some(&first)) && !all.counts(Some(&Reading { source: ENTERED, ..first })), "only the observation counts");
        assert_eq!(of(3, 7).later(Ordinal { epoch: 1, seq: 9 }), of(3, 7), "a number of another kind is before all others");
    }

    #[test]
    fn counting_entry_is_shown_as_substituted_with_the_time_of_its_observation() {
        let entered = EnteredValue { value: 10.8, terms: terms(EntryRule::UntilReported) };
        let shown = entered.shown(None).unwrap();
        assert_eq!((shown.value, shown.quality, shown.source, shown.received), (Some(10.8), Quality::Substituted, OBSERVED, ENTERED));
        let newer = reading(Quality::Good, ENTERED, ENTERED.plus_millis(1));
        assert_eq!(entered.shown(Some(&newer)), None);
        assert!(terms(EntryRule::UntilReported).counts(Some(&shown)), "it is no report itself");
    }

    #[test]
    fn observation_is_not_in_the_future_and_at_most_seven_days_old() {
        let week = OBSERVED_AGE_MAX_MS;
        for (age_ms, expected) in
            [(0, Ok(())), (-2_000, Ok(())), (-2_001, Err(ObservedError::Future)), (week, Ok(())), (week + 1, Err(ObservedError::Old))]
        {
            assert_eq!(check_observed(ENTERED.plus_millis(-age_ms), ENTERED), expected, "{age_ms}");
        }
    }

    #[test]
    fn volts_instead_of_kilovolts_are_not_plausible() {
        let of = |code: &str, nominal| plausible(code, Quantity::of_code(code), nominal);
        for (code, nominal, value, expected) in [
            ("Vry", Some(11.0), 11.3, true),
            ("Vry", Some(11.0), 11_300.0, false),
            ("Vry", Some(11.0), -1.0, false),
            ("Vr", Some(11.0), 11.0, true),
            ("Vr", Some(11.0), 12.5, false),
            ("Vry", None, 1_300.0, false),
            ("Ir", None, 410.0, true),
            ("Pf", None, 95.0, false),
            ("P", None, -3.4, true),
            ("P", None, 3_400_000.0, false),
            ("OTI", None, f64::NAN, false),
        ] {
            assert_eq!(of(code, nominal).unwrap().contains(value), expected, "{code} {value}");
        }
        for code in ["EImp", "Alm", "Ops", "Unknown"] {
            assert_eq!(of(code, None), None, "{code} cannot be entered");
        }
    }
}
