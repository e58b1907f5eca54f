//! What a forecast is made from.

use grid::forecast::WEEK;

/// Hours of history that are looked at; what is older does not count.
pub const HISTORY_MAX: usize = 8 * WEEK;

/// Hourly means up to an instant.
#[derive(Debug, Clone, Copy)]
pub struct History<'a> {
    /// Oldest first; `None` where nothing is known.
    pub hours: &'a [Option<f64>],
    /// Hours that are no example for others, such as those of holidays; as many as `hours`, or none at all.
    pub dropped: &'a [bool],
    /// The hour that follows the last one: the first to be forecast. Hours since 1970.
    pub next: i64,
}

impl History<'_> {
    /// The newest eight weeks.
    pub(crate) fn recent(self) -> Self {
        let from = self.hours.len().saturating_sub(HISTORY_MAX);
        Self { hours: &self.hours[from..], dropped: self.dropped.get(from..).unwrap_or_default(), ..self }
    }

    /// What was known so many hours earlier.
    pub(crate) fn before(self, hours: usize) -> Option<Self> {
        let end = self.hours.len().checked_sub(hours)?;
        let dropped = self.dropped.get(..end).unwrap_or_default();
        Some(Self { hours: &self.hours[..end], dropped, next: self.next - hours as i64 })
    }
}
