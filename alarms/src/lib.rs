//! Derives alarms and faults from events, values and links of the field, and from failed commands.
//!
//! - Events come from the database by offset: the offset and the results are committed together, so no event is lost or counted twice when
//!   the process ends.
//! - States of commands come from the database in the same way, so a command that fails raises its alarm once.
//! - Measured values and links come from the bus. They are compared with the database when the bus has lost messages, and every half
//!   minute.
//!
//! An alarm that is a consequence of another one is suppressed while its cause is known. [`network_supply`] and [`supply`] find the parts without supply, in
//! the network of the utility and in a substation outside of it. [`causes`] finds the switch or the infeed that is the cause, and [`consequence`] the resulting
//! alarms.
//!
//! The rules are in `grid::alarm` and `grid::fault`. [`field`] maps points to their rules, [`command`] describes alarms of commands,
//! [`step`] applies changes to the rows under the lock, and [`run`] reads, commits and publishes.

mod about;
mod area;
mod bound;
mod causes;
mod command;
mod consequence;
mod field;
mod fold;
mod link;
mod network_supply;
mod run;
mod step;
mod supply;

use std::time::Duration;

use bus::Bus;
use registry::Registry;
use store::Store;

pub use run::run;

/// Settings of the service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlarmsConfig {
    /// A gateway or device without a message for this time raises an alarm, s.
    pub silent_s: i32,
    /// Maximum number of events in one transaction.
    pub batch: i64,
    /// Interval between commits of changes, and between checks of delays.
    pub turn: Duration,
    /// Interval at which the database is queried for events that the bus did not announce.
    pub poll: Duration,
    /// Interval at which everything is compared with the database.
    pub reconcile: Duration,
    /// A condition that is still present this long after its cause has ended becomes an alarm of its own.
    pub outlasts: Duration,
    /// Days for which changes of alarms and faults are kept; 0 for ever. How long faults are kept is a setting of the history.
    pub keep_days: u32,
    /// Interval at which older changes are deleted.
    pub forget: Duration,
    /// Interval of the heartbeat on the bus.
    pub beat: Duration,
    /// Interval between attempts to become leader, and between checks of the leadership.
    pub lead: Duration,
}

impl Default for AlarmsConfig {
    fn default() -> Self {
        Self {
            silent_s: 10,
            batch: 1_000,
            turn: Duration::from_millis(250),
            poll: Duration::from_secs(1),
            reconcile: Duration::from_secs(30),
            outlasts: Duration::from_secs(30),
            keep_days: 400,
            forget: Duration::from_hours(1),
            beat: Duration::from_secs(1),
            lead: Duration::from_secs(1),
        }
    }
}

/// Dependencies of the service.
#[derive(Clone)]
pub struct Deps {
    /// The database for the lock that keeps other processes on standby.
    pub database_url: String,
    /// The database.
    pub store: Store,
    /// Utilities, assets, gateways and points.
    pub registry: Registry,
    /// The bus that delivers values and carries changes.
    pub bus: Bus,
}
