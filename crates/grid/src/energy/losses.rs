//! The parts of a measured loss of a transformer.

/// Splits a measured loss into no-load and load loss. `ratio` is load loss over no-load loss at rated load; `loads` are loads per unit of equal
/// duration. `None` without loads, or if the loss is negative.
pub fn parts_of_loss(lost: f64, ratio: f64, loads: &[f64]) -> Option<(f64, f64)> {
    let square = loads.iter().map(|load| load * load).sum::<f64>() / loads.len() as f64;
    let no_load = lost / (1.0 + ratio * square);
    (lost >= 0.0 && ratio >= 0.0 && no_load.is_finite()).then_some((no_load, lost - no_load))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_measured_loss_is_parted_by_the_ratio_and_the_course_of_the_load() {
        // 5 kW without load and 30 kW at rated load, at half load for a day.
        let lost = 24.0 * (5.0 + 30.0 / 4.0);
        let (no_load, load) = parts_of_loss(lost, 6.0, &[0.5; 24]).expect("parts");
        assert!((no_load - 120.0).abs() < 1e-9 && (load - 180.0).abs() < 1e-9, "{no_load} {load}");
        assert_eq!(parts_of_loss(lost, 6.0, &[]), None);
        assert_eq!(parts_of_loss(-1.0, 6.0, &[0.5]), None);
    }
}
