//! What strays from good practice without being an alarm: for the energy dashboard.

/// The largest difference of a phase current from their mean that is good practice, % of the mean (NEMA MG 1, 14.36 does it so for voltages).
pub const UNBALANCE_MAX_PERCENT: f64 = 10.0;
/// The power factor that tariffs in India begin to surcharge below, pu.
pub const POWER_FACTOR_MIN: f64 = 0.85;
/// Below this mean current a feeder carries too little for its shape to say anything, A.
pub const CURRENT_MIN_A: f64 = 10.0;

/// The mean of three phase currents, A; `None` where one is missing or no number.
fn mean(currents: [Option<f64>; 3]) -> Option<f64> {
    let [r, y, b] = currents;
    let mean = (r? + y? + b?) / 3.0;
    (mean.is_finite() && mean >= CURRENT_MIN_A).then_some(mean)
}

/// How unbalanced three currents are, % of their mean; `None` where they say nothing.
pub fn unbalance_percent(currents: [Option<f64>; 3]) -> Option<f64> {
    let mean = mean(currents)?;
    let largest = currents.into_iter().flatten().map(|current| (current - mean).abs()).fold(0.0, f64::max);
    Some(largest / mean * 100.0)
}

/// The power factor of a feeder that carries something, without its sign; `None` where it says nothing.
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
