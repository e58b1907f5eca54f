//! The wall clock of control.

use grid::Micros;

/// Returns the wall clock time, which is stored in rows.
pub(crate) fn now() -> Micros {
    Micros(jiff::Timestamp::now().as_microsecond())
}
