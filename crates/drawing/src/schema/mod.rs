//! The drawing file, version 1, as types: each class with its fields, each field with its limits. The published JSON Schema is
//! generated from them.

mod element;
mod part;
mod scalar;
mod template;
mod untagged;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use element::{
    Arrester, Battery, Bay, Breaker, Busbar, CLASSES, Capacitor, Continuation, Ct, Element, Feeder, Fuse, Generator, Inverter, Isolator,
    Line, Load, LoadBreakSwitch, Motor, Pt, Reactor, Recloser, Relay, Sectionaliser, Source, Switch, Text, Transformer, Values,
};
pub(crate) use part::CORNERS_MAX;
pub use part::{
    Align, Category, Display, Nodes, NormalPosition, Orientation, Parameter, Path, Point, Position, RelayCategory, Rows, TextSide, ValueRow,
};
pub use scalar::{
    Address, Ansi, AssetCode, Coordinate, EquipmentRef, Extent, Id, Kilowatts, Kv, Label, Name, NodeName, Note, Rating, Unit, VectorGroup,
};
pub use template::Template;

/// Largest number of elements of a drawing, including those of its expanded bays.
pub const ELEMENTS_MAX: usize = 20_000;

/// A drawing as it is stored and imported.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "Switchyard single-line diagram, version 1")]
#[serde(deny_unknown_fields)]
pub struct File {
    /// Location of the schema, for editors.
    #[serde(rename = "$schema", default, skip_serializing)]
    pub schema: Option<String>,
    /// Always `switchyard-sld`.
    #[schemars(schema_with = "format_schema")]
    pub format: String,
    /// Always 1.
    #[schemars(schema_with = "version_schema")]
    pub version: u32,
    /// Name of the substation.
    pub name: Name,
    /// Size of the sheet in drawing units; symbols are on a grid of 20 units.
    pub size: Size,
    /// Symbols, lines, texts and bays.
    #[schemars(length(max = 20_000))]
    pub elements: Vec<Element>,
    /// Bay templates in addition to the built-in ones.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("maxProperties" = 100))]
    pub templates: BTreeMap<String, Template>,
    /// Facts about the points in a drawing that the API returned; ignored when read.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub points: BTreeMap<String, Value>,
}

/// Size of a sheet, in drawing units.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Size {
    /// Extent to the right.
    pub width: Extent,
    /// Extent downwards.
    pub height: Extent,
}

impl File {
    /// Creates a drawing of elements, with the size that they need.
    pub fn new(name: Name, elements: Vec<Element>) -> Self {
        let reach = elements.iter().map(Element::reach).fold((1.0_f64, 1.0_f64), |(w, h), (x, y)| (w.max(x), h.max(y)));
        let size = Size { width: Extent::nearest(reach.0 + MARGIN), height: Extent::nearest(reach.1 + MARGIN) };
        Self {
            schema: None,
            format: wire::sld::FORMAT.to_owned(),
            version: wire::sld::VERSION,
            name,
            size,
            elements,
            templates: BTreeMap::new(),
            points: BTreeMap::new(),
        }
    }
}

/// Space to the right of and below the last symbol for its texts, drawing units.
const MARGIN: f64 = 120.0;

/// Returns the JSON Schema of the file, version 1.
pub fn json_schema() -> Value {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<File>().to_value()
}

fn format_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "const": wire::sld::FORMAT })
}

fn version_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "const": wire::sld::VERSION })
}
