//! A utility as one user may see it: which nodes the user may see, and which nodes above them may be named.

use std::sync::Arc;

use auth::Principal;
use grid::Level;
use registry::Field;
use store::registry::NodeRecord;

/// A utility as one user may see it.
#[derive(Debug, Clone)]
pub struct View {
    /// The user.
    pub principal: Principal,
    /// The registry of the utility, including what the user may not see.
    pub field: Arc<Field>,
}

impl View {
    /// Returns whether the user may see the data of a node.
    pub fn sees(&self, node: &NodeRecord) -> bool {
        self.principal.may_see(node.client, &node.path)
    }

    /// Returns whether the user may see the name of a node: it is the user's own node, or above or below it.
    pub fn may_pass(&self, node: &NodeRecord) -> bool {
        let own = self.principal.node.and_then(|id| self.field.node(id));
        self.sees(node) || own.is_some_and(|own| own.path.contains(&node.id))
    }

    /// Returns the nodes of a level whose names the user may see.
    pub fn nodes(&self, level: Level) -> impl Iterator<Item = &NodeRecord> {
        self.field.nodes().filter(move |node| node.level == level && self.may_pass(node))
    }
}
