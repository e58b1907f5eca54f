//! Draws a substation by itself from what hangs on what: incoming lines above, busbars from the highest voltage down, transformers between them, feeders below.
//!
//! The same plan always gives the same drawing. Symbols stand on the grid of 20, and no two of them on the same place.

mod assets;
mod columns;
mod sheet;

#[cfg(test)]
mod tests;

use crate::fault::shown;
use crate::schema::{AssetCode, ELEMENTS_MAX, File, Kv, Name, Nodes, Point, Position, Row};

pub(crate) use assets::fill;
pub use assets::{Asset, PointOfAsset, plan};
pub(crate) use sheet::symbol;

/// Symbols that a plan may have.
pub const ITEMS_MAX: usize = 5_000;

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

/// Why a plan cannot be drawn.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// There is nothing to draw.
    #[error("there is nothing to draw: no busbar, and no bay with a voltage")]
    Empty,
    /// More than a plan may have.
    #[error("the substation has {0} symbols, and {ITEMS_MAX} can be laid out")]
    TooMany(usize),
    /// A bay hangs on a section that is not there, or on two that do not fit.
    #[error("bay {0} hangs on no busbar of the plan")]
    Astray(usize),
}

/// A drawing, and what could not be shown as it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawn {
    /// The drawing.
    pub file: File,
    /// For people, a line each.
    pub notes: Vec<String>,
}

/// Draws a plan.
pub fn draw(plan: &Plan) -> Result<Drawn, Error> {
    let items = plan.bays.iter().flat_map(|bay| &bay.items).chain(&plan.loose).map(|item| 1 + item.relays.len()).sum::<usize>()
        + plan.sections.len();
    if items > ITEMS_MAX {
        return Err(Error::TooMany(items));
    }
    if plan.sections.is_empty() && plan.loose.is_empty() {
        return Err(Error::Empty);
    }
    if let Some(at) = plan.bays.iter().position(|bay| !fits(plan, bay)) {
        return Err(Error::Astray(at + 1));
    }
    let columns = columns::find(plan);
    let elements = sheet::elements(plan, &columns);
    debug_assert!(elements.len() <= ELEMENTS_MAX, "each item has at most a line, a table and itself");
    let notes = columns
        .left_out
        .iter()
        .map(|bay| format!("{} couples sections that do not lie side by side and is not drawn", bay_name(&plan.bays[*bay])))
        .collect();
    Ok(Drawn { file: File::new(Name::shortened(&plan.name), elements), notes })
}

fn fits(plan: &Plan, bay: &Bay) -> bool {
    let kv = |section: usize| plan.sections.get(section).map(|section| section.kv.map_or(0.0, Kv::get));
    match bay.hang {
        Hang::Above(section) | Hang::Below(section) => kv(section).is_some(),
        Hang::Between(high, low) => {
            let one = bay.items.iter().filter(|item| item.kind == Kind::Transformer).count() == 1;
            one && matches!((kv(high), kv(low)), (Some(high), Some(low)) if high > low)
        }
        Hang::Couple(a, b) => a != b && kv(a).is_some() && kv(a) == kv(b),
    }
}

fn bay_name(bay: &Bay) -> String {
    bay.items.first().map_or_else(|| "a coupler".to_owned(), |item| shown(&item.name))
}
