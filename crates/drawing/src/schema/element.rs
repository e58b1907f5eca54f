//! The classes of elements, with the fields of each.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::part::{Align, Category, Nodes, Orientation, Parameter, Path, Point, Position, RelayCategory, Rows};
use super::scalar::{Ansi, AssetCode, Coordinate, Id, Kv, Label, Name, Note, Rating, VectorGroup};

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
