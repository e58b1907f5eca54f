//! Parts of a utility's network.

use grid::{ClientId, NodeId, Scope};
use store::registry::NodeRecord;

/// A part of a utility's network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Area {
    /// The whole utility; for a user who is confined to a node, only the part below that node.
    Client(ClientId, Option<NodeId>),
    /// A node with everything below it, or an asset.
    Scope(Scope),
}

impl Area {
    /// Returns the area as a scope for a database query; `None` is the whole utility.
    pub(crate) fn scope(self) -> Option<Scope> {
        match self {
            Self::Client(_, below) => below.map(Scope::Node),
            Self::Scope(scope) => Some(scope),
        }
    }
}

/// Returns whether a node is within an area. No node is within an asset.
pub(crate) fn is_within(area: Area, node: &NodeRecord) -> bool {
    match area {
        Area::Scope(Scope::Node(root)) => node.path.contains(&root),
        Area::Scope(Scope::Asset(_)) => false,
        Area::Client(client, below) => node.client == client && below.is_none_or(|below| node.path.contains(&below)),
    }
}

/// Returns every area that contains a substation with this path.
pub(crate) fn areas_of(client: ClientId, path: &[NodeId]) -> impl Iterator<Item = Area> + '_ {
    let below = path.iter().flat_map(move |node| [Area::Scope(Scope::Node(*node)), Area::Client(client, Some(*node))]);
    below.chain([Area::Client(client, None)])
}
