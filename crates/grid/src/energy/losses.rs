//! Losses by formula: transformer losses from ratings, and losses from the balance of energy supplied, billed and paid for.

/// Losses of a transformer at rated voltage, kW.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Transformer {
    /// No-load loss.
    pub no_load_kw: f64,
    /// Load loss at rated current.
    pub load_kw: f64,
}

impl Transformer {
    /// Returns the loss at a load per unit of the rating, kW.
    pub fn loss_kw(&self, load: f64) -> f64 {
        self.no_load_kw + load * load * self.load_kw
    }

    /// Returns the load per unit with the best efficiency, at which no-load and load loss are equal. `None` without load loss.
    pub fn best_load(&self) -> Option<f64> {
        (self.load_kw > 0.0).then(|| (self.no_load_kw / self.load_kw).sqrt())
    }

    /// Returns the energy lost over loads per unit that last `hours` each, kWh.
    pub fn loss_kwh(&self, loads: &[f64], hours: f64) -> f64 {
        loads.iter().map(|load| self.loss_kw(*load) * hours).sum()
    }
}

/// Splits a measured loss into no-load and load loss. `ratio` is load loss over no-load loss at rated load; `loads` are loads per unit of equal
/// duration. `None` without loads, or if the loss is negative.
pub fn parts_of_loss(lost: f64, ratio: f64, loads: &[f64]) -> Option<(f64, f64)> {
    let square = loads.iter().map(|load| load * load).sum::<f64>() / loads.len() as f64;
    let no_load = lost / (1.0 + ratio * square);
    (lost >= 0.0 && ratio >= 0.0 && no_load.is_finite()).then_some((no_load, lost - no_load))
}

/// Returns output over input, percent; `None` if the input is not above zero.
pub fn efficiency_percent(out_kwh: f64, lost_kwh: f64) -> Option<f64> {
    let energy_in = out_kwh + lost_kwh;
    (energy_in > 0.0).then(|| 100.0 * out_kwh / energy_in)
}

/// Returns the mean load over the largest load, 0 to 1; `None` without loads or if the largest is not above zero.
pub fn load_factor(loads: &[f64]) -> Option<f64> {
    ratio_to_peak(loads.iter().copied())
}

/// Returns the mean loss over the loss at the largest load, for losses proportional to the square of the load.
pub fn loss_load_factor(loads: &[f64]) -> Option<f64> {
    ratio_to_peak(loads.iter().map(|load| load * load))
}

fn ratio_to_peak(values: impl Iterator<Item = f64> + Clone) -> Option<f64> {
    let (count, sum) = values.clone().fold((0_u32, 0.0), |(count, sum), value| (count + 1, sum + value));
    let peak = values.fold(f64::NEG_INFINITY, f64::max);
    (count > 0 && peak > 0.0).then(|| sum / f64::from(count) / peak)
}

/// Estimates the loss load factor from a load factor, if the load curve is not known: `linear` times the load factor plus the rest times its square.
/// `linear` is 0.3 for distribution after Buller and Woodrow; 0.2 is also used.
pub fn guessed_loss_load_factor(load_factor: f64, linear: f64) -> f64 {
    linear * load_factor + (1.0 - linear) * load_factor * load_factor
}

/// Returns transmission and distribution losses: energy supplied but not billed, percent of the energy supplied.
pub fn td_percent(input_kwh: f64, billed_kwh: f64) -> Option<f64> {
    (input_kwh > 0.0).then(|| 100.0 * (input_kwh - billed_kwh) / input_kwh)
}

/// Returns aggregate technical and commercial losses: energy supplied but not paid for, percent of the energy supplied. `collection` is the paid
/// share of the billed amount, 0 to 1.
pub fn atc_percent(input_kwh: f64, billed_kwh: f64, collection: f64) -> Option<f64> {
    (input_kwh > 0.0).then(|| 100.0 * (1.0 - billed_kwh / input_kwh * collection))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_measured_loss_is_parted_by_the_ratio_and_the_course_of_the_load() {
        // 5 kW without load and 30 kW at rated load, at half load for a day: 24 x (5 + 30 / 4).
        let known = Transformer { no_load_kw: 5.0, load_kw: 30.0 };
        let lost = known.loss_kwh(&[0.5; 24], 1.0);
        let (no_load, load) = parts_of_loss(lost, 6.0, &[0.5; 24]).expect("parts");
        assert!((no_load - 120.0).abs() < 1e-9 && (load - 180.0).abs() < 1e-9, "{no_load} {load}");
        assert_eq!(parts_of_loss(lost, 6.0, &[]), None);
        assert_eq!(parts_of_loss(-1.0, 6.0, &[0.5]), None);
    }
}
