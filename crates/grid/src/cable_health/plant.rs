//! Transformers and switchgear: normal expected life, K and reference costs (CNAIM v2.1).
//!
//! The tables for their condition, duty and location are not available to us. The caller supplies these factors, and uses 1 for an unknown factor.

use super::bands::{Bands, Criticality, HealthIndex};
use super::cable::Voltage;
use super::condition::Modifier;
use super::consequence::{Consequence, Cost};
use super::failure::{failure_rate, probability};
use super::score::{Ageing, Health};
use super::section::{Fault, RELIABILITY, age_figure, check, consequence_figures};

/// A part of a large transformer; each part has its own score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TransformerPart {
    /// Tank and windings, made before 1980.
    MainBefore1980,
    /// Tank and windings, made from 1980 on.
    MainSince1980,
    /// Tap changer.
    TapChanger,
}

/// The housing of a circuit breaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Housing {
    /// Gas-insulated, not air-insulated.
    pub gas: bool,
    /// Outdoor, not in a building.
    pub outdoor: bool,
}

/// Category of plant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Plant {
    /// Ground-mounted transformer of 6.6 or 11 kV.
    Transformer11,
    /// Ground-mounted transformer of 20 kV.
    Transformer20,
    /// Transformer of 33, 66 or 132 kV.
    Transformer(Voltage, TransformerPart),
    /// Circuit breaker of 6.6 or 11 kV.
    Breaker11 {
        /// In a primary substation, otherwise in a secondary one.
        primary: bool,
    },
    /// Circuit breaker of 20 kV.
    Breaker20 {
        /// In a primary substation, otherwise in a secondary one.
        primary: bool,
    },
    /// Circuit breaker of 33 (and 22), 66 or 132 kV.
    Breaker(Voltage, Housing),
}

impl Plant {
    /// Returns the category of a transformer by its higher voltage, kV, its part and its year of manufacture. `None` if there is no model. Only
    /// transformers of 33 kV and above have parts.
    pub fn transformer(kv: f64, tap_changer: bool, made: i32) -> Option<Self> {
        if let Ok(voltage) = Voltage::of_kv(kv) {
            let main = if made < 1980 { TransformerPart::MainBefore1980 } else { TransformerPart::MainSince1980 };
            return Some(Self::Transformer(voltage, if tap_changer { TransformerPart::TapChanger } else { main }));
        }
        match (kv, tap_changer) {
            (kv, false) if (6.0..=12.0).contains(&kv) => Some(Self::Transformer11),
            (kv, false) if (20.0..=24.0).contains(&kv) => Some(Self::Transformer20),
            _ => None,
        }
    }

    /// Returns the category of a circuit breaker by its voltage, kV, and location. `None` if there is no model.
    pub fn breaker(kv: f64, primary: bool, housing: Housing) -> Option<Self> {
        match kv {
            kv if (6.0..=12.0).contains(&kv) => Some(Self::Breaker11 { primary }),
            // CNAIM treats 20 kV with the lower voltages, and 22 kV with 33 kV.
            kv if (20.0..21.0).contains(&kv) => Some(Self::Breaker20 { primary }),
            kv if (21.0..=24.0).contains(&kv) => Some(Self::Breaker(Voltage::Kv33, housing)),
            kv => Voltage::of_kv(kv).ok().map(|voltage| Self::Breaker(voltage, housing)),
        }
    }
}

/// The known facts of one transformer or circuit breaker.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlantState {
    /// Years since it was made.
    pub age_years: f64,
    /// Duty factor, which divides the expected life.
    pub duty: f64,
    /// Location factor, which divides the expected life.
    pub location: f64,
    /// Effect of its condition.
    pub modifier: Modifier,
    /// Reliability factor of its make, 0.6 to 1.5.
    pub reliability: f64,
    /// Factors of its location. CNAIM has no reference load for plant, so `load_mva` must be `None`.
    pub consequence: Consequence,
}

/// The assessment of one transformer or circuit breaker.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AssessedPlant {
    /// Years until the end of life under its duty.
    pub expected_life_years: f64,
    /// Scores, present and future.
    pub health: Health,
    /// Health index of the present score.
    pub band: HealthIndex,
    /// Failures per year.
    pub failures: f64,
    /// Probability that it fails within a year, per unit.
    pub probability: f64,
    /// Cost of a failure, GBP.
    pub cost: Cost,
    /// Criticality index: the cost of a failure compared with the reference cost of the category.
    pub criticality: Criticality,
    /// Failures per year times cost, GBP per year.
    pub risk: f64,
}

impl Plant {
    /// Normal expected life, years.
    pub fn normal_life_years(self) -> f64 {
        match self {
            Self::Transformer(_, TransformerPart::MainSince1980) => 50.0,
            Self::Transformer11 | Self::Transformer20 | Self::Transformer(..) => 60.0,
            Self::Breaker11 { .. } | Self::Breaker20 { .. } => 55.0,
            Self::Breaker(voltage, housing) => breaker_life(voltage, housing),
        }
    }

    /// Returns K of the failure rate, percent per year.
    pub fn k_percent(self) -> f64 {
        match self {
            Self::Transformer11 | Self::Transformer20 => 0.0078,
            Self::Transformer(..) => 0.0454,
            Self::Breaker11 { primary: true } | Self::Breaker20 { primary: true } => 0.0052,
            Self::Breaker11 { primary: false } | Self::Breaker20 { primary: false } => 0.0067,
            Self::Breaker(Voltage::Kv33, _) => 0.0223,
            Self::Breaker(Voltage::Kv66, _) => 0.0512,
            Self::Breaker(Voltage::Kv132, _) => 0.0431,
        }
    }

    /// Returns the reference cost of a failure, GBP. The sum of its parts is used as the average cost of the category, because the printed sums for large
    /// transformers do not equal the sums of their printed parts.
    pub fn reference_cost(self) -> Cost {
        match self {
            Self::Transformer11 => Cost::of(9_297.0, 4_823.0, 3_809.0, 4_343.0),
            Self::Transformer20 => Cost::of(10_585.0, 4_823.0, 3_809.0, 4_343.0),
            Self::Transformer(Voltage::Kv33, _) => Cost::of(134_796.0, 23_502.0, 17_048.0, 28_940.0),
            Self::Transformer(Voltage::Kv66, _) => Cost::of(263_015.0, 23_502.0, 17_048.0, 28_940.0),
            Self::Transformer(Voltage::Kv132, _) => Cost::of(218_932.0, 36_171.0, 35_095.0, 230_441.0),
            Self::Breaker11 { primary: true } => Cost::of(7_586.0, 23_502.0, 1_547.0, 40_530.0),
            Self::Breaker11 { primary: false } => Cost::of(6_959.0, 4_823.0, 1_486.0, 11_580.0),
            Self::Breaker20 { primary: true } => Cost::of(9_504.0, 23_502.0, 1_547.0, 40_530.0),
            Self::Breaker20 { primary: false } => Cost::of(7_214.0, 4_823.0, 1_486.0, 11_580.0),
            Self::Breaker(voltage, housing) => breaker_cost(voltage, housing),
        }
    }

    /// Assesses plant of this category. Returns the first input that is outside of its range as an error.
    pub fn assess(self, state: &PlantState, bands: Bands) -> Result<AssessedPlant, Fault> {
        check(&[
            age_figure(state.age_years),
            ("duty factor", state.duty, (0.1, 10.0)),
            ("location factor", state.location, (0.1, 10.0)),
            ("condition factor", state.modifier.factor, (0.1, 10.0)),
            ("condition cap", state.modifier.cap, (0.5, 10.0)),
            ("condition collar", state.modifier.collar, (0.5, 10.0)),
            ("reliability factor", state.reliability, RELIABILITY),
            ("load MVA", state.consequence.load_mva.unwrap_or(0.0), (0.0, 0.0)),
        ])?;
        check(&consequence_figures(&state.consequence))?;
        let ageing = Ageing::new(self.normal_life_years(), state.duty, state.location);
        let health = ageing.health(state.age_years, state.modifier, state.reliability);
        let failures = failure_rate(self.k_percent(), health.score());
        let reference = self.reference_cost();
        // CNAIM considers the security of supply from 33 kV upwards only. Below, the reference cost applies unchanged.
        let secure = state.consequence.secure || !matches!(self, Self::Transformer(..) | Self::Breaker(..));
        let cost = Consequence { load_mva: None, secure, ..state.consequence }.cost(reference, 1.0);
        Ok(AssessedPlant {
            expected_life_years: ageing.expected_life_years(),
            health,
            band: bands.of(health.score()),
            failures,
            probability: probability(failures),
            cost,
            criticality: Criticality::of(cost.total(), reference.total()),
            risk: failures * cost.total(),
        })
    }
}

fn breaker_life(voltage: Voltage, Housing { gas, outdoor }: Housing) -> f64 {
    match (voltage, gas, outdoor) {
        (Voltage::Kv33 | Voltage::Kv132, _, false) => 60.0,
        (Voltage::Kv66, true, false) | (Voltage::Kv66, false, true) | (Voltage::Kv132, true, true) => 55.0,
        (Voltage::Kv33, _, true) | (Voltage::Kv66, true, true) | (Voltage::Kv66, false, false) | (Voltage::Kv132, false, true) => 50.0,
    }
}

fn breaker_cost(voltage: Voltage, Housing { gas, outdoor }: Housing) -> Cost {
    let (safety, environmental, indoors, outdoors) = match voltage {
        Voltage::Kv33 | Voltage::Kv66 => (23_502.0, 4_356.0, 29_120.0, 14_740.0),
        Voltage::Kv132 => (36_171.0, 21_756.0, 153_867.0, 38_826.0),
    };
    let financial = match (voltage, gas, outdoor) {
        (Voltage::Kv33, false, false) => 14_513.0,
        (Voltage::Kv33, false, true) => 17_870.0,
        (Voltage::Kv33, true, _) => 21_984.0,
        (Voltage::Kv66, false, false) => 28_930.0,
        (Voltage::Kv66, false, true) => 46_252.0,
        (Voltage::Kv66, true, _) => 52_176.0,
        (Voltage::Kv132, false, false) => 81_092.0,
        (Voltage::Kv132, false, true) => 38_181.0,
        (Voltage::Kv132, true, _) => 168_892.0,
    };
    Cost::of(financial, safety, environmental, if outdoor { outdoors } else { indoors })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_category_follows_from_voltage_and_place() {
        for (kv, tap_changer, made, expected) in [
            (33.0, false, 1979, Some(Plant::Transformer(Voltage::Kv33, TransformerPart::MainBefore1980))),
            (132.0, false, 1980, Some(Plant::Transformer(Voltage::Kv132, TransformerPart::MainSince1980))),
            (66.0, true, 1970, Some(Plant::Transformer(Voltage::Kv66, TransformerPart::TapChanger))),
            (11.0, false, 1990, Some(Plant::Transformer11)),
            (6.6, false, 1990, Some(Plant::Transformer11)),
            (22.0, false, 1990, Some(Plant::Transformer20)),
            (11.0, true, 1990, None),
            (0.44, false, 1990, None),
            (220.0, false, 1990, None),
        ] {
            assert_eq!(Plant::transformer(kv, tap_changer, made), expected, "{kv} {made}");
        }
        let housing = Housing { gas: true, outdoor: false };
        assert_eq!(Plant::breaker(11.0, true, housing), Some(Plant::Breaker11 { primary: true }));
        assert_eq!(Plant::breaker(20.0, false, housing), Some(Plant::Breaker20 { primary: false }));
        assert_eq!(Plant::breaker(22.0, true, housing), Some(Plant::Breaker(Voltage::Kv33, housing)));
        assert_eq!(Plant::breaker(33.0, true, housing), Some(Plant::Breaker(Voltage::Kv33, housing)));
        assert_eq!(Plant::breaker(0.4, true, housing), None);
        let network = |plant: Plant, secure| {
            let consequence = Consequence { secure, ..Consequence::default() };
            let of = PlantState { age_years: 20.0, duty: 1.0, location: 1.0, modifier: Modifier::NONE, reliability: 1.0, consequence };
            plant.assess(&of, Bands::V2_1).expect("figures that make sense").cost.network
        };
        let breaker = Plant::Breaker(Voltage::Kv33, housing);
        for (plant, secure, expected) in [
            (Plant::Transformer11, false, 4_343.0),
            (Plant::Transformer11, true, 4_343.0),
            (breaker, false, 72_800.0),
            (breaker, true, 29_120.0),
        ] {
            assert!((network(plant, secure) - expected).abs() < 1e-9, "{plant:?} {secure}");
        }
    }
}
