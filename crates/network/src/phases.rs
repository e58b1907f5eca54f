//! Phases of a terminal.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A phase conductor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Phase {
    /// The first phase; R in India.
    A = 0,
    /// The second phase; Y in India.
    B = 1,
    /// The third phase; B in India.
    C = 2,
}

impl Phase {
    /// All phases.
    pub const ALL: [Self; 3] = [Self::A, Self::B, Self::C];
}

/// A set of phases. It never contains the neutral, which carries no supply.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Phases(u8);

impl Phases {
    /// No phase.
    pub const NONE: Self = Self(0);
    /// All three phases.
    pub const ABC: Self = Self(0b111);

    /// Returns the set with one phase.
    pub const fn only(phase: Phase) -> Self {
        Self(1 << phase as u8)
    }

    /// Parses letters such as `ABC`, `B` or `ABN`. The neutral N is ignored. `None` for any other letter.
    pub fn parse(text: &str) -> Option<Self> {
        text.chars().try_fold(Self::NONE, |phases, letter| match letter {
            'A' => Some(phases.union(Self::only(Phase::A))),
            'B' => Some(phases.union(Self::only(Phase::B))),
            'C' => Some(phases.union(Self::only(Phase::C))),
            'N' => Some(phases),
            _ => None,
        })
    }

    /// Whether the phase is in the set.
    pub const fn contains(self, phase: Phase) -> bool {
        self.0 & (1 << phase as u8) != 0
    }

    /// Returns the phases of both sets.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the phases that are in both sets.
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Returns the phases of this set that are not in the other one.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether the set has no phase.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the phases in order.
    pub fn iter(self) -> impl Iterator<Item = Phase> {
        Phase::ALL.into_iter().filter(move |phase| self.contains(*phase))
    }
}

impl fmt::Display for Phases {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|phase| write!(out, "{phase:?}"))
    }
}

impl Serialize for Phases {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Phases {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| de::Error::custom(format!("{text:?} are no phases; allowed are the letters A, B, C and N")))
    }
}

impl fmt::Debug for Phases {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|phase| write!(out, "{phase:?}"))
    }
}
