//! The energy budget of a month: the distribution of its total over the days by typical use of each weekday, and the expected use of the rest of the
//! month.

use super::band::bounds;

/// A day: its weekday (0 Monday to 6 Sunday) and the energy used, in a unit that is the same for all days.
pub type DayEnergy = (u8, Option<f64>);

/// Number of days before a start from which its mean is computed: four weeks.
const PAST: usize = 28;
/// Smallest number of past forecasts (starts) from which a bound of a cumulative error can be computed.
const STARTS_MIN: usize = 10;

/// Mean use of each weekday, from the days that are known.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Weekdays([Option<f64>; 7]);

impl Weekdays {
    /// Computes the means from past days.
    pub fn of(days: &[DayEnergy]) -> Self {
        let mean = |weekday: u8| {
            let known: Vec<f64> = days.iter().filter(|day| day.0 % 7 == weekday).filter_map(|day| day.1).collect();
            (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
        };
        Self([0, 1, 2, 3, 4, 5, 6].map(mean))
    }

    /// Adds the means of several parts, such as meters. The mean of each part is computed before the addition, so that a day without data of one part does not
    /// lower the sum. Parts without any data are left out.
    pub fn sum(parts: &[Self]) -> Self {
        let sum = |weekday: u8| {
            let known: Vec<f64> = parts.iter().filter_map(|part| part.get(weekday)).collect();
            (!known.is_empty()).then(|| known.iter().sum())
        };
        Self([0, 1, 2, 3, 4, 5, 6].map(sum))
    }

    /// Returns the use of a weekday; for an unknown weekday the mean of the known ones.
    pub fn get(&self, weekday: u8) -> Option<f64> {
        let known: Vec<f64> = self.0.iter().flatten().copied().collect();
        let mean = (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64);
        self.0[usize::from(weekday % 7)].or(mean)
    }

    /// Returns the total use of days with these weekdays.
    pub fn total(&self, weekdays: &[u8]) -> Option<f64> {
        weekdays.iter().map(|weekday| self.get(*weekday)).sum()
    }
}

/// Returns the cumulative budget at the end of each day, distributed by the use of the weekdays. Without known use, or with a sum of zero, all days
/// are equal.
pub fn spread(total: f64, weekdays: &[u8], used: &Weekdays) -> Vec<f64> {
    let whole = used.total(weekdays).filter(|whole| *whole > 0.0);
    let share = |weekday: u8| whole.and_then(|whole| Some(used.get(weekday)? / whole)).unwrap_or(1.0 / weekdays.len() as f64);
    let mut sum = 0.0;
    let mut cumulative = Vec::with_capacity(weekdays.len());
    for weekday in weekdays {
        sum += share(*weekday);
        cumulative.push(total * sum);
    }
    cumulative
}

/// Returns the bounds of the error (actual minus forecast) of the total of 1, 2, … `ahead` days. Each past day is the start of a forecast, which uses the means
/// of the weekdays in the four weeks before. `None` if there are too few starts.
pub fn cumulative_bounds(past: &[DayEnergy], ahead: usize) -> Vec<Option<[f64; 2]>> {
    let mut errors: Vec<Vec<f64>> = vec![Vec::new(); ahead];
    for start in PAST..past.len() {
        let used = Weekdays::of(&past[start - PAST..start]);
        let mut off = 0.0;
        for (errors, (weekday, is)) in errors.iter_mut().zip(&past[start..]) {
            let Some((is, predicted)) = is.zip(used.get(*weekday)) else { break };
            off += is - predicted;
            errors.push(off);
        }
    }
    errors.iter_mut().map(|errors| if errors.len() < STARTS_MIN { None } else { bounds(errors) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Weeks from Monday in which Sunday uses 40 and every other day 100.
    fn weeks(count: usize) -> Vec<DayEnergy> {
        (0..7 * count).map(|day| ((day % 7) as u8, Some(if day % 7 == 6 { 40.0 } else { 100.0 }))).collect()
    }

    #[test]
    fn parts_that_were_heard_on_other_days_have_their_own_means() {
        let whole = weeks(4);
        let half: Vec<DayEnergy> = whole.iter().enumerate().map(|(day, (weekday, used))| (*weekday, used.filter(|_| day < 14))).collect();
        let sum = Weekdays::sum(&[Weekdays::of(&whole), Weekdays::of(&half), Weekdays::of(&[(3, None)])]);
        assert_eq!((sum.get(0), sum.get(6)), (Some(200.0), Some(80.0)));
        assert_eq!(Weekdays::sum(&[]).get(0), None);
    }

    #[test]
    fn each_weekday_has_its_share_of_the_budget() {
        let used = Weekdays::of(&weeks(4));
        let weekdays: Vec<u8> = (0..14).map(|day| day % 7).collect();
        let cumulative = spread(1_280.0, &weekdays, &used);
        assert!((cumulative[0] - 100.0).abs() < 1e-9 && (cumulative[6] - 640.0).abs() < 1e-9 && (cumulative[13] - 1_280.0).abs() < 1e-9);
        assert!((cumulative[6] - cumulative[5] - 40.0).abs() < 1e-9, "a Sunday");
        assert!(cumulative.is_sorted());
    }

    #[test]
    fn without_a_past_each_day_has_the_same() {
        let none = Weekdays::of(&[(0, None)]);
        assert_eq!(none.get(3), None);
        assert_eq!(spread(40.0, &[0, 1, 2, 3], &none), [10.0, 20.0, 30.0, 40.0]);
        let monday = Weekdays::of(&[(0, Some(8.0))]);
        assert_eq!((monday.get(5), monday.total(&[0, 5])), (Some(8.0), Some(16.0)), "unknown weekdays are as the known ones");
    }

    #[test]
    fn a_past_that_repeats_itself_leaves_no_doubt_and_one_that_does_not_leaves_some() {
        let bounds = cumulative_bounds(&weeks(8), 7);
        assert!(bounds.iter().all(|bound| bound.is_some_and(|[low, high]| low.abs() < 1e-9 && high.abs() < 1e-9)));
        // Every second week uses ten percent more: after seven days a total has an error of up to 5 % of a week, up or down.
        let mut turns = weeks(12);
        turns.iter_mut().enumerate().filter(|(day, _)| day / 7 % 2 == 1).for_each(|(_, day)| day.1 = day.1.map(|used| used * 1.1));
        let [low, high] = cumulative_bounds(&turns, 7)[6].unwrap();
        assert!((-32.1..-20.0).contains(&low) && (20.0..32.1).contains(&high), "{low} {high}");
    }

    #[test]
    fn too_few_starts_are_no_bound() {
        let bounds = cumulative_bounds(&weeks(6), 10);
        assert!(bounds[4].is_some() && bounds[5].is_none(), "14 starts, of which 9 go on for six days");
        assert!(cumulative_bounds(&weeks(3), 2).iter().all(Option::is_none));
    }
}
