//! The kinds of files that can be imported.

use crate::convert::sql;

/// What a file is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Sections of cables.
    Register,
    /// What was found at them.
    Condition,
    /// Their faults.
    Faults,
    /// Transformers and breakers, and what was found at them.
    Plant,
}

impl Kind {
    /// All of them; sections come before what is said of them.
    pub const ALL: [Self; 4] = [Self::Register, Self::Condition, Self::Faults, Self::Plant];

    /// As calls and commands name it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Register => "register",
            Self::Condition => "condition",
            Self::Faults => "faults",
            Self::Plant => "plant",
        }
    }

    /// The kind for a word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// The columns of the database that no two rows have alike.
    pub(super) fn keys(self) -> &'static [&'static str] {
        match self {
            Self::Register | Self::Faults => &["code"],
            Self::Condition => &["section_id", "year"],
            Self::Plant => &["asset_id", "part", "year"],
        }
    }

    pub(super) fn stored(self) -> &'static str {
        match self {
            Self::Register => sql!("cable/stored_sections"),
            Self::Condition => sql!("cable/stored_conditions"),
            Self::Faults => sql!("cable/stored_faults"),
            Self::Plant => sql!("cable/stored_plant"),
        }
    }

    pub(super) fn put(self) -> &'static str {
        match self {
            Self::Register => sql!("cable/put_sections"),
            Self::Condition => sql!("cable/put_conditions"),
            Self::Faults => sql!("cable/put_faults"),
            Self::Plant => sql!("cable/put_plant"),
        }
    }
}
