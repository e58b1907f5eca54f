//! The failure rate of a health score (CNAIM v2.1: a cubic in the score, with the health score limit of 4).

use super::cable::Insulation;

/// Scores below this have the failure rate of this score.
pub const POF_SCORE_MIN: f64 = 4.0;
/// Constant C of the cubic, the same for all categories.
const C: f64 = 1.087;

/// Returns the failures per year at a score, for the constant K of the category in percent; for cables per km. The floor
/// [`POF_SCORE_MIN`] applies to present and future scores, as in CNAIM's table of typical figures.
pub fn failure_rate(k_percent: f64, score: f64) -> f64 {
    let x = C * score.max(POF_SCORE_MIN);
    k_percent / 100.0 * (1.0 + x + x * x / 2.0 + x * x * x / 6.0)
}

/// Returns the probability of at least one failure in a year at a rate of failures per year. The rate of a pressurised cable can be above
/// 1; a probability cannot.
pub fn probability(failures_per_year: f64) -> f64 {
    -(-failures_per_year).exp_m1()
}

impl Insulation {
    /// Returns K of the cubic, percent per km.
    pub fn k_percent(self) -> f64 {
        match self {
            Self::NonPressurised => 0.0658,
            Self::Oil => 2.0944,
            Self::Gas => 4.5036,
        }
    }
}
