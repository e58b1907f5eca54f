//! Outages of feeders. Derives from the supply over time when each feeder had no supply, which losses of supply belong to one outage, and the cause.
//!
//! An unknown supply never counts as dead. Losses that all end within the utility's momentary threshold after the first loss (default: five minutes) are one
//! outage, a momentary interruption event (IEEE 1366-2012, 3.14). A loss that ends later is an outage of its own, which lasts from its own opening: a sustained
//! interruption is no part of a momentary event (3.21). It has the incident of the reclosings before it. These reclosings are then included neither in MAIFI
//! nor in SAIFI (4.4.2).

mod cause;
mod course;
mod customers;
mod infeed;

use crate::{AssetId, Micros};

pub use cause::{Cause, Trigger};
pub use course::Course;
pub use customers::{CUSTOMER_STEPS_MAX, CustomerGroup, CustomersLost};
pub use infeed::is_dead_voltage;

/// Largest number of events stored for an outage, so that a repeatedly opening breaker cannot fill a row.
pub const EVIDENCE_MAX: usize = 64;
/// Longest time with unknown supply before an end that is still certain, ms: a breaker between its positions is neither open nor closed.
const TRAVEL_MS: i64 = 60_000;

/// The supply of a feeder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Supply {
    /// Connected to a source.
    On,
    /// Known to be connected to no source.
    Off,
    /// Not known.
    Unknown,
}

impl From<crate::topology::State> for Supply {
    fn from(state: crate::topology::State) -> Self {
        use crate::topology::State::{Conflict, Dead, Earthed, Energised, Unknown};
        match state {
            Energised | Conflict => Self::On,
            Dead | Earthed => Self::Off,
            Unknown => Self::Unknown,
        }
    }
}

/// A time in which a feeder had no supply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outage {
    /// The feeder.
    pub feeder: AssetId,
    /// Offset of the event that started it in the utility's stream. Outages caused by the same switching have the same incident. The reclosings before a
    /// lockout and the outage after it also have the same incident. Negative if no switch moved, because the incoming line was measured dead.
    pub incident: i64,
    /// When the feeder lost its supply for the first time.
    pub started: Micros,
    /// When the supply returned and remained; `None` while the feeder has no known supply.
    pub ended: Option<Micros>,
    /// The cause.
    pub cause: Cause,
    /// How often the feeder lost its supply within the outage.
    pub trips: i32,
    /// Whether it started from an unknown supply. Then it also ends when the supply becomes unknown again.
    pub from_unknown: bool,
    /// Whether it started or ended with an unknown supply, so that its times are uncertain.
    pub provisional: bool,
    /// Offsets of its events in the utility's stream, in order, at most [`EVIDENCE_MAX`].
    pub evidence: Vec<i64>,
    /// The customers without supply; `None` if the feeder is not in a network that has them.
    pub customers: Option<CustomersLost>,
}

#[cfg(test)]
mod tests;
