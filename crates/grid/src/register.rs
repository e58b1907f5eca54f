//! Energy registers, which only increase until they roll over or are reset: the energy counted between readings.

use crate::Micros;
use crate::downsample::Bucket;

/// A register rolls over at a power of ten. A fall is a rollover if the reading before is within this share below the power of ten, and the reading after is
/// within this share above zero.
const NEAR: f64 = 0.1;
/// Smallest rollover value: a fall from a smaller reading is a reset.
const ROLLOVER_MIN: f64 = 1_000.0;

/// A step that a user has confirmed, although the rating does not allow it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConfirmedStep {
    /// Time of the reading after the step.
    pub at: Micros,
    /// The amount, in the unit of the register.
    pub amount: f64,
}

/// The largest amount that a register can count in a time. A step beyond it is a misread, or the register was replaced.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bound<'a> {
    per_hour: f64,
    slack_ms: i64,
    confirmed: &'a [ConfirmedStep],
}

impl Bound<'_> {
    /// Permits every step. For registers whose rating is not known.
    pub const NONE: Self = Self { per_hour: f64::INFINITY, slack_ms: 0, confirmed: &[] };

    /// Permits an amount per hour, in the unit of the register. `slack_ms` is added to the time between two readings, because a meter may read its register some
    /// time before the request.
    pub fn new(per_hour: f64, slack_ms: i64) -> Self {
        Self { per_hour, slack_ms, confirmed: &[] }
    }

    /// Returns the bound with confirmed steps. Their amounts are permitted in addition, in every time that contains them.
    #[must_use]
    pub fn confirming<'b>(&self, confirmed: &'b [ConfirmedStep]) -> Bound<'b> {
        Bound { per_hour: self.per_hour, slack_ms: self.slack_ms, confirmed }
    }

    /// Returns the bound for a register whose unit is `kwh` of the unit of this bound.
    #[must_use]
    pub fn of_unit(self, kwh: f64) -> Self {
        Self { per_hour: self.per_hour / kwh, ..self }
    }

    /// Returns whether a register can have counted an amount between two instants.
    pub fn allows(&self, amount: f64, from: Micros, to: Micros) -> bool {
        self.per_hour == f64::INFINITY || amount - self.confirmed_within(from, to) <= self.allowed(from, to)
    }

    /// Returns the largest amount that the rating allows between two instants.
    pub fn allowed(&self, from: Micros, to: Micros) -> f64 {
        let ms = to.millis_since(from).max(0).saturating_add(self.slack_ms);
        self.per_hour * ms as f64 / 3_600_000.0
    }

    fn confirmed_within(&self, from: Micros, to: Micros) -> f64 {
        self.confirmed.iter().filter(|step| from < step.at && step.at <= to).map(|step| step.amount).sum()
    }
}

/// The difference between two readings of a register.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Step {
    /// It counted an amount.
    Counted(f64),
    /// It counted an amount. A reading in between was refused, because the rating does not allow it.
    Corrected(f64),
    /// It was reset.
    Reset,
    /// Its rating does not allow the step.
    Refused,
}

impl Step {
    /// Returns the step between two consecutive readings, each with its time.
    pub fn between(before: (Micros, f64), after: (Micros, f64), bound: &Bound<'_>) -> Self {
        match difference(before.1, after.1) {
            None => Self::Reset,
            Some(amount) if bound.allows(amount, before.0, after.0) => Self::Counted(amount),
            Some(_) => Self::Refused,
        }
    }

    /// Returns the step from the first to the last reading of a bucket; `None` without readings.
    pub fn within(bucket: &Bucket, bound: &Bound<'_>) -> Option<Self> {
        let (first, last, min, max) = (bucket.first?, bucket.last?, bucket.min?, bucket.max?);
        let allowed = |amount: f64| bound.allows(amount, first.0, last.0);
        let ahead = last.1 - first.1;
        if min >= first.1 && max <= last.1 {
            return Some(if allowed(ahead) { Self::Counted(ahead) } else { Self::Refused });
        }
        // The register fell within the bucket, if only once from the highest reading to the lowest.
        let fell = max >= first.1 && last.1 >= min;
        let around = difference(max, min).filter(|_| fell).map(|around| (max - first.1) + around + (last.1 - min));
        Some(match around {
            Some(amount) if allowed(amount) => Self::Counted(amount),
            // After a reset it would have counted this at least. If it cannot have, the lowest or the highest reading was wrong.
            _ if ahead >= 0.0 && allowed(ahead) && !allowed((max - first.1) + (last.1 - min)) => Self::Corrected(ahead),
            Some(_) => Self::Refused,
            None => Self::Reset,
        })
    }
}

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

/// Returns the amount counted from the last reading before a bucket to its last reading. One fall, in the bucket or before its first reading, is taken into
/// account: the amount up to the highest reading, the amount across the rollover if it was a rollover, and the amount from the lowest reading on. After a
/// reset, the amount between the last reading before it and the first reading after it is not known and not included. If the rating does not allow the amount,
/// a reading in between was wrong. Then the amount is the difference from start to end, or is not known. `None` without readings to compare.
pub fn consumed(before: Option<(Micros, f64)>, bucket: &Bucket, bound: &Bound<'_>) -> Option<f64> {
    let (first, last) = (bucket.first?, bucket.last?);
    let (min, max) = (bucket.min?, bucket.max?);
    let start = match before {
        Some(before) => before,
        // A single reading gives no amount.
        None if bucket.n_good > 1 => first,
        None => return None,
    };
    let allowed = |amount: f64| bound.allows(amount, start.0, last.0);
    let ahead = Some(last.1 - start.1).filter(|ahead| *ahead >= 0.0 && allowed(*ahead));
    if first.1 >= start.1 && min >= first.1 && max <= last.1 {
        return ahead;
    }
    let (top, low) = if first.1 < start.1 { (start.1, first.1) } else { (max, min) };
    let around = difference(top, low).unwrap_or(0.0);
    Some((top - start.1) + around + (last.1 - low).max(0.0)).filter(|amount| allowed(*amount)).or(ahead)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Quality;

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
            let before = before.map(|before| (Micros(-1), before));
            assert_eq!(consumed(before, &bucket(readings), &Bound::NONE), expected, "{why}");
        }
        assert_eq!(consumed(Some((Micros(0), 1.0)), &Bucket::of(Micros(1), None, Quality::Invalid), &Bound::NONE), None);
    }

    #[test]
    fn the_parts_make_up_the_whole() {
        let readings = [99_900.0, 99_950.0, 99_999.0, 20.0, 70.0, 75.0];
        let (mut before, mut total) = (Some((Micros(0), 99_880.0)), 0.0);
        for reading in readings {
            let one = bucket(&[reading]);
            total += consumed(before, &one, &Bound::NONE).expect("known");
            before = Some((Micros(0), reading));
        }
        let whole = consumed(Some((Micros(0), 99_880.0)), &bucket(&readings), &Bound::NONE);
        assert!((total - whole.expect("known")).abs() < 1e-9);
        assert!((total - 195.0).abs() < 1e-9);
    }

    /// Readings a minute apart.
    fn minutes(readings: &[f64]) -> Bucket {
        let one = |(at, value): (usize, &f64)| Bucket::of(Micros(at as i64 * 60_000_000), Some(*value), Quality::Good);
        let mut all = readings.iter().enumerate().map(one);
        let mut bucket = all.next().expect("a reading");
        all.for_each(|next| bucket.merge(&next));
        bucket
    }

    #[test]
    fn zero_read_gives_no_energy() {
        // At most 600 kWh in an hour.
        let bound = Bound::new(600.0, 0);
        let before = Some((Micros(-60_000_000), 333_330.0));
        for (readings, expected, why) in [
            (&[333_335.0, 0.0, 333_339.0][..], Some(9.0), "a zero in between"),
            (&[333_335.0, 999_999.0, 333_339.0], Some(9.0), "a reading far ahead"),
            (&[0.0, 333_335.0], Some(5.0), "a zero at the start"),
            (&[333_335.0, 333_339.0], Some(9.0), "as usual"),
            (&[333_335.0, 340_000.0], None, "a step that the rating does not allow"),
        ] {
            assert_eq!(consumed(before, &minutes(readings), &bound), expected, "{why}");
        }
        let after_reset = consumed(before, &minutes(&[333_335.0, 0.0, 4.0]), &bound);
        assert_eq!(after_reset, Some(9.0), "a reset is followed");
    }

    #[test]
    fn step_is_bounded_by_rating_and_time() {
        let bound = Bound::new(600.0, 30_000);
        let at = |minute: i64| Micros(minute * 60_000_000);
        let between = |minutes: i64, before: f64, after: f64| Step::between((at(0), before), (at(minutes), after), &bound);
        assert_eq!(between(1, 100.0, 115.0), Step::Counted(15.0));
        assert_eq!(between(1, 100.0, 115.1), Step::Refused);
        assert_eq!(between(2, 100.0, 115.1), Step::Counted(115.1 - 100.0));
        assert_eq!(between(1, 0.0, 333_339.0), Step::Refused);
        assert_eq!(between(1, 950_000.0, 4.0), Step::Refused, "no rollover: 50,004 in a minute");
        assert_eq!(between(1, 50_000.0, 4.0), Step::Reset);
        let within = |readings: &[f64]| Step::within(&minutes(readings), &bound);
        assert_eq!(within(&[950_000.0, 0.0, 950_010.0]), Some(Step::Corrected(10.0)));
        assert_eq!(within(&[50_000.0, 0.0, 50_010.0]), Some(Step::Corrected(10.0)));
        assert_eq!(within(&[100.0, 999_999.0, 110.0]), Some(Step::Corrected(10.0)));
        assert_eq!(within(&[50_000.0, 0.0, 10.0]), Some(Step::Reset));
        assert_eq!(within(&[50_000.0, 50_010.0, 0.0]), Some(Step::Reset), "the next reading shows whether it is a misread");
        assert_eq!(within(&[99_999.0, 4.0, 10.0]), Some(Step::Counted(11.0)));
    }
}
