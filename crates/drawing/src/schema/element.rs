//! The classes of elements, with the fields of each.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::scalar::{Address, Ansi, AssetCode, Coordinate, Id, Kv, Label, Name, NodeName, Note, Rating, Unit, VectorGroup};

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

/// A class whose symbol stands at one place.
macro_rules! symbol {
    ($(#[$doc:meta])* $name:ident [$($(#[$must_doc:meta])* $must:ident: $must_type:ty,)*] { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub struct $name {
            /// Names the element within the drawing.
            pub id: Id,
            /// Middle of the symbol.
            pub x: Coordinate,
            /// Middle of the symbol.
            pub y: Coordinate,
            /// How it lies; vertical unless said.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub orientation: Option<Orientation>,
            /// Nominal voltage.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub kv: Option<Kv>,
            /// The asset it shows.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub asset: Option<AssetCode>,
            /// What stands beside it.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub name: Option<Name>,
            $($(#[$must_doc])*
            pub $must: $must_type,)*
            $($(#[$field_doc])*
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub $field: Option<$type>,)*
        }

        impl $name {
            /// One at a place, with nothing else said of it.
            pub fn new(id: Id, x: f64, y: f64 $(, $must: $must_type)*) -> Self {
                let (x, y) = (Coordinate::nearest(x), Coordinate::nearest(y));
                Self { id, x, y, orientation: None, kv: None, asset: None, name: None, $($must,)* $($field: None,)* }
            }

            fn reach(&self) -> (f64, f64) {
                (self.x.get(), self.y.get())
            }
        }
    };
}

symbol!(
    /// A circuit breaker.
    Breaker [] {
        /// Its position.
        position: Position,
        /// Names of the nodes it joins, when the file knows them better than its lines show.
        nodes: Nodes,
    }
);
symbol!(
    /// An isolator (disconnector) or earth switch.
    Isolator [] {
        /// Which of them; an isolator unless said.
        category: Category,
        /// Its position.
        position: Position,
        /// Names of the nodes it joins, when the file knows them better than its lines show.
        nodes: Nodes,
    }
);
symbol!(
    /// A protection relay.
    Relay [] {
        /// Its function.
        ansi: Ansi,
        /// Always `relay`.
        category: RelayCategory,
        /// Whether it has operated.
        position: Position,
    }
);
symbol!(
    /// A transformer of two windings: the high one on top, or to the left.
    Transformer [] {
        /// Voltage of the high winding.
        kv_high: Kv,
        /// Voltage of the low winding.
        kv_low: Kv,
        /// Rated power, MVA.
        mva: Rating,
        /// Vector group.
        vector_group: VectorGroup,
        /// Its tap position.
        tap: Point,
        /// Names of the nodes it joins, when the file knows them better than its lines show.
        nodes: Nodes,
    }
);
symbol!(
    /// A station battery.
    Battery [] {}
);
symbol!(
    /// A capacitor bank.
    Capacitor [] {
        /// Rated power, MVAr.
        mvar: Rating,
        /// Names of the nodes it joins, when the file knows them better than its lines show.
        nodes: Nodes,
    }
);
symbol!(
    /// A reactor.
    Reactor [] {
        /// Names of the nodes it joins, when the file knows them better than its lines show.
        nodes: Nodes,
    }
);
symbol!(
    /// Current transformers.
    Ct [] {
        /// Names of the nodes it joins, when the file knows them better than its lines show.
        nodes: Nodes,
    }
);
symbol!(
    /// Voltage transformers.
    Pt [] {
        /// Names of the nodes it joins, when the file knows them better than its lines show.
        nodes: Nodes,
    }
);
symbol!(
    /// A surge arrester.
    Arrester [] {
        /// Names of the nodes it joins, when the file knows them better than its lines show.
        nodes: Nodes,
    }
);
symbol!(
    /// A fuse in the line.
    Fuse [] {
        /// Its position, when it is watched.
        position: Position,
        /// Names of the nodes it joins, when the file knows them better than its lines show.
        nodes: Nodes,
    }
);
symbol!(
    /// A generator.
    Generator [] {
        /// Whether it runs; unknown without.
        position: Position,
        /// Names of the nodes it joins, when the file knows them better than its lines show.
        nodes: Nodes,
    }
);
symbol!(
    /// A motor.
    Motor [] {}
);
symbol!(
    /// An incoming line: what energises the drawing.
    Source [] {
        /// A second line below its name.
        label: Label,
        /// Whether it is live, when a point tells.
        position: Position,
        /// Names of the nodes it joins, when the file knows them better than its lines show.
        nodes: Nodes,
    }
);
symbol!(
    /// An outgoing feeder.
    Feeder [] {
        /// A second line below its name.
        label: Label,
        /// Names of the nodes it joins, when the file knows them better than its lines show.
        nodes: Nodes,
    }
);
symbol!(
    /// A table of values.
    Values [
        /// Its lines, 20 at most.
        rows: Rows,
    ] {
        /// On which side of the place the values stand.
        align: Align,
    }
);
symbol!(
    /// A text.
    Text [
        /// The text.
        text: Note,
    ] {
        /// To which side it runs.
        align: Align,
    }
);
symbol!(
    /// A bay made from a template; its place is the template's origin.
    Bay [
        /// Name of the template.
        template: Name,
    ] {
        /// Values of its parameters, 40 at most.
        parameters: BTreeMap<String, Parameter>,
    }
);

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

/// A busbar: a straight line that bays hang on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Busbar {
    /// Names the element within the drawing.
    pub id: Id,
    /// One end.
    pub x1: Coordinate,
    /// One end.
    pub y1: Coordinate,
    /// The other end.
    pub x2: Coordinate,
    /// The other end.
    pub y2: Coordinate,
    /// Nominal voltage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kv: Option<Kv>,
    /// The asset it shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asset: Option<AssetCode>,
    /// What stands above its first end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Name>,
    /// Name of its node, when the file knows it better than places show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<Nodes>,
}

impl Busbar {
    fn reach(&self) -> (f64, f64) {
        (self.x1.get().max(self.x2.get()), self.y1.get().max(self.y2.get()))
    }
}

/// A connection. Devices stand on it; it joins whatever its ends touch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// Names the element within the drawing.
    pub id: Id,
    /// Its corners.
    pub path: Path,
    /// Nominal voltage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kv: Option<Kv>,
    /// The asset it shows, such as a cable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asset: Option<AssetCode>,
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Name>,
    /// Name of its node, when the file knows it better than places show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<Nodes>,
}

impl Line {
    fn reach(&self) -> (f64, f64) {
        self.path.corners().fold((f64::MIN, f64::MIN), |(right, down), (x, y)| (right.max(x), down.max(y)))
    }
}

macro_rules! classes {
    ($($(#[$doc:meta])* $name:ident = $word:literal,)*) => {
        /// An element of a drawing.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "class")]
        pub enum Element {
            $(#[doc = concat!("`", $word, "`")]
            #[serde(rename = $word)]
            $name($name),)*
        }

        /// The words of all classes.
        pub const CLASSES: &[&str] = &[$($word),*];

        impl Element {
            /// What names it within the drawing.
            pub fn id(&self) -> &Id {
                match self {
                    $(Self::$name(element) => &element.id,)*
                }
            }

            /// The same under another id.
            #[must_use]
            pub fn with_id(mut self, id: Id) -> Self {
                match &mut self {
                    $(Self::$name(element) => element.id = id,)*
                }
                self
            }

            /// The place furthest to the right and down that belongs to it.
            pub(crate) fn reach(&self) -> (f64, f64) {
                match self {
                    $(Self::$name(element) => element.reach(),)*
                }
            }

            /// Reads one whose class is known already; `None` when there is no such class. Errors carry line and column within the text.
            pub(crate) fn read(class: &str, text: &str) -> Option<serde_json::Result<Self>> {
                match class {
                    $($word => Some(crate::check::without_class::<$name>(text).map(Self::$name)),)*
                    _ => None,
                }
            }
        }

        $(impl From<$name> for Element {
            fn from(element: $name) -> Self {
                Self::$name(element)
            }
        })*
    };
}

classes! {
    Breaker = "breaker",
    Isolator = "isolator",
    Relay = "relay",
    Transformer = "transformer",
    Battery = "battery",
    Busbar = "busbar",
    Line = "line",
    Ct = "ct",
    Pt = "pt",
    Capacitor = "capacitor",
    Reactor = "reactor",
    Arrester = "arrester",
    Fuse = "fuse",
    Generator = "generator",
    Motor = "motor",
    Source = "source",
    Feeder = "feeder",
    Values = "values",
    Text = "text",
    Bay = "bay",
}
