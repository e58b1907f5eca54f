//! The classes of elements, with their fields.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::part::{Align, Category, Nodes, NormalPosition, Orientation, Parameter, Path, Point, Position, RelayCategory, Rows, TextSide};
use super::scalar::{Ansi, AssetCode, Coordinate, EquipmentRef, Id, Kilowatts, Kv, Label, Name, Note, Rating, VectorGroup};

/// A class whose symbol has one position.
macro_rules! symbol {
    ($(#[$doc:meta])* $name:ident [$($(#[$must_doc:meta])* $must:ident: $must_type:ty,)*] { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub struct $name {
            /// Id of the element, unique within the drawing.
            pub id: Id,
            /// Middle of the symbol.
            pub x: Coordinate,
            /// Middle of the symbol.
            pub y: Coordinate,
            /// Orientation; default: vertical.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub orientation: Option<Orientation>,
            /// Nominal voltage, kV.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub kv: Option<Kv>,
            /// Code of the asset that it shows.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub asset: Option<AssetCode>,
            /// Id of the equipment that it shows, in the network model.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub equipment: Option<EquipmentRef>,
            /// Text beside the symbol.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub name: Option<Name>,
            $($(#[$must_doc])*
            pub $must: $must_type,)*
            $($(#[$field_doc])*
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub $field: Option<$type>,)*
        }

        impl $name {
            /// Creates one at a position, without optional fields.
            pub fn new(id: Id, x: f64, y: f64 $(, $must: $must_type)*) -> Self {
                let (x, y) = (Coordinate::nearest(x), Coordinate::nearest(y));
                Self { id, x, y, orientation: None, kv: None, asset: None, equipment: None, name: None, $($must,)* $($field: None,)* }
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
        /// Names of the nodes that it connects. If present, they take precedence over the geometry of the lines.
        nodes: Nodes,
        /// Its position in the normal state of the network. It is shown, marked as assumed, if no point reports the position.
        normal: NormalPosition,
    }
);
symbol!(
    /// An isolator (disconnector) or earth switch.
    Isolator [] {
        /// Isolator or earth switch; default: isolator.
        category: Category,
        /// Its position.
        position: Position,
        /// Names of the nodes that it connects. If present, they take precedence over the geometry of the lines.
        nodes: Nodes,
        /// Its position in the normal state of the network. It is shown, marked as assumed, if no point reports the position.
        normal: NormalPosition,
    }
);
symbol!(
    /// A protection relay.
    Relay [] {
        /// Device number of its function (IEEE C37.2).
        ansi: Ansi,
        /// Always `relay`.
        category: RelayCategory,
        /// Whether it has operated.
        position: Position,
    }
);
symbol!(
    /// A transformer with two or three windings. The high-voltage winding is on top, or on the left. A third winding is on the left, or at
    /// the bottom. A transformer has three windings if it has `kvTertiary` or three `nodes`.
    Transformer [] {
        /// Voltage of the high-voltage winding, kV.
        kv_high: Kv,
        /// Voltage of the low-voltage winding, kV.
        kv_low: Kv,
        /// Voltage of the third winding, kV.
        kv_tertiary: Kv,
        /// Rated power, MVA.
        mva: Rating,
        /// Vector group.
        vector_group: VectorGroup,
        /// Its tap position.
        tap: Point,
        /// Names of the nodes that it connects. If present, they take precedence over the geometry of the lines.
        nodes: Nodes,
        /// Where its name and rating are written; default: on its right.
        text_side: TextSide,
        /// Number of customers that it supplies, written with its rating.
        customers: u64,
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
        /// Names of the nodes that it connects. If present, they take precedence over the geometry of the lines.
        nodes: Nodes,
    }
);
symbol!(
    /// A reactor.
    Reactor [] {
        /// Names of the nodes that it connects. If present, they take precedence over the geometry of the lines.
        nodes: Nodes,
    }
);
symbol!(
    /// Current transformers.
    Ct [] {
        /// Names of the nodes that it connects. If present, they take precedence over the geometry of the lines.
        nodes: Nodes,
    }
);
symbol!(
    /// Voltage transformers.
    Pt [] {
        /// Names of the nodes that it connects. If present, they take precedence over the geometry of the lines.
        nodes: Nodes,
    }
);
symbol!(
    /// A surge arrester.
    Arrester [] {
        /// Names of the nodes that it connects. If present, they take precedence over the geometry of the lines.
        nodes: Nodes,
    }
);
symbol!(
    /// A fuse in the line.
    Fuse [] {
        /// Its position, if it is monitored.
        position: Position,
        /// Names of the nodes that it connects. If present, they take precedence over the geometry of the lines.
        nodes: Nodes,
        /// Its position in the normal state of the network. It is shown, marked as assumed, if no point reports the position.
        normal: NormalPosition,
    }
);
symbol!(
    /// A generator.
    Generator [] {
        /// Whether it runs; unknown if absent.
        position: Position,
        /// Names of the nodes that it connects. If present, they take precedence over the geometry of the lines.
        nodes: Nodes,
    }
);
symbol!(
    /// A motor.
    Motor [] {}
);
symbol!(
    /// An incoming line, which is a source of the topology.
    Source [] {
        /// A second line of text below its name.
        label: Label,
        /// Whether it is energised, if a point reports that.
        position: Position,
        /// Names of the nodes that it connects. If present, they take precedence over the geometry of the lines.
        nodes: Nodes,
    }
);
symbol!(
    /// An outgoing feeder.
    Feeder [] {
        /// A second line of text below its name.
        label: Label,
        /// Names of the nodes that it connects. If present, they take precedence over the geometry of the lines.
        nodes: Nodes,
    }
);
symbol!(
    /// A load-break switch.
    LoadBreakSwitch [] {
        /// Its position.
        position: Position,
        /// Names of the nodes that it connects. If present, they take precedence over the geometry of the lines.
        nodes: Nodes,
        /// Its position in the normal state of the network. It is shown, marked as assumed, if no point reports the position.
        normal: NormalPosition,
    }
);
symbol!(
    /// A recloser: a breaker that closes again by itself.
    Recloser [] {
        /// Its position.
        position: Position,
        /// Names of the nodes that it connects. If present, they take precedence over the geometry of the lines.
        nodes: Nodes,
        /// Its position in the normal state of the network. It is shown, marked as assumed, if no point reports the position.
        normal: NormalPosition,
    }
);
symbol!(
    /// A sectionaliser: a switch that opens while the line is dead, after it has counted trips.
    Sectionaliser [] {
        /// Its position.
        position: Position,
        /// Names of the nodes that it connects. If present, they take precedence over the geometry of the lines.
        nodes: Nodes,
        /// Its position in the normal state of the network. It is shown, marked as assumed, if no point reports the position.
        normal: NormalPosition,
    }
);
symbol!(
    /// A switch whose kind is not known.
    Switch [] {
        /// Its position.
        position: Position,
        /// Names of the nodes that it connects. If present, they take precedence over the geometry of the lines.
        nodes: Nodes,
        /// Its position in the normal state of the network. It is shown, marked as assumed, if no point reports the position.
        normal: NormalPosition,
    }
);
symbol!(
    /// Customers or a load.
    Load [] {
        /// Number of customers.
        customers: u64,
        /// Load at nominal voltage, kW.
        kw: Kilowatts,
        /// Where its texts are written; default: below it.
        text_side: TextSide,
        /// Names of the nodes that it connects. If present, they take precedence over the geometry of the lines.
        nodes: Nodes,
    }
);
symbol!(
    /// A solar or wind plant, or a battery, behind an inverter.
    Inverter [] {
        /// Rated power, MVA.
        mva: Rating,
        /// Names of the nodes that it connects. If present, they take precedence over the geometry of the lines.
        nodes: Nodes,
    }
);
symbol!(
    /// The end of what is drawn. The network continues there, with what its name says.
    Continuation [] {
        /// A second line of text below its name.
        label: Label,
        /// Names of the nodes that it connects. If present, they take precedence over the geometry of the lines.
        nodes: Nodes,
    }
);
symbol!(
    /// A table of values.
    Values [
        /// Rows of the table, at most 20.
        rows: Rows,
    ] {
        /// Alignment of the values relative to the position.
        align: Align,
    }
);
symbol!(
    /// A text.
    Text [
        /// The text.
        text: Note,
    ] {
        /// Alignment of the text relative to the position.
        align: Align,
    }
);
symbol!(
    /// A bay made from a template; its position is the template's origin.
    Bay [
        /// Name of the template.
        template: Name,
    ] {
        /// Values of its parameters, 40 at most.
        parameters: BTreeMap<String, Parameter>,
    }
);

/// A busbar: a straight line to which bays connect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Busbar {
    /// Id of the element, unique within the drawing.
    pub id: Id,
    /// One end.
    pub x1: Coordinate,
    /// One end.
    pub y1: Coordinate,
    /// The other end.
    pub x2: Coordinate,
    /// The other end.
    pub y2: Coordinate,
    /// Nominal voltage, kV.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kv: Option<Kv>,
    /// Code of the asset that it shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asset: Option<AssetCode>,
    /// Id of the equipment that it shows, in the network model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equipment: Option<EquipmentRef>,
    /// Text above its first end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Name>,
    /// Name of its node. If present, it takes precedence over the geometry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<Nodes>,
}

impl Busbar {
    fn reach(&self) -> (f64, f64) {
        (self.x1.get().max(self.x2.get()), self.y1.get().max(self.y2.get()))
    }
}

/// A line, which connects whatever its ends touch. Devices can be placed on it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// Id of the element, unique within the drawing.
    pub id: Id,
    /// Its corner points, including both ends.
    pub path: Path,
    /// Nominal voltage, kV.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kv: Option<Kv>,
    /// Code of the asset that it shows, such as a cable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asset: Option<AssetCode>,
    /// Id of the equipment that it shows, in the network model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equipment: Option<EquipmentRef>,
    /// Name for users.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Name>,
    /// Name of its node. If present, it takes precedence over the geometry.
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

        /// Identifiers of all classes.
        pub const CLASSES: &[&str] = &[$($word),*];

        impl Element {
            /// Returns its id.
            pub fn id(&self) -> &Id {
                match self {
                    $(Self::$name(element) => &element.id,)*
                }
            }

            /// Returns the element with another id.
            #[must_use]
            pub fn with_id(mut self, id: Id) -> Self {
                match &mut self {
                    $(Self::$name(element) => element.id = id,)*
                }
                self
            }

            /// Returns the rightmost and the lowest coordinate of the element.
            pub(crate) fn reach(&self) -> (f64, f64) {
                match self {
                    $(Self::$name(element) => element.reach(),)*
                }
            }

            /// Reads an element of a known class; `None` if the class does not exist. Errors have line and column within the text.
            pub(crate) fn read(class: &str, text: &str) -> Option<serde_json::Result<Self>> {
                match class {
                    $($word => Some(super::untagged::without_class::<$name>(text).map(Self::$name)),)*
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
    LoadBreakSwitch = "loadBreakSwitch",
    Recloser = "recloser",
    Sectionaliser = "sectionaliser",
    Switch = "switch",
    Load = "load",
    Inverter = "inverter",
    Continuation = "continuation",
}
