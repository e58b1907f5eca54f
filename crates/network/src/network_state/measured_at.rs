//! What is measured at a node, and the loss of its supply.

use crate::{NodeId, Phases};

/// A node at which voltages are measured.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MeasuredAt {
    /// The phases of which a measurement says that they are live.
    pub(crate) live: Phases,
    /// The phases that had a possible supply when the network was settled last.
    pub(crate) supplied: Phases,
}

/// A node that has lost the last possible supply of some phases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LostSupply {
    /// The node.
    pub node: NodeId,
    /// The phases that have lost it.
    pub gone: Phases,
    /// The phases whose measured voltage does not count any more.
    pub withdrawn: Phases,
}
