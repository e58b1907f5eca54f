//! The error of a forecast: MAPE, WAPE, MAE, rMAE, RMSE, and its skill compared with a baseline.

use super::band::quantile;

/// Smallest power for which a percentage is computed if no rating is known, kW: as in the published examples (vectors/forecast.json).
pub const LEAST_KW: f64 = 1.0;
/// Smallest current for which a percentage is computed, A.
pub const LEAST_A: f64 = 1.0;

/// The scores of pairs of actual and forecast values.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Score {
    /// Mean absolute percentage error, %; `None` without usable pairs.
    pub mape: Option<f64>,
    /// Sum of the absolute errors over the sum of the absolute actual values, all pairs, %; `None` if the actual values are all 0.
    pub wape: Option<f64>,
    /// Mean absolute error of all pairs, in their unit.
    pub mae: Option<f64>,
    /// Mean absolute error over the range in which 90 % of the actual values lie (5 % to 95 % quantile).
    pub rmae: Option<f64>,
    /// Root of the mean square error of all pairs, in their unit.
    pub rmse: Option<f64>,
    /// Number of pairs in the MAPE.
    pub used: usize,
    /// Number of pairs that are not included in the MAPE, because the actual value is too small for a percentage.
    pub small: usize,
    /// Number of pairs with a missing value.
    pub missing: usize,
}

/// Returns the smallest actual value for which a percentage is computed: 1 % of the rating, or of the largest value if no rating is known, and at
/// least `epsilon`.
pub fn least(rated: Option<f64>, largest: f64, epsilon: f64) -> f64 {
    (rated.unwrap_or(largest).abs() * 0.01).max(epsilon)
}

/// Returns the error of one value, % of the actual value; `None` if a value is missing or the actual one is smaller than `least`.
pub fn percent(actual: Option<f64>, forecast: Option<f64>, least: f64) -> Option<f64> {
    let (actual, forecast) = (actual.filter(|actual| actual.abs() >= least)?, forecast?);
    (actual != 0.0).then(|| 100.0 * ((actual - forecast) / actual).abs())
}

/// Scores pairs of actual and forecast values. Actual values smaller than `least` are in all scores except the MAPE.
pub fn score(pairs: impl IntoIterator<Item = (Option<f64>, Option<f64>)>, least: f64) -> Score {
    let mut found = Score::default();
    let (mut percents, mut errors, mut squares) = (0.0, 0.0, 0.0);
    let mut actuals = Vec::new();
    for (actual, forecast) in pairs {
        let (Some(is), Some(predicted)) = (actual, forecast) else {
            found.missing += 1;
            continue;
        };
        let error = (is - predicted).abs();
        errors += error;
        squares += error * error;
        actuals.push(is);
        match percent(actual, forecast, least) {
            None => found.small += 1,
            Some(percent) => {
                found.used += 1;
                percents += percent;
            }
        }
    }
    found.mape = (found.used > 0).then(|| percents / found.used as f64);
    if actuals.is_empty() {
        return found;
    }
    let count = actuals.len() as f64;
    let total: f64 = actuals.iter().map(|actual| actual.abs()).sum();
    actuals.sort_unstable_by(f64::total_cmp);
    let range = quantile(&actuals, 0.95).zip(quantile(&actuals, 0.05)).map(|(high, low)| high - low);
    found.wape = (total > 0.0).then(|| 100.0 * errors / total);
    found.mae = Some(errors / count);
    found.rmae = range.filter(|range| *range > 0.0).map(|range| errors / count / range);
    found.rmse = Some((squares / count).sqrt());
    found
}

/// Returns the skill compared with another forecast: 1 means no error, 0 an equal error, below 0 a larger error.
pub fn skill(wape: Option<f64>, other: Option<f64>) -> Option<f64> {
    let (ours, other) = (wape?, other.filter(|other| *other > 0.0)?);
    Some(1.0 - ours / other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_pair_is_no_score_and_not_zero() {
        assert_eq!(score([], 1.0), Score::default());
        let idle = score([(Some(0.0), Some(2.0)), (None, Some(1.0))], 0.0);
        assert_eq!((idle.mape, idle.wape, idle.mae, idle.small, idle.missing), (None, None, Some(2.0), 1, 1));
    }

    #[test]
    fn a_reverse_flow_is_an_actual_value_like_any_other() {
        let score = score([(Some(-100.0), Some(-90.0)), (Some(50.0), Some(55.0))], 1.0);
        assert_eq!((score.mape, score.wape), (Some(10.0), Some(10.0)));
    }

    #[test]
    fn skill_is_told_where_there_is_something_to_beat() {
        assert_eq!((skill(Some(5.0), Some(10.0)), skill(Some(15.0), Some(10.0))), (Some(0.5), Some(-0.5)));
        assert_eq!((skill(Some(0.0), Some(0.0)), skill(None, Some(1.0)), skill(Some(1.0), None)), (None, None, None));
    }

    #[test]
    fn a_percentage_needs_something_to_be_of() {
        assert!((least(Some(8_000.0), 100.0, LEAST_KW) - 80.0).abs() < 1e-12);
        assert!((least(None, 500.0, LEAST_KW) - 5.0).abs() < 1e-12);
        assert!((least(None, -20.0, LEAST_KW) - 1.0).abs() < 1e-12);
        assert_eq!((percent(Some(0.0), Some(1.0), 0.0), percent(Some(4.0), Some(5.0), 5.0)), (None, None));
    }
}
