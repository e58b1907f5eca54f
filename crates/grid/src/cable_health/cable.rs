//! Categories of cables in CNAIM, their normal expected life, and the duty factor that shortens it.

use crate::enum_text;
use std::fmt;

/// Voltage for which CNAIM has a cable model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Voltage {
    /// 33 kV.
    Kv33,
    /// 66 kV.
    Kv66,
    /// 132 kV.
    Kv132,
}

/// A voltage for which CNAIM has no cable model, kV.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NotModelled {
    /// Below 1 kV.
    LowVoltage(f64),
    /// From 1 kV to below 30 kV, such as 11 kV.
    HighVoltage(f64),
    /// A voltage between or above those of the methodology, such as 110 kV.
    Other(f64),
}

impl fmt::Display for NotModelled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::LowVoltage(kv) | Self::HighVoltage(kv) | Self::Other(kv)) = self;
        write!(f, "CNAIM has no model of cables of {kv} kV; it has 33, 66 and 132 kV")
    }
}

impl std::error::Error for NotModelled {}

impl Voltage {
    /// All voltages.
    pub const ALL: [Self; 3] = [Self::Kv33, Self::Kv66, Self::Kv132];

    /// Returns the class of a nominal voltage, kV. Cables for 30 to 36, 60 to 72.5 and 123 to 145 kV are built alike and share a class.
    pub fn of_kv(kv: f64) -> Result<Self, NotModelled> {
        match kv {
            kv if (30.0..=36.0).contains(&kv) => Ok(Self::Kv33),
            kv if (60.0..=72.5).contains(&kv) => Ok(Self::Kv66),
            kv if (123.0..=145.0).contains(&kv) => Ok(Self::Kv132),
            kv if kv < 1.0 => Err(NotModelled::LowVoltage(kv)),
            kv if kv < 30.0 => Err(NotModelled::HighVoltage(kv)),
            kv => Err(NotModelled::Other(kv)),
        }
    }

    /// Returns the nominal voltage, kV.
    pub fn kv(self) -> f64 {
        match self {
            Self::Kv33 => 33.0,
            Self::Kv66 => 66.0,
            Self::Kv132 => 132.0,
        }
    }
}

/// The insulation of a cable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Insulation {
    /// Solid: polymer, or impregnated paper without pressure.
    NonPressurised,
    /// Oil under pressure.
    Oil,
    /// Gas under pressure.
    Gas,
}

enum_text! {
    /// The text in the database.
    Insulation {
        NonPressurised = "non_pressurised",
        Oil = "oil",
        Gas = "gas",
    }
}

/// The metal of a sheath.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Metal {
    /// Aluminium.
    Aluminium,
    /// Lead.
    Lead,
}

enum_text! {
    /// The text in the database.
    Metal {
        Aluminium = "aluminium",
        Lead = "lead",
    }
}

/// The metal of the conductor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Conductor {
    /// Aluminium.
    Aluminium,
    /// Copper.
    Copper,
}

enum_text! {
    /// The text in the database.
    Conductor {
        Aluminium = "aluminium",
        Copper = "copper",
    }
}

/// The CNAIM category of a cable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CableKind {
    /// Voltage.
    pub voltage: Voltage,
    /// Insulation.
    pub insulation: Insulation,
}

impl CableKind {
    /// Returns the normal expected life, years, under usual duty at a usual location (CNAIM v2.1, table of normal expected life). It is
    /// the same for all three voltages.
    pub fn normal_life_years(self, sheath: Metal, conductor: Conductor) -> f64 {
        match (self.insulation, sheath, conductor) {
            (Insulation::NonPressurised, _, _) => 100.0,
            (Insulation::Oil, Metal::Aluminium, _) | (Insulation::Gas, Metal::Lead, _) => 75.0,
            (Insulation::Oil, Metal::Lead, _) => 80.0,
            (Insulation::Gas, Metal::Aluminium, Conductor::Aluminium) => 65.0,
            (Insulation::Gas, Metal::Aluminium, Conductor::Copper) => 70.0,
        }
    }
}

impl fmt::Display for CableKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} kV, {}", self.voltage.kv(), self.insulation.as_str().replace('_', " "))
    }
}

/// Returns the duty factor, which divides the expected life. One half of the factor depends on the highest utilisation in normal operation, in percent of the
/// rating. The other half depends on the operating voltage, in percent of the design voltage. `None` counts as 1. A value equal to a limit is in the lower
/// class.
pub(super) fn duty(utilisation_percent: Option<f64>, voltage_percent: Option<f64>) -> f64 {
    let by = |percent: Option<f64>, limits: [f64; 3], factors: [f64; 4]| match percent {
        None => 1.0,
        Some(percent) => limits.iter().zip(factors).find(|(limit, _)| percent <= **limit).map_or(factors[3], |(_, factor)| factor),
    };
    0.5 * by(utilisation_percent, [50.0, 70.0, 100.0], [1.0, 1.1, 1.3, 2.0])
        + 0.5 * by(voltage_percent, [40.0, 55.0, 70.0], [0.7, 0.8, 0.9, 1.0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn voltages_that_have_no_model_say_so() {
        assert_eq!(Voltage::of_kv(33.0), Ok(Voltage::Kv33));
        assert_eq!(Voltage::of_kv(66.0), Ok(Voltage::Kv66));
        assert_eq!(Voltage::of_kv(132.0), Ok(Voltage::Kv132));
        assert_eq!(Voltage::of_kv(0.44), Err(NotModelled::LowVoltage(0.44)));
        assert_eq!(Voltage::of_kv(11.0), Err(NotModelled::HighVoltage(11.0)));
        assert_eq!(Voltage::of_kv(110.0), Err(NotModelled::Other(110.0)));
        assert!(matches!(Voltage::of_kv(f64::NAN), Err(NotModelled::Other(_))));
        assert_eq!(Voltage::of_kv(11.0).unwrap_err().to_string(), "CNAIM has no model of cables of 11 kV; it has 33, 66 and 132 kV");
    }

    #[test]
    fn duty_is_half_load_and_half_voltage() {
        let is = |ours: f64, expected: f64| assert!((ours - expected).abs() < 1e-12, "{ours}, expected {expected}");
        is(duty(None, None), 1.0);
        is(duty(Some(50.0), Some(40.0)), 0.85);
        is(duty(Some(50.1), Some(40.1)), 0.95);
        is(duty(Some(100.0), Some(70.0)), 1.1);
        is(duty(Some(100.1), Some(70.1)), 1.5);
        assert!(Insulation::ALL.iter().all(|one| Insulation::parse(one.as_str()) == Some(*one)) && Insulation::parse("").is_none());
    }
}
