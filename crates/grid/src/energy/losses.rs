//! Losses by formula: those of transformers from their ratings, and those that accounts show between what was fed in, billed and paid.

/// Losses of a transformer at rated voltage: without load, and those of the windings at rated current, kW.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Transformer {
    /// Without load.
    pub no_load_kw: f64,
    /// Of the load, at rated current.
    pub load_kw: f64,
}

impl Transformer {
    /// At a load per unit of the rating, kW.
    pub fn loss_kw(&self, load: f64) -> f64 {
        self.no_load_kw + load * load * self.load_kw
    }

    /// The load per unit at which its efficiency is best: where both losses are equal. `None` without losses of the load.
    pub fn best_load(&self) -> Option<f64> {
        (self.load_kw > 0.0).then(|| (self.no_load_kw / self.load_kw).sqrt())
    }

    /// What is lost over loads per unit that last `hours` each, kWh.
    pub fn loss_kwh(&self, loads: &[f64], hours: f64) -> f64 {
        loads.iter().map(|load| self.loss_kw(*load) * hours).sum()
    }
}

/// What of a measured loss was there without load, and what the load added, by the ratio of both at rated load (that of the load over that without) and some
/// loads per unit that lasted equally long. `None` without loads, and where more came out than went in.
pub fn parts_of_loss(lost: f64, ratio: f64, loads: &[f64]) -> Option<(f64, f64)> {
    let square = loads.iter().map(|load| load * load).sum::<f64>() / loads.len() as f64;
    let no_load = lost / (1.0 + ratio * square);
    (lost >= 0.0 && ratio >= 0.0 && no_load.is_finite()).then_some((no_load, lost - no_load))
}

/// What came out of what went in when so much was lost, percent; `None` where nothing went in.
pub fn efficiency_percent(out_kwh: f64, lost_kwh: f64) -> Option<f64> {
    let energy_in = out_kwh + lost_kwh;
    (energy_in > 0.0).then(|| 100.0 * out_kwh / energy_in)
}

/// The mean of some loads over the largest, 0 to 1; `None` where there is none or it is not above zero.
pub fn load_factor(loads: &[f64]) -> Option<f64> {
    ratio_to_peak(loads.iter().copied())
}

/// The mean loss over the loss at the largest load: of losses that go with the square of the load.
pub fn loss_load_factor(loads: &[f64]) -> Option<f64> {
    ratio_to_peak(loads.iter().map(|load| load * load))
}

fn ratio_to_peak(values: impl Iterator<Item = f64> + Clone) -> Option<f64> {
    let (count, sum) = values.clone().fold((0_u32, 0.0), |(count, sum), value| (count + 1, sum + value));
    let peak = values.fold(f64::NEG_INFINITY, f64::max);
    (count > 0 && peak > 0.0).then(|| sum / f64::from(count) / peak)
}

/// The loss load factor guessed from a load factor, where the course of the load is not known: a share of it and the rest of its square. `linear` is 0.3 for
/// distribution after Buller and Woodrow; 0.2 is used too.
pub fn guessed_loss_load_factor(load_factor: f64, linear: f64) -> f64 {
    linear * load_factor + (1.0 - linear) * load_factor * load_factor
}

/// Losses of transmission and distribution: what was fed in and not billed, percent of what was fed in.
pub fn td_percent(input_kwh: f64, billed_kwh: f64) -> Option<f64> {
    (input_kwh > 0.0).then(|| 100.0 * (input_kwh - billed_kwh) / input_kwh)
}

/// Aggregate technical and commercial losses: what was fed in and not paid for, percent. `collection` is the share of what was billed that was paid, 0 to 1.
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
