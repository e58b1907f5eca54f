//! Computes the sequence values of lines whose values are given by phase.

use network::description::{PhaseImpedance, SequenceImpedance};

/// Returns the positive sequence of the phases that a line has, as if it were transposed.
pub(crate) fn positive_sequence(by_phase: &PhaseImpedance) -> (SequenceImpedance, f64) {
    let (own, mutual) = ([0, 2, 5], [1, 3, 4]);
    let has = |at: usize| by_phase.r_ohm[at] != 0.0 || by_phase.x_ohm[at] != 0.0;
    let mean = |values: &[f64; 6], places: [usize; 3]| {
        let (sum, count) = places.iter().filter(|at| has(**at)).fold((0.0, 0), |(sum, count), at| (sum + values[*at], count + 1));
        if count == 0 { 0.0 } else { sum / f64::from(count) }
    };
    let sequence = |values: &[f64; 6]| mean(values, own) - mean(values, mutual);
    (
        SequenceImpedance { r_ohm: sequence(&by_phase.r_ohm), x_ohm: sequence(&by_phase.x_ohm), ..Default::default() },
        sequence(&by_phase.b_s),
    )
}
