//! What part of a utility's network a call is about: all of it, or what lies below a node of the level that its path names.

use axum::extract::RawPathParams;
use grid::{Level, NodeId};
use store::registry::NodeRecord;

use crate::extract::{Target, View};

/// `{type}/{id}` is the caller's own utility, or a node of the level that `type` names. Of it the caller sees what their rights allow.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Area {
    /// The node; `None` for all of the utility.
    below: Option<NodeId>,
}

impl Target for Area {
    fn find(view: &View, params: &RawPathParams) -> Option<Self> {
        let text = |name: &str| params.iter().find(|(key, _)| *key == name).map(|(_, value)| value);
        let (word, id): (&str, i64) = (text("type")?, text("id")?.parse().ok()?);
        if word.eq_ignore_ascii_case("client") {
            return (id == view.principal.client.0).then_some(Self { below: None });
        }
        let node = view.field.node(NodeId(id)).filter(|node| view.sees(node))?;
        word.eq_ignore_ascii_case(node.level.word()).then_some(Self { below: Some(node.id) })
    }
}

impl Area {
    /// Whether a node lies within, and the caller may see it.
    pub(crate) fn has(self, view: &View, node: &NodeRecord) -> bool {
        view.sees(node) && self.below.is_none_or(|below| node.path.contains(&below))
    }

    /// The substations within that the caller may see, by name.
    pub(crate) fn substations(self, view: &View) -> Vec<&NodeRecord> {
        let nodes = view.field.nodes().iter().filter(|node| node.level == Level::Substation && self.has(view, node));
        let mut within: Vec<&NodeRecord> = nodes.collect();
        within.sort_by(|a, b| (&a.name, a.id).cmp(&(&b.name, b.id)));
        within
    }
}
