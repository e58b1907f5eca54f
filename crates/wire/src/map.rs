//! The utility's own geometry as GeoJSON (RFC 7946): substations as points, lines between them and feeders as line strings. Places are longitude, latitude.

use serde::{Deserialize, Serialize};

/// All that is shown of a part of the network, or all that a utility has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NetworkMap {
    /// Always `FeatureCollection`.
    #[serde(rename = "type")]
    pub kind: CollectionType,
    /// Substations by id, then lines, then feeders as they were stored.
    pub features: Vec<Feature>,
}

/// The one type of a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub enum CollectionType {
    /// The only one.
    FeatureCollection,
}

/// The one type of a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub enum FeatureType {
    /// The only one.
    Feature,
}

/// Something on the map.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Feature {
    /// Always `Feature`.
    #[serde(rename = "type")]
    pub kind: FeatureType,
    /// Where it is.
    pub geometry: Geometry,
    /// What it is.
    pub properties: Properties,
}

/// A geometry. RFC 7946: longitude before latitude, WGS 84.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(tag = "type", deny_unknown_fields)]
pub enum Geometry {
    /// A position.
    Point {
        /// Longitude, latitude.
        coordinates: [f64; 2],
    },
    /// A way.
    LineString {
        /// At least two positions.
        coordinates: Vec<[f64; 2]>,
    },
}

/// What something on the map is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "lowercase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Properties {
    /// A substation; a point.
    Substation {
        /// Which one.
        location_id: i64,
        /// Its name; ignored when it is stored.
        #[serde(default)]
        name: String,
        /// Its voltages, such as `33/11 kV`; ignored when it is stored.
        #[serde(default)]
        kv: Option<String>,
    },
    /// A line between two substations, or into one from outside; a line string.
    Line {
        /// The asset that it is, if it is one.
        #[serde(default)]
        asset_id: Option<i64>,
        /// Its voltage, kV.
        #[serde(default)]
        kv: Option<f64>,
        /// The substation of its start; null outside of the utility, and if the caller cannot see it.
        #[serde(default)]
        from_location_id: Option<i64>,
        /// The substation of its end.
        #[serde(default)]
        to_location_id: Option<i64>,
        /// Its name.
        name: String,
    },
    /// A feeder of a substation; a line string that begins there.
    Feeder {
        /// The feeder.
        asset_id: i64,
        /// Its substation.
        location_id: i64,
        /// Its name.
        name: String,
    },
}

/// The result of replacing the map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct MapStored {
    /// Substations whose coordinates were set by it.
    pub substations: usize,
    /// Lines between substations.
    pub lines: usize,
    /// Feeders.
    pub feeders: usize,
}
