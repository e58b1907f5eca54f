//! Parts of a utility's network.

use grid::{ClientId, NodeId, Scope};
use store::registry::NodeRecord;

/// What part of a utility's network is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Area {
    /// All of it; for those who are confined to a node, what lies below that.
    Client(ClientId, Option<NodeId>),
    /// A node with what lies below it, or an asset.
    Scope(Scope),
}

impl Area {
    /// The same as a question to the database has it; `None` is the whole utility.
    pub(crate) fn scope(self) -> Option<Scope> {
        match self {
            Self::Client(_, below) => below.map(Scope::Node),
            Self::Scope(scope) => Some(scope),
        }
    }
}

/// Whether a node lies within an area; none does within an asset.
pub(crate) fn is_within(area: Area, node: &NodeRecord) -> bool {
    match area {
        Area::Scope(Scope::Node(wanted)) => node.path.contains(&wanted),
        Area::Scope(Scope::Asset(_)) => false,
        Area::Client(client, below) => node.client == client && below.is_none_or(|below| node.path.contains(&below)),
    }
}

/// Every area that a substation lies in.
pub(crate) fn areas_of(client: ClientId, path: &[NodeId]) -> impl Iterator<Item = Area> + '_ {
    let below = path.iter().flat_map(move |node| [Area::Scope(Scope::Node(*node)), Area::Client(client, Some(*node))]);
    below.chain([Area::Client(client, None)])
}
