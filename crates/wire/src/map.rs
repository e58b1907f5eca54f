//! The network of a utility as GeoJSON (RFC 7946): substations as points, lines and feeders as line strings. A position is longitude, latitude.

use serde::{Deserialize, Serialize};

/// The map of an area or of a utility.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NetworkMap {
    /// Always `FeatureCollection`.
    #[serde(rename = "type")]
    pub kind: CollectionType,
    /// Substations ordered by id, then lines, then feeders in stored order.
    pub features: Vec<Feature>,
}

/// The `type` of a feature collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub enum CollectionType {
    /// The only value.
    FeatureCollection,
}

/// The `type` of a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub enum FeatureType {
    /// The only value.
    Feature,
}

/// A substation, line or feeder on the map.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Feature {
    /// Always `Feature`.
    #[serde(rename = "type")]
    pub kind: FeatureType,
    /// Position or line path.
    pub geometry: Geometry,
    /// Kind and properties of the feature.
    pub properties: Properties,
}

/// A geometry. RFC 7946: longitude before latitude, WGS 84.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(tag = "type", deny_unknown_fields)]
pub enum Geometry {
    /// A place on the map.
    Point {
        /// Longitude, latitude.
        coordinates: [f64; 2],
    },
    /// A line path.
    LineString {
        /// At least two positions: longitude, latitude.
        coordinates: Vec<[f64; 2]>,
    },
}

/// Kind and properties of a feature.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "lowercase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Properties {
    /// A substation; a point.
    Substation {
        /// Id of the substation.
        location_id: i64,
        /// Name of the substation; ignored in a change.
        #[serde(default)]
        name: String,
        /// Nominal voltages, such as `33/11 kV`; ignored in a change.
        #[serde(default)]
        kv: Option<String>,
    },
    /// A line between two substations, or from outside of the utility to a substation; a line string.
    Line {
        /// Id of the line's asset; null if it has none.
        #[serde(default)]
        asset_id: Option<i64>,
        /// Nominal voltage, kV.
        #[serde(default)]
        kv: Option<f64>,
        /// Id of the substation at its start; null outside of the utility, and if the caller cannot see the substation.
        #[serde(default)]
        from_location_id: Option<i64>,
        /// Id of the substation at its end; null as for its start.
        #[serde(default)]
        to_location_id: Option<i64>,
        /// Name of the line.
        name: String,
    },
    /// A feeder; a line string that starts at its substation.
    Feeder {
        /// Id of the feeder.
        asset_id: i64,
        /// Id of the substation.
        location_id: i64,
        /// Name of the feeder.
        name: String,
    },
}

/// The result of replacing the map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct MapStored {
    /// Number of substations whose coordinates were set.
    pub substations: usize,
    /// Number of lines.
    pub lines: usize,
    /// Number of feeders.
    pub feeders: usize,
}
