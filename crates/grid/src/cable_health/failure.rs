//! How often something of a score fails (CNAIM v2.1: a cubic in the score, with the health score limit of 4).

use super::cable::Insulation;

/// Scores below this fail as often as this.
pub const POF_SCORE_MIN: f64 = 4.0;
/// C of the cubic, the same for all categories.
const C: f64 = 1.087;

/// Failures a year of something with this score, by the K of its category in percent; of cables per km. The floor of [`POF_SCORE_MIN`]
/// holds for today as for the future, as in the published table of typical figures.
pub fn failure_rate(k_percent: f64, score: f64) -> f64 {
    let x = C * score.max(POF_SCORE_MIN);
    k_percent / 100.0 * (1.0 + x + x * x / 2.0 + x * x * x / 6.0)
}

/// Probability of at least one failure in a year at a rate of so many a year. Rates of pressurised cables lie above 1; a probability does
/// not.
pub fn probability(failures_per_year: f64) -> f64 {
    -(-failures_per_year).exp_m1()
}

impl Insulation {
    /// K of the cubic, percent per km.
    pub fn k_percent(self) -> f64 {
        match self {
            Self::NonPressurised => 0.0658,
            Self::Oil => 2.0944,
            Self::Gas => 4.5036,
        }
    }
}
