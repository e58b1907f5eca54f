//! What EN 50160 asks of the supply, and how far the values of ten minutes kept it. The standard judges weeks, and frequency years of ten seconds: of other
//! times these are figures beside its limits, and no verdict by it.

/// Below this share of its nominal value a voltage is interrupted, and is judged as no voltage.
pub const INTERRUPTED: f64 = 0.05;
/// The share of values above which as many lie as are left out of a quantile, 95 %.
const QUANTILE: f64 = 0.95;

/// Between which values the supply has to stay, and for how much of the time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limit {
    /// The lowest; `None` where lower is only better.
    pub from: Option<f64>,
    /// The highest.
    pub to: f64,
    /// The share of values that have to lie within, %.
    pub required_percent: f64,
}

impl Limit {
    /// Total harmonic distortion of a voltage, %.
    pub const DISTORTION: Self = Self { from: None, to: 8.0, required_percent: 95.0 };
    /// Unbalance as V2/V1, %.
    pub const UNBALANCE: Self = Self { from: None, to: 2.0, required_percent: 95.0 };
    /// Flicker, long term.
    pub const LONG_FLICKER: Self = Self { from: None, to: 1.0, required_percent: 95.0 };

    /// A voltage of this nominal value.
    pub fn voltage(nominal: f64) -> Self {
        Self { from: Some(0.9 * nominal), to: 1.1 * nominal, required_percent: 95.0 }
    }

    /// The frequency of the network that has been measured so, of 50 or 60 Hz.
    pub fn frequency(measured: f64) -> Self {
        let nominal = if measured > 55.0 { 60.0 } else { 50.0 };
        Self { from: Some(0.99 * nominal), to: 1.01 * nominal, required_percent: 99.5 }
    }

    /// Whether a value lies within.
    pub fn has(&self, value: f64) -> bool {
        value <= self.to && self.from.is_none_or(|from| value >= from)
    }
}

/// What values came to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judged {
    /// Their mean.
    pub mean: f64,
    /// The smallest.
    pub least: f64,
    /// The largest.
    pub largest: f64,
    /// The smallest of them that 95 % of them do not exceed.
    pub quantile: f64,
    /// The share of them that lies within the limit, %; `None` without one.
    pub within_percent: Option<f64>,
    /// Whether that is as much as is required.
    pub kept: Option<bool>,
}

/// Looks at values, each of which counts the same; `None` without any.
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
        // Twenty values, of which one is beyond.
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
