//! Major event days (IEEE 1366-2012, annex B.2, the 2.5 beta method). They are reported separately, because they would dominate the indices.

/// The daily SAIDI above which a day of the following year is a major event day.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MajorEventLimit {
    /// Mean of the logarithms of the daily SAIDI.
    pub alpha: f64,
    /// Standard deviation of the logarithms, with n - 1. The standard does not specify the divisor; spreadsheets use n - 1.
    pub beta: f64,
    /// T_MED, minutes.
    pub minutes: f64,
    /// Number of days with an interruption from which the limit was computed.
    pub days: usize,
}

impl MajorEventLimit {
    /// Whether a day with this SAIDI, minutes, is a major event day.
    pub fn is_major(&self, saidi_minutes: f64) -> bool {
        saidi_minutes > self.minutes
    }
}

/// Computes the limit from the daily SAIDI of up to five years, minutes. Days without interruption have no logarithm and are left out. `None` with
/// fewer than two remaining days.
pub fn major_event_limit(daily_saidi: impl IntoIterator<Item = f64>) -> Option<MajorEventLimit> {
    let logarithms: Vec<f64> = daily_saidi.into_iter().filter(|day| day.is_finite() && *day > 0.0).map(f64::ln).collect();
    if logarithms.len() < 2 {
        return None;
    }
    let count = logarithms.len() as f64;
    let alpha = logarithms.iter().sum::<f64>() / count;
    let beta = (logarithms.iter().map(|logarithm| (logarithm - alpha).powi(2)).sum::<f64>() / (count - 1.0)).sqrt();
    Some(MajorEventLimit { alpha, beta, minutes: (alpha + 2.5 * beta).exp(), days: logarithms.len() })
}
