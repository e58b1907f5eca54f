//! The input of a forecast.

use grid::forecast::WEEK;

/// Number of hours of history that are used; older ones are ignored.
pub const HISTORY_MAX: usize = 8 * WEEK;

/// Hourly means up to an instant.
#[derive(Debug, Clone, Copy)]
pub struct History<'a> {
    /// The means, oldest first; `None` where not known.
    pub hours: &'a [Option<f64>],
    /// Hours that must not be used as examples, such as holidays; of the same length as `hours`, or empty.
    pub dropped: &'a [bool],
    /// The hour after the last one, which is the first to be forecast. Hours since 1970-01-01 UTC.
    pub next: i64,
}

impl History<'_> {
    /// Returns the newest eight weeks.
    pub(crate) fn recent(self) -> Self {
        let from = self.hours.len().saturating_sub(HISTORY_MAX);
        Self { hours: &self.hours[from..], dropped: self.dropped.get(from..).unwrap_or_default(), ..self }
    }

    /// Returns the history as it was known `hours` earlier.
    pub(crate) fn before(self, hours: usize) -> Option<Self> {
        let end = self.hours.len().checked_sub(hours)?;
        let dropped = self.dropped.get(..end).unwrap_or_default();
        Some(Self { hours: &self.hours[..end], dropped, next: self.next - hours as i64 })
    }
}
