//! The lists of the hierarchy (specification 1, section 7; specification 2, section 3), from circle to asset, and the tree.
//!
//! Each row has the names of its own kind, and the same four for every kind, from which a selector is drawn.

use serde::{Deserialize, Serialize};

/// The common fields of every row of the hierarchy ("hierarchy item").
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct HierarchyItem {
    /// Id, the same as under the row's own name.
    pub display_id: i64,
    /// Name, the same as under the row's own name.
    pub display_name: String,
    /// The names from the circle down to this one, joined by ` › `.
    pub bread_crumb_name: String,
    /// Its parent; null for a circle.
    pub parent_id: Option<i64>,
}

/// A circle in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CircleRow {
    /// Id.
    pub circle_id: i64,
    /// Name.
    pub circle_name: String,
    /// For selectors.
    #[serde(flatten)]
    pub item: HierarchyItem,
}

/// A division in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct DivisionRow {
    /// Id.
    pub division_id: i64,
    /// Name.
    pub div_name: String,
    /// The circle above.
    pub circle_id: i64,
    /// For selectors.
    #[serde(flatten)]
    pub item: HierarchyItem,
}

/// A town in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TownRow {
    /// Id.
    pub town_id: i64,
    /// Name.
    pub town_name: String,
    /// The division above.
    pub division_id: i64,
    /// For selectors.
    #[serde(flatten)]
    pub item: HierarchyItem,
}

/// A subdivision in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SubdivisionRow {
    /// Id.
    pub sub_division_id: i64,
    /// Name.
    pub sub_division_name: String,
    /// The town above.
    pub town_id: i64,
    /// For selectors.
    #[serde(flatten)]
    pub item: HierarchyItem,
}

/// A section in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SectionRow {
    /// Id.
    pub section_id: i64,
    /// Name.
    pub section_name: String,
    /// The subdivision above.
    pub sub_division_id: i64,
    /// For selectors.
    #[serde(flatten)]
    pub item: HierarchyItem,
}

/// A substation in a list ("dashboard location option").
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct LocationRow {
    /// Id.
    #[serde(rename = "AssetPointId")]
    pub id: i64,
    /// Name.
    #[serde(rename = "AssetPointName")]
    pub name: String,
    /// Name of its diagram; empty if there is none.
    #[serde(rename = "SLDName")]
    pub sld_name: String,
    /// The names above it, joined by ` › `; without its own, which `breadCrumbName` has.
    #[serde(rename = "BreadCrumbName")]
    pub names_above: String,
    /// Whether a diagram exists.
    #[serde(rename = "hasDrawing")]
    pub has_drawing: bool,
    /// The section above.
    #[serde(rename = "sectionId")]
    pub section_id: i64,
    /// The division above.
    #[serde(rename = "divisionId")]
    pub division_id: i64,
    /// The circle above.
    #[serde(rename = "circleId")]
    pub circle_id: i64,
    /// Such as `33/11 kV`.
    pub kv: String,
    /// For selectors.
    #[serde(flatten)]
    pub item: HierarchyItem,
}

/// An asset in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AssetRow {
    /// Id.
    pub asset_id: i64,
    /// Name.
    pub asset_name: String,
    /// 1 and 4 group assets, 2 and 5 transformers, 11 the substation itself; others are the product's own.
    pub asset_type_id: i32,
    /// Its substation.
    pub asset_point_id: i64,
    /// For selectors.
    #[serde(flatten)]
    pub item: HierarchyItem,
}

/// The name of a substation, for the asset health screens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AssetPointRow {
    /// Id.
    pub asset_point_id: i64,
    /// Name.
    pub asset_point_name: String,
}

/// A product: an RTU or gateway of a substation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ProductRow {
    /// Id of the gateway.
    pub product_id: i64,
    /// Name.
    pub product_name: String,
    /// Its substation.
    pub asset_point_id: i64,
}

/// What a node of the tree is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum NodeType {
    /// The utility.
    Client,
    /// Under the utility.
    Circle,
    /// Under a circle.
    Division,
    /// Under a division.
    Town,
    /// Under a town.
    Subdivision,
    /// Under a subdivision.
    Section,
    /// Under a section.
    Substation,
    /// In a substation; a leaf.
    Asset,
}

/// A node of the hierarchy (specification 3, section 3); children are requested one node at a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TreeNode {
    /// Id, of its type.
    pub id: i64,
    /// Id of the requested area or asset.
    pub parent_id: i64,
    /// Name.
    pub name: String,
    /// What it is.
    pub node_type: NodeType,
    /// Whether asking for its children brings any.
    pub has_children: bool,
}
