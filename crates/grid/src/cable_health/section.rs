//! A section of cable: its known facts and its assessment.

use std::fmt;

use super::bands::{Bands, Criticality, HealthIndex};
use super::cable::{CableKind, Conductor, Metal, Voltage, duty};
use super::condition::{Condition, FaultHistory};
use super::consequence::{Consequence, Cost};
use super::failure::{failure_rate, probability};
use super::score::{Ageing, Health};

/// Highest accepted age, years.
const AGE_MAX: f64 = 200.0;
/// Highest accepted length, km.
const LENGTH_MAX: f64 = 1_000.0;
/// Highest accepted utilisation or voltage, percent of the rating.
const PERCENT_MAX: f64 = 1_000.0;
/// Highest accepted factor of consequence.
const FACTOR_MAX: f64 = 100.0;
/// Highest accepted load, MVA.
const LOAD_MAX: f64 = 10_000.0;
/// Range of the reliability factor (CNAIM v2.1, section 6.14).
pub(super) const RELIABILITY: (f64, f64) = (0.6, 1.5);

/// The known facts of a section.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Section {
    /// Voltage.
    pub voltage: Voltage,
    /// Sheath.
    pub sheath: Metal,
    /// Conductor.
    pub conductor: Conductor,
    /// Years since it was laid.
    pub age_years: f64,
    /// Length, km.
    pub length_km: f64,
    /// Highest load in normal operation, percent of its rating; `None` if not known.
    pub utilisation_percent: Option<f64>,
    /// Operating voltage, percent of the design voltage; `None` if not known.
    pub voltage_percent: Option<f64>,
    /// Its insulation and the findings of inspections.
    pub condition: Condition,
    /// Reliability factor of its make, 0.6 to 1.5; 1 if not known.
    pub reliability: f64,
    /// Factors of its location.
    pub consequence: Consequence,
}

/// An input outside of its range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fault {
    /// Name of the input.
    pub field: &'static str,
    /// Its value.
    pub value: f64,
    /// Lowest and highest accepted value.
    pub allowed: (f64, f64),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is {}; from {} to {}", self.field, self.value, self.allowed.0, self.allowed.1)
    }
}

impl std::error::Error for Fault {}

/// The assessment of a section.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Assessed {
    /// Category.
    pub kind: CableKind,
    /// Length, km.
    pub length_km: f64,
    /// Years until the end of life under its duty.
    pub expected_life_years: f64,
    /// Duty factor, which divides the expected life.
    pub duty: f64,
    /// Factors of its location.
    pub consequence: Consequence,
    /// Scores, present and future.
    pub health: Health,
    /// Health index of the present score.
    pub band: HealthIndex,
    /// Failures per km and year. For pressurised cables a failure is a leak, and the number can be above one.
    pub failures_per_km: f64,
    /// Failures per year of the whole section.
    pub failures: f64,
    /// Probability that the section fails within a year, per unit.
    pub probability: f64,
    /// Cost of a failure, GBP.
    pub cost: Cost,
    /// Criticality index: the cost of a failure compared with the average cost of the category.
    pub criticality: Criticality,
    /// Failures per year times cost, GBP per year.
    pub risk: f64,
}

/// Returns the first input that is outside of its range as an error.
pub(super) fn check(figures: &[(&'static str, f64, (f64, f64))]) -> Result<(), Fault> {
    let wrong = figures.iter().find(|(_, value, (least, most))| !(least..=most).contains(&value));
    wrong.map_or(Ok(()), |(field, value, allowed)| Err(Fault { field, value: *value, allowed: *allowed }))
}

/// Returns the inputs to check of a consequence, with their ranges.
pub(super) fn consequence_figures(consequence: &Consequence) -> [(&'static str, f64, (f64, f64)); 4] {
    [
        ("financial factor", consequence.financial, (0.0, FACTOR_MAX)),
        ("safety factor", consequence.safety, (0.0, FACTOR_MAX)),
        ("environmental factor", consequence.environmental, (0.0, FACTOR_MAX)),
        ("load MVA", consequence.load_mva.unwrap_or(0.0), (0.0, LOAD_MAX)),
    ]
}

/// Returns an age as an input to check, with its range.
pub(super) fn age_figure(age_years: f64) -> (&'static str, f64, (f64, f64)) {
    ("age years", age_years, (0.0, AGE_MAX))
}

impl Section {
    /// Creates a section of which only the construction, age and length are known.
    pub fn new(kind: CableKind, sheath: Metal, conductor: Conductor, age_years: f64, length_km: f64) -> Self {
        Self {
            voltage: kind.voltage,
            sheath,
            conductor,
            age_years,
            length_km,
            utilisation_percent: None,
            voltage_percent: None,
            condition: Condition::unknown(kind.insulation),
            reliability: 1.0,
            consequence: Consequence::default(),
        }
    }

    /// Returns its category.
    pub fn kind(&self) -> CableKind {
        CableKind { voltage: self.voltage, insulation: self.condition.insulation() }
    }

    fn check(&self) -> Result<(), Fault> {
        let rate = match self.condition {
            Condition::NonPressurised { faults: FaultHistory::Rate(rate), .. } => rate,
            _ => 0.0,
        };
        check(&[
            age_figure(self.age_years),
            ("length km", self.length_km, (0.0, LENGTH_MAX)),
            ("utilisation %", self.utilisation_percent.unwrap_or(0.0), (0.0, PERCENT_MAX)),
            ("operating voltage %", self.voltage_percent.unwrap_or(0.0), (0.0, PERCENT_MAX)),
            ("faults per km and year", rate, (0.0, FACTOR_MAX)),
            ("reliability factor", self.reliability, RELIABILITY),
        ])?;
        check(&consequence_figures(&self.consequence))
    }

    /// Assesses the section. Returns the first input that is outside of its range as an error.
    pub fn assess(&self, bands: Bands) -> Result<Assessed, Fault> {
        self.check()?;
        let kind = self.kind();
        let duty = duty(self.utilisation_percent, self.voltage_percent);
        // CNAIM has no location factor for underground cables.
        let ageing = Ageing::new(kind.normal_life_years(self.sheath, self.conductor), duty, 1.0);
        let health = ageing.health(self.age_years, self.condition.modifier(), self.reliability);
        let failures_per_km = failure_rate(kind.insulation.k_percent(), health.score());
        let failures = failures_per_km * self.length_km;
        let cost = self.consequence.cost(kind.reference_cost(), self.voltage.reference_mva());
        Ok(Assessed {
            kind,
            length_km: self.length_km,
            expected_life_years: ageing.expected_life_years(),
            duty,
            consequence: self.consequence,
            health,
            band: bands.of(health.score()),
            failures_per_km,
            failures,
            probability: probability(failures),
            cost,
            criticality: Criticality::of(cost.total(), kind.average_cost()),
            risk: failures * cost.total(),
        })
    }
}

impl Assessed {
    /// Returns the failures per km and year in `years` years, from the score at that time.
    pub fn failures_per_km_after(&self, years: f64) -> f64 {
        failure_rate(self.kind.insulation.k_percent(), self.health.after(years))
    }
}

#[cfg(test)]
mod tests {
    use super::super::cable::Insulation;
    use super::*;

    #[test]
    fn a_figure_without_sense_is_named() {
        let kind = CableKind { voltage: Voltage::Kv33, insulation: Insulation::NonPressurised };
        let good = Section::new(kind, Metal::Lead, Conductor::Copper, 10.0, 1.0);
        let fault_of = |section: Section| section.assess(Bands::V2_1).map_or_else(|fault| fault.to_string(), |_| String::new());
        assert_eq!(fault_of(good), "");
        assert_eq!(fault_of(Section { age_years: -1.0, ..good }), "age years is -1; from 0 to 200");
        assert_eq!(fault_of(Section { length_km: f64::NAN, ..good }), "length km is NaN; from 0 to 1000");
        assert_eq!(fault_of(Section { utilisation_percent: Some(-5.0), ..good }), "utilisation % is -5; from 0 to 1000");
        assert_eq!(fault_of(Section { voltage_percent: Some(f64::INFINITY), ..good }), "operating voltage % is inf; from 0 to 1000");
        assert_eq!(fault_of(Section { reliability: 0.5, ..good }), "reliability factor is 0.5; from 0.6 to 1.5");
        let consequence = Consequence { load_mva: Some(-1.0), ..Consequence::default() };
        assert_eq!(fault_of(Section { consequence, ..good }), "load MVA is -1; from 0 to 10000");
    }
}
