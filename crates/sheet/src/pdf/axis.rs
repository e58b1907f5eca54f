//! The axis of a chart, with its ends and tick marks at round numbers.

/// An axis from the lowest tick mark to the highest.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Axis {
    pub(super) marks: Vec<f64>,
    decimals: usize,
}

/// Largest number of tick marks.
const MARKS: f64 = 6.0;
/// Largest absolute value that is drawn. No report has larger values.
const VALUE_MAX: f64 = 1e15;

impl Axis {
    /// Creates an axis over all values, which includes 0 if `from_zero` (for columns).
    pub(super) fn over(values: impl Iterator<Item = f64>, from_zero: bool) -> Self {
        let start = if from_zero { Some((0.0, 0.0)) } else { None };
        let ends = values.fold(start, |ends: Option<(f64, f64)>, value| {
            Some(ends.map_or((value, value), |(low, high)| (low.min(value), high.max(value))))
        });
        let (mut low, mut high) = ends.unwrap_or((0.0, 1.0));
        // If the values are close to 0, the axis starts at 0.
        if low > 0.0 && low <= high / 2.0 {
            low = 0.0;
        }
        // For a constant line or a single value, the axis includes 0.
        if high - low < 1e-9 * high.abs().max(1e-3) {
            (low, high) = (low.min(0.0), high.max(0.0));
            if high - low < 1e-9 {
                high = low + 1.0;
            }
        }
        let step = round_step((high - low) / (MARKS - 1.0));
        let first = (low / step).floor();
        let last = (high / step).ceil();
        let marks = (0..=(last - first) as usize).map(|mark| (first + mark as f64) * step + 0.0).collect();
        Self { marks, decimals: (-step.log10().floor()).max(0.0) as usize + usize::from(is_quarter(step)) }
    }

    /// Returns the position of a value: 0 at the lowest tick mark, 1 at the highest.
    pub(super) fn share(&self, value: f64) -> f32 {
        let (low, high) = (self.marks[0], self.marks[self.marks.len() - 1]);
        ((value - low) / (high - low)).clamp(0.0, 1.0) as f32
    }

    pub(super) fn label(&self, mark: f64) -> String {
        format!("{mark:.*}", self.decimals)
    }
}

/// Whether a value can be drawn.
pub(super) fn drawable(value: f64) -> bool {
    value.abs() <= VALUE_MAX
}

/// Returns the smallest 1, 2, 2.5 or 5 times a power of ten that is not below `least`.
fn round_step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0].into_iter().find(|step| step * power >= least * 0.999_999);
    step.unwrap_or(10.0) * power
}

fn is_quarter(step: f64) -> bool {
    let power = 10_f64.powf(step.log10().floor());
    (step / power - 2.5).abs() < 1e-6 && power <= 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_round_and_hold_every_value() {
        let cases: [(&[f64], bool, &[&str]); 10] = [
            (&[100.0, 100.0], false, &["0", "20", "40", "60", "80", "100"]),
            (&[-3.0], false, &["-3", "-2", "-1", "0"]),
            (&[0.0], false, &["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
            (&[3.0, 47.0], true, &["0", "10", "20", "30", "40", "50"]),
            (&[230.1, 231.0], false, &["230.0", "230.2", "230.4", "230.6", "230.8", "231.0"]),
            (&[-12.0, 30.0], true, &["-20", "-10", "0", "10", "20", "30"]),
            (&[], true, &["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
            (&[0.0, 1.2], true, &["0.00", "0.25", "0.50", "0.75", "1.00", "1.25"]),
            (&[0.0, 12.0], true, &["0.0", "2.5", "5.0", "7.5", "10.0", "12.5"]),
            (&[1e12], true, &["0", "200000000000", "400000000000", "600000000000", "800000000000", "1000000000000"]),
        ];
        for (values, from_zero, expected) in cases {
            let axis = Axis::over(values.iter().copied(), from_zero);
            let labels: Vec<_> = axis.marks.iter().map(|mark| axis.label(*mark)).collect();
            assert_eq!(labels, expected, "{values:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_scale_is_too_long_or_too_short(values in proptest::collection::vec(-1e15_f64..1e15, 0..9), small in -14_i32..1, from_zero: bool) {
            let values: Vec<f64> = values.iter().map(|value| value * 10_f64.powi(small)).collect();
            let axis = Axis::over(values.iter().copied(), from_zero);
            assert!((2..=9).contains(&axis.marks.len()), "{:?}", axis.marks);
            let (low, high) = (axis.marks[0], axis.marks[axis.marks.len() - 1]);
            let slack = (high - low) * 1e-6;
            assert!(values.iter().all(|value| (low - slack..=high + slack).contains(value)), "{axis:?} {values:?}");
        }
    }
}
