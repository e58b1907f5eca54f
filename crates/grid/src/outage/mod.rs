//! Outages of feeders: from what is known of their supply over time to when each was without, what belongs to one event, and why.
//!
//! What is not known is never dead. A breaker that trips and is reclosed by its relay makes one event: everything within five minutes of the first opening
//! belongs to it; it stays momentary if supply is back by then, and lasts from its first opening if it is not.

mod cause;
mod course;

use crate::{AssetId, Micros};

pub use cause::{Cause, Trigger};
pub use course::Course;

/// What belongs to one event at most, from its first opening on, ms (IEEE 1366-2012, 3.14).
pub const TOGETHER_MS: i64 = crate::fault::MOMENTARY_MS;
/// Events that an outage names at most: a breaker that flaps for minutes does not fill a row.
pub const EVIDENCE_MAX: usize = 64;
/// A stretch in which the supply was not known, up to which an end is certain enough, ms: a breaker on its way is neither open nor closed.
const TRAVEL_MS: i64 = 60_000;

/// What is known of a feeder's supply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Supply {
    /// It has a source.
    On,
    /// It certainly has none.
    Off,
    /// Nothing can be said.
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
    /// Place in the utility's stream of the event that began it: those that share the switching share this.
    pub incident: i64,
    /// The first opening, by the device's clock.
    pub started: Micros,
    /// When it was known to have supply again and kept it; `None` while it has none that is known of.
    pub ended: Option<Micros>,
    /// Why.
    pub cause: Cause,
    /// How often it lost its supply within the event.
    pub trips: i32,
    /// It began where the supply was not known: to be back there is all that can be.
    pub from_unknown: bool,
    /// It began or ended where the supply was not known: its times may be others.
    pub provisional: bool,
    /// Places in the utility's stream of the events that made it, in their order, at most [`EVIDENCE_MAX`].
    pub evidence: Vec<i64>,
}

#[cfg(test)]
mod tests;
