//! What the binary decides for schedules.

use std::sync::Arc;
use std::time::Duration;

use grid::Micros;

/// Tells the time.
pub type Clock = Arc<dyn Fn() -> Micros + Send + Sync>;

/// Counts the time that passes, whatever the clock says.
pub type Counter = Arc<dyn Fn() -> Duration + Send + Sync>;

/// What the binary decides for schedules.
#[derive(Clone)]
pub struct ScheduleSettings {
    /// For the lock that keeps a second process standing by.
    pub database_url: String,
    /// Bytes of files that a utility may keep.
    pub kept_bytes_max: i64,
    /// Between two looks at what is due.
    pub poll: Duration,
    /// What takes longer to make is given up.
    pub made_within: Duration,
    /// Between two looks at which files are over.
    pub sweep: Duration,
    /// The wall clock.
    pub clock: Clock,
    /// What it is held against.
    pub counter: Counter,
}
