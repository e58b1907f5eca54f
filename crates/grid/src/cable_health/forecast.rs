//! The risk of the years to come: if nothing is done, and if some sections are replaced.

use super::failure::failure_rate;
use super::section::Assessed;

/// Years that a forecast goes at most: beyond, the score of today says little.
pub const YEARS_MAX: u32 = 40;

/// Risk by year, GBP a year: this year first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Forecast {
    /// If nothing is done. Its first year is the sum of the risk matrix.
    pub do_nothing: Vec<f64>,
    /// If the sections on the list are replaced: new in the year after this one.
    pub replaced: Vec<f64>,
}

impl Forecast {
    /// Of sections, each with whether it is on the list, over so many years after this one, [`YEARS_MAX`] at most. A replacement is of the same
    /// category, under the same duty and at the same place; so no year has a higher risk for it.
    pub fn of<'a>(sections: impl IntoIterator<Item = (&'a Assessed, bool)>, years: u32) -> Self {
        let years = years.min(YEARS_MAX);
        let none = vec![0.0; years as usize + 1];
        let mut forecast = Self { do_nothing: none.clone(), replaced: none };
        for (section, on_list) in sections {
            for (year, (nothing, replaced)) in (0..=years).zip(forecast.do_nothing.iter_mut().zip(&mut forecast.replaced)) {
                let left = section.risk_after(f64::from(year));
                *nothing += left;
                *replaced += if on_list && year > 0 { section.risk_of_new(f64::from(year - 1)) } else { left };
            }
        }
        forecast
    }
}

impl Assessed {
    /// Risk in so many years, GBP a year.
    pub fn risk_after(&self, years: f64) -> f64 {
        self.failures_per_km_after(years) * self.length_km * self.cost.total()
    }

    /// Risk of a new section in its place, so many years after it was laid, GBP a year.
    pub fn risk_of_new(&self, years: f64) -> f64 {
        let score = self.health.renewed(self.expected_life_years).after(years);
        failure_rate(self.kind.insulation.k_percent(), score) * self.length_km * self.cost.total()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Bands, Condition, Conductor, Insulation, Kind, Leakage, Metal, Section, Voltage};
    use super::*;

    fn close(ours: f64, expected: f64) {
        assert!((ours - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{ours}, expected {expected}");
    }

    #[test]
    fn an_old_oil_cable_gets_worse_and_a_new_one_does_not_for_long() {
        let kind = Kind { voltage: Voltage::Kv33, insulation: Insulation::Oil };
        let old = Section::new(kind, Metal::Aluminium, Conductor::Copper, 60.0, 2.0);
        let old = Section { condition: Condition::Oil(Leakage::High), ..old }.assess(Bands::V2_1).expect("a section");
        let forecast = Forecast::of([(&old, true)], 3);
        // By hand: 0.5 e^(60 ln 11 / 75) = 3.404885, times 1.8 is 6.128793. What has aged faster goes on so: ln(6.128793 / 0.5) / 60 a year, over 1.5.
        let score = 0.5 * 11.0_f64.powf(60.0 / 75.0) * 1.8;
        let rate = (score / 0.5).ln() / 60.0 / 1.5;
        let risk = |score: f64| {
            let x = 1.087 * score.max(4.0);
            0.020_944 * (1.0 + x + x * x / 2.0 + x * x * x / 6.0) * 2.0 * 6_020.0
        };
        for (year, ours) in forecast.do_nothing.iter().enumerate() {
            close(*ours, risk(score * (rate * year as f64).exp()));
        }
        // 129 + 2 + 5885 + 4 is 6020; below a score of 4 all fail alike.
        close(forecast.replaced[0], forecast.do_nothing[0]);
        for ours in &forecast.replaced[1..] {
            close(*ours, 0.020_944 * (1.0 + 4.348 + 4.348 * 4.348 / 2.0 + 4.348_f64.powi(3) / 6.0) * 2.0 * 6_020.0);
        }
        assert!(forecast.do_nothing.windows(2).all(|years| years[1] > years[0]));
    }

    #[test]
    fn nothing_has_no_risk_and_no_more_years_are_told_than_make_sense() {
        let nothing = Forecast::of([], 2);
        assert_eq!((nothing.do_nothing, nothing.replaced), (vec![0.0; 3], vec![0.0; 3]));
        assert_eq!(Forecast::of([], 1_000).replaced.len(), YEARS_MAX as usize + 1);
    }
}
