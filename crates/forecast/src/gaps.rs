//! Fills gaps of the history for the fit of the model. Filled values are never returned to a user.

use grid::forecast::WEEK;

use crate::history::History;

/// Longest gap that is interpolated linearly, hours; a longer one is filled from the same hours of other weeks.
const BRIDGED_MAX: usize = 3;
/// Smallest share of hours that must be known.
const KNOWN_MIN: f64 = 0.75;
/// Longest gap, hours. Filling a longer gap could give the model seasons that do not exist.
const GAP_MAX: usize = 3 * 24;

/// Returns the history from its first value on, without gaps. `None` if too much of it would have to be filled.
pub(crate) fn filled(history: History<'_>) -> Option<Vec<f64>> {
    let first = history.hours.iter().position(Option::is_some)?;
    let dropped = history.dropped.get(first..).unwrap_or_default();
    let known = |at: usize| !dropped.get(at).copied().unwrap_or(false);
    let hours: Vec<Option<f64>> =
        history.hours[first..].iter().enumerate().map(|(at, value)| value.filter(|value| value.is_finite() && known(at))).collect();
    let count = hours.iter().flatten().count();
    if (count as f64) < KNOWN_MIN * hours.len() as f64 {
        return None;
    }
    let mut filled = Vec::with_capacity(hours.len());
    let mut at = 0;
    while at < hours.len() {
        if let Some(value) = hours[at] {
            filled.push(value);
            at += 1;
            continue;
        }
        let length = hours[at..].iter().take_while(|value| value.is_none()).count();
        if length > GAP_MAX {
            return None;
        }
        let ends = filled.last().copied().zip(hours.get(at + length).copied().flatten());
        for step in 0..length {
            let value = match ends {
                Some((before, after)) if length <= BRIDGED_MAX => before + (after - before) * (step + 1) as f64 / (length + 1) as f64,
                _ => of_other_weeks(&hours, at + step)?,
            };
            filled.push(value);
        }
        at += length;
    }
    Some(filled)
}

/// Returns the mean of the same hour of the other weeks.
fn of_other_weeks(hours: &[Option<f64>], at: usize) -> Option<f64> {
    let known: Vec<f64> = (at % WEEK..hours.len()).step_by(WEEK).filter_map(|other| hours[other]).collect();
    (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(hours: &[Option<f64>], dropped: &[bool]) -> Option<Vec<f64>> {
        filled(History { hours, dropped, next: 0 })
    }

    /// Three weeks. The value of an hour is its number in the week, plus 1000 for each week.
    fn weeks() -> Vec<Option<f64>> {
        (0..3 * WEEK).map(|hour| Some((hour % WEEK + hour / WEEK * 1_000) as f64)).collect()
    }

    #[test]
    fn short_gaps_are_bridged_and_long_ones_are_as_other_weeks() {
        let mut hours = weeks();
        hours[10..13].fill(None);
        hours[WEEK + 50..WEEK + 60].fill(None);
        let filled = of(&hours, &[]).expect("enough");
        assert_eq!(filled[10..13], [10.0, 11.0, 12.0]);
        assert!((filled[WEEK + 55] - 1_055.0).abs() < 1e-9, "the mean of 55 and 2055");
        assert_eq!(filled.len(), hours.len());
    }

    #[test]
    fn what_is_dropped_is_a_gap_and_what_never_began_is_cut_off() {
        let mut hours = weeks();
        hours[..5].fill(None);
        let dropped: Vec<bool> = (0..hours.len()).map(|hour| hour == 20).collect();
        let filled = of(&hours, &dropped).expect("enough");
        assert_eq!((filled.len(), filled[0], filled[15]), (hours.len() - 5, 5.0, 20.0));
    }

    #[test]
    fn too_much_made_up_is_refused() {
        let mut hours = weeks();
        hours[100..=100 + GAP_MAX].fill(None);
        assert_eq!(of(&hours, &[]), None, "one long gap");
        let holey: Vec<Option<f64>> = weeks().into_iter().enumerate().map(|(at, value)| value.filter(|_| at % 3 > 0)).collect();
        assert_eq!(of(&holey, &[]), None, "two thirds are there");
        assert_eq!(of(&[None, None], &[]), None);
    }
}
