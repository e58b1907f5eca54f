//! The measured voltages of a node, and the loss of its supply.

use crate::{NodeId, Phases};

/// A node at which voltages are measured.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MeasuredAt {
    /// The phases that are live according to a measurement.
    pub(crate) live: Phases,
    /// The phases that had a possible supply at the last update of the states.
    pub(crate) supplied: Phases,
}

/// A node that has lost the last possible supply of some phases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LostSupply {
    /// The node.
    pub node: NodeId,
    /// The phases that have lost their supply.
    pub gone: Phases,
    /// The phases whose measured voltage is no longer used.
    pub withdrawn: Phases,
}
