//! A section of the cable register, in which fields can be missing, and its conversion to a section that can be assessed at the end of a year.

use std::fmt;

use super::cable::{Conductor, Insulation, Metal, NotModelled, Voltage};
use super::condition::{Condition, Discharge, FaultHistory, Leakage, Sheath};
use super::consequence::Consequence;
use super::section::Section;

/// Number of years over which faults are counted. Older faults say little about the present state of a cable.
pub const FAULT_YEARS: i32 = 10;

/// A section in the register, with its newest condition and its faults up to a year.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entry {
    /// Nominal voltage, kV.
    pub kv: f64,
    /// Insulation.
    pub insulation: Option<Insulation>,
    /// Metal of the sheath.
    pub sheath: Option<Metal>,
    /// Metal of the conductor.
    pub conductor: Option<Conductor>,
    /// Year in which it was laid.
    pub installed: i32,
    /// Length, km.
    pub length_km: f64,
    /// Highest load in normal running, percent of its rating.
    pub utilisation_percent: Option<f64>,
    /// Operating voltage, percent of the design voltage.
    pub voltage_percent: Option<f64>,
    /// Test of the sheath; for solid insulation.
    pub sheath_test: Sheath,
    /// Partial discharge; for solid insulation.
    pub discharge: Discharge,
    /// Leakage; for oil or gas under pressure.
    pub leakage: Leakage,
    /// Fault history; for solid insulation.
    pub faults: FaultHistory,
    /// Reliability factor of its make, 0.6 to 1.5; 1 if not known.
    pub reliability: f64,
    /// Factors of its location.
    pub consequence: Consequence,
}

/// The reason why a section cannot be assessed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NotAssessedReason {
    /// CNAIM has no model of such a cable.
    NotModelled(NotModelled),
    /// The register lacks this field, which the model needs.
    Unknown(&'static str),
}

impl fmt::Display for NotAssessedReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotModelled(not_modelled) => not_modelled.fmt(f),
            Self::Unknown(what) => write!(f, "the register does not say its {what}"),
        }
    }
}

impl std::error::Error for NotAssessedReason {}

impl Entry {
    /// Returns the section as it is at the end of a year.
    pub fn section(&self, year: i32) -> Result<Section, NotAssessedReason> {
        let voltage = Voltage::of_kv(self.kv).map_err(NotAssessedReason::NotModelled)?;
        let condition = match self.insulation.ok_or(NotAssessedReason::Unknown("insulation"))? {
            Insulation::NonPressurised => {
                Condition::NonPressurised { sheath: self.sheath_test, discharge: self.discharge, faults: self.faults }
            }
            Insulation::Oil => Condition::Oil(self.leakage),
            Insulation::Gas => Condition::Gas(self.leakage),
        };
        // With solid insulation, the expected life does not depend on the metals; with oil, it does not depend on the conductor.
        let sheath = match (self.sheath, condition.insulation()) {
            (None, Insulation::Oil | Insulation::Gas) => return Err(NotAssessedReason::Unknown("metal of the sheath")),
            (sheath, _) => sheath.unwrap_or(Metal::Lead),
        };
        let conductor = match (self.conductor, condition.insulation(), sheath) {
            (None, Insulation::Gas, Metal::Aluminium) => return Err(NotAssessedReason::Unknown("metal of the conductor")),
            (conductor, ..) => conductor.unwrap_or(Conductor::Copper),
        };
        Ok(Section {
            voltage,
            sheath,
            conductor,
            age_years: f64::from(year - self.installed),
            length_km: self.length_km,
            utilisation_percent: self.utilisation_percent,
            voltage_percent: self.voltage_percent,
            condition,
            reliability: self.reliability,
            consequence: self.consequence,
        })
    }
}

/// The list of faults of a section.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FaultList<'a> {
    /// The first year from which the list is complete; `None` if not known.
    pub since: Option<i32>,
    /// The year of each fault.
    pub years: &'a [i32],
    /// Year in which the section was laid.
    pub installed: i32,
    /// Length, km.
    pub length_km: f64,
}

impl FaultList<'_> {
    /// Whether a list existed by the end of a year: either its first year is known, or it contains a fault.
    pub fn is_kept(&self, year: i32) -> bool {
        self.since.is_some_and(|since| since <= year) || self.years.iter().any(|fault| *fault <= year)
    }

    /// Returns the first year that counts by the end of a year, among the last [`FAULT_YEARS`]. `None` if no list exists by then. If it is not known from when
    /// on the list is complete, it begins with the year of its first fault.
    fn from(&self, year: i32) -> Option<i32> {
        let first = || self.years.iter().copied().filter(|fault| *fault <= year).min();
        let since = self.since.or_else(first).filter(|since| *since <= year)?;
        Some(since.max(self.installed).max(year - FAULT_YEARS + 1))
    }

    /// Returns the faults and km-years of the list by the end of a year; zero if no list exists by then.
    pub fn exposure(&self, year: i32) -> Exposure {
        let Some(from) = self.from(year) else { return Exposure::default() };
        Exposure {
            faults: self.years.iter().filter(|fault| (from..=year).contains(fault)).count(),
            km_years: self.length_km * f64::from(year - from + 1),
        }
    }

    /// Returns the fault history by the end of a year. `of_cable` has the sums of the lists of all sections laid with this one, including its own. The absence
    /// of faults is used only if the list is known to be complete. The year in which the list or the section began is not used for this, because it may have
    /// been only a few days long.
    pub fn history(&self, year: i32, of_cable: Exposure) -> FaultHistory {
        match of_cable.rate() {
            Some(rate) => FaultHistory::Rate(rate),
            None if self.since.is_some() && self.from(year).is_some_and(|from| from < year) => FaultHistory::NoneRecorded,
            None => FaultHistory::Unknown,
        }
    }
}

/// Faults and the length and time over which they were recorded. CNAIM gives faults per km and year of a cable, not of each section: one fault in a
/// section of a few metres would give an unrealistic rate.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Exposure {
    faults: usize,
    /// Sum of length in km times years of the list.
    km_years: f64,
}

impl Exposure {
    /// Returns the sums of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { faults: self.faults + other.faults, km_years: self.km_years + other.km_years }
    }

    /// Returns the faults per km and year; `None` without any fault.
    pub fn rate(self) -> Option<f64> {
        // A section of length 0 has no rate, but its faults are known.
        let rate = if self.km_years > 0.0 { (self.faults as f64 / self.km_years).min(RATE_MAX) } else { RATE_MAX };
        (self.faults > 0).then_some(rate)
    }
}

/// Highest reported rate, faults per km and year.
const RATE_MAX: f64 = 100.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> Entry {
        Entry {
            kv: 33.0,
            insulation: Some(Insulation::NonPressurised),
            sheath: None,
            conductor: None,
            installed: 1990,
            length_km: 2.0,
            utilisation_percent: None,
            voltage_percent: None,
            sheath_test: Sheath::Pass,
            discharge: Discharge::Low,
            leakage: Leakage::High,
            faults: FaultHistory::Unknown,
            reliability: 1.0,
            consequence: Consequence::default(),
        }
    }

    #[test]
    fn missing_inputs_are_listed_unused_ones_are_not() {
        let fault_of = |entry: Entry| entry.section(2018).map_or_else(|why| why.to_string(), |_| String::new());
        let of = |insulation, sheath, conductor| Entry { insulation, sheath, conductor, ..entry() };
        let (lead, aluminium) = (Some(Metal::Lead), Some(Metal::Aluminium));
        for (entry, expected) in [
            (entry(), ""),
            (of(None, None, None), "the register does not say its insulation"),
            (of(Some(Insulation::Oil), None, None), "the register does not say its metal of the sheath"),
            (of(Some(Insulation::Oil), aluminium, None), ""),
            (of(Some(Insulation::Gas), lead, None), ""),
            (of(Some(Insulation::Gas), aluminium, None), "the register does not say its metal of the conductor"),
            (of(Some(Insulation::Gas), aluminium, Some(Conductor::Copper)), ""),
            (Entry { kv: 11.0, insulation: None, ..entry() }, "CNAIM has no model of cables of 11 kV; it has 33, 66 and 132 kV"),
            (Entry { kv: 0.4, ..entry() }, "CNAIM has no model of cables of 0.4 kV; it has 33, 66 and 132 kV"),
        ] {
            assert_eq!(fault_of(entry), expected);
        }
        let section = of(Some(Insulation::Oil), lead, None).section(2018).expect("a section");
        assert_eq!((section.age_years, section.condition), (28.0, Condition::Oil(Leakage::High)));
    }

    #[test]
    fn faults_count_over_ten_years_of_a_list() {
        let alone = |kept: FaultList<'_>, year| kept.history(year, kept.exposure(year));
        let of = |since, years: &[i32], year| alone(FaultList { since, years, installed: 1990, length_km: 2.0 }, year);
        assert_eq!(of(None, &[], 2018), FaultHistory::Unknown);
        assert_eq!(of(Some(2015), &[], 2018), FaultHistory::NoneRecorded);
        assert_eq!(of(Some(2019), &[], 2018), FaultHistory::Unknown);
        assert_eq!(of(Some(2000), &[2007, 2009, 2018, 2019], 2018), FaultHistory::Rate(2.0 / 20.0));
        assert_eq!(of(Some(2000), &[2008], 2018), FaultHistory::NoneRecorded);
        assert_eq!(of(Some(2015), &[2014, 2016], 2018), FaultHistory::Rate(1.0 / 8.0));
        assert_eq!(of(None, &[2016, 2017], 2018), FaultHistory::Rate(2.0 / 6.0));
        assert_eq!(of(None, &[2017], 2016), FaultHistory::Unknown);
        // The list is not declared complete, or covers less than a full year.
        assert_eq!(of(None, &[2000], 2018), FaultHistory::Unknown);
        assert_eq!([2018, 2017].map(|since| of(Some(since), &[], 2018)), [FaultHistory::Unknown, FaultHistory::NoneRecorded]);
        assert_eq!(alone(FaultList { since: Some(2000), years: &[], installed: 2018, length_km: 1.0 }, 2018), FaultHistory::Unknown);
        let young = FaultList { since: Some(2000), years: &[2017], installed: 2017, length_km: 1.0 };
        assert_eq!(alone(young, 2018), FaultHistory::Rate(0.5));
        assert_eq!(alone(FaultList { length_km: 0.0, ..young }, 2018), FaultHistory::Rate(100.0));
    }

    #[test]
    fn the_rate_is_that_of_the_cable_and_no_short_section_stands_out() {
        let list = |since, years, length_km| FaultList { since, years, installed: 1990, length_km };
        // 50 m with one fault in ten years would be 2 faults per km and year; the cable of 4 km has 1 / (0.05 * 10 + 2.95 * 10 + 1 * 5).
        let (short, long, young) = (list(Some(2000), &[2012], 0.05), list(Some(2000), &[], 2.95), list(Some(2014), &[], 1.0));
        let unknown = list(None, &[], 3.0);
        let cable = [short, long, young, unknown].iter().fold(Exposure::default(), |all, kept| all.and(kept.exposure(2018)));
        assert_eq!(short.exposure(2018).rate(), Some(2.0));
        for section in [short, long, young, unknown] {
            assert_eq!(section.history(2018, cable), FaultHistory::Rate(1.0 / 35.0), "what was laid together fails together");
        }
        let none = long.exposure(2018).and(unknown.exposure(2018));
        assert_eq!([long, unknown].map(|section| section.history(2018, none)), [FaultHistory::NoneRecorded, FaultHistory::Unknown]);
    }
}
