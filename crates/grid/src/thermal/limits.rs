//! Limits of temperature and load of a transformer (IEC 60076-7:2018, with the values of the open-source library transformer-thermal-model
//! of Alliander).

use super::ageing::Paper;
use crate::enum_text;

/// The loading regime.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Regime {
    /// Daily cycles, with normal ageing on average.
    NormalCyclic,
    /// Weeks or months with a part of the network out of service.
    LongEmergency,
    /// Half an hour or less.
    ShortEmergency,
}

/// Limits of temperature and current.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Top oil, °C.
    pub top_oil: f64,
    /// Hot spot, °C.
    pub hot_spot: f64,
    /// Current, per unit of the rated current.
    pub load: f64,
}

enum_text! {
    /// The text in the database.
    Regime {
        NormalCyclic = "normal_cyclic",
        LongEmergency = "long_emergency",
        ShortEmergency = "short_emergency",
    }
}

/// Largest rated power of a distribution transformer, MVA: IEC 60076-7, 3.1, defines it as one of at most 2,500 kVA (three-phase).
pub const DISTRIBUTION_MAX_MVA: f64 = 2.5;
/// Largest rated power of a medium power transformer, MVA: IEC 60076-7, 3.2.
pub const MEDIUM_MAX_MVA: f64 = 100.0;

/// The size of a transformer, by its rated power.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// Distribution transformer.
    Distribution,
    /// Medium power transformer.
    Medium,
    /// Large power transformer.
    Large,
}

impl Size {
    /// Returns the size of a transformer with a rated power.
    pub fn of(rated_mva: f64) -> Self {
        match rated_mva {
            mva if mva <= DISTRIBUTION_MAX_MVA => Self::Distribution,
            mva if mva <= MEDIUM_MAX_MVA => Self::Medium,
            _ => Self::Large,
        }
    }
}

impl Regime {
    /// Returns the limits for a transformer of this rated power. Above 100 MVA the standard permits less current. Its table was not available to us, so
    /// the load limit is that of normal cyclic loading, 1.3.
    pub fn limits(self, rated_mva: f64) -> Limits {
        let by_size = |distribution: f64, medium: f64| match Size::of(rated_mva) {
            Size::Distribution => distribution,
            Size::Medium => medium,
            Size::Large => 1.3,
        };
        match self {
            Self::NormalCyclic => Limits { top_oil: 105.0, hot_spot: 120.0, load: by_size(1.5, 1.5) },
            Self::LongEmergency => Limits { top_oil: 115.0, hot_spot: 140.0, load: by_size(1.8, 1.5) },
            Self::ShortEmergency => Limits { top_oil: 115.0, hot_spot: 160.0, load: by_size(2.0, 1.8) },
        }
    }
}

/// Returns the limits of a steady load with at most normal ageing: hot spot 98 °C with normal paper and 110 °C with upgraded paper, oil 105 °C.
pub fn continuous(paper: Paper) -> Limits {
    Limits { top_oil: 105.0, hot_spot: paper.reference(), load: f64::INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table() {
        let limits = |top_oil, hot_spot, load| Limits { top_oil, hot_spot, load };
        let table = |mva| Regime::ALL.map(|regime| regime.limits(mva));
        assert_eq!(table(2.5), [limits(105.0, 120.0, 1.5), limits(115.0, 140.0, 1.8), limits(115.0, 160.0, 2.0)]);
        assert_eq!(table(10.0), [limits(105.0, 120.0, 1.5), limits(115.0, 140.0, 1.5), limits(115.0, 160.0, 1.8)]);
        assert_eq!([table(2.51), table(100.0)], [table(10.0); 2], "a transformer of 5 MVA is a medium one");
        assert!(table(100.1).iter().all(|limits| limits.load < 1.5));
        assert_eq!(continuous(Paper::Normal), limits(105.0, 98.0, f64::INFINITY));
        assert_eq!(continuous(Paper::Upgraded), limits(105.0, 110.0, f64::INFINITY));
        assert!(Regime::ALL.iter().all(|regime| Regime::parse(regime.as_str()) == Some(*regime)) && Regime::parse("").is_none());
    }
}
