//! Harmonics: distortion of voltage and current, and the K factor of a transformer's load.

/// Returns the total harmonic distortion, percent of the fundamental (IEEE 519, IEC 61000-4-7). `harmonics` are the magnitudes from the second order
/// up, in the unit of the fundamental. `None` without a fundamental.
pub fn thd_percent(fundamental: f64, harmonics: &[f64]) -> Option<f64> {
    (fundamental > 0.0).then(|| 100.0 * root_of_squares(harmonics) / fundamental)
}

/// Returns the total demand distortion, percent of the demand current I_L (IEEE 519: the mean of the monthly maxima of twelve months). `None` without
/// a demand current.
pub fn tdd_percent(demand: f64, harmonics: &[f64]) -> Option<f64> {
    thd_percent(demand, harmonics)
}

/// Returns the root mean square of a fundamental with its harmonics.
pub fn rms(fundamental: f64, harmonics: &[f64]) -> f64 {
    fundamental.hypot(root_of_squares(harmonics))
}

/// Returns the K factor of a load current: the sum of h²I² over the sum of I², 1 for a sine. `components` are (order, magnitude), including the
/// fundamental. `None` without current.
pub fn k_factor(components: &[(u32, f64)]) -> Option<f64> {
    let total: f64 = components.iter().map(|(_, current)| current * current).sum();
    let weighted: f64 = components.iter().map(|(order, current)| (f64::from(*order) * current).powi(2)).sum();
    (total > 0.0).then(|| weighted / total)
}

fn root_of_squares(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum::<f64>().sqrt()
}
