//! The wall clock.

use std::time::{SystemTime, UNIX_EPOCH};

use grid::Micros;

/// Returns the current time of the machine's clock.
pub(crate) fn now() -> Micros {
    Micros(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| i64::try_from(since.as_micros()).unwrap_or(i64::MAX)))
}
