//! What part of a utility's network a call is about, by `{type}/{id}` of its path: all of it, what lies below a node, or an asset.

use grid::{AssetId, Level, NodeId, Scope};
use store::registry::NodeRecord;

use crate::view::View;

/// `None` is the whole utility. For who is confined to a node, the utility is what lies below that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Area(pub Option<Scope>);

/// An area that is no asset.
#[derive(Debug, Clone, Copy)]
pub struct Region {
    /// The node; `None` for all that the caller may see of the utility.
    below: Option<NodeId>,
}

impl Area {
    /// All that the caller may see, if there is anything.
    pub fn of_caller(view: &View) -> Option<Self> {
        let principal = &view.principal;
        principal.may_see_any(principal.client).then(|| Self(principal.node.map(Scope::Node)))
    }
}

impl Area {
    /// The area of a level and an id, such as `division` and `2`; `client` is the utility, `asset` an asset. `None` if there is none that the user may see.
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
        level.eq_ignore_ascii_case(node.level.word()).then_some(Self(Some(Scope::Node(node.id))))
    }
}

impl Region {
    /// An area that is no asset; `None` for an asset.
    pub fn of(area: Area) -> Option<Self> {
        match area.0 {
            None => Some(Self { below: None }),
            Some(Scope::Node(node)) => Some(Self { below: Some(node) }),
            Some(Scope::Asset(_)) => None,
        }
    }

    /// All that the caller may see, if there is anything.
    pub fn of_caller(view: &View) -> Option<Self> {
        Area::of_caller(view).map(|_| Self { below: None })
    }

    /// Whether a node lies within, and the caller may see it.
    pub fn has(self, view: &View, node: &NodeRecord) -> bool {
        view.sees(node) && self.below.is_none_or(|below| node.path.contains(&below))
    }

    /// The substations within that the caller may see, by name.
    pub fn substations(self, view: &View) -> Vec<&NodeRecord> {
        let nodes = view.field.nodes().iter().filter(|node| node.level == Level::Substation && self.has(view, node));
        let mut within: Vec<&NodeRecord> = nodes.collect();
        within.sort_by(|a, b| (&a.name, a.id).cmp(&(&b.name, b.id)));
        within
    }
}
