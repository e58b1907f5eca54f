//! Converts the values of transformers for tools that do not have separate values for each end.

use network::description::{Transformer, TransformerEnd};

/// Moves the impedance and the core of the second end of a transformer with two ends to the first end.
pub(crate) fn joined(mut ends: Vec<TransformerEnd>) -> Vec<TransformerEnd> {
    if let [first, second] = ends.as_mut_slice() {
        let ratio = (first.rated_kv / second.rated_kv).powi(2);
        let add = |one: &mut f64, other: &mut f64, factor: f64| {
            *one += std::mem::take(other) * factor;
        };
        add(&mut first.series.r_ohm, &mut second.series.r_ohm, ratio);
        add(&mut first.series.x_ohm, &mut second.series.x_ohm, ratio);
        add(&mut first.g_s, &mut second.g_s, 1.0 / ratio);
        add(&mut first.b_s, &mut second.b_s, 1.0 / ratio);
        let sum = |one: Option<f64>, other: Option<f64>| match (one, other) {
            (None, None) => None,
            (one, other) => Some(one.unwrap_or(0.0) + other.unwrap_or(0.0) * ratio),
        };
        first.series.r0_ohm = sum(first.series.r0_ohm, second.series.r0_ohm.take());
        first.series.x0_ohm = sum(first.series.x0_ohm, second.series.x0_ohm.take());
    }
    ends
}

/// Returns a transformer whose clock numbers refer to the first end. If it has two ends, the first end has the whole impedance and core. Such tools read only
/// the values of the first end and the clock numbers of the other ends.
pub(crate) fn as_seen_from_first(transformer: &Transformer) -> Transformer {
    let mut ends = joined(transformer.ends.clone());
    let first = ends.first().map_or(0, |end| end.clock % 12);
    for end in &mut ends {
        end.clock = (end.clock % 12 + 12 - first) % 12;
    }
    Transformer { ends }
}

/// Includes all tap changers except the last one in the rated voltages, because such tools support one tap changer. Returns whether there were any.
pub(crate) fn fold_all_but_last_tap(transformer: &mut Transformer) -> bool {
    let mut left = transformer.ends.iter().filter(|end| end.tap.is_some()).count();
    let is_folded = left > 1;
    for end in &mut transformer.ends {
        if left > 1
            && let Some(tap) = end.tap.take()
        {
            let ratio = 1.0 + f64::from(tap.step - tap.neutral) * tap.step_percent / 100.0;
            end.rated_kv *= ratio;
            end.series.r_ohm *= ratio * ratio;
            end.series.x_ohm *= ratio * ratio;
            end.g_s /= ratio * ratio;
            end.b_s /= ratio * ratio;
            left -= 1;
        }
    }
    is_folded
}

#[cfg(test)]
mod tests {
    use network::description::SequenceImpedance;

    use super::*;

    #[test]
    fn first_end_gets_impedance_core_and_clock_zero() {
        let series = |r_ohm: f64, r0_ohm| SequenceImpedance { r_ohm, x_ohm: 2.0 * r_ohm, r0_ohm, x0_ohm: None };
        let end = |rated_kv, clock, series| TransformerEnd { rated_kv, clock, series, g_s: 1e-6, ..TransformerEnd::default() };
        let transformer = Transformer { ends: vec![end(11.0, 11, series(1.0, None)), end(0.44, 4, series(0.01, Some(0.02)))] };
        let ends = as_seen_from_first(&transformer).ends;
        // The square of the ratio is 625.
        let first = ends[0].series;
        assert!((first.r_ohm - 7.25).abs() < 1e-9 && (first.x_ohm - 14.5).abs() < 1e-9);
        assert!((first.r0_ohm.unwrap() - 12.5).abs() < 1e-9 && first.x0_ohm.is_none());
        assert!((ends[0].g_s - (1e-6 + 1e-6 / 625.0)).abs() < 1e-15);
        assert_eq!((ends[0].clock, ends[1].clock, ends[1].series), (0, 5, SequenceImpedance::default()));
    }
}
