//! What is kept of the values of one point within a bucket of time.

use super::held::Held;
use crate::{Micros, Quality};

/// The values of one point within a bucket of time. Values that the device itself calls stale or worse (quality 3 and up) and absent ones are counted
/// and go into the worst quality, and into no figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bucket {
    /// Values received.
    pub n: i64,
    /// Those of them that make up the figures.
    pub n_good: i64,
    /// The smallest.
    pub min: Option<f64>,
    /// The largest.
    pub max: Option<f64>,
    /// Their sum.
    pub sum: Option<f64>,
    /// The first of them, with its source time.
    pub first: Option<(Micros, f64)>,
    /// The last of them, with its source time.
    pub last: Option<(Micros, f64)>,
    /// The worst quality of all values received.
    pub worst: Quality,
    /// How they lie in time; `None` where that is not known, as of buckets that were made before it was kept.
    pub held: Option<Held>,
}

impl Bucket {
    /// Of one value.
    pub fn of(at: Micros, value: Option<f64>, quality: Quality) -> Self {
        let good = value.filter(|_| quality < Quality::Stale);
        Self {
            n: 1,
            n_good: i64::from(good.is_some()),
            min: good,
            max: good,
            sum: good,
            first: good.map(|value| (at, value)),
            last: good.map(|value| (at, value)),
            worst: quality,
            held: Some(Held::at(at)),
        }
    }

    /// Takes over all values of another one, in any order; between its values and its own the earlier one holds until the later. Where values are too old after
    /// a while, [`Bucket::append`] knows.
    pub fn merge(&mut self, other: &Self) {
        fn both<T: Copy>(a: Option<T>, b: Option<T>, pick: impl Fn(T, T) -> T) -> Option<T> {
            match (a, b) {
                (Some(a), Some(b)) => Some(pick(a, b)),
                (a, b) => a.or(b),
            }
        }
        self.held = self.held_with(other, None);
        self.n += other.n;
        self.n_good += other.n_good;
        self.min = both(self.min, other.min, f64::min);
        self.max = both(self.max, other.max, f64::max);
        self.sum = both(self.sum, other.sum, |a, b| a + b);
        self.first = both(self.first, other.first, |a, b| if b.0 < a.0 { b } else { a });
        self.last = both(self.last, other.last, |a, b| if b.0 >= a.0 { b } else { a });
        self.worst = self.worst.worst(other.worst);
    }

    /// The mean over the time for which its values held; of its values, each counting the same, where that is not known. `None` without a valid value of its own.
    pub fn mean(&self) -> Option<f64> {
        let of_values = self.sum.filter(|_| self.n_good > 0).map(|sum| sum / self.n_good as f64)?;
        let mean = self.held.filter(|held| held.ms > 0.0).map_or(of_values, |held| held.value_ms / held.ms);
        // One value all the time is that value, to the last bit, and not what is left of it after it was multiplied and divided.
        let only = self.min.zip(self.max).filter(|(min, max)| min.total_cmp(max).is_eq()).map(|(min, _)| min);
        Some(only.filter(|only| (mean - only).abs() <= only.abs() * 1e-12).unwrap_or(mean))
    }

    /// The value that holds behind the bucket: its last one, unless one came after it that is not valid.
    pub fn lasting(&self) -> Option<(Micros, f64)> {
        self.last.filter(|(at, _)| self.held.is_none_or(|held| held.to == *at))
    }

    /// Takes over all values of another one whose times lie before or behind its own, where a value holds for so long at most (ms; `None` until the next).
    pub fn append(&mut self, other: &Self, limit_ms: Option<i64>) {
        let held = self.held_with(other, limit_ms);
        self.merge(other);
        self.held = held;
    }

    /// Fills its span of time: with what held before its first value (`before`: source time and value), and with its last one until the end. Once, and last of
    /// all: from then on it has no room for other values.
    pub fn spread(&mut self, before: Option<(Micros, f64)>, (from, to): (Micros, Micros), limit_ms: Option<i64>) {
        let last = self.lasting();
        let Some(held) = &mut self.held else { return };
        let (first_heard, last_heard) = (held.from, held.to);
        if let Some(before) = before {
            held.add(before, from, first_heard, limit_ms);
        }
        if let Some(last) = last {
            held.add(last, last_heard, to, limit_ms);
        }
        (held.from, held.to) = (from.min(first_heard), to.max(last_heard));
    }

    /// How its values and those of another bucket lie in time together; `None` where the two overlap, or one of them has no times.
    fn held_with(&self, other: &Self, limit_ms: Option<i64>) -> Option<Held> {
        Held::joined((self.held?, self.lasting()), (other.held?, other.lasting()), limit_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_value_all_the_time_is_that_value_to_the_last_bit() {
        for value in [30.531_000_137_329_1, 0.1, -7.3, 1e-9] {
            for ms in [3_600_000.0, 7.0, 599_999.0] {
                let bucket = Bucket {
                    held: Some(Held { value_ms: value * ms, ms, ..Held::at(Micros(0)) }),
                    ..Bucket::of(Micros(0), Some(value), Quality::Good)
                };
                assert_eq!(bucket.mean().map(f64::to_bits), Some(value.to_bits()), "{value} for {ms} ms");
            }
        }
    }

    #[test]
    fn what_is_not_valid_is_counted_and_in_no_figure() {
        let mut bucket = Bucket::of(Micros(10), Some(4.0), Quality::Good);
        for (at, value, quality) in [
            (30, Some(1e9), Quality::Invalid),
            (20, Some(2.0), Quality::Questionable),
            (5, None, Quality::Good),
            (15, Some(9.0), Quality::Good),
        ] {
            bucket.merge(&Bucket::of(Micros(at), value, quality));
        }
        assert_eq!((bucket.n, bucket.n_good, bucket.min, bucket.max), (5, 3, Some(2.0), Some(9.0)));
        assert_eq!((bucket.mean(), bucket.first, bucket.last), (Some(5.0), Some((Micros(10), 4.0)), Some((Micros(20), 2.0))));
        assert_eq!(bucket.worst, Quality::Invalid);
        assert_eq!(Bucket::of(Micros(1), None, Quality::Never).mean(), None);
    }
}
