//! What elements are made of besides numbers and texts: positions, paths, rows, and the words for how something lies.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::scalar::{Address, Coordinate, NodeName, Unit};

/// How a symbol lies: its terminals are top and bottom, or left and right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Orientation {
    /// Top and bottom.
    #[default]
    Vertical,
    /// Left and right.
    Horizontal,
}

/// What an isolator is: a disconnector in the line, or an earth switch and the side its earth lies on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Category {
    /// In the line.
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

/// Whether a raw state is shown as itself or as its opposite. Display only: commands and topology always read the raw state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Display {
    /// As it is.
    #[default]
    Normal,
    /// As its opposite.
    Inverse,
}

/// To which side a text runs from its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Align {
    /// It begins there.
    Left,
    /// It ends there.
    #[default]
    Right,
    /// It is centred.
    Center,
}

/// The status point of a symbol.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Position {
    /// Its address.
    pub point: Address,
    /// Whether it is a double point: 0 intermediate, 1 open, 2 closed, 3 bad. Otherwise 0 open or inactive, 1 closed or active.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub double_point: Option<bool>,
    /// How the state of zeros is shown; `inverse` flips both. Display only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zeros_color: Option<Display>,
    /// How the state of ones is shown; `inverse` flips both. Display only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ones_color: Option<Display>,
}

/// A measurand of a symbol.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// Its address.
    pub point: Address,
}

/// A line of a table of values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The point.
    pub point: Address,
    /// What stands behind the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<Unit>,
    /// Decimals to show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 9))]
    pub decimals: Option<u8>,
}

/// A value of a bay's parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Parameter {
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
}

/// The corners of a line, 2 to 200 of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<[Coordinate; 2]>", into = "Vec<[Coordinate; 2]>")]
pub struct Path(Vec<[Coordinate; 2]>);

/// Corners that a line may have.
pub(crate) const CORNERS_MAX: usize = 200;

impl Path {
    /// A line through places, the nearest that is allowed.
    pub fn through(places: &[[f64; 2]]) -> Self {
        let corner = |[x, y]: &[f64; 2]| [Coordinate::nearest(*x), Coordinate::nearest(*y)];
        Self(places.iter().take(CORNERS_MAX).map(corner).collect())
    }

    /// The corners.
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

/// The lines of a table of values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Row>", into = "Vec<Row>")]
pub struct Rows(pub(crate) Vec<Row>);

const ROWS_MAX: usize = 20;

impl TryFrom<Vec<Row>> for Rows {
    type Error = String;

    fn try_from(rows: Vec<Row>) -> Result<Self, String> {
        if rows.len() > ROWS_MAX {
            return Err(format!("a table of values has {} rows, allowed are {ROWS_MAX}", rows.len()));
        }
        if let Some(decimals) = rows.iter().filter_map(|row| row.decimals).find(|decimals| *decimals > 9) {
            return Err(format!("{decimals} decimals, allowed are 0 to 9"));
        }
        Ok(Self(rows))
    }
}

impl From<Rows> for Vec<Row> {
    fn from(rows: Rows) -> Self {
        rows.0
    }
}

impl JsonSchema for Rows {
    fn schema_name() -> Cow<'static, str> {
        "Rows".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let row = generator.subschema_for::<Row>();
        json_schema!({ "type": "array", "items": row, "maxItems": ROWS_MAX })
    }
}

/// Names of nodes: one for each terminal, top before bottom, left before right, high before low.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<NodeName>", into = "Vec<NodeName>")]
pub struct Nodes(Vec<NodeName>);

impl Nodes {
    /// Of names that are short enough; `None` when one is not, or there are none.
    pub fn named(names: &[&str]) -> Option<Self> {
        Self::try_from(names.iter().map(|name| NodeName::try_from(*name)).collect::<Result<Vec<_>, _>>().ok()?).ok()
    }

    /// The same from the other side.
    #[must_use]
    pub fn reversed(mut self) -> Self {
        self.0.reverse();
        self
    }
}

impl TryFrom<Vec<NodeName>> for Nodes {
    type Error = String;

    fn try_from(names: Vec<NodeName>) -> Result<Self, String> {
        if (1..=2).contains(&names.len()) { Ok(Self(names)) } else { Err(format!("{} names of nodes, allowed are 1 or 2", names.len())) }
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
        json_schema!({ "type": "array", "items": name, "minItems": 1, "maxItems": 2 })
    }
}
