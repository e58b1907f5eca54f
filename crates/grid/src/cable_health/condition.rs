//! The observed and measured condition of a cable, and its effect on the health score (CNAIM v2.1, measured condition inputs and their
//! combination).

use super::cable::Insulation;
use crate::enum_text;

/// The condition of a cable. Each kind of insulation has different inputs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Condition {
    /// Solid insulation.
    NonPressurised {
        /// Test of the sheath.
        sheath: Sheath,
        /// Partial discharge.
        discharge: Discharge,
        /// Fault history.
        faults: FaultHistory,
    },
    /// Oil under pressure.
    Oil(Leakage),
    /// Gas under pressure.
    Gas(Leakage),
}

impl Condition {
    /// Returns the condition of a cable that was never inspected.
    pub fn unknown(insulation: Insulation) -> Self {
        match insulation {
            Insulation::NonPressurised => {
                Self::NonPressurised { sheath: Sheath::Unknown, discharge: Discharge::Unknown, faults: FaultHistory::Unknown }
            }
            Insulation::Oil => Self::Oil(Leakage::Unknown),
            Insulation::Gas => Self::Gas(Leakage::Unknown),
        }
    }

    /// Returns the insulation that this condition belongs to.
    pub fn insulation(&self) -> Insulation {
        match self {
            Self::NonPressurised { .. } => Insulation::NonPressurised,
            Self::Oil(_) => Insulation::Oil,
            Self::Gas(_) => Insulation::Gas,
        }
    }

    /// Returns the effect on the health score.
    pub fn modifier(&self) -> Modifier {
        match self {
            // Two of the three factors count.
            Self::NonPressurised { sheath, discharge, faults } => {
                Modifier::combined(&[sheath.modifier(), discharge.modifier(), faults.modifier()], 2)
            }
            Self::Oil(leakage) | Self::Gas(leakage) => Modifier::combined(&[leakage.modifier()], 1),
        }
    }
}

/// The effect of a condition on a score. The score is multiplied by the factor. Then the cap limits it from above, and the collar from below.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Modifier {
    /// Factor.
    pub factor: f64,
    /// Upper limit of the score, for a good finding.
    pub cap: f64,
    /// Lower limit of the score, for a bad finding.
    pub collar: f64,
}

/// A cap without effect.
const OPEN_CAP: f64 = 10.0;
/// A collar without effect.
const OPEN_COLLAR: f64 = 0.5;
/// Divider of the second and further factors.
const DIVIDER: f64 = 1.5;

impl Modifier {
    /// No effect.
    pub const NONE: Self = Self { factor: 1.0, cap: OPEN_CAP, collar: OPEN_COLLAR };

    const fn of(factor: f64, cap: f64, collar: f64) -> Self {
        Self { factor, cap, collar }
    }

    /// Combines several findings. The largest factor is used fully, and up to `counted - 1` further factors above 1 add a share of their excess over 1. If no
    /// factor is above 1, the smallest factor is used, plus a share of the distance between the next factor and 1. The lowest cap and the highest collar apply.
    pub fn combined(findings: &[Self], counted: usize) -> Self {
        let mut factors: Vec<f64> = findings.iter().map(|finding| finding.factor).collect();
        factors.sort_by(|one, other| other.total_cmp(one));
        let factor = match factors.as_slice() {
            [] => 1.0,
            [first, rest @ ..] if *first > 1.0 => {
                let more: f64 =
                    rest.iter().take(counted.saturating_sub(1)).filter(|factor| **factor > 1.0).map(|factor| factor - 1.0).sum();
                first + more / DIVIDER
            }
            [rest @ .., last] => last + rest.last().filter(|_| counted > 1).map_or(0.0, |next| (next - 1.0) / DIVIDER),
        };
        Self {
            factor,
            cap: findings.iter().map(|finding| finding.cap).fold(OPEN_CAP, f64::min),
            collar: findings.iter().map(|finding| finding.collar).fold(OPEN_COLLAR, f64::max),
        }
    }
}

/// Test of a sheath.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sheath {
    /// Not tested.
    Unknown,
    /// Satisfactory.
    Pass,
    /// Needs a minor repair.
    FailedMinor,
    /// Leakage above the permitted value.
    FailedMajor,
}

enum_text! {
    /// The text kept in the database.
    Sheath { Unknown = "unknown", Pass = "pass", FailedMinor = "failed_minor", FailedMajor = "failed_major" }
}

impl Sheath {
    fn modifier(self) -> Modifier {
        match self {
            Self::Unknown | Self::Pass => Modifier::NONE,
            Self::FailedMinor => Modifier::of(1.3, OPEN_CAP, OPEN_COLLAR),
            Self::FailedMajor => Modifier::of(1.6, OPEN_CAP, 5.5),
        }
    }
}

/// Partial discharge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Discharge {
    /// Not measured.
    Unknown,
    /// Nothing unusual.
    Low,
    /// Needs observation.
    Medium,
    /// Needs action.
    High,
}

enum_text! {
    /// The text kept in the database.
    Discharge { Unknown = "unknown", Low = "low", Medium = "medium", High = "high" }
}

impl Discharge {
    fn modifier(self) -> Modifier {
        match self {
            Self::Unknown | Self::Low => Modifier::NONE,
            Self::Medium => Modifier::of(1.15, OPEN_CAP, OPEN_COLLAR),
            Self::High => Modifier::of(1.5, OPEN_CAP, 5.5),
        }
    }
}

/// Fault history.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FaultHistory {
    /// No list of faults exists.
    Unknown,
    /// A list exists and is empty.
    NoneRecorded,
    /// Faults per km and year.
    Rate(f64),
}

impl FaultHistory {
    fn modifier(self) -> Modifier {
        match self {
            Self::Unknown => Modifier::NONE,
            Self::NoneRecorded => Modifier::of(1.0, 5.4, OPEN_COLLAR),
            Self::Rate(rate) if rate < 0.01 => Modifier::of(1.3, OPEN_CAP, OPEN_COLLAR),
            Self::Rate(rate) if rate < 0.1 => Modifier::of(1.6, OPEN_CAP, 5.5),
            Self::Rate(_) => Modifier::of(1.8, OPEN_CAP, 8.0),
        }
    }
}

/// Leakage of oil or gas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Leakage {
    /// Not known.
    Unknown,
    /// None or negligible.
    None,
    /// Refilled occasionally.
    LowModerate,
    /// Refilled regularly.
    High,
    /// Needs repair.
    VeryHigh,
}

enum_text! {
    /// The text kept in the database.
    Leakage { Unknown = "unknown", None = "none", LowModerate = "low_moderate", High = "high", VeryHigh = "very_high" }
}

impl Leakage {
    fn modifier(self) -> Modifier {
        match self {
            Self::Unknown | Self::None => Modifier::NONE,
            Self::LowModerate => Modifier::of(1.3, OPEN_CAP, OPEN_COLLAR),
            Self::High => Modifier::of(1.8, OPEN_CAP, 5.5),
            Self::VeryHigh => Modifier::of(2.0, OPEN_CAP, 8.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solid(sheath: Sheath, discharge: Discharge, faults: FaultHistory) -> Modifier {
        Condition::NonPressurised { sheath, discharge, faults }.modifier()
    }

    fn is(ours: Modifier, factor: f64, cap: f64, collar: f64) {
        let near = |one: f64, other: f64| (one - other).abs() < 1e-12;
        assert!(near(ours.factor, factor) && near(ours.cap, cap) && near(ours.collar, collar), "{ours:?}");
    }

    #[test]
    fn the_two_worst_findings_count() {
        is(solid(Sheath::Pass, Discharge::Low, FaultHistory::Unknown), 1.0, 10.0, 0.5);
        is(solid(Sheath::FailedMinor, Discharge::Medium, FaultHistory::Unknown), 1.4, 10.0, 0.5);
        is(solid(Sheath::FailedMajor, Discharge::High, FaultHistory::Rate(0.05)), 2.0, 10.0, 5.5);
        is(solid(Sheath::FailedMinor, Discharge::Low, FaultHistory::NoneRecorded), 1.3, 5.4, 0.5);
        is(solid(Sheath::Pass, Discharge::Low, FaultHistory::Rate(0.1)), 1.8, 10.0, 8.0);
        is(solid(Sheath::Pass, Discharge::Low, FaultHistory::Rate(0.009)), 1.3, 10.0, 0.5);
    }

    #[test]
    fn a_leak_counts_alone() {
        for (leakage, factor, collar) in
            [(Leakage::None, 1.0, 0.5), (Leakage::LowModerate, 1.3, 0.5), (Leakage::High, 1.8, 5.5), (Leakage::VeryHigh, 2.0, 8.0)]
        {
            is(Condition::Oil(leakage).modifier(), factor, 10.0, collar);
            is(Condition::Gas(leakage).modifier(), factor, 10.0, collar);
        }
    }

    #[test]
    fn good_findings_of_plant_lower_the_score() {
        let good = |factor| Modifier { factor, ..Modifier::NONE };
        is(Modifier::combined(&[good(0.9), good(0.95)], 2), 0.9 - 0.05 / 1.5, 10.0, 0.5);
        is(Modifier::combined(&[good(0.9), good(1.2)], 2), 1.2, 10.0, 0.5);
        is(Modifier::combined(&[good(0.9)], 2), 0.9, 10.0, 0.5);
        is(Modifier::combined(&[], 2), 1.0, 10.0, 0.5);
    }

    #[test]
    fn words_come_back() {
        assert!(Sheath::ALL.iter().all(|one| Sheath::parse(one.as_str()) == Some(*one)) && Sheath::parse("").is_none());
        assert!(Discharge::ALL.iter().all(|one| Discharge::parse(one.as_str()) == Some(*one)) && Discharge::parse("").is_none());
        assert!(Leakage::ALL.iter().all(|one| Leakage::parse(one.as_str()) == Some(*one)) && Leakage::parse("").is_none());
    }
}
