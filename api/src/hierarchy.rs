//! Lists of nodes and assets of the hierarchy: by user, by utility, or by the node above.
//!
//! A list contains the items that the caller may see, and the nodes above them with their names only. Lists by user and by utility are the same, because the
//! caller's permissions decide what they contain, not the path.

use axum::Json;
use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use grid::{Level, NodeId};
use identity::View;
use store::registry::{AssetRecord, NodeRecord};
use wire::Envelope;
use wire::hierarchy::{AssetPointRow, AssetRow, CircleRow, DivisionRow, HierarchyItem, LocationRow, SectionRow, SubdivisionRow, TownRow};

use crate::error::Error;
use crate::extract::{Location, NamedNode, OwnClient, OwnMember, Scoped};

/// The part of the hierarchy for a list.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Within {
    /// Everything whose name the caller may see.
    Own,
    /// Everything below a node, at any depth.
    Below(NodeId),
}

/// A request for a list: the caller and the part of the hierarchy.
#[derive(Debug)]
pub(crate) struct Question {
    view: View,
    within: Within,
}

impl From<Scoped<OwnMember>> for Question {
    fn from(scoped: Scoped<OwnMember>) -> Self {
        Self { view: scoped.view, within: Within::Own }
    }
}

impl From<Scoped<OwnClient>> for Question {
    fn from(scoped: Scoped<OwnClient>) -> Self {
        Self { view: scoped.view, within: Within::Own }
    }
}

impl From<View> for Question {
    fn from(view: View) -> Self {
        Self { view, within: Within::Own }
    }
}

impl From<Scoped<Location>> for Question {
    fn from(scoped: Scoped<Location>) -> Self {
        Self { within: Within::Below(scoped.target.0.id), view: scoped.view }
    }
}

impl Question {
    /// Creates the request for the area of a node. If the level of the node is not `level`, the answer is "not found".
    pub(crate) fn below(scoped: Scoped<NamedNode>, level: Level) -> Result<Self, Error> {
        let NamedNode(node) = &scoped.target;
        if node.level == level { Ok(Self { within: Within::Below(node.id), view: scoped.view }) } else { Err(Error::NotFound) }
    }

    fn asks_for(&self, node: &NodeRecord) -> bool {
        match self.within {
            Within::Own => true,
            Within::Below(above) => node.path.contains(&above),
        }
    }

    /// Returns the nodes of a level, sorted by name.
    pub(crate) fn nodes<R: NodeRow>(&self) -> Answer<R> {
        let mut nodes: Vec<&NodeRecord> = self.view.nodes(R::LEVEL).filter(|node| self.asks_for(node)).collect();
        // The id makes the order of equal names stable.
        nodes.sort_by(|a, b| (&a.name, a.id).cmp(&(&b.name, b.id)));
        Json(Envelope::ok(nodes.into_iter().map(|node| R::of(&self.view, node)).collect()))
    }

    /// Returns the assets of some types, sorted by substation and name.
    pub(crate) fn assets(&self, types: &AssetTypes) -> Answer<AssetRow> {
        let view = &self.view;
        let mut assets: Vec<(&NodeRecord, &AssetRecord)> = view
            .field
            .assets()
            .filter(|asset| types.0.contains(&asset.type_id))
            .filter_map(|asset| Some((view.field.node(asset.location).filter(|at| view.sees(at) && self.asks_for(at))?, asset)))
            .collect();
        let key = |(location, asset): &(&NodeRecord, &AssetRecord)| (location.name.clone(), location.id, asset.name.clone(), asset.id);
        assets.sort_by_cached_key(key);
        Json(Envelope::ok(assets.into_iter().map(|(location, asset)| asset_row(view, location, asset)).collect()))
    }
}

/// The answer of a list.
pub(crate) type Answer<R> = Json<Envelope<Vec<R>>>;

/// A row of a list of nodes of one level.
pub(crate) trait NodeRow {
    /// The level of the nodes.
    const LEVEL: Level;

    /// Builds the row of a node.
    fn of(view: &View, node: &NodeRecord) -> Self;
}

/// Returns the names from the circle down to a node.
pub(crate) fn path_names<'a>(view: &'a View, node: &'a NodeRecord) -> Vec<&'a str> {
    node.path.iter().filter_map(|id| view.field.node(*id)).map(|above| above.name.as_str()).collect()
}

pub(crate) fn joined(names: &[&str]) -> String {
    names.join(" › ")
}

fn item(view: &View, node: &NodeRecord) -> HierarchyItem {
    HierarchyItem {
        display_id: node.id.0,
        display_name: node.name.clone(),
        bread_crumb_name: joined(&path_names(view, node)),
        parent_id: node.parent.map(|id| id.0),
    }
}

/// Returns the id of the node above at a level. The database guarantees that the parent of a node is of the level above.
fn above(view: &View, node: &NodeRecord, level: Level) -> i64 {
    view.field.above(node, level).map_or(0, |above| above.id.0)
}

impl NodeRow for CircleRow {
    const LEVEL: Level = Level::Circle;

    fn of(view: &View, node: &NodeRecord) -> Self {
        Self { circle_id: node.id.0, circle_name: node.name.clone(), item: item(view, node) }
    }
}

impl NodeRow for DivisionRow {
    const LEVEL: Level = Level::Division;

    fn of(view: &View, node: &NodeRecord) -> Self {
        let circle_id = above(view, node, Level::Circle);
        Self { division_id: node.id.0, div_name: node.name.clone(), circle_id, item: item(view, node) }
    }
}

impl NodeRow for TownRow {
    const LEVEL: Level = Level::Town;

    fn of(view: &View, node: &NodeRecord) -> Self {
        let division_id = above(view, node, Level::Division);
        Self { town_id: node.id.0, town_name: node.name.clone(), division_id, item: item(view, node) }
    }
}

impl NodeRow for SubdivisionRow {
    const LEVEL: Level = Level::Subdivision;

    fn of(view: &View, node: &NodeRecord) -> Self {
        let town_id = above(view, node, Level::Town);
        Self { sub_division_id: node.id.0, sub_division_name: node.name.clone(), town_id, item: item(view, node) }
    }
}

impl NodeRow for SectionRow {
    const LEVEL: Level = Level::Section;

    fn of(view: &View, node: &NodeRecord) -> Self {
        let sub_division_id = above(view, node, Level::Subdivision);
        Self { section_id: node.id.0, section_name: node.name.clone(), sub_division_id, item: item(view, node) }
    }
}

impl NodeRow for LocationRow {
    const LEVEL: Level = Level::Substation;

    fn of(view: &View, node: &NodeRecord) -> Self {
        let names = path_names(view, node);
        Self {
            id: node.id.0,
            name: node.name.clone(),
            sld_name: if node.drawing_stored.is_some() { node.name.clone() } else { String::new() },
            names_above: joined(&names[..names.len().saturating_sub(1)]),
            has_drawing: node.drawing_stored.is_some(),
            section_id: above(view, node, Level::Section),
            division_id: above(view, node, Level::Division),
            circle_id: above(view, node, Level::Circle),
            kv: node.kv.clone().unwrap_or_default(),
            item: item(view, node),
        }
    }
}

impl NodeRow for AssetPointRow {
    const LEVEL: Level = Level::Substation;

    fn of(_: &View, node: &NodeRecord) -> Self {
        Self { asset_point_id: node.id.0, asset_point_name: node.name.clone() }
    }
}

fn asset_row(view: &View, location: &NodeRecord, asset: &AssetRecord) -> AssetRow {
    let mut names = path_names(view, location);
    names.push(&asset.name);
    AssetRow {
        asset_id: asset.id.0,
        asset_name: asset.name.clone(),
        asset_type_id: asset.type_id,
        asset_point_id: location.id.0,
        item: HierarchyItem {
            display_id: asset.id.0,
            display_name: asset.name.clone(),
            bread_crumb_name: joined(&names),
            parent_id: Some(location.id.0),
        },
    }
}

/// The types of assets in a list: `{types}` of the path, such as `2,5`; default: 1 and 4.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AssetTypes(Vec<i32>);

/// Group assets, which most screens list (specification 1, section 7).
pub(crate) const GROUPS: [i32; 2] = [1, 4];
/// Transformers, which the asset screens list.
pub(crate) const TRANSFORMERS: [i32; 2] = [2, 5];
/// The substation as an asset.
pub(crate) const SUBSTATION_LEVEL: i32 = 11;

/// Maximum number of types in one request.
const TYPES_MAX: usize = 16;

impl AssetTypes {
    /// Creates a list of types.
    pub(crate) fn of(types: &[i32]) -> Self {
        Self(types.to_vec())
    }

    fn parse(text: &str) -> Option<Self> {
        let number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten();
        let types: Option<Vec<i32>> = text.split(',').map(|part| number(part).filter(|number| (1..=999).contains(number))).collect();
        types.filter(|types| types.len() <= TYPES_MAX).map(Self)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for AssetTypes {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Error> {
        let params = RawPathParams::from_request_parts(parts, state).await.map_err(|_| Error::NotFound)?;
        let Some((_, text)) = params.iter().find(|(name, _)| *name == "types") else { return Ok(Self::of(&GROUPS)) };
        Self::parse(text).ok_or_else(|| {
            Error::BadRequest(format!(
                "asset types are numbers from 1 to 999 with commas between them, such as 1,4 or 2,5 or 1,4,2,5; up to {TYPES_MAX} of them"
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::AssetTypes;

    #[test]
    fn a_list_of_types_is_numbers_and_commas() {
        for (text, expected) in [
            ("1,4", Some(vec![1, 4])),
            ("2,5", Some(vec![2, 5])),
            ("1,4,2,5", Some(vec![1, 4, 2, 5])),
            ("11", Some(vec![11])),
            ("999", Some(vec![999])),
            ("", None),
            (",", None),
            ("1,", None),
            ("1, 4", None),
            ("+1", None),
            ("-1", None),
            ("0", None),
            ("1000", None),
            ("1;4", None),
            ("99999999999999999999", None),
            ("x", None),
        ] {
            assert_eq!(AssetTypes::parse(text).map(|types| types.0), expected, "{text:?}");
        }
        assert!(AssetTypes::parse(&["1"; 16].join(",")).is_some());
        assert!(AssetTypes::parse(&["1"; 17].join(",")).is_none());
    }
}
