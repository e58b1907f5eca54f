//! The stored figures of the values of one point within a bucket of time.

use super::held::Held;
use crate::{Micros, Quality};

/// The figures of one point within a bucket of time. Unusable values (quality 3 (stale) or worse, absent, or not finite) are included in the number of values
/// and in the worst quality, but in no other figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bucket {
    /// Number of values received.
    pub n: i64,
    /// Number of usable values, which the other figures include.
    pub n_good: i64,
    /// Smallest usable value.
    pub min: Option<f64>,
    /// Largest usable value.
    pub max: Option<f64>,
    /// Sum of the usable values. In an unpacked bucket: the mean over time multiplied by the number of usable values.
    pub sum: Option<f64>,
    /// First usable value, with its source time.
    pub first: Option<(Micros, f64)>,
    /// Last usable value, with its source time.
    pub last: Option<(Micros, f64)>,
    /// The worst quality of all values received.
    pub worst: Quality,
    /// Integral of the values over time; `None` if not known, as for buckets of earlier releases.
    pub held: Option<Held>,
}

impl Bucket {
    /// Creates a bucket from one value.
    pub fn of(at: Micros, value: Option<f64>, quality: Quality) -> Self {
        let good = value.filter(|value| quality < Quality::Stale && value.is_finite());
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

    /// Merges another bucket; the order does not matter. The last value of the earlier bucket is valid until the first value of the later bucket. Use
    /// [`Bucket::append`] if values have an age limit.
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

    /// Returns the mean over the time in which values were valid, or the mean of the values with equal weight if the times are not known. `None`
    /// without a usable value.
    pub fn mean(&self) -> Option<f64> {
        let of_values = self.sum.filter(|_| self.n_good > 0).map(|sum| sum / self.n_good as f64)?;
        let mean = self.held.filter(|held| held.ms > 0.0).map_or(of_values, |held| held.value_ms / held.ms);
        // If all values are equal, the mean is exactly that value, without a rounding error.
        let only = self.min.zip(self.max).filter(|(min, max)| min.total_cmp(max).is_eq()).map(|(min, _)| min);
        Some(only.filter(|only| (mean - only).abs() <= only.abs() * 1e-12).unwrap_or(mean))
    }

    /// Returns the value that is still valid after the bucket: its last usable value, unless an unusable value follows.
    pub fn lasting(&self) -> Option<(Micros, f64)> {
        self.last.filter(|(at, _)| self.held.is_none_or(|held| held.to == *at))
    }

    /// Merges another bucket whose times are all before or all after its own. A value is valid for at most `limit_ms`; `None` until the next value.
    pub fn append(&mut self, other: &Self, limit_ms: Option<i64>) {
        let held = self.held_with(other, limit_ms);
        self.merge(other);
        self.held = held;
    }

    /// Extends the integral of the bucket to its whole span. Up to the first value, the value from before the bucket is valid (`before`: source time and
    /// value). After the last value, the last value is valid until the end. Call this once, after all values were merged; nothing can be merged afterwards.
    pub fn spread(&mut self, before: Option<(Micros, f64)>, (from, to): (Micros, Micros), limit_ms: Option<i64>) {
        let last = self.lasting();
        let Some(held) = &mut self.held else { return };
        let (first_held, last_held) = (held.from, held.to);
        if let Some(before) = before {
            held.add(before, from, first_held, limit_ms);
        }
        if let Some(last) = last {
            held.add(last, last_held, to, limit_ms);
        }
        (held.from, held.to) = (from.min(first_held), to.max(last_held));
    }

    /// Returns the joined integral of both buckets; `None` if they overlap or one of them has no integral.
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
