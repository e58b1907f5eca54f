//! The risk of future years, without and with the replacement of some sections.

use super::cable::{CableKind, Conductor, Insulation, Metal};
use super::condition::Modifier;
use super::consequence::Cost;
use super::failure::failure_rate;
use super::score::{Ageing, Health};
use super::section::Assessed;

/// Longest forecast, years. For later years, a forecast from today's score has little meaning.
pub const YEARS_MAX: u32 = 40;

/// Risk by year, GBP per year, starting with this year.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Forecast {
    /// Without replacements. Its first year is the sum of the risk matrix.
    pub do_nothing: Vec<f64>,
    /// With the sections of the first list replaced at the start of next year.
    pub replaced: Vec<f64>,
    /// With the sections of the second list replaced at the start of next year.
    pub compared: Vec<f64>,
}

/// The replacement lists that a section is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Choice {
    /// On the first list.
    pub replaced: bool,
    /// On the second list, for comparison.
    pub compared: bool,
}

/// The cable that replaces a section, at the same place and under the same duty. Pressurised cables are not laid any more; their replacement has
/// solid insulation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Successor {
    /// Category of the new cable.
    pub kind: CableKind,
    /// Health of the new cable.
    pub health: Health,
    /// Cost of a failure, GBP.
    pub cost: Cost,
}

impl Forecast {
    /// Computes the risk of sections, each with its lists, for this year and `years` more, at most [`YEARS_MAX`].
    pub fn of<'a>(sections: impl IntoIterator<Item = (&'a Assessed, Choice)>, years: u32) -> Self {
        let years = years.min(YEARS_MAX);
        let none = vec![0.0; years as usize + 1];
        let mut forecast = Self { do_nothing: none.clone(), replaced: none.clone(), compared: none };
        for (section, choice) in sections {
            for (at, year) in (0..=years).enumerate() {
                let left = section.risk_after(f64::from(year));
                let of = |on_list: bool| if on_list && year > 0 { section.risk_of_new(f64::from(year - 1)) } else { left };
                forecast.do_nothing[at] += left;
                forecast.replaced[at] += of(choice.replaced);
                forecast.compared[at] += of(choice.compared);
            }
        }
        forecast
    }
}

impl Assessed {
    /// Returns the risk in `years` years, GBP per year.
    pub fn risk_after(&self, years: f64) -> f64 {
        self.failures_per_km_after(years) * self.length_km * self.cost.total()
    }

    /// Returns the cable that would replace this section.
    pub fn successor(&self) -> Successor {
        if self.kind.insulation == Insulation::NonPressurised {
            return Successor { kind: self.kind, health: self.health.renewed(self.expected_life_years), cost: self.cost };
        }
        let kind = CableKind { insulation: Insulation::NonPressurised, ..self.kind };
        // With solid insulation, the expected life does not depend on the metals.
        let ageing = Ageing::new(kind.normal_life_years(Metal::Lead, Conductor::Copper), self.duty, 1.0);
        let cost = self.consequence.cost(kind.reference_cost(), kind.voltage.reference_mva());
        Successor { kind, health: ageing.health(0.0, Modifier::NONE, 1.0), cost }
    }

    /// Returns the risk of the replacement, `years` years after it was laid, GBP per year.
    pub fn risk_of_new(&self, years: f64) -> f64 {
        let Successor { kind, health, cost } = self.successor();
        failure_rate(kind.insulation.k_percent(), health.after(years)) * self.length_km * cost.total()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Bands, Condition, Consequence, Leakage, Section, Voltage};
    use super::*;

    fn close(ours: f64, expected: f64) {
        assert!((ours - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{ours}, expected {expected}");
    }

    #[test]
    fn an_old_oil_cable_gets_worse_and_a_new_one_does_not_for_long() {
        let kind = CableKind { voltage: Voltage::Kv33, insulation: Insulation::Oil };
        let old = Section::new(kind, Metal::Aluminium, Conductor::Copper, 60.0, 2.0);
        let old = Section { condition: Condition::Oil(Leakage::High), ..old }.assess(Bands::V2_1).expect("a section");
        let forecast = Forecast::of([(&old, Choice { replaced: true, compared: false })], 3);
        // By hand: 0.5 e^(60 ln 11 / 75) = 3.404885, times 1.8 is 6.128793. The observed ageing rate continues: ln(6.128793 / 0.5) / 60 per year,
        // divided by 1.5.
        let score = 0.5 * 11.0_f64.powf(60.0 / 75.0) * 1.8;
        let rate = (score / 0.5).ln() / 60.0 / 1.5;
        let risk = |score: f64| {
            let x = 1.087 * score.max(4.0);
            0.020_944 * (1.0 + x + x * x / 2.0 + x * x * x / 6.0) * 2.0 * 6_020.0
        };
        for (year, ours) in forecast.do_nothing.iter().enumerate() {
            close(*ours, risk(score * (rate * year as f64).exp()));
        }
        // 129 + 2 + 5885 + 4 is 6020. All scores below 4 have the same failure rate.
        close(forecast.replaced[0], forecast.do_nothing[0]);
        // The replacement has solid insulation, whose failures are rarer and cost more: 31644 + 2 + 726 + 3530 is 35902.
        for ours in &forecast.replaced[1..] {
            close(*ours, 0.000_658 * (1.0 + 4.348 + 4.348 * 4.348 / 2.0 + 4.348_f64.powi(3) / 6.0) * 2.0 * 35_902.0);
        }
        assert_eq!(forecast.compared, forecast.do_nothing, "nothing is on the second list");
        assert!(forecast.do_nothing.windows(2).all(|years| years[1] > years[0]));
    }

    #[test]
    fn what_is_laid_today_has_solid_insulation_the_same_duty_and_the_same_place() {
        let consequence = Consequence { financial: 2.0, load_mva: Some(24.0), ..Consequence::default() };
        let section = |insulation| {
            let kind = CableKind { voltage: Voltage::Kv33, insulation };
            let section = Section::new(kind, Metal::Aluminium, Conductor::Copper, 60.0, 2.0);
            let section = Section { utilisation_percent: Some(120.0), consequence, ..section };
            section.assess(Bands::V2_1).expect("a section").successor()
        };
        for insulation in Insulation::ALL {
            let new = section(insulation);
            assert_eq!((new.kind.insulation, new.health.score()), (Insulation::NonPressurised, 0.5), "{insulation:?}");
            close(new.cost.total(), 2.0 * 31_644.0 + 2.0 + 726.0 + 2.0 * 3_530.0);
            // The load contributes half of the duty, 2.0: a life of 100 / 1.5 years, at the end of which the score would be 5.5.
            close(new.health.after(20.0), 0.5 * 11.0_f64.powf(20.0 * 1.5 / 100.0));
        }
    }

    #[test]
    fn nothing_has_no_risk_and_no_more_years_are_told_than_make_sense() {
        let nothing = Forecast::of([], 2);
        assert_eq!((nothing.do_nothing, nothing.replaced, nothing.compared), (vec![0.0; 3], vec![0.0; 3], vec![0.0; 3]));
        assert_eq!(Forecast::of([], 1_000).replaced.len(), YEARS_MAX as usize + 1);
    }
}
