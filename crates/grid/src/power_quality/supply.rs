//! The requirements of EN 50160 and how far ten-minute values meet them. The standard evaluates weeks of ten-minute values, and years of ten-second values for
//! the frequency. For other periods the results only compare the figures with the limits of the standard. They do not prove conformity.

/// Share of its nominal value below which a voltage is interrupted and not evaluated.
pub const INTERRUPTED: f64 = 0.05;
/// The quantile that is reported: 95 % of the values do not exceed it.
const QUANTILE: f64 = 0.95;

/// The range of a quantity, and the share of the values that must be within it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limit {
    /// Lower limit; `None` if there is none.
    pub from: Option<f64>,
    /// Upper limit.
    pub to: f64,
    /// Required share of values within the limits, %.
    pub required_percent: f64,
}

impl Limit {
    /// Total harmonic distortion of a voltage, %.
    pub const DISTORTION: Self = Self { from: None, to: 8.0, required_percent: 95.0 };
    /// Unbalance as V2/V1, %.
    pub const UNBALANCE: Self = Self { from: None, to: 2.0, required_percent: 95.0 };
    /// Long-term flicker severity (Plt).
    pub const LONG_FLICKER: Self = Self { from: None, to: 1.0, required_percent: 95.0 };

    /// Returns the limits of a voltage with this nominal value.
    pub fn voltage(nominal: f64) -> Self {
        Self { from: Some(0.9 * nominal), to: 1.1 * nominal, required_percent: 95.0 }
    }

    /// Returns the limits of the frequency, Hz; the nominal value of 50 or 60 Hz follows from the measured one.
    pub fn frequency(measured: f64) -> Self {
        let nominal = if measured > 55.0 { 60.0 } else { 50.0 };
        Self { from: Some(0.99 * nominal), to: 1.01 * nominal, required_percent: 99.5 }
    }

    /// Whether a value is within the limits.
    pub fn has(&self, value: f64) -> bool {
        value <= self.to && self.from.is_none_or(|from| value >= from)
    }
}

/// The evaluation of values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judged {
    /// Mean.
    pub mean: f64,
    /// Smallest value.
    pub least: f64,
    /// Largest value.
    pub largest: f64,
    /// 95 % quantile: the smallest value that 95 % of the values do not exceed.
    pub quantile: f64,
    /// Share of the values within the limits, %; `None` without limits.
    pub within_percent: Option<f64>,
    /// Whether the required share is reached; `None` without limits.
    pub kept: Option<bool>,
}

/// Evaluates values with equal weight; `None` without values.
pub fn judge(values: &[f64], limit: Option<Limit>) -> Option<Judged> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let (least, largest, count) = (*sorted.first()?, *sorted.last()?, sorted.len() as f64);
    let quantile = sorted[((QUANTILE * count).ceil() as usize).clamp(1, sorted.len()) - 1];
    let within = |limit: Limit| 100.0 * sorted.iter().filter(|value| limit.has(**value)).count() as f64 / count;
    let within_percent = limit.map(within);
    let kept = limit.zip(within_percent).map(|(limit, within)| within >= limit.required_percent);
    Some(Judged { mean: sorted.iter().sum::<f64>() / count, least, largest, quantile, within_percent, kept })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_those_of_the_standard() {
        let voltage = Limit::voltage(11.0);
        assert_eq!([9.89, 9.91, 12.09, 12.11].map(|kv| voltage.has(kv)), [false, true, true, false]);
        assert_eq!([49.4, 49.51, 50.49, 50.6].map(|hz| Limit::frequency(hz).has(hz)), [false, true, true, false]);
        assert_eq!([59.3, 59.5, 60.5, 60.7].map(|hz| Limit::frequency(hz).has(hz)), [false, true, true, false], "a network of 60 Hz");
        assert!(Limit::UNBALANCE.has(0.0) && Limit::UNBALANCE.has(2.0) && !Limit::UNBALANCE.has(2.01));
    }

    #[test]
    fn values_are_judged_by_hand() {
        // Twenty values, one of them above the limit.
        let mut values: Vec<f64> = (1..=19).map(|nth| f64::from(nth) / 10.0).collect();
        values.push(2.5);
        let judged = judge(&values, Some(Limit::UNBALANCE)).expect("values");
        assert_eq!((judged.least, judged.largest, judged.quantile), (0.1, 2.5, 1.9));
        assert_eq!((judged.within_percent, judged.kept), (Some(95.0), Some(true)));
        values.push(2.1);
        let judged = judge(&values, Some(Limit::UNBALANCE)).expect("values");
        assert_eq!((judged.kept, judged.quantile), (Some(false), 2.1));
        assert!((judged.mean - (19.0 + 2.5 + 2.1) / 21.0).abs() < 1e-12);
        let one = judge(&[3.0, f64::NAN], None).expect("a value");
        assert_eq!((one.mean, one.quantile, one.within_percent, one.kept), (3.0, 3.0, None, None));
        assert_eq!(judge(&[], Some(Limit::DISTORTION)), None, "of nothing nothing is known");
    }
}
