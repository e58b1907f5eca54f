//! The states of switches and nodes, and the state of a switch that a reading shows. The crate `network` computes the states of the nodes.

#[cfg(test)]
mod tests;

use crate::position::Position;
use crate::{Micros, Quality, Reading, freshness, position::Encoding, reading};

/// The state of a switch, an earth switch or a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Contact {
    /// A switch conducts; a source is present.
    Closed,
    /// A switch does not conduct; a source is absent.
    Open,
    /// Not known.
    Unknown,
}

/// The state of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum State {
    /// Not known.
    Unknown = 0,
    /// Connected to a source.
    Energised = 1,
    /// Connected to no known source, and not earthed at this node.
    Dead = 2,
    /// Dead, with a closed earth switch at this node.
    Earthed = 3,
    /// Energised and earthed at the same time: one of the positions is wrong, or there is a short circuit.
    Conflict = 4,
}

impl State {
    /// Returns the number used in the API.
    pub fn code(self) -> u8 {
        self as u8
    }
}

/// Returns the state of a switch from a reading, and the time until which it is valid. Intermediate (0), bad (3), a value that is not good, a stale value and
/// no value give `Unknown`. A substituted position is used, because users enter the positions of switches without contacts manually.
pub fn contact(encoding: Encoding, reading: Option<&Reading>, now: Micros, age_limit_ms: Option<i64>) -> (Contact, Option<Micros>) {
    let Some(reading) = reading else { return (Contact::Unknown, None) };
    let quality = freshness::shown_quality(reading.quality, reading.source, now, age_limit_ms, true);
    if quality > Quality::Substituted {
        // A reading from the future can become valid at its source time.
        let is_ahead = reading::is_ahead(reading.source, now) && reading.quality <= Quality::Substituted;
        return (Contact::Unknown, is_ahead.then(|| reading.source.plus_millis(-reading::AHEAD_LIMIT_MS)));
    }
    let contact = match reading.value.map(|raw| Position::decode(encoding, raw)) {
        Some(Position::Closed) => Contact::Closed,
        Some(Position::Open) => Contact::Open,
        _ => return (Contact::Unknown, None),
    };
    // A substituted position does not age.
    let age_limit_ms = age_limit_ms.filter(|_| reading.quality != Quality::Substituted);
    (contact, age_limit_ms.map(|limit| reading.source.plus_millis(limit)))
}
