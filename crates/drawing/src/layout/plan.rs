//! The plan of a substation: busbar sections, their bays, and the symbols of each bay.

use crate::schema::{AssetCode, Kv, Nodes, Point, Position, ValueRow};

/// The plan of a substation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plan {
    /// Name of the substation.
    pub name: String,
    /// Busbar sections; those of one voltage from left to right.
    pub sections: Vec<Section>,
    /// The bays.
    pub bays: Vec<Bay>,
    /// Symbols without a bay, such as a station battery.
    pub loose: Vec<Item>,
}

/// A section of a busbar.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Section {
    /// Code of its asset, if it has one.
    pub asset: Option<AssetCode>,
    /// Name for users.
    pub name: String,
    /// Nominal voltage, kV.
    pub kv: Option<Kv>,
    /// Values beside it.
    pub rows: Vec<ValueRow>,
    /// Its node, if its name is known.
    pub nodes: Option<Nodes>,
}

/// The busbar sections to which a bay is connected, each by its index in the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hang {
    /// Above a section: an incoming line.
    Above(usize),
    /// Below a section.
    Below(usize),
    /// From one section down to another: a transformer.
    Between(usize, usize),
    /// Between two sections of one voltage: a coupler.
    Couple(usize, usize),
}

/// A bay: symbols in a row, starting at its (first) section.
#[derive(Debug, Clone, PartialEq)]
pub struct Bay {
    /// Its connection.
    pub hang: Hang,
    /// Its symbols, starting at the section. A bay between two sections contains one transformer.
    pub items: Vec<Item>,
    /// Text at its end, if its line continues elsewhere.
    pub end_text: Option<String>,
}

/// A symbol.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Item {
    /// The kind of symbol.
    pub kind: SymbolKind,
    /// Code of its asset, if it has one.
    pub asset: Option<AssetCode>,
    /// Name for users.
    pub name: String,
    /// Nominal voltage, kV; for a transformer the voltage of its high-voltage winding.
    pub kv: Option<Kv>,
    /// For a transformer: voltage of its low-voltage winding, kV.
    pub kv_low: Option<Kv>,
    /// For a transformer with three windings: voltage of its third winding, kV.
    pub kv_tertiary: Option<Kv>,
    /// Its status point.
    pub position: Option<Position>,
    /// For a transformer: the point of its tap position.
    pub tap: Option<Point>,
    /// The nodes that it connects, if their names are known. The node towards the first section of its bay comes first.
    pub nodes: Option<Nodes>,
    /// For a breaker: the relays beside it.
    pub relays: Vec<Item>,
    /// Values beside it.
    pub rows: Vec<ValueRow>,
}

impl Bay {
    /// Creates a bay without a text at its end.
    pub fn new(hang: Hang, items: Vec<Item>) -> Self {
        Self { hang, items, end_text: None }
    }
}

/// The kinds of symbols in a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SymbolKind {
    /// In the line.
    #[default]
    Breaker,
    /// In the line.
    Isolator,
    /// Beside the line, on the right.
    EarthSwitch,
    /// Beside a breaker.
    Relay,
    /// Ends the high side of a bay and starts the low side.
    Transformer,
    /// In the line.
    Ct,
    /// In the line.
    Pt,
    /// In the line.
    Arrester,
    /// In the line.
    Fuse,
    /// Ends a bay.
    Capacitor,
    /// Ends a bay.
    Reactor,
    /// Ends a bay.
    Generator,
    /// Ends a bay.
    Motor,
    /// Ends a bay.
    Source,
    /// Ends a bay.
    Feeder,
    /// Not in a bay.
    Battery,
}

impl SymbolKind {
    /// Whether it is the last symbol of its bay.
    pub fn is_end(self) -> bool {
        matches!(self, Self::Capacitor | Self::Reactor | Self::Generator | Self::Motor | Self::Source | Self::Feeder)
    }
}
