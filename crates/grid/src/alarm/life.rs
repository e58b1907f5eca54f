//! What becomes of an alarm (ISA-18.2): raised, seen by people, over. It is the machine of one row, which the service and several people change.

use crate::Micros;

/// Where an alarm stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum State {
    /// It holds, and nobody has acknowledged it.
    ActiveUnacked,
    /// It holds, and somebody knows.
    ActiveAcked,
    /// It is over, and nobody has acknowledged that it was there.
    ClearedUnacked,
    /// Nothing to see.
    Normal,
}

impl State {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::ActiveUnacked, Self::ActiveAcked, Self::ClearedUnacked, Self::Normal];

    /// The word in rows.
    pub fn word(self) -> &'static str {
        match self {
            Self::ActiveUnacked => "active_unacked",
            Self::ActiveAcked => "active_acked",
            Self::ClearedUnacked => "cleared_unacked",
            Self::Normal => "normal",
        }
    }

    /// The state of a word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.word() == word)
    }

    /// Whether the condition holds.
    pub fn is_active(self) -> bool {
        matches!(self, Self::ActiveUnacked | Self::ActiveAcked)
    }
}

/// An alarm's way so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Life {
    /// Where it stands.
    pub state: State,
    /// How often it was raised since it was normal; in the normal state, how often the last time. It never goes back while somebody may still
    /// acknowledge what they saw.
    pub count: i32,
    /// When it was raised first since it was normal, by the device's clock.
    pub raised: Option<Micros>,
    /// When it was over last.
    pub cleared: Option<Micros>,
    /// When it was acknowledged, by the server's clock.
    pub acknowledged: Option<Micros>,
    /// Until when it is shelved, by the server's clock.
    pub shelved_until: Option<Micros>,
}

impl Default for Life {
    fn default() -> Self {
        Self { state: State::Normal, count: 0, raised: None, cleared: None, acknowledged: None, shelved_until: None }
    }
}

/// What happens to an alarm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// Its condition has set in, then.
    Raise(Micros),
    /// Its condition is over, since then.
    Clear(Micros),
    /// Somebody acknowledges what they have seen: the alarm when it had been raised `seen` times.
    Acknowledge {
        /// The count that they saw.
        seen: i32,
        /// When, by the server's clock.
        at: Micros,
    },
    /// Somebody lays it aside until then.
    Shelve(Micros),
    /// Somebody takes it back.
    Unshelve,
    /// Time goes by, by the server's clock.
    Time(Micros),
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It was raised, for the first time or again.
    Raised,
    /// It is over.
    Cleared,
    /// It is acknowledged.
    Acknowledged,
    /// It is shelved.
    Shelved,
    /// It is not shelved any more.
    Unshelved,
    /// It has been raised again since: what they saw is not what there is, and it stays for somebody to see.
    Newer,
    /// Nothing.
    Nothing,
}

impl Outcome {
    /// Whether the row is another one now.
    pub fn changes(self) -> bool {
        !matches!(self, Self::Newer | Self::Nothing)
    }

    /// The word in the record of changes.
    pub fn word(self) -> &'static str {
        match self {
            Self::Raised => "raised",
            Self::Cleared => "cleared",
            Self::Acknowledged => "acknowledged",
            Self::Shelved => "shelved",
            Self::Unshelved => "unshelved",
            Self::Newer | Self::Nothing => "",
        }
    }
}

impl Life {
    /// Lets something happen. A shelved alarm goes on like any other; it is only not shown among those that call for somebody.
    pub fn step(&mut self, act: Act) -> Outcome {
        use State::{ActiveAcked, ActiveUnacked, ClearedUnacked, Normal};
        match (act, self.state) {
            (Act::Raise(at), Normal) => {
                *self = Self { state: ActiveUnacked, count: 1, raised: Some(at), shelved_until: self.shelved_until, ..Self::default() };
                Outcome::Raised
            }
            // Nobody has seen it yet: it is the same alarm, once more.
            (Act::Raise(_), ClearedUnacked) => {
                self.state = ActiveUnacked;
                self.count = self.count.saturating_add(1);
                self.cleared = None;
                Outcome::Raised
            }
            (Act::Clear(at), ActiveUnacked) => self.clear(ClearedUnacked, at),
            (Act::Clear(at), ActiveAcked) => self.clear(Normal, at),
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
            (Act::Raise(_) | Act::Clear(_) | Act::Acknowledge { .. } | Act::Shelve(_) | Act::Unshelve | Act::Time(_), _) => {
                Outcome::Nothing
            }
        }
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
