//! Flicker: the long-term severity from the short-term ones.

/// How many short-term severities of ten minutes make a long-term one of two hours.
pub const SHORT_TERMS: usize = 12;

/// Long-term severity (IEC 61000-4-15): the cubic mean of twelve short-term ones in succession.
pub fn plt(pst: &[f64; SHORT_TERMS]) -> f64 {
    (pst.iter().map(|value| value.powi(3)).sum::<f64>() / SHORT_TERMS as f64).cbrt()
}
