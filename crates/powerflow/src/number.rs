//! Checks that the numbers of a description are finite and in a range in which the calculation is sufficiently exact.

use crate::CaseError;

/// The largest accepted impedance, admittance or power. It is far above the values of any equipment.
const GREATEST: f64 = 1e9;
/// The greatest voltage, kV.
const GREATEST_KV: f64 = 2_000.0;

/// Returns the value if it is in the range.
pub(crate) fn in_range(id: &str, what: &'static str, value: f64, low: f64, high: f64) -> Result<f64, CaseError> {
    // A value that is no number is in no range.
    if (low..=high).contains(&value) { Ok(value) } else { Err(CaseError::BadValue { id: id.to_owned(), what, value, low, high }) }
}

/// Checks any impedance, admittance or power.
pub(crate) fn finite(id: &str, what: &'static str, value: f64) -> Result<f64, CaseError> {
    in_range(id, what, value, -GREATEST, GREATEST)
}

/// Checks a nominal or rated voltage, kV.
pub(crate) fn voltage(id: &str, what: &'static str, kv: f64) -> Result<f64, CaseError> {
    in_range(id, what, kv, 1e-3, GREATEST_KV)
}
