//! The substations whose flashing points are read.

use std::collections::BTreeSet;

use grid::NodeId;

/// The substations whose flashing points are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SubstationSet {
    /// All substations.
    All,
    /// These substations.
    Of(BTreeSet<NodeId>),
}

impl SubstationSet {
    /// Returns the union of both.
    pub(super) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Of(mut one), Self::Of(other)) => {
                one.extend(other);
                Self::Of(one)
            }
            _ => Self::All,
        }
    }
}
