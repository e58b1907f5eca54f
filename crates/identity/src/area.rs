//! The area of a request, from the `{type}/{id}` of its path: the whole utility, the part below a node, or an asset.

use grid::{AssetId, Level, NodeId, Scope};
use store::registry::NodeRecord;

use crate::view::View;

/// An area that a user may see. `None` is the whole utility; for a user confined to a node it is the area of that node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Area(pub Option<Scope>);

/// An area that is not a single asset: the whole utility or the area of a node.
#[derive(Debug, Clone, Copy)]
pub struct Region {
    /// The node whose area this is; `None` for everything in the utility that the caller may see.
    below: Option<NodeId>,
}

impl Area {
    /// Returns everything that the caller may see; `None` if that is nothing.
    pub fn of_caller(view: &View) -> Option<Self> {
        let principal = &view.principal;
        principal.may_see_any(principal.client).then(|| Self(principal.node.map(Scope::Node)))
    }
}

impl Area {
    /// Returns the area of a level and an id, such as `division` and `2`. Level `client` is the utility, level `asset` an asset. `None` if
    /// no such area is visible to the user.
    pub fn named(view: &View, level: &str, id: i64) -> Option<Self> {
        if level.eq_ignore_ascii_case("client") {
            return (id == view.principal.client.0).then(|| Self::of_caller(view)).flatten();
        }
        if level.eq_ignore_ascii_case("asset") {
            let asset = view.field.asset(AssetId(id))?;
            let location = view.field.node(asset.location)?;
            return view.sees(location).then_some(Self(Some(Scope::Asset(asset.id))));
        }
        let node = view.field.node(NodeId(id)).filter(|node| view.sees(node))?;
        level.eq_ignore_ascii_case(node.level.as_str()).then_some(Self(Some(Scope::Node(node.id))))
    }
}

impl Region {
    /// Converts an area; `None` for an asset.
    pub fn of(area: Area) -> Option<Self> {
        match area.0 {
            None => Some(Self { below: None }),
            Some(Scope::Node(node)) => Some(Self { below: Some(node) }),
            Some(Scope::Asset(_)) => None,
        }
    }

    /// Returns everything that the caller may see; `None` if that is nothing.
    pub fn of_caller(view: &View) -> Option<Self> {
        Area::of_caller(view).map(|_| Self { below: None })
    }

    /// Returns whether the node lies in this area and the caller may see it.
    pub fn has(self, view: &View, node: &NodeRecord) -> bool {
        view.sees(node) && self.below.is_none_or(|below| node.path.contains(&below))
    }

    /// Returns the substations of this area that the caller may see, sorted by name.
    pub fn substations(self, view: &View) -> Vec<&NodeRecord> {
        let nodes = view.field.nodes().filter(|node| node.level == Level::Substation && self.has(view, node));
        let mut within: Vec<&NodeRecord> = nodes.collect();
        within.sort_by(|a, b| (&a.name, a.id).cmp(&(&b.name, b.id)));
        within
    }
}
