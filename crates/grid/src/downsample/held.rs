//! How long values were valid: the basis of a mean over time.
//!
//! A value is valid until the next one, at most for its age limit ([`crate::freshness::age_limit_ms`]), and until a value of bad quality arrives. So
//! a value reported by exception is weighted by its duration, not by the number of reports.

use crate::Micros;

/// The integral of a bucket's values over time. It covers the time from the first received value to the last, so that it does not depend on other
/// buckets. [`super::Bucket::spread`] adds the time before and after.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Held {
    /// Integral of the values over the time in which they were valid, value · ms.
    pub value_ms: f64,
    /// Time in which values were valid, ms.
    pub ms: f64,
    /// Start: source time of the first value received, of any quality.
    pub from: Micros,
    /// End: source time of the last value received, of any quality.
    pub to: Micros,
}

impl Held {
    /// Creates the integral of one value, with a duration of 0.
    pub(super) fn at(at: Micros) -> Self {
        Self { value_ms: 0.0, ms: 0.0, from: at, to: at }
    }

    /// Adds a value with source time `at` for the time in which it was valid between two instants.
    pub(super) fn add(&mut self, (at, value): (Micros, f64), from: Micros, to: Micros, limit_ms: Option<i64>) {
        let to = limit_ms.map_or(to, |limit| to.min(at.plus_millis(limit)));
        let ms = (to.0 - from.max(at).0).max(0) as f64 / 1_000.0;
        self.value_ms += value * ms;
        self.ms += ms;
    }

    /// Joins two buckets. Each comes with its integral and the value that is still valid after it. `None` if they overlap.
    pub(super) fn joined(a: (Self, Option<(Micros, f64)>), b: (Self, Option<(Micros, f64)>), limit_ms: Option<i64>) -> Option<Self> {
        let ((mut earlier, mut last), (mut later, _)) = (a, b);
        if later.from < earlier.from {
            (earlier, last, later) = (later, b.1, earlier);
        }
        if later.from < earlier.to {
            return None;
        }
        if let Some(last) = last {
            earlier.add(last, earlier.to, later.from, limit_ms);
        }
        Some(Self { value_ms: earlier.value_ms + later.value_ms, ms: earlier.ms + later.ms, to: later.to, ..earlier })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Quality;
    use crate::downsample::{Bucket, floor};

    type Value = (i64, Option<f64>, Quality);

    fn bucket(&(ms, value, quality): &Value) -> Bucket {
        Bucket::of(Micros::from_millis(ms), value, quality)
    }

    /// Computes the mean millisecond by millisecond, over those at which the value is known.
    fn brute_force(values: &[Value], (from, to): (i64, i64), limit: Option<i64>) -> Option<f64> {
        let known = |ms: i64| {
            let (at, value, quality) = values.iter().rev().find(|(at, ..)| *at <= ms)?;
            value.filter(|_| *quality < Quality::Stale && limit.is_none_or(|limit| ms < at + limit))
        };
        let known: Vec<f64> = (from..to).filter_map(known).collect();
        (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
    }

    fn values() -> impl Strategy<Value = Vec<Value>> {
        let value = prop_oneof![8 => (-100.0..100.0_f64).prop_map(Some), 1 => Just(None)];
        let quality = prop_oneof![8 => Just(Quality::Good), 1 => Just(Quality::Invalid)];
        prop::collection::btree_map(0..400_i64, (value, quality), 1..40)
            .prop_map(|values| values.into_iter().map(|(ms, (value, quality))| (ms, value, quality)).collect())
    }

    proptest! {
        #[test]
        fn however_it_is_put_together_the_mean_is_that_of_time(
            values in values(), limit in prop::option::of(1..120_i64), fine in 1..20_i64, times in 1..8_i64, reversed in any::<bool>(),
        ) {
            // Fine buckets of the values, coarse buckets of the fine ones, and values that are valid across their borders.
            let coarse = fine * times;
            let mut buckets: Vec<(i64, Bucket)> = Vec::new();
            let start_of = |ms: i64| floor(Micros::from_millis(ms), fine).millis();
            for value in &values {
                match buckets.last_mut() {
                    Some((start, all)) if *start == start_of(value.0) => all.append(&bucket(value), limit),
                    _ => buckets.push((start_of(value.0), bucket(value))),
                }
            }
            let mut cells: Vec<(i64, Bucket)> = Vec::new();
            for (start, fine) in &buckets {
                let start = floor(Micros::from_millis(*start), coarse).millis();
                match cells.last_mut() {
                    // In either order.
                    Some((last, all)) if *last == start && reversed => {
                        let mut later = *fine;
                        later.append(all, limit);
                        *all = later;
                    }
                    Some((last, all)) if *last == start => all.append(fine, limit),
                    _ => cells.push((start, *fine)),
                }
            }
            let mut before = None;
            for (start, mut cell) in cells {
                let next = cell.lasting();
                cell.spread(before, (Micros::from_millis(start), Micros::from_millis(start + coarse)), limit);
                before = next;
                let expected = brute_force(&values, (start, start + coarse), limit);
                match (cell.mean(), expected) {
                    (Some(mean), Some(expected)) => prop_assert!((mean - expected).abs() < 1e-6, "{} for {} at {}", mean, expected, start),
                    // A bucket without usable values has no mean.
                    (None, _) => prop_assert_eq!(cell.n_good, 0),
                    (mean, expected) => prop_assert!(false, "{:?} for {:?} at {}", mean, expected, start),
                }
            }
        }
    }

    #[test]
    fn a_value_weighs_as_long_as_it_lasts() {
        // By exception: 10 from the start, 70 in the last sixth.
        let mut hour = bucket(&(0, Some(10.0), Quality::Good));
        hour.append(&bucket(&(3_000_000, Some(70.0), Quality::Good)), None);
        let span = (Micros(0), Micros::from_millis(3_600_000));
        let of_values = Bucket { held: None, ..hour };
        hour.spread(None, span, None);
        assert_eq!((hour.mean(), of_values.mean()), (Some(20.0), Some(40.0)), "buckets of before have the mean of their values");
        // In the next bucket the previous value is valid until its first value, unless it is too old.
        for (limit, mean) in [(None, 55.0), (Some(60_000), 50.0), (Some(1_500_000), 52.0)] {
            let mut next = bucket(&(900_000, Some(50.0), Quality::Good));
            next.append(&bucket(&(930_000, Some(50.0), Quality::Good)), limit);
            next.spread(Some((Micros::from_millis(-1_200_000), 70.0)), (Micros(0), Micros::from_millis(3_600_000)), limit);
            // 70 for 900 s of 3,600; not at all, and 50 for 90 s; for 300 s, and 50 for 1,530 s.
            let (before, own) = match limit {
                None => (900.0, 2_700.0),
                Some(60_000) => (0.0, 90.0),
                _ => (300.0, 1_530.0),
            };
            let expected = (70.0 * before + 50.0 * own) / (before + own);
            let found = next.mean().expect("a mean");
            assert!((found - expected).abs() < 1e-9 && (found - mean).abs() < 2.0, "{limit:?}: {found}");
        }
    }

    #[test]
    fn what_overlaps_or_has_no_times_has_the_mean_of_its_values() {
        let mut whole = bucket(&(0, Some(1.0), Quality::Good));
        whole.append(&bucket(&(100, Some(3.0), Quality::Good)), None);
        whole.append(&bucket(&(50, Some(8.0), Quality::Good)), None);
        assert_eq!((whole.held, whole.mean()), (None, Some(4.0)));
        let mut old = Bucket { held: None, ..bucket(&(0, Some(1.0), Quality::Good)) };
        old.append(&bucket(&(100, Some(3.0), Quality::Good)), None);
        old.spread(None, (Micros(0), Micros::from_millis(1_000)), None);
        assert_eq!((old.held, old.mean()), (None, Some(2.0)));
    }
}
