//! Deviations from good practice that are not alarms, for the energy dashboard.

/// The largest acceptable deviation of a phase current from the mean of the three, % of the mean (method of NEMA MG 1, 14.36, which is for
/// voltages).
pub const UNBALANCE_MAX_PERCENT: f64 = 10.0;
/// Power factor below which tariffs in India add a surcharge, pu.
pub const POWER_FACTOR_MIN: f64 = 0.85;
/// Below this mean current the unbalance and the power factor of a feeder are not meaningful, A.
pub const CURRENT_MIN_A: f64 = 10.0;

/// Returns the mean of three phase currents, A. `None` if one is missing or not finite, or if the mean is below [`CURRENT_MIN_A`].
fn mean(currents: [Option<f64>; 3]) -> Option<f64> {
    let [r, y, b] = currents;
    let mean = (r? + y? + b?) / 3.0;
    (mean.is_finite() && mean >= CURRENT_MIN_A).then_some(mean)
}

/// Returns the unbalance of three currents: the largest deviation from their mean, % of the mean. `None` if a current is missing or the mean
/// is below [`CURRENT_MIN_A`].
pub fn unbalance_percent(currents: [Option<f64>; 3]) -> Option<f64> {
    let mean = mean(currents)?;
    let largest = currents.into_iter().flatten().map(|current| (current - mean).abs()).fold(0.0, f64::max);
    Some(largest / mean * 100.0)
}

/// Returns the power factor of a loaded feeder without its sign, 0 to 1. `None` if it is above 1, if a current is missing, or if their mean
/// is below [`CURRENT_MIN_A`].
pub fn power_factor(factor: Option<f64>, currents: [Option<f64>; 3]) -> Option<f64> {
    mean(currents)?;
    factor.map(f64::abs).filter(|factor| (0.0..=1.0).contains(factor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unbalance_and_power_factor_of_what_carries_something() {
        let balanced = [Some(100.0); 3];
        assert_eq!(unbalance_percent(balanced), Some(0.0));
        assert_eq!(unbalance_percent([Some(130.0), Some(100.0), Some(70.0)]), Some(30.0));
        assert_eq!(unbalance_percent([Some(130.0), None, Some(70.0)]), None, "a phase is missing");
        assert_eq!(unbalance_percent([Some(9.0), Some(3.0), Some(0.0)]), None, "too little");
        assert_eq!(unbalance_percent([Some(f64::NAN), Some(3.0), Some(0.0)]), None);
        assert_eq!(power_factor(Some(-0.8), balanced), Some(0.8));
        assert_eq!((power_factor(Some(1.2), balanced), power_factor(None, balanced)), (None, None));
        assert_eq!(power_factor(Some(0.8), [Some(1.0); 3]), None, "idle");
    }
}
