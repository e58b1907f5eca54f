//! The kinds of import files for cables and plant.

use crate::convert::sql;

/// The content of an import file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Cable sections.
    Register,
    /// Conditions of cable sections by year.
    Condition,
    /// Faults of cable sections.
    Faults,
    /// Transformers and breakers with their conditions.
    Plant,
}

impl Kind {
    /// All kinds. Sections come first, because conditions and faults refer to them.
    pub const ALL: [Self; 4] = [Self::Register, Self::Condition, Self::Faults, Self::Plant];

    /// Returns the name of the kind in calls and commands.
    pub fn word(self) -> &'static str {
        match self {
            Self::Register => "register",
            Self::Condition => "condition",
            Self::Faults => "faults",
            Self::Plant => "plant",
        }
    }

    /// Returns the kind with this name.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// Returns the columns of the database that are unique together.
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
