//! Health index (HI1 to HI5) and criticality index (C1 to C4).

use crate::enum_text;

/// Health index: the class of a health score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HealthIndex {
    /// As new.
    Hi1,
    /// Good condition.
    Hi2,
    /// Ageing.
    Hi3,
    /// Old.
    Hi4,
    /// Due for replacement.
    Hi5,
}

enum_text! {
    /// As screens and reports name it.
    HealthIndex {
        Hi1 = "HI1",
        Hi2 = "HI2",
        Hi3 = "HI3",
        Hi4 = "HI4",
        Hi5 = "HI5",
    }
}

impl HealthIndex {
    /// Returns the score that represents the class in CNAIM's table of typical probabilities of failure.
    pub fn typical_score(self) -> f64 {
        match self {
            Self::Hi1 => 1.23,
            Self::Hi2 => 4.25,
            Self::Hi3 => 6.0,
            Self::Hi4 => 7.25,
            Self::Hi5 => 9.0,
        }
    }
}

/// The four scores at which one health index ends and the next begins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bands([f64; 4]);

impl Bands {
    /// CNAIM v2.1 (2021), table 5.
    pub const V2_1: Self = Self([3.0, 5.5, 6.5, 8.0]);
    /// CNAIM v1.1 (2017).
    pub const V1_1: Self = Self([4.0, 5.5, 6.5, 8.0]);

    /// Creates custom limits. `None` unless they increase strictly, above 0.5 and below 15.
    pub fn new(limits: [f64; 4]) -> Option<Self> {
        let rising = limits.windows(2).all(|pair| pair[0] < pair[1]);
        (rising && limits[0] > 0.5 && limits[3] < 15.0).then_some(Self(limits))
    }

    /// Returns the class of a score. A score equal to a limit is in the higher class.
    pub fn of(self, score: f64) -> HealthIndex {
        HealthIndex::ALL[self.0.iter().filter(|limit| score >= **limit).count()]
    }
}

impl Default for Bands {
    fn default() -> Self {
        Self::V2_1
    }
}

/// Criticality index: the class of a failure's cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Criticality {
    /// Cost below 75 % of the average of the category.
    C1,
    /// 75 % to below 125 %.
    C2,
    /// 125 % to below 200 %.
    C3,
    /// 200 % or more.
    C4,
}

enum_text! {
    /// As screens and reports name it.
    Criticality {
        C1 = "C1",
        C2 = "C2",
        C3 = "C3",
        C4 = "C4",
    }
}

impl Criticality {
    /// Returns the class of a failure's cost, compared with the average cost of the category.
    pub fn of(cost: f64, average: f64) -> Self {
        match cost / average * 100.0 {
            percent if percent < 75.0 => Self::C1,
            percent if percent < 125.0 => Self::C2,
            percent if percent < 200.0 => Self::C3,
            _ => Self::C4,
        }
    }

    /// Share of the average cost that represents the class in the risk matrix, per unit.
    pub fn weight(self) -> f64 {
        match self {
            Self::C1 => 0.7,
            Self::C2 => 1.0,
            Self::C3 => 1.5,
            Self::C4 => 2.5,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_belongs_to_the_worse_band() {
        let of = |score| Bands::default().of(score).as_str();
        assert_eq!([0.5, 2.999, 3.0, 5.5, 6.5, 8.0, 15.0].map(of), ["HI1", "HI1", "HI2", "HI3", "HI4", "HI5", "HI5"]);
        assert_eq!([3.0, 3.999, 4.0].map(|score| Bands::V1_1.of(score)), [HealthIndex::Hi1, HealthIndex::Hi1, HealthIndex::Hi2]);
        assert_eq!(Bands::new([3.0, 5.5, 6.5, 8.0]), Some(Bands::V2_1));
        for wrong in
            [[3.0, 3.0, 6.5, 8.0], [0.5, 5.5, 6.5, 8.0], [3.0, 5.5, 6.5, 15.0], [f64::NAN, 5.5, 6.5, 8.0], [3.0, 5.5, 6.5, f64::NAN]]
        {
            assert_eq!(Bands::new(wrong), None, "{wrong:?}");
        }
        assert!(
            HealthIndex::ALL.iter().all(|band| HealthIndex::parse(band.as_str()) == Some(*band)) && HealthIndex::parse("HI6").is_none()
        );
    }

    #[test]
    fn criticality_is_beside_the_average() {
        let of = |cost| Criticality::of(cost, 100.0).as_str();
        assert_eq!([0.0, 74.9, 75.0, 124.9, 125.0, 199.9, 200.0].map(of), ["C1", "C1", "C2", "C2", "C3", "C3", "C4"]);
        assert!(Criticality::ALL.iter().all(|band| Criticality::parse(band.as_str()) == Some(*band)) && Criticality::parse("").is_none());
    }
}
