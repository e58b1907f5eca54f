//! Flicker: long-term severity from short-term severities.

/// Number of ten-minute short-term severities in a long-term severity of two hours.
pub const SHORT_TERMS: usize = 12;

/// Returns the long-term severity (IEC 61000-4-15): the cubic mean of twelve consecutive short-term ones.
pub fn plt(pst: &[f64; SHORT_TERMS]) -> f64 {
    (pst.iter().map(|value| value.powi(3)).sum::<f64>() / SHORT_TERMS as f64).cbrt()
}
