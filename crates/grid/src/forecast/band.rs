//! The band of a forecast, from the past errors of the same method.

use super::DAY;

/// Quantiles of the band: in 80 of 100 hours the actual value should be between them.
pub const BOUNDS: [f64; 2] = [0.1, 0.9];
/// Smallest number of errors from which a bound can be computed. One tenth of a smaller number is less than one error.
const ERRORS_MIN: usize = 10;

/// Returns the value below which the share `part` (0 to 1) of sorted values lies, with linear interpolation. `None` without values.
pub fn quantile(sorted: &[f64], part: f64) -> Option<f64> {
    let place = part.clamp(0.0, 1.0) * sorted.len().checked_sub(1)? as f64;
    let (low, rest) = (place.floor() as usize, place.fract());
    let high = (low + 1).min(sorted.len() - 1);
    Some(sorted[low] + (sorted[high] - sorted[low]) * rest)
}

/// Returns the lower and upper bound of errors in any order; `None` for fewer than ten.
pub fn bounds(errors: &mut [f64]) -> Option<[f64; 2]> {
    errors.sort_unstable_by(f64::total_cmp);
    if errors.len() < ERRORS_MIN {
        return None;
    }
    Some([quantile(errors, BOUNDS[0])?, quantile(errors, BOUNDS[1])?])
}

/// Bounds of errors (actual minus forecast) by hour of the day, because the load at noon is harder to forecast than at night. Each hour includes the
/// errors of its two neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Bands([Option<[f64; 2]>; DAY]);

impl Bands {
    /// Computes the bounds from errors, each with its hour since any midnight.
    pub fn of(errors: &[(i64, f64)]) -> Self {
        let mut bands = Self::default();
        for (hour, band) in bands.0.iter_mut().enumerate() {
            let is_near = |other: i64| [DAY - 1, 0, 1].contains(&((other - hour as i64).rem_euclid(DAY as i64) as usize));
            let mut near: Vec<f64> = errors.iter().filter(|(other, _)| is_near(*other)).map(|(_, error)| *error).collect();
            *band = bounds(&mut near);
        }
        bands
    }

    /// Returns the band around a forecast for an hour since the same midnight.
    pub fn around(&self, hour: i64, forecast: f64) -> Option<[f64; 2]> {
        self.0[hour.rem_euclid(DAY as i64) as usize].map(|errors| errors.map(|error| forecast + error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_lies_on_the_line_between_two_values() {
        let sorted = [1.0, 2.0, 4.0, 8.0];
        for (part, expected) in [(0.0, 1.0), (0.5, 3.0), (0.9, 6.8), (1.0, 8.0), (7.0, 8.0)] {
            assert!((quantile(&sorted, part).unwrap() - expected).abs() < 1e-12, "{part}");
        }
        assert_eq!((quantile(&[], 0.5), quantile(&[3.0], 0.1)), (None, Some(3.0)));
    }

    #[test]
    fn each_hour_has_the_errors_of_its_own_time_of_day() {
        // Hours 11 to 13 have errors of 10, all others of 1, on each of five days, with alternating signs.
        let error = |hour: i64| if (11..=13).contains(&(hour % 24)) { 10.0 } else { 1.0 };
        let errors: Vec<(i64, f64)> = (0..5 * 24).map(|hour| (hour, if hour % 2 == 0 { error(hour) } else { -error(hour) })).collect();
        let bands = Bands::of(&errors);
        assert_eq!(bands.around(12, 100.0), Some([90.0, 110.0]));
        assert_eq!(bands.around(24 * 1_000 + 12, 100.0), Some([90.0, 110.0]), "hours since 1970 will do");
        assert_eq!(bands.around(0, 100.0), Some([99.0, 101.0]));
        assert_eq!(Bands::of(&errors[..60]).around(3, 1.0), None, "three days have nine errors");
    }
}
