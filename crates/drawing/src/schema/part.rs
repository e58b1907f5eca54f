//! Parts of elements besides numbers and texts: positions, paths, rows and orientations.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::scalar::{Address, Coordinate, NodeName, Unit};

/// Orientation of a symbol, by the sides of its terminals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Orientation {
    /// Top and bottom.
    #[default]
    Vertical,
    /// Left and right.
    Horizontal,
}

/// Category of an isolator symbol: a disconnector in the line, or an earth switch with the side of its earth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Category {
    /// A disconnector in the line.
    #[default]
    Isolator,
    /// Earth above.
    EarthSwitchTop,
    /// Earth below.
    EarthSwitchDown,
    /// Earth to the left.
    EarthSwitchLeft,
    /// Earth to the right.
    EarthSwitchRight,
}

/// The category of a relay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum RelayCategory {
    /// A protection relay.
    #[default]
    Relay,
}

/// Whether a raw state is displayed as it is or inverted. For display only: commands and topology always use the raw state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Display {
    /// Not inverted.
    #[default]
    Normal,
    /// Inverted.
    Inverse,
}

/// Alignment of a text relative to its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Align {
    /// The text starts at the position.
    Left,
    /// The text ends at the position.
    #[default]
    Right,
    /// The text is centred on the position.
    Center,
}

/// The position of a switch in the normal state of the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum NormalPosition {
    /// Open: a normally-open point.
    Open,
    /// Closed.
    Closed,
}

/// Where the texts of a symbol are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum TextSide {
    /// On its right.
    #[default]
    Right,
    /// Below it, and below a load that hangs from it.
    Below,
    /// Nowhere on the sheet.
    Hidden,
}

/// The status point of a symbol.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Position {
    /// Address of the point, `device/metric`.
    pub point: Address,
    /// Whether it is a double point: 0 intermediate, 1 open, 2 closed, 3 bad. Otherwise 0 open or inactive, 1 closed or active.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub double_point: Option<bool>,
    /// Display of state 0; `inverse` inverts both states. For display only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zeros_color: Option<Display>,
    /// Display of state 1; `inverse` inverts both states. For display only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ones_color: Option<Display>,
}

/// A measurand of a symbol.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// Address of the point, `device/metric`.
    pub point: Address,
}

/// A row of a table of values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Row")]
pub struct ValueRow {
    /// Address of the point, `device/metric`.
    pub point: Address,
    /// Unit, displayed after the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<Unit>,
    /// Number of decimals to display.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 9))]
    pub decimals: Option<u8>,
}

/// The value of a bay parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Parameter {
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
}

/// The corner points of a line, 2 to 200.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<[Coordinate; 2]>", into = "Vec<[Coordinate; 2]>")]
pub struct Path(Vec<[Coordinate; 2]>);

/// Largest number of corner points of a line.
pub(crate) const CORNERS_MAX: usize = 200;

impl Path {
    /// Creates a line through points. Coordinates outside of the permitted range are limited to it.
    pub fn through(places: &[[f64; 2]]) -> Self {
        let corner = |[x, y]: &[f64; 2]| [Coordinate::nearest(*x), Coordinate::nearest(*y)];
        Self(places.iter().take(CORNERS_MAX).map(corner).collect())
    }

    /// Returns the corner points.
    pub fn corners(&self) -> impl Iterator<Item = (f64, f64)> {
        self.0.iter().map(|[x, y]| (x.get(), y.get()))
    }
}

impl TryFrom<Vec<[Coordinate; 2]>> for Path {
    type Error = String;

    fn try_from(corners: Vec<[Coordinate; 2]>) -> Result<Self, String> {
        if (2..=CORNERS_MAX).contains(&corners.len()) {
            Ok(Self(corners))
        } else {
            Err(format!("a path has {} corners, allowed are 2 to {CORNERS_MAX}", corners.len()))
        }
    }
}

impl From<Path> for Vec<[Coordinate; 2]> {
    fn from(path: Path) -> Self {
        path.0
    }
}

impl JsonSchema for Path {
    fn schema_name() -> Cow<'static, str> {
        "Path".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let corner = generator.subschema_for::<[Coordinate; 2]>();
        json_schema!({ "type": "array", "items": corner, "minItems": 2, "maxItems": CORNERS_MAX })
    }
}

/// The rows of a table of values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<ValueRow>", into = "Vec<ValueRow>")]
pub struct Rows(pub(crate) Vec<ValueRow>);

const ROWS_MAX: usize = 20;

impl TryFrom<Vec<ValueRow>> for Rows {
    type Error = String;

    fn try_from(rows: Vec<ValueRow>) -> Result<Self, String> {
        if rows.len() > ROWS_MAX {
            return Err(format!("a table of values has {} rows, allowed are {ROWS_MAX}", rows.len()));
        }
        if let Some(decimals) = rows.iter().filter_map(|row| row.decimals).find(|decimals| *decimals > 9) {
            return Err(format!("{decimals} decimals, allowed are 0 to 9"));
        }
        Ok(Self(rows))
    }
}

impl From<Rows> for Vec<ValueRow> {
    fn from(rows: Rows) -> Self {
        rows.0
    }
}

impl JsonSchema for Rows {
    fn schema_name() -> Cow<'static, str> {
        "Rows".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let row = generator.subschema_for::<ValueRow>();
        json_schema!({ "type": "array", "items": row, "maxItems": ROWS_MAX })
    }
}

/// Names of nodes, one for each terminal: top before bottom, left before right, high before low voltage, the third winding last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<NodeName>", into = "Vec<NodeName>")]
pub struct Nodes(Vec<NodeName>);

impl Nodes {
    /// Creates them from names; `None` if one is too long or there are none.
    pub fn named(names: &[&str]) -> Option<Self> {
        Self::try_from(names.iter().map(|name| NodeName::try_from(*name)).collect::<Result<Vec<_>, _>>().ok()?).ok()
    }

    /// Returns the node of a third winding.
    pub(crate) fn third(&self) -> Option<Self> {
        self.0.get(2).map(|name| Self(vec![name.clone()]))
    }

    /// Returns the names with the first two in reverse order; a third winding stays where it is.
    #[must_use]
    pub fn reversed(self) -> Self {
        self.exchanged(1)
    }

    /// Returns the names with the first and another one exchanged.
    #[must_use]
    pub(crate) fn exchanged(mut self, other: usize) -> Self {
        if other < self.0.len() {
            self.0.swap(0, other);
        }
        self
    }
}

impl TryFrom<Vec<NodeName>> for Nodes {
    type Error = String;

    fn try_from(names: Vec<NodeName>) -> Result<Self, String> {
        if (1..=3).contains(&names.len()) { Ok(Self(names)) } else { Err(format!("{} names of nodes, allowed are 1 to 3", names.len())) }
    }
}

impl From<Nodes> for Vec<NodeName> {
    fn from(nodes: Nodes) -> Self {
        nodes.0
    }
}

impl JsonSchema for Nodes {
    fn schema_name() -> Cow<'static, str> {
        "Nodes".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let name = generator.subschema_for::<NodeName>();
        json_schema!({ "type": "array", "items": name, "minItems": 1, "maxItems": 3 })
    }
}
