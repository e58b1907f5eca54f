//! Forecasts without a model, from earlier values at the same hour. They are the reference for the errors of a model, and are used if a model cannot be
//! computed.

use super::WEEK;

/// Number of weeks in the mean.
pub const WEEKS: usize = 4;

/// Returns for each hour the value one season (in hours) before. Beyond one season, the last known season is repeated.
pub fn seasonal_naive(history: &[Option<f64>], season: usize, ahead: usize) -> Vec<Option<f64>> {
    let season = season.max(1);
    let before = |hour: usize| history.len().checked_sub(season - hour % season).and_then(|at| history[at]);
    (0..ahead).map(before).collect()
}

/// Returns for each hour the mean of the known values at the same hour and weekday of the last four weeks. Hours marked in `dropped` (holidays) count
/// as unknown; hours beyond its end are not dropped.
pub fn same_hour_mean(history: &[Option<f64>], dropped: &[bool], ahead: usize) -> Vec<Option<f64>> {
    let known = |at: usize| history[at].filter(|_| !dropped.get(at).copied().unwrap_or(false));
    let mean = |hour: usize| {
        let weeks = (0..WEEKS).filter_map(|week| history.len().checked_sub(WEEK * (week + 1) - hour % WEEK).and_then(known));
        let (sum, count) = weeks.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
        (count > 0).then(|| sum / f64::from(count))
    };
    (0..ahead).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_season_is_repeated_and_what_is_not_known_stays_unknown() {
        let history = [Some(1.0), None, Some(3.0), Some(4.0), Some(5.0)];
        assert_eq!(seasonal_naive(&history, 3, 7), [Some(3.0), Some(4.0), Some(5.0), Some(3.0), Some(4.0), Some(5.0), Some(3.0)]);
        assert_eq!(seasonal_naive(&history, 4, 2), [None, Some(3.0)]);
        assert_eq!(seasonal_naive(&history, 7, 3), [None, None, Some(1.0)], "two hours before the history began");
    }

    #[test]
    fn a_holiday_and_a_gap_are_left_out_of_the_mean() {
        let mut history: Vec<Option<f64>> = (0..5 * WEEK).map(|hour| Some((hour / WEEK) as f64)).collect();
        assert_eq!(same_hour_mean(&history, &[], 1), [Some(2.5)], "weeks 1 to 4");
        let mut dropped = vec![false; history.len()];
        dropped[4 * WEEK] = true;
        assert_eq!(same_hour_mean(&history, &dropped, 2), [Some(2.0), Some(2.5)]);
        for week in 1..4 {
            history[week * WEEK] = None;
        }
        assert_eq!(same_hour_mean(&history, &dropped, 1), [None]);
        assert_eq!(same_hour_mean(&history[..WEEK - 1], &[], 3), [None, Some(0.0), Some(0.0)], "less than a week");
        let beyond = same_hour_mean(&history, &[], WEEK + 1);
        assert_eq!(beyond[WEEK], beyond[0], "a second week ahead is as the first");
    }
}
