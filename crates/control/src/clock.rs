//! The wall clock of control.

use grid::Micros;

/// The wall clock, by which rows are stamped.
pub(crate) fn now() -> Micros {
    Micros(jiff::Timestamp::now().as_microsecond())
}
