//! From what the field reports, and from commands that failed, to alarms and faults.
//!
//! - Events come from the database by offset: how far they have been taken is committed with what follows from them, so none is lost and none counts twice,
//!   wherever the process dies.
//! - States of commands come from the database in the same way, so a command that fails raises its alarm once.
//! - Measured values and links come from the bus as they change, and are compared with the database when the bus has lost something, and every half minute.
//!
//! What a value means is decided in `grid::alarm` and `grid::fault`; [`field`] knows which rule listens to which point,
//! [`command`] what an alarm says of a command, [`step`] lets what happened have its
//! effect on the rows behind the lock, [`run`] reads, commits and tells.

mod command;
mod field;
mod run;
mod step;

use std::time::Duration;

use bus::Bus;
use registry::Registry;
use store::Store;

pub use run::run;

/// How the service works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlarmsConfig {
    /// A gateway or device is an alarm when it has not been heard for so long, s.
    pub silent_s: i32,
    /// Events taken in one transaction.
    pub batch: i64,
    /// How often what has been heard is committed, and delays are looked at.
    pub turn: Duration,
    /// How often the database is asked for events that the bus has not told of.
    pub poll: Duration,
    /// How often everything is compared with the database.
    pub reconcile: Duration,
    /// Changes of alarms and faults, and faults that are over, are kept for so long, days; 0 for ever.
    pub keep_days: u32,
    /// How often what is older is looked for.
    pub forget: Duration,
    /// How often the bus is told that alarms are being made.
    pub beat: Duration,
    /// How long between two attempts to take the lead, and between two looks at whether it is still held.
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
            keep_days: 400,
            forget: Duration::from_hours(1),
            beat: Duration::from_secs(1),
            lead: Duration::from_secs(1),
        }
    }
}

/// What the service works with.
#[derive(Clone)]
pub struct Deps {
    /// For the lock that keeps a second service standing by.
    pub database_url: String,
    /// The pool.
    pub store: Store,
    /// Utilities, assets, gateways and points.
    pub registry: Registry,
    /// Where values come from and changes go to.
    pub bus: Bus,
}
