//! The kinds of import files for cables and plant.

use crate::convert::sql;
use grid::enum_text;

/// The content of an import file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CableFileKind {
    /// Cable sections.
    Register,
    /// Conditions of cable sections by year.
    Condition,
    /// Faults of cable sections.
    Faults,
    /// Transformers and breakers with their conditions.
    Plant,
}

// Sections come before the rows that refer to them.
enum_text! {
    /// As calls and commands name it.
    CableFileKind {
        Register = "register",
        Condition = "condition",
        Faults = "faults",
        Plant = "plant",
    }
}

impl CableFileKind {
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
