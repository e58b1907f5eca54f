//! The steps of a register that its rating does not allow. A user can look at them and confirm those that were real.

use crate::Micros;
use crate::downsample::Bucket;
use crate::register::{Bound, Step, difference};

/// A step that the rating does not allow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RefusedStep {
    /// Time and value of the reading before the step.
    pub before: (Micros, f64),
    /// Time and value of the reading after the step.
    pub after: (Micros, f64),
    /// The amount, in the unit of the register.
    pub amount: f64,
    /// The largest amount that the rating allows between both readings.
    pub allowed: f64,
    /// The index of the cell, if the step is between two readings within one cell. Use shorter cells to find its place.
    pub within: Option<usize>,
}

/// Returns the refused steps of a register in consecutive cells. `before` is the last reading before the first cell. If the register continues from its earlier
/// value after a reading, this reading is a misread. Neither the step to a misread nor the step back is returned.
pub fn refused_steps(before: Option<(Micros, f64)>, cells: &[Option<Bucket>], bound: &Bound<'_>) -> Vec<RefusedStep> {
    let mut steps: Vec<RefusedStep> = Vec::new();
    let mut last = before;
    // The reading before a fall or a refused step, and the number of steps up to there.
    let mut left: Option<((Micros, f64), usize)> = None;
    let step = |before: (Micros, f64), after: (Micros, f64), within| {
        let amount = difference(before.1, after.1)?;
        Some(RefusedStep { before, after, amount, allowed: bound.allowed(before.0, after.0), within })
    };
    for (at, bucket) in cells.iter().enumerate() {
        let Some((bucket, first, end)) = bucket.as_ref().and_then(|bucket| Some((bucket, bucket.first?, bucket.last?))) else { continue };
        if let Some(last) = last {
            let made = Step::between(last, first, bound);
            if matches!(made, Step::Reset | Step::Refused) {
                match left {
                    Some((course, count)) if matches!(Step::between(course, first, bound), Step::Counted(_)) => {
                        steps.truncate(count);
                        left = None;
                    }
                    _ => {
                        left = Some((last, steps.len()));
                        steps.extend((made == Step::Refused).then(|| step(last, first, None)).flatten());
                    }
                }
            }
        }
        if Step::within(bucket, bound) == Some(Step::Refused) {
            steps.extend(step(first, end, Some(at)));
        }
        last = Some(end);
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Quality;

    /// Readings a minute apart, each in a cell of its own.
    fn found(readings: &[f64]) -> Vec<(i64, f64)> {
        let cell = |(at, value): (usize, &f64)| Some(Bucket::of(Micros(at as i64 * 60_000_000), Some(*value), Quality::Good));
        let cells: Vec<Option<Bucket>> = readings.iter().enumerate().map(cell).collect();
        let steps = refused_steps(None, &cells, &Bound::new(600.0, 0));
        steps.iter().map(|step| (step.after.0.0 / 60_000_000, step.amount)).collect()
    }

    #[test]
    fn lasting_step_is_found_and_misread_is_not() {
        assert_eq!(found(&[100.0, 105.0, 50_000.0, 50_005.0]), [(2, 49_895.0)]);
        assert_eq!(found(&[333_300.0, 0.0, 333_310.0, 333_315.0]), [], "a zero");
        assert_eq!(found(&[333_300.0, 0.0, 0.0, 333_315.0]), [], "two zeros");
        assert_eq!(found(&[100.0, 999_999.0, 110.0, 115.0]), [], "a reading far ahead");
        assert_eq!(found(&[50_000.0, 0.0, 5.0, 60_000.0]), [(3, 59_995.0)], "a reset, and a step later");
        assert_eq!(found(&[100.0, 50_000.0, 50_005.0, 90_000.0]), [(1, 49_900.0), (3, 39_995.0)]);
        assert_eq!(found(&[100.0, 105.0]), []);
    }

    #[test]
    fn step_within_a_cell_names_the_cell() {
        let mut cell = Bucket::of(Micros(0), Some(100.0), Quality::Good);
        cell.merge(&Bucket::of(Micros(60_000_000), Some(50_000.0), Quality::Good));
        let steps = refused_steps(None, &[None, Some(cell)], &Bound::new(600.0, 0));
        let expected = RefusedStep {
            before: (Micros(0), 100.0),
            after: (Micros(60_000_000), 50_000.0),
            amount: 49_900.0,
            allowed: 10.0,
            within: Some(1),
        };
        assert_eq!(steps, [expected]);
    }
}
