//! What alarms and faults are asked for of: a whole utility, a node of it, or an asset, by `{type}/{id}` of the path.

use axum::extract::RawPathParams;
use grid::{AssetId, NodeId, Scope};

use crate::extract::{Target, View};

/// `None` is the whole utility. For who is confined to a node, the utility is what lies below that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Area(pub Option<Scope>);

impl Area {
    /// All that the caller may see, if there is anything.
    pub(crate) fn of_caller(view: &View) -> Option<Self> {
        let principal = &view.principal;
        principal.may_see_any(principal.client).then(|| Self(principal.node.map(Scope::Node)))
    }
}

impl Target for Area {
    fn find(view: &View, params: &RawPathParams) -> Option<Self> {
        let text = |name: &str| params.iter().find(|(key, _)| *key == name).map(|(_, value)| value);
        let (word, id) = (text("type")?, text("id")?.parse().ok()?);
        if word.eq_ignore_ascii_case("client") {
            return (id == view.principal.client.0).then(|| Self::of_caller(view)).flatten();
        }
        if word.eq_ignore_ascii_case("asset") {
            let asset = view.field.asset(AssetId(id))?;
            let location = view.field.node(asset.location)?;
            return view.sees(location).then_some(Self(Some(Scope::Asset(asset.id))));
        }
        let node = view.field.node(NodeId(id)).filter(|node| view.sees(node))?;
        word.eq_ignore_ascii_case(node.level.word()).then_some(Self(Some(Scope::Node(node.id))))
    }
}
