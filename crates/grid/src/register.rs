//! Energy registers, which only increase until they roll over or are reset: the energy counted between readings.

use crate::downsample::Bucket;

/// A register rolls over at a power of ten. A rollover is recognised if the reading before is within this share below it, and the reading after
/// within this share above zero.
const NEAR: f64 = 0.1;
/// Smallest rollover value: a fall from a smaller reading is a reset.
const ROLLOVER_MIN: f64 = 1_000.0;

/// Returns the amount that a register counted between two consecutive readings, in its unit. A falling register has rolled over at the next power of
/// ten if it was close below it and is now close to zero. Otherwise it was reset, and the result is `None`.
pub fn difference(before: f64, after: f64) -> Option<f64> {
    if !before.is_finite() || !after.is_finite() {
        return None;
    }
    if after >= before {
        return Some(after - before);
    }
    let top = rollover(before)?;
    (after >= 0.0 && after <= top * NEAR).then_some(top - before + after)
}

/// Returns the power of ten that a reading is close below.
fn rollover(value: f64) -> Option<f64> {
    let mut top = ROLLOVER_MIN;
    while top <= value {
        top *= 10.0;
    }
    (value >= top * (1.0 - NEAR)).then_some(top)
}

/// Returns the amount counted from the last reading before a bucket to its last reading. One fall, in the bucket or before its first reading, is
/// followed: up to the highest reading, over the rollover if it was one, and on from the lowest. After a reset, the amount between the last reading
/// before and the first one after is not known and not included. `None` without readings to compare.
pub fn consumed(before: Option<f64>, bucket: &Bucket) -> Option<f64> {
    let ((_, first), (_, last)) = (bucket.first?, bucket.last?);
    let (min, max) = (bucket.min?, bucket.max?);
    let start = match before {
        Some(before) => before,
        // A single reading gives no amount.
        None if bucket.n_good > 1 => first,
        None => return None,
    };
    if first >= start && min >= first && max <= last {
        return Some(last - start);
    }
    let (top, low) = if first < start { (start, first) } else { (max, min) };
    let around = difference(top, low).unwrap_or(0.0);
    Some((top - start) + around + (last - low).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Micros, Quality};

    #[test]
    fn a_register_counts_up_rolls_over_or_was_set_anew() {
        let cases = [
            (100.0, 112.5, Some(12.5)),
            (100.0, 100.0, Some(0.0)),
            (99_999.0, 3.0, Some(4.0)),
            (999_950.0, 60.0, Some(110.0)),
            (50_000.0, 3.0, None),
            (99_999.0, 40_000.0, None),
            (12.0, 3.0, None),
            (990.0, 5.0, Some(15.0)),
            (f64::NAN, 5.0, None),
        ];
        for (before, after, expected) in cases {
            assert_eq!(difference(before, after), expected, "{before} -> {after}");
        }
    }

    fn bucket(readings: &[f64]) -> Bucket {
        let one = |(at, value): (usize, &f64)| Bucket::of(Micros(at as i64), Some(*value), Quality::Good);
        let mut all = readings.iter().enumerate().map(one);
        let mut bucket = all.next().expect("a reading");
        all.for_each(|next| bucket.merge(&next));
        bucket
    }

    #[test]
    fn what_a_bucket_consumed_is_all_that_was_counted_since_the_one_before() {
        // Before, readings, consumed, reason.
        type Case<'a> = (Option<f64>, &'a [f64], Option<f64>, &'a str);
        let cases: [Case<'_>; 9] = [
            (Some(100.0), &[101.0, 104.0], Some(4.0), "as usual"),
            (None, &[101.0, 104.0], Some(3.0), "the first that there is"),
            (None, &[101.0], None, "a single reading"),
            (Some(99_990.0), &[99_995.0, 2.0, 7.0], Some(17.0), "a rollover in the bucket"),
            (Some(99_990.0), &[2.0, 7.0], Some(17.0), "a rollover before it"),
            (Some(5_000.0), &[5_010.0, 0.0, 3.0], Some(13.0), "set to zero in the bucket"),
            (Some(5_000.0), &[4.0, 10.0], Some(6.0), "set anew before it"),
            (Some(5_000.0), &[4.0], Some(0.0), "set anew, and read once since"),
            (Some(7.0), &[7.0, 7.0], Some(0.0), "nothing"),
        ];
        for (before, readings, expected, why) in cases {
            assert_eq!(consumed(before, &bucket(readings)), expected, "{why}");
        }
        assert_eq!(consumed(Some(1.0), &Bucket::of(Micros(1), None, Quality::Invalid)), None);
    }

    #[test]
    fn the_parts_make_up_the_whole() {
        let readings = [99_900.0, 99_950.0, 99_999.0, 20.0, 70.0, 75.0];
        let (mut before, mut total) = (Some(99_880.0), 0.0);
        for reading in readings {
            let one = bucket(&[reading]);
            total += consumed(before, &one).expect("known");
            before = Some(reading);
        }
        assert!((total - consumed(Some(99_880.0), &bucket(&readings)).expect("known")).abs() < 1e-9);
        assert!((total - 195.0).abs() < 1e-9);
    }
}
