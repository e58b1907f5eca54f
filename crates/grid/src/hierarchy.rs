//! The hierarchy of a utility: client, circle, division, town, subdivision, section, substation, asset (specification 1, section 1).

use crate::{AssetId, NodeId};

/// The levels between utility and asset, from the top down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Level {
    /// Directly under the utility.
    Circle = 1,
    /// Under a circle.
    Division = 2,
    /// Under a division.
    Town = 3,
    /// Under a town.
    Subdivision = 4,
    /// Under a subdivision.
    Section = 5,
    /// Under a section: the asset point, also called location.
    Substation = 6,
}

impl Level {
    /// All levels, from the top down.
    pub const ALL: [Self; 6] = [Self::Circle, Self::Division, Self::Town, Self::Subdivision, Self::Section, Self::Substation];

    /// Returns the number stored in the database.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// Returns the level of a stored number.
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.code() == code)
    }

    /// Returns the level above; `None` for circles, which are directly under the utility.
    pub fn parent(self) -> Option<Self> {
        Self::from_code(self.code().wrapping_sub(1))
    }

    /// Returns the identifier used in paths and stream names.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Circle => "circle",
            Self::Division => "division",
            Self::Town => "town",
            Self::Subdivision => "subdivision",
            Self::Section => "section",
            Self::Substation => "location",
        }
    }
}

/// The area of a request: everything below one node, or one asset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// A node at any level, with everything below it.
    Node(NodeId),
    /// One asset.
    Asset(AssetId),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_but_the_first_has_the_one_above_as_parent() {
        assert_eq!(Level::Circle.parent(), None);
        for pair in Level::ALL.windows(2) {
            assert_eq!(pair[1].parent(), Some(pair[0]));
            assert_eq!(Level::from_code(pair[1].code()), Some(pair[1]));
        }
        assert_eq!(Level::from_code(0), None);
        assert_eq!(Level::from_code(7), None);
    }
}
