//! The time of the local clock.

use grid::Micros;

/// Returns the time of the local clock.
pub(crate) fn now() -> Micros {
    Micros(jiff::Timestamp::now().as_microsecond())
}
