//! What a substation is made of: sections of busbars, the bays on them, and their symbols.

use crate::schema::{AssetCode, Kv, Nodes, Point, Position, Row};

/// What a substation is made of.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plan {
    /// Name of the substation.
    pub name: String,
    /// Sections of busbars, those of a voltage from left to right.
    pub sections: Vec<Section>,
    /// What hangs on them.
    pub bays: Vec<Bay>,
    /// What stands by itself, such as a station battery.
    pub loose: Vec<Item>,
}

/// A section of a busbar.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Section {
    /// Its asset, when it has one.
    pub asset: Option<AssetCode>,
    /// For people.
    pub name: String,
    /// Nominal voltage.
    pub kv: Option<Kv>,
    /// Values beside it.
    pub rows: Vec<Row>,
    /// Its node, when it is known by name.
    pub nodes: Option<Nodes>,
}

/// Where a bay hangs; sections by their place in the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hang {
    /// Above a section: an incoming line.
    Above(usize),
    /// Below a section.
    Below(usize),
    /// From one section down to another: a transformer.
    Between(usize, usize),
    /// Between two sections of one voltage.
    Couple(usize, usize),
}

/// A bay: symbols in a row from its (first) section on.
#[derive(Debug, Clone, PartialEq)]
pub struct Bay {
    /// Where it hangs.
    pub hang: Hang,
    /// Its symbols from the section on. In a bay between two sections one of them is the transformer.
    pub items: Vec<Item>,
}

/// A symbol.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Item {
    /// Which symbol.
    pub kind: Kind,
    /// Its asset, when it has one.
    pub asset: Option<AssetCode>,
    /// For people.
    pub name: String,
    /// Nominal voltage, of a transformer that of its high winding.
    pub kv: Option<Kv>,
    /// Of a transformer: voltage of its low winding.
    pub kv_low: Option<Kv>,
    /// Its status.
    pub position: Option<Position>,
    /// Of a transformer: its tap.
    pub tap: Option<Point>,
    /// The nodes it joins, the one towards the first section of its bay first, when they are known by name.
    pub nodes: Option<Nodes>,
    /// Of a breaker: the relays beside it.
    pub relays: Vec<Item>,
    /// Values beside it.
    pub rows: Vec<Row>,
}

/// The symbols that a plan may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    /// In the line.
    #[default]
    Breaker,
    /// In the line.
    Isolator,
    /// Off the line to the right.
    EarthSwitch,
    /// Beside a breaker.
    Relay,
    /// Ends the high side and begins the low side.
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
    /// By itself.
    Battery,
}

impl Kind {
    /// Whether nothing follows it in its bay.
    pub fn is_end(self) -> bool {
        matches!(self, Self::Capacitor | Self::Reactor | Self::Generator | Self::Motor | Self::Source | Self::Feeder)
    }
}
