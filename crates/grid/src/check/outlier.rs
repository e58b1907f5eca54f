//! Finds values far from the usual ones of their hour of the day, in one pass and bounded memory. It uses the median and the median absolute
//! deviation, which single extreme values do not change.

use crate::Micros;

/// Largest sample of an hour of the day for median and deviation. When it is full, every second value is dropped and the sampling interval doubles.
const SAMPLE: usize = 256;
/// Smallest sample for which median and deviation are meaningful.
const SAMPLE_MIN: usize = 20;
/// Number of highest and lowest values of an hour of the day that are kept with their times. Only these values can be reported as outliers.
pub const EXTREMES: usize = 32;
/// Distance from the median, in standard deviations, from which a value is an outlier. With a normal distribution, fewer than one value in 10^14 has such a
/// distance.
const DEVIATIONS: f64 = 8.0;
/// Factor from the median absolute deviation to the standard deviation, for a normal distribution.
const TO_SIGMA: f64 = 1.4826;
/// Smallest deviation, as a part of the median, so that small changes of a nearly constant value are not outliers.
const LEAST_PART: f64 = 0.01;

/// An outlier.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Outlier {
    /// Its source time.
    pub at: Micros,
    /// The value.
    pub value: f64,
    /// The median of its hour of the day.
    pub usual: f64,
}

/// The values of an hour of the day.
#[derive(Debug, Clone, Default)]
struct Hour {
    seen: usize,
    /// Every `every`-th value goes into the sample; 0 before the first value.
    every: usize,
    sample: Vec<f64>,
    high: Vec<(f64, Micros)>,
    low: Vec<(f64, Micros)>,
}

impl Hour {
    fn take(&mut self, at: Micros, value: f64) {
        self.every = self.every.max(1);
        if self.seen.is_multiple_of(self.every) {
            self.sample.push(value);
            if self.sample.len() == SAMPLE {
                let mut keep = false;
                self.sample.retain(|_| {
                    keep = !keep;
                    keep
                });
                self.every *= 2;
            }
        }
        self.seen += 1;
        hold(&mut self.high, (value, at), |a, b| a > b);
        hold(&mut self.low, (value, at), |a, b| a < b);
    }

    /// Returns the outliers of the hour. `resolution` is the step in which values are reported.
    fn outliers(mut self, resolution: f64) -> Vec<Outlier> {
        if self.sample.len() < SAMPLE_MIN {
            return Vec::new();
        }
        let usual = median(&mut self.sample);
        let mut away: Vec<f64> = self.sample.iter().map(|value| (value - usual).abs()).collect();
        let deviation = (TO_SIGMA * median(&mut away)).max(usual.abs() * LEAST_PART).max(resolution);
        let far = self.high.into_iter().chain(self.low).filter(|(value, _)| (value - usual).abs() > DEVIATIONS * deviation);
        far.map(|(value, at)| Outlier { at, value, usual }).collect()
    }
}

/// Keeps the [`EXTREMES`] values that come first by `before`.
fn hold(kept: &mut Vec<(f64, Micros)>, new: (f64, Micros), before: impl Fn(f64, f64) -> bool) {
    if kept.len() < EXTREMES {
        kept.push(new);
        return;
    }
    let mut least = 0;
    for at in 1..kept.len() {
        if before(kept[least].0, kept[at].0) {
            least = at;
        }
    }
    if before(new.0, kept[least].0) {
        kept[least] = new;
    }
}

/// Returns the median of values; there must be at least one.
fn median(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len().is_multiple_of(2) { f64::midpoint(values[middle - 1], values[middle]) } else { values[middle] }
}

/// The values of a point by hour of the day; at most about 80 kB.
#[derive(Debug, Clone)]
pub(super) struct Hours(Vec<Hour>);

impl Default for Hours {
    fn default() -> Self {
        Self(vec![Hour::default(); 24])
    }
}

impl Hours {
    /// Adds a value of an hour of the day, 0 to 23.
    pub(super) fn take(&mut self, hour: u8, at: Micros, value: f64) {
        self.0[usize::from(hour % 24)].take(at, value);
    }

    /// Returns all outliers in the order of time, each once.
    pub(super) fn outliers(self, resolution: f64) -> Vec<Outlier> {
        let mut all: Vec<Outlier> = self.0.into_iter().flat_map(|hour| hour.outliers(resolution)).collect();
        all.sort_by_key(|outlier| outlier.at);
        // With few values, the same ones are among the highest and the lowest.
        all.dedup_by_key(|outlier| outlier.at);
        all
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn hours(values: impl IntoIterator<Item = f64>) -> Hours {
        let mut hours = Hours::default();
        for (at, value) in values.into_iter().enumerate() {
            hours.take(7, Micros(at as i64), value);
        }
        hours
    }

    #[test]
    fn what_is_far_from_the_usual_of_its_hour_is_found_and_nothing_else() {
        // Around 100, in steps of 1, from 95 to 105: the deviation is about 4, so outliers are above 135 or below 65.
        let usual = (0..1_000).map(|at| 95.0 + f64::from(at % 11));
        let wild = [140.0, 60.0, 130.0, -5.0];
        let found: Vec<f64> = hours(usual.clone().chain(wild)).outliers(0.1).iter().map(|outlier| outlier.value).collect();
        assert_eq!(found, [140.0, 60.0, -5.0]);
        assert_eq!(hours(usual.clone()).outliers(0.1), []);
        assert_eq!(hours((0..19).map(|_| 1.0).chain([])).outliers(0.1), [], "too few to know what is usual");
        let constant = hours((0..100).map(|_| 50.0).chain([50.3, 47.0, 54.5]));
        let found: Vec<(f64, f64)> = constant.outliers(0.01).iter().map(|outlier| (outlier.value, outlier.usual)).collect();
        assert_eq!(found, [(54.5, 50.0)], "a hundredth of the median is the least deviation, eight of them 4");
    }

    #[test]
    fn an_hour_is_judged_by_itself() {
        let mut hours = Hours::default();
        for at in 0..2_400 {
            let hour = (at % 24) as u8;
            hours.take(hour, Micros(at), if hour < 12 { 10.0 } else { 1_000.0 } + f64::from(hour));
        }
        hours.take(3, Micros(5_000), 1_003.0);
        let found = hours.outliers(0.1);
        assert_eq!(found.iter().map(|outlier| (outlier.value, outlier.usual)).collect::<Vec<_>>(), [(1_003.0, 13.0)]);
    }

    proptest! {
        #[test]
        fn few_wild_values_are_all_found_however_many_there_are(
            count in 600_usize..4_000, wild in proptest::collection::btree_set(0_usize..600, 0..30),
        ) {
            let value = |at: usize| if wild.contains(&at) { 9_000.0 } else { 100.0 + (at % 7) as f64 };
            let hours = hours((0..count).map(value));
            prop_assert!(hours.0.iter().all(|hour| hour.sample.len() < SAMPLE && hour.high.len() <= EXTREMES && hour.low.len() <= EXTREMES));
            let found: Vec<usize> = hours.outliers(0.1).iter().map(|outlier| outlier.at.0 as usize).collect();
            prop_assert_eq!(found, wild.into_iter().collect::<Vec<_>>());
        }
    }
}
