//! The lists of the hierarchy (specification 1, section 7; specification 2, section 3), from circle to asset, and the tree.
//!
//! Each row has the field names of its level, and the fields of [`HierarchyItem`], from which a selector can show every level in the same way.

use serde::{Deserialize, Serialize};

/// The common fields of every row of the hierarchy ("hierarchy item").
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct HierarchyItem {
    /// Id, the same as in the field of the row's level.
    pub display_id: i64,
    /// Name, the same as in the field of the row's level.
    pub display_name: String,
    /// Names from the circle down to this row, joined by ` › `.
    pub bread_crumb_name: String,
    /// Id of the row above; null for a circle.
    pub parent_id: Option<i64>,
}

/// A circle in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CircleRow {
    /// Id of the circle.
    pub circle_id: i64,
    /// Name of the circle.
    pub circle_name: String,
    /// The common fields of a hierarchy item, for selectors.
    #[serde(flatten)]
    pub item: HierarchyItem,
}

/// A division in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct DivisionRow {
    /// Id of the division.
    pub division_id: i64,
    /// Name of the division.
    pub div_name: String,
    /// Id of the circle above.
    pub circle_id: i64,
    /// The common fields of a hierarchy item, for selectors.
    #[serde(flatten)]
    pub item: HierarchyItem,
}

/// A town in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TownRow {
    /// Id of the town.
    pub town_id: i64,
    /// Name of the town.
    pub town_name: String,
    /// Id of the division above.
    pub division_id: i64,
    /// The common fields of a hierarchy item, for selectors.
    #[serde(flatten)]
    pub item: HierarchyItem,
}

/// A subdivision in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SubdivisionRow {
    /// Id of the subdivision.
    pub sub_division_id: i64,
    /// Name of the subdivision.
    pub sub_division_name: String,
    /// Id of the town above.
    pub town_id: i64,
    /// The common fields of a hierarchy item, for selectors.
    #[serde(flatten)]
    pub item: HierarchyItem,
}

/// A section in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SectionRow {
    /// Id of the section.
    pub section_id: i64,
    /// Name of the section.
    pub section_name: String,
    /// Id of the subdivision above.
    pub sub_division_id: i64,
    /// The common fields of a hierarchy item, for selectors.
    #[serde(flatten)]
    pub item: HierarchyItem,
}

/// A substation in a list ("dashboard location option").
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct LocationRow {
    /// Id of the substation.
    #[serde(rename = "AssetPointId")]
    pub id: i64,
    /// Name of the substation.
    #[serde(rename = "AssetPointName")]
    pub name: String,
    /// Name of its diagram; empty if there is none.
    #[serde(rename = "SLDName")]
    pub sld_name: String,
    /// Names from the circle down to the section above, joined by ` › `. `breadCrumbName` includes the substation.
    #[serde(rename = "BreadCrumbName")]
    pub names_above: String,
    /// Whether a diagram exists.
    #[serde(rename = "hasDrawing")]
    pub has_drawing: bool,
    /// Id of the section above.
    #[serde(rename = "sectionId")]
    pub section_id: i64,
    /// Id of the division above.
    #[serde(rename = "divisionId")]
    pub division_id: i64,
    /// Id of the circle above.
    #[serde(rename = "circleId")]
    pub circle_id: i64,
    /// Nominal voltages, such as `33/11 kV`.
    pub kv: String,
    /// The common fields of a hierarchy item, for selectors.
    #[serde(flatten)]
    pub item: HierarchyItem,
}

/// An asset in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AssetRow {
    /// Id of the asset.
    pub asset_id: i64,
    /// Name of the asset.
    pub asset_name: String,
    /// Type of the asset: 1 and 4 group other assets, 2 and 5 are transformers, 11 is the substation itself. The other types are defined by the product.
    pub asset_type_id: i32,
    /// Id of the substation.
    pub asset_point_id: i64,
    /// The common fields of a hierarchy item, for selectors.
    #[serde(flatten)]
    pub item: HierarchyItem,
}

/// The name of a substation, for the asset health screens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AssetPointRow {
    /// Id of the substation.
    pub asset_point_id: i64,
    /// Name of the substation.
    pub asset_point_name: String,
}

/// A gateway of a substation. The specification calls it a product.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ProductRow {
    /// Id of the gateway.
    pub product_id: i64,
    /// Name of the gateway.
    pub product_name: String,
    /// Id of the substation.
    pub asset_point_id: i64,
}

/// The type of a node of the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum NodeType {
    /// The utility.
    Client,
    /// A circle, under the utility.
    Circle,
    /// A division, under a circle.
    Division,
    /// A town, under a division.
    Town,
    /// A subdivision, under a town.
    Subdivision,
    /// A section, under a subdivision.
    Section,
    /// A substation, under a section.
    Substation,
    /// An asset, in a substation. It has no children.
    Asset,
}

/// A node of the hierarchy (specification 3, section 3); children are requested one node at a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TreeNode {
    /// Id of the node, unique within its type.
    pub id: i64,
    /// Id of the requested node or asset.
    pub parent_id: i64,
    /// Name.
    pub name: String,
    /// Type of the node.
    pub node_type: NodeType,
    /// Whether the node has children that the caller can see.
    pub has_children: bool,
}
