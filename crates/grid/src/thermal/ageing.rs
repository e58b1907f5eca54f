//! Ageing of the insulation: the ageing rate at a temperature, and the used life.

use crate::Micros;
use crate::enum_text;

/// The kind of insulation paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Paper {
    /// Kraft paper.
    Normal,
    /// Thermally upgraded paper.
    Upgraded,
}

enum_text! {
    /// The text in the database.
    Paper {
        Normal = "normal",
        Upgraded = "upgraded",
    }
}

impl Paper {
    /// Returns the hot-spot temperature with an ageing rate of 1, °C.
    pub fn reference(self) -> f64 {
        match self {
            Self::Normal => 98.0,
            Self::Upgraded => 110.0,
        }
    }

    /// Returns the ageing rate relative to the reference temperature at a hot spot, °C. Normal paper ages twice as fast per 6 K (IEC 60076-7);
    /// upgraded paper follows the law of Arrhenius with 15,000 K (IEEE C57.91).
    pub fn rate(self, hot_spot: f64) -> f64 {
        match self {
            Self::Normal => ((hot_spot - 98.0) / 6.0).exp2(),
            Self::Upgraded => (15_000.0 / 383.0 - 15_000.0 / (hot_spot + 273.0)).exp(),
        }
    }
}

/// Life of the insulation at its reference temperature, hours (IEEE C57.91: until a degree of polymerisation of 200).
pub const NORMAL_LIFE_HOURS: f64 = 180_000.0;
/// Hours of a year of used life.
pub const YEAR_HOURS: f64 = 8_760.0;
/// Time for which the last ageing rate is used without a new temperature, ms.
pub const BRIDGED_MS: i64 = 3_600_000;

/// Used life: the years at the reference temperature that give the same ageing. This is our definition (docs/reference/asset-health.md,
/// Used life); it never decreases.
///
/// A temperature is valid until the next one, but for at most one hour after its last known time. Time beyond that is not counted; it is
/// reported as missing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UsedLife {
    paper: Paper,
    years: f64,
    missing_ms: i64,
    last: Option<Last>,
}

/// The state of a used life at an instant, from which it can be continued.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LifeState {
    /// The instant.
    pub at: Micros,
    /// Life used up to this instant, years, without the life used before the first value.
    pub years: f64,
    /// Time without known temperature, ms.
    pub missing_ms: i64,
    /// Ageing rate of the latest temperature, and the end of its validity.
    pub last: Option<(f64, Micros)>,
}

/// The latest temperature.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Last {
    rate: f64,
    /// End of its validity.
    until: Micros,
    /// Time up to which the used life has been counted.
    counted: Micros,
}

impl UsedLife {
    /// Starts with the life that is already used, years.
    pub fn new(paper: Paper, initial_years: f64) -> Self {
        Self { paper, years: initial_years.max(0.0), missing_ms: 0, last: None }
    }

    /// Continues from a state.
    pub fn resume(paper: Paper, initial_years: f64, state: &LifeState) -> Self {
        let last = state.last.map(|(rate, until)| Last { rate, until, counted: state.at });
        Self { paper, years: initial_years.max(0.0) + state.years, missing_ms: state.missing_ms, last }
    }

    /// Returns the state at the instant up to which it is counted, by [`UsedLife::run_to`].
    pub fn state(&self, at: Micros, initial_years: f64) -> LifeState {
        let years = (self.years - initial_years.max(0.0)).max(0.0);
        LifeState { at, years, missing_ms: self.missing_ms, last: self.last.map(|last| (last.rate, last.until)) }
    }

    /// Adds a hot-spot temperature, °C, from an instant on. `known_ms` is 0 for a single value, otherwise the duration of the mean; the temperature
    /// is valid for one hour longer. A temperature earlier than the last one is ignored, because counted time is not changed.
    pub fn add(&mut self, at: Micros, known_ms: i64, hot_spot: f64) {
        if !hot_spot.is_finite() {
            return;
        }
        if self.run_to(at) {
            let until = at.plus_millis(known_ms.max(0)).plus_millis(BRIDGED_MS);
            self.last = Some(Last { rate: self.paper.rate(hot_spot), until, counted: at });
        }
    }

    /// Counts up to an instant with the latest temperature. Returns false if the instant is before the counted time.
    pub fn run_to(&mut self, at: Micros) -> bool {
        let Some(last) = &mut self.last else { return true };
        let passed = at.millis_since(last.counted);
        if passed < 0 {
            return false;
        }
        let bridged = last.until.millis_since(last.counted).clamp(0, passed);
        self.years += last.rate * bridged as f64 / 3_600_000.0 / YEAR_HOURS;
        self.missing_ms += passed - bridged;
        last.counted = at;
        true
    }

    /// Returns the used life, years.
    pub fn years(&self) -> f64 {
        self.years
    }

    /// Returns the used share of the insulation's life, per unit.
    pub fn share(&self) -> f64 {
        self.years * YEAR_HOURS / NORMAL_LIFE_HOURS
    }

    /// Returns the hours without known temperature, which are not counted.
    pub fn missing_hours(&self) -> f64 {
        self.missing_ms as f64 / 3_600_000.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR_MS: i64 = 3_600_000;

    fn at(hours: f64) -> Micros {
        Micros::from_millis((hours * HOUR_MS as f64) as i64)
    }

    #[test]
    fn a_year_at_the_reference_is_a_year() {
        for paper in [Paper::Normal, Paper::Upgraded] {
            let mut life = UsedLife::new(paper, 2.5);
            for hour in 0..=8_760 {
                life.add(at(f64::from(hour)), 0, paper.reference());
            }
            assert!((life.years() - 3.5).abs() < 1e-9 && life.missing_hours().abs() < 1e-12);
            assert!((life.share() - 3.5 * 8_760.0 / 180_000.0).abs() < 1e-9);
        }
    }

    #[test]
    fn a_gap_is_bridged_for_an_hour_and_told_beyond() {
        let mut life = UsedLife::new(Paper::Normal, 0.0);
        life.add(at(0.0), 0, 104.0);
        assert!(life.run_to(at(0.5)) && life.run_to(at(3.0)), "looked at in between or not");
        life.add(at(5.0), 0, 98.0);
        assert!(life.run_to(at(6.0)));
        let hours = life.years() * YEAR_HOURS;
        assert!((hours - (2.0 + 1.0)).abs() < 1e-9, "an hour at double rate, four missing, an hour at 98 °C: {hours}");
        assert!((life.missing_hours() - 4.0).abs() < 1e-9);
    }

    #[test]
    fn a_mean_over_some_hours_counts_for_all_of_them() {
        let mut life = UsedLife::new(Paper::Normal, 0.0);
        life.add(at(0.0), 6 * HOUR_MS, 98.0);
        assert!(life.run_to(at(9.0)));
        assert!((life.years() * YEAR_HOURS - 7.0).abs() < 1e-9 && (life.missing_hours() - 2.0).abs() < 1e-9);
    }

    #[test]
    fn resumed_life_equals_uninterrupted_life() {
        let hours = |life: &mut UsedLife, range: std::ops::Range<i32>| {
            for hour in range.filter(|hour| hour % 5 != 4) {
                life.add(at(f64::from(hour)), 0, 90.0 + f64::from(hour));
            }
        };
        let mut whole = UsedLife::new(Paper::Normal, 2.0);
        hours(&mut whole, 0..40);
        let mut first = UsedLife::new(Paper::Normal, 2.0);
        hours(&mut first, 0..20);
        assert!(first.run_to(at(20.0)));
        let mut second = UsedLife::resume(Paper::Normal, 2.0, &first.state(at(20.0), 2.0));
        hours(&mut second, 20..40);
        assert!((whole.years() - second.years()).abs() < 1e-12 && (whole.missing_hours() - second.missing_hours()).abs() < 1e-12);
    }

    #[test]
    fn what_comes_late_or_is_no_number_changes_nothing() {
        let mut life = UsedLife::new(Paper::Normal, -1.0);
        life.add(at(1.0), 0, 98.0);
        life.add(at(2.0), 0, 98.0);
        let before = life;
        life.add(at(1.5), 0, 200.0);
        life.add(at(3.0), 0, f64::NAN);
        assert_eq!(life, before);
        assert!(!life.run_to(at(0.0)));
    }
}
