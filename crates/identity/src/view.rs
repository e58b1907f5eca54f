//! A utility through the eyes of a user: what they may see of it, and what they may name on the way there.

use std::sync::Arc;

use auth::Principal;
use grid::Level;
use registry::Field;
use store::registry::NodeRecord;

/// The user's utility through the user's eyes.
#[derive(Debug, Clone)]
pub struct View {
    /// Who looks.
    pub principal: Principal,
    /// The utility's field; not all of it need be visible.
    pub field: Arc<Field>,
}

impl View {
    /// Whether the data of a node may be seen.
    pub fn sees(&self, node: &NodeRecord) -> bool {
        self.principal.may_see(node.client, &node.path)
    }

    /// Whether a node may be named on the way to what may be seen: it lies below the user's own node, or above it.
    pub fn may_pass(&self, node: &NodeRecord) -> bool {
        let own = self.principal.node.and_then(|id| self.field.node(id));
        self.sees(node) || own.is_some_and(|own| own.path.contains(&node.id))
    }

    /// Nodes of a level that may be named.
    pub fn nodes(&self, level: Level) -> impl Iterator<Item = &NodeRecord> {
        self.field.nodes().iter().filter(move |node| node.level == level && self.may_pass(node))
    }
}
