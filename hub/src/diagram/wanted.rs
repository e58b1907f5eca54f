//! Where what flashes has to be read.

use std::collections::BTreeSet;

use grid::NodeId;

/// Where what flashes has to be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Everywhere.
    All,
    /// In these substations.
    Of(BTreeSet<NodeId>),
}

impl Wanted {
    /// Both together.
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
