//! The life cycle of an alarm (ISA-18.2): raised, acknowledged, cleared, shelved. It is a state machine for one database row, which the service
//! and several users change.

use crate::Micros;
use crate::enum_text;

/// The state of an alarm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum State {
    /// The condition is present; not acknowledged.
    ActiveUnacked,
    /// The condition is present; acknowledged.
    ActiveAcked,
    /// The condition has ended; not acknowledged.
    ClearedUnacked,
    /// The condition is present and is a consequence of another alarm, its cause. It needs no acknowledgement (ISA-18.2, suppressed by design).
    Suppressed,
    /// No condition, nothing to acknowledge.
    Normal,
}

enum_text! {
    /// The text in rows.
    State {
        ActiveUnacked = "active_unacked",
        ActiveAcked = "active_acked",
        ClearedUnacked = "cleared_unacked",
        Suppressed = "suppressed",
        Normal = "normal",
    }
}

impl State {
    /// Whether the condition is present.
    pub fn is_active(self) -> bool {
        matches!(self, Self::ActiveUnacked | Self::ActiveAcked | Self::Suppressed)
    }
}

/// The current state of an alarm, with its times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Life {
    /// The state.
    pub state: State,
    /// How often the alarm was raised since it was last normal. In the normal state it keeps its last value, so that a user can never
    /// acknowledge an occurrence that they have not seen.
    pub count: i32,
    /// When it was last raised, by the device's clock.
    pub raised: Option<Micros>,
    /// When it was first raised since it was last normal, by the device's clock.
    pub first_raised: Option<Micros>,
    /// When it last cleared, by the device's clock.
    pub cleared: Option<Micros>,
    /// When it was acknowledged, by the server's clock.
    pub acknowledged: Option<Micros>,
    /// The end of the shelving, by the server's clock.
    pub shelved_until: Option<Micros>,
}

impl Default for Life {
    fn default() -> Self {
        Self { state: State::Normal, count: 0, raised: None, first_raised: None, cleared: None, acknowledged: None, shelved_until: None }
    }
}

/// An event in the life of an alarm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// The condition became true at this time.
    Raise(Micros),
    /// The condition became true at this time, or was true already, and is a consequence of another alarm.
    Suppress(Micros),
    /// The condition ended at this time.
    Clear(Micros),
    /// A user acknowledges the alarm as they saw it, after `seen` occurrences.
    Acknowledge {
        /// The count that the user saw.
        seen: i32,
        /// The time of the acknowledgement, by the server's clock.
        at: Micros,
    },
    /// A user shelves the alarm until this time.
    Shelve(Micros),
    /// A user ends the shelving.
    Unshelve,
    /// The server's clock has reached this time.
    Time(Micros),
}

/// The effect of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It was raised, for the first time or again.
    Raised,
    /// It became a consequence of another alarm.
    Suppressed,
    /// The condition ended.
    Cleared,
    /// Acknowledged.
    Acknowledged,
    /// Shelved.
    Shelved,
    /// Not shelved any more.
    Unshelved,
    /// The alarm was raised again after the user saw it. The acknowledgement is not applied.
    Newer,
    /// No change.
    Nothing,
}

impl Outcome {
    /// The change of the row; `None` if the row stays as it is.
    pub fn change(self) -> Option<Change> {
        match self {
            Self::Raised => Some(Change::Raised),
            Self::Suppressed => Some(Change::Suppressed),
            Self::Cleared => Some(Change::Cleared),
            Self::Acknowledged => Some(Change::Acknowledged),
            Self::Shelved => Some(Change::Shelved),
            Self::Unshelved => Some(Change::Unshelved),
            Self::Newer | Self::Nothing => None,
        }
    }
}

/// The kind of a change in the history of an alarm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Change {
    /// It was raised, for the first time or again.
    Raised,
    /// It became a consequence of another alarm.
    Suppressed,
    /// It is over.
    Cleared,
    /// It was acknowledged.
    Acknowledged,
    /// It was shelved.
    Shelved,
    /// It is not shelved any more.
    Unshelved,
    /// Its owner or its note was changed.
    Noted,
    /// Its description was changed, because its rule was changed.
    Changed,
}

enum_text! {
    /// The text in the history of changes.
    Change {
        Raised = "raised",
        Suppressed = "suppressed",
        Cleared = "cleared",
        Acknowledged = "acknowledged",
        Shelved = "shelved",
        Unshelved = "unshelved",
        Noted = "noted",
        Changed = "changed",
    }
}

impl Life {
    /// Applies an event. A shelved alarm changes state like any other; it is only excluded from the list of alarms that need attention.
    pub fn step(&mut self, act: Act) -> Outcome {
        use State::{ActiveAcked, ActiveUnacked, ClearedUnacked, Normal, Suppressed};
        match (act, self.state) {
            (Act::Raise(at), Normal) => {
                self.begin(ActiveUnacked, at);
                Outcome::Raised
            }
            // The previous occurrence is not acknowledged yet: it remains the same alarm, with a higher count and the new time.
            (Act::Raise(at), ClearedUnacked) => {
                self.state = ActiveUnacked;
                self.count = self.count.saturating_add(1);
                (self.raised, self.cleared) = (Some(at), None);
                Outcome::Raised
            }
            // The cause has ended and the condition has not: now it is an alarm of its own.
            (Act::Raise(at), Suppressed) => {
                (self.state, self.raised) = (ActiveUnacked, Some(at));
                Outcome::Raised
            }
            (Act::Suppress(at), Normal) => {
                self.begin(Suppressed, at);
                Outcome::Suppressed
            }
            // The cause was reported after its consequence.
            (Act::Suppress(_), ActiveUnacked) if self.count <= 1 => {
                self.state = Suppressed;
                Outcome::Suppressed
            }
            // An earlier occurrence is not acknowledged: it stays in the list, as if the cause had been reported first.
            (Act::Suppress(at), ActiveUnacked) => {
                (self.state, self.cleared) = (ClearedUnacked, Some(self.raised.map_or(at, |raised| raised.max(at))));
                Outcome::Suppressed
            }
            (Act::Clear(at), ActiveUnacked) => self.clear(ClearedUnacked, at),
            (Act::Clear(at), ActiveAcked | Suppressed) => self.clear(Normal, at),
            (Act::Acknowledge { seen, .. }, ActiveUnacked | ClearedUnacked) if seen < self.count => Outcome::Newer,
            (Act::Acknowledge { at, .. }, ActiveUnacked | ClearedUnacked) => {
                self.state = if self.state == ActiveUnacked { ActiveAcked } else { Normal };
                self.acknowledged = Some(at);
                Outcome::Acknowledged
            }
            (Act::Shelve(until), _) if self.shelved_until != Some(until) => {
                self.shelved_until = Some(until);
                Outcome::Shelved
            }
            (Act::Unshelve, _) if self.shelved_until.is_some() => self.unshelve(),
            (Act::Time(now), _) if self.shelved_until.is_some_and(|until| until <= now) => self.unshelve(),
            // An earlier occurrence that is not acknowledged stays in the list as it is, and so does an acknowledged alarm.
            (
                Act::Raise(_) | Act::Suppress(_) | Act::Clear(_) | Act::Acknowledge { .. } | Act::Shelve(_) | Act::Unshelve | Act::Time(_),
                _,
            ) => Outcome::Nothing,
        }
    }

    /// Begins a first occurrence. Shelving continues.
    fn begin(&mut self, state: State, at: Micros) {
        let Self { shelved_until, .. } = *self;
        *self = Self { state, count: 1, raised: Some(at), first_raised: Some(at), shelved_until, ..Self::default() };
    }

    fn clear(&mut self, state: State, at: Micros) -> Outcome {
        self.state = state;
        self.cleared = Some(at);
        Outcome::Cleared
    }

    fn unshelve(&mut self) -> Outcome {
        self.shelved_until = None;
        Outcome::Unshelved
    }
}
