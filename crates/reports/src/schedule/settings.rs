//! Settings of schedules, as the executable configures them.

use std::sync::Arc;
use std::time::Duration;

use grid::Micros;

/// Returns the wall clock time.
pub type Clock = Arc<dyn Fn() -> Micros + Send + Sync>;

/// Returns the time of a monotonic clock.
pub type Counter = Arc<dyn Fn() -> Duration + Send + Sync>;

/// Settings of schedules.
#[derive(Clone)]
pub struct ScheduleSettings {
    /// The database for the lock that keeps other processes on standby.
    pub database_url: String,
    /// Limit of stored files of one utility, bytes.
    pub kept_bytes_max: i64,
    /// Interval between checks for due schedules.
    pub poll: Duration,
    /// Time limit for creating a report.
    pub made_within: Duration,
    /// Interval between deletions of expired files.
    pub sweep: Duration,
    /// The wall clock.
    pub clock: Clock,
    /// The monotonic clock with which the wall clock is compared.
    pub counter: Counter,
}
