//! Rounds the numbers of exports, so that they are short, and the same after an import and another export.

/// Rounds to 12 significant digits. Conversions between ohms and per unit change the last digits of a number, which would be noise in the file.
pub(crate) fn round(number: f64) -> f64 {
    format!("{number:.11e}").parse().unwrap_or(number)
}
