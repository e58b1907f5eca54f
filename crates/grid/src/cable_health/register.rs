//! A section as a register of cables has it, in which things may be missing, and what of it can be assessed at the end of a year.

use std::fmt;

use super::cable::{Conductor, Insulation, Metal, NotModelled, Voltage};
use super::condition::{Condition, Discharge, FaultHistory, Leakage, Sheath};
use super::consequence::Consequence;
use super::section::Section;

/// Years back over which faults are counted: faults of long ago say little of the cable of today.
pub const FAULT_YEARS: i32 = 10;

/// What a register has of a section, with the newest condition and the faults up to a year.
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
    /// Operating voltage, percent of what it is built for.
    pub voltage_percent: Option<f64>,
    /// Test of the sheath; of solid insulation.
    pub sheath_test: Sheath,
    /// Partial discharge; of solid insulation.
    pub discharge: Discharge,
    /// Leaking; of oil or gas under pressure.
    pub leakage: Leakage,
    /// Faults of the past; of solid insulation.
    pub faults: FaultHistory,
    /// How cables of its make have done, 0.6 to 1.5; 1 where nothing is known.
    pub reliability: f64,
    /// How its place differs from the reference.
    pub consequence: Consequence,
}

/// Why a section cannot be assessed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Unassessed {
    /// There is no model of such a cable.
    NotModelled(NotModelled),
    /// The register does not say what the model needs.
    Unknown(&'static str),
}

impl fmt::Display for Unassessed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotModelled(not_modelled) => not_modelled.fmt(f),
            Self::Unknown(what) => write!(f, "the register does not say its {what}"),
        }
    }
}

impl std::error::Error for Unassessed {}

impl Entry {
    /// The section at the end of a year.
    pub fn section(&self, year: i32) -> Result<Section, Unassessed> {
        let voltage = Voltage::of_kv(self.kv).map_err(Unassessed::NotModelled)?;
        let condition = match self.insulation.ok_or(Unassessed::Unknown("insulation"))? {
            Insulation::NonPressurised => {
                Condition::NonPressurised { sheath: self.sheath_test, discharge: self.discharge, faults: self.faults }
            }
            Insulation::Oil => Condition::Oil(self.leakage),
            Insulation::Gas => Condition::Gas(self.leakage),
        };
        // Of solid insulation all metals live as long as each other, of oil all conductors.
        let sheath = match (self.sheath, condition.insulation()) {
            (None, Insulation::Oil | Insulation::Gas) => return Err(Unassessed::Unknown("metal of the sheath")),
            (sheath, _) => sheath.unwrap_or(Metal::Lead),
        };
        let conductor = match (self.conductor, condition.insulation(), sheath) {
            (None, Insulation::Gas, Metal::Aluminium) => return Err(Unassessed::Unknown("metal of the conductor")),
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

/// The list of faults that was kept of a section.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Kept<'a> {
    /// The first year of which all faults are on the list; `None` where that is not known.
    pub since: Option<i32>,
    /// The year of each fault.
    pub years: &'a [i32],
    /// Year in which the section was laid.
    pub installed: i32,
    /// Length, km.
    pub length_km: f64,
}

impl Kept<'_> {
    /// Whether there was a list by the end of a year: somebody says so, or a fault is on it.
    pub fn is_kept(&self, year: i32) -> bool {
        self.since.is_some_and(|since| since <= year) || self.years.iter().any(|fault| *fault <= year)
    }

    /// The first year that counts by the end of a year, of the last [`FAULT_YEARS`]; `None` where there is no list by then. Without a word on when the
    /// list began, it began with its first fault.
    fn from(&self, year: i32) -> Option<i32> {
        let first = || self.years.iter().copied().filter(|fault| *fault <= year).min();
        let since = self.since.or_else(first).filter(|since| *since <= year)?;
        Some(since.max(self.installed).max(year - FAULT_YEARS + 1))
    }

    /// What there is on the list by the end of a year; nothing where there is none.
    pub fn exposure(&self, year: i32) -> Exposure {
        let Some(from) = self.from(year) else { return Exposure::default() };
        Exposure {
            faults: self.years.iter().filter(|fault| (from..=year).contains(fault)).count(),
            km_years: self.length_km * f64::from(year - from + 1),
        }
    }

    /// Faults of the past by the end of a year, from what is on the lists of all of its cable that was laid with it (its own among them). Of a list that
    /// nobody has promised to be complete the absence of faults says nothing, nor does that of the year in which it or the section began, which may have
    /// been but a few days.
    pub fn history(&self, year: i32, of_cable: Exposure) -> FaultHistory {
        match of_cable.rate() {
            Some(rate) => FaultHistory::Rate(rate),
            None if self.since.is_some() && self.from(year).is_some_and(|from| from < year) => FaultHistory::NoneRecorded,
            None => FaultHistory::Unknown,
        }
    }
}

/// Faults, and over how much cable for how long. CNAIM knows faults per km and year of a cable, not of each of its sections: one fault in a section of a
/// few metres would be a rate that no cable has.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Exposure {
    faults: usize,
    /// Lengths in km, each times the years of its list.
    km_years: f64,
}

impl Exposure {
    /// Both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { faults: self.faults + other.faults, km_years: self.km_years + other.km_years }
    }

    /// Faults per km and year; `None` without any.
    pub fn rate(self) -> Option<f64> {
        // A length of nothing has no rate; that it has had faults is known all the same.
        let rate = if self.km_years > 0.0 { (self.faults as f64 / self.km_years).min(RATE_MAX) } else { RATE_MAX };
        (self.faults > 0).then_some(rate)
    }
}

/// More faults per km and year are told as so many.
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
    fn what_is_missing_is_told_and_what_makes_no_difference_is_not_asked_for() {
        let told = |entry: Entry| entry.section(2018).map_or_else(|why| why.to_string(), |_| String::new());
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
            assert_eq!(told(entry), expected);
        }
        let section = of(Some(Insulation::Oil), lead, None).section(2018).expect("a section");
        assert_eq!((section.age_years, section.condition), (28.0, Condition::Oil(Leakage::High)));
    }

    #[test]
    fn faults_count_over_ten_years_of_a_list() {
        let alone = |kept: Kept<'_>, year| kept.history(year, kept.exposure(year));
        let of = |since, years: &[i32], year| alone(Kept { since, years, installed: 1990, length_km: 2.0 }, year);
        assert_eq!(of(None, &[], 2018), FaultHistory::Unknown);
        assert_eq!(of(Some(2015), &[], 2018), FaultHistory::NoneRecorded);
        assert_eq!(of(Some(2019), &[], 2018), FaultHistory::Unknown);
        assert_eq!(of(Some(2000), &[2007, 2009, 2018, 2019], 2018), FaultHistory::Rate(2.0 / 20.0));
        assert_eq!(of(Some(2000), &[2008], 2018), FaultHistory::NoneRecorded);
        assert_eq!(of(Some(2015), &[2014, 2016], 2018), FaultHistory::Rate(1.0 / 8.0));
        assert_eq!(of(None, &[2016, 2017], 2018), FaultHistory::Rate(2.0 / 6.0));
        assert_eq!(of(None, &[2017], 2016), FaultHistory::Unknown);
        // Nobody has said that the list is complete, or it has not run for a year.
        assert_eq!(of(None, &[2000], 2018), FaultHistory::Unknown);
        assert_eq!([2018, 2017].map(|since| of(Some(since), &[], 2018)), [FaultHistory::Unknown, FaultHistory::NoneRecorded]);
        assert_eq!(alone(Kept { since: Some(2000), years: &[], installed: 2018, length_km: 1.0 }, 2018), FaultHistory::Unknown);
        let young = Kept { since: Some(2000), years: &[2017], installed: 2017, length_km: 1.0 };
        assert_eq!(alone(young, 2018), FaultHistory::Rate(0.5));
        assert_eq!(alone(Kept { length_km: 0.0, ..young }, 2018), FaultHistory::Rate(100.0));
    }

    #[test]
    fn the_rate_is_that_of_the_cable_and_no_short_section_stands_out() {
        let list = |since, years, length_km| Kept { since, years, installed: 1990, length_km };
        // 50 m with a fault in ten years would be 2 faults per km and year; the cable of 4 km has 1 / (0.05 * 10 + 2.95 * 10 + 1 * 5) of them.
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
