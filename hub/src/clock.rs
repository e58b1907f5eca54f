//! The wall clock.

use std::time::{SystemTime, UNIX_EPOCH};

use grid::Micros;

/// Returns the time that the clock of this machine says.
pub(crate) fn now() -> Micros {
    Micros(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| i64::try_from(since.as_micros()).unwrap_or(i64::MAX)))
}
