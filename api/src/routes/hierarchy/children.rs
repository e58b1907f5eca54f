//! GET /api/hierarchy/children/{type}/{id}: the children of a node. The specification does not define this path.

use std::collections::HashSet;

use axum::Json;
use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use grid::{AssetId, Level, NodeId};
use identity::View;
use store::registry::NodeRecord;
use wire::Envelope;
use wire::hierarchy::{NodeType, TreeNode};

use crate::error::Error;
use crate::state::Services;

/// A node whose name the caller may see, from `{type}` and `{id}`.
#[derive(Debug)]
pub(crate) struct Branch {
    view: View,
    id: i64,
    of: Of,
}

#[derive(Debug)]
enum Of {
    Client,
    Node(NodeRecord),
    Leaf,
}

impl FromRequestParts<Services> for Branch {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, services: &Services) -> Result<Self, Error> {
        let view = View::from_request_parts(parts, services).await?;
        let params = RawPathParams::from_request_parts(parts, services).await.map_err(|_| Error::NotFound)?;
        let text = |name: &str| params.iter().find(|(key, _)| *key == name).map(|(_, text)| text.to_lowercase()).unwrap_or_default();
        let kind = kind(&text("type"))?;
        let id: i64 = text("id").parse().map_err(|_| Error::NotFound)?;
        let of = find(&view, kind, id).ok_or(Error::NotFound)?;
        Ok(Self { view, id, of })
    }
}

fn kind(word: &str) -> Result<NodeType, Error> {
    Ok(match word {
        "client" => NodeType::Client,
        "circle" => NodeType::Circle,
        "division" => NodeType::Division,
        "town" => NodeType::Town,
        "subdivision" => NodeType::Subdivision,
        "section" => NodeType::Section,
        "substation" | "location" => NodeType::Substation,
        "asset" => NodeType::Asset,
        _ => {
            let allowed = "the type must be client, circle, division, town, subdivision, section, substation or asset";
            return Err(Error::BadRequest(allowed.to_owned()));
        }
    })
}

fn type_of(level: Level) -> NodeType {
    match level {
        Level::Circle => NodeType::Circle,
        Level::Division => NodeType::Division,
        Level::Town => NodeType::Town,
        Level::Subdivision => NodeType::Subdivision,
        Level::Section => NodeType::Section,
        Level::Substation => NodeType::Substation,
    }
}

fn find(view: &View, kind: NodeType, id: i64) -> Option<Of> {
    match kind {
        NodeType::Client => (id == view.principal.client.0).then_some(Of::Client),
        NodeType::Asset => {
            let asset = view.field.asset(AssetId(id))?;
            view.field.node(asset.location).filter(|location| view.sees(location)).map(|_| Of::Leaf)
        }
        _ => view.field.node(NodeId(id)).filter(|node| type_of(node.level) == kind && view.may_pass(node)).cloned().map(Of::Node),
    }
}

/// Returns the children of a node of the hierarchy, by name. An asset has none.
#[cfg_attr(test, utoipa::path(
    get, path = "/api/hierarchy/children/{type}/{id}", tag = "hierarchy", operation_id = "children", security(("bearer" = [])),
    params(
        ("type" = String, Path, description = "client, circle, division, town, subdivision, section, substation or asset"),
        ("id" = i64, Path, description = "The id of the node; for `client` the caller's own utility")
    ),
    responses(
        (status = 200, description = "Nodes by name", body = Envelope<Vec<TreeNode>>),
        (status = 400, description = "There is no such type", body = wire::envelope::Failure),
    )
))]
pub(crate) async fn handle(branch: Branch) -> Json<Envelope<Vec<TreeNode>>> {
    let mut rows = match &branch.of {
        Of::Client => nodes(&branch, None),
        Of::Node(node) if node.level == Level::Substation => assets(&branch, node.id),
        Of::Node(node) => nodes(&branch, Some(node.id)),
        Of::Leaf => Vec::new(),
    };
    rows.sort_by(|a, b| a.name.cmp(&b.name).then(a.id.cmp(&b.id)));
    Json(Envelope::ok(rows))
}

fn nodes(branch: &Branch, parent: Option<NodeId>) -> Vec<TreeNode> {
    let Branch { view, id, .. } = branch;
    let passed = || view.field.nodes().filter(|node| view.may_pass(node));
    let parents: HashSet<NodeId> = passed().filter_map(|node| node.parent).collect();
    let row = |node: &NodeRecord| TreeNode {
        id: node.id.0,
        parent_id: *id,
        name: node.name.clone(),
        node_type: type_of(node.level),
        has_children: parents.contains(&node.id) || view.field.assets_at(node.id).next().is_some(),
    };
    passed().filter(|node| node.parent == parent).map(row).collect()
}

fn assets(branch: &Branch, location: NodeId) -> Vec<TreeNode> {
    let row = |asset: &store::registry::AssetRecord| TreeNode {
        id: asset.id.0,
        parent_id: branch.id,
        name: asset.name.clone(),
        node_type: NodeType::Asset,
        has_children: false,
    };
    branch.view.field.assets_at(location).map(row).collect()
}
