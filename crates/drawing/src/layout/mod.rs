//! Draws a substation from its connections: incoming lines on top, busbars from the highest voltage down, transformers between them, feeders at the
//! bottom.
//!
//! The same plan always gives the same drawing. Symbols are on a grid of 20 units, and no two have the same position.

mod assets;
mod columns;
mod plan;
mod sheet;

#[cfg(test)]
mod tests;

use crate::fault::shown;
use crate::schema::{ELEMENTS_MAX, File, Kv, Name};

pub(crate) use assets::fill;
pub use assets::{Asset, PointOfAsset, plan};
pub use plan::{Bay, Hang, Item, Plan, Section, SymbolKind};
pub(crate) use sheet::symbol;

/// Largest number of symbols in a plan.
pub const ITEMS_MAX: usize = 5_000;

/// The reason why a plan cannot be drawn.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// There is nothing to draw.
    #[error("there is nothing to draw: no busbar, and no bay with a voltage")]
    Empty,
    /// The plan has more symbols than permitted.
    #[error("the substation has {0} symbols, and {ITEMS_MAX} can be laid out")]
    TooMany(usize),
    /// A bay refers to a section that does not exist, or to two sections that do not fit together.
    #[error("bay {0} hangs on no busbar of the plan")]
    Astray(usize),
}

/// A drawing, with notes about what could not be drawn as planned.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawn {
    /// The drawing.
    pub file: File,
    /// Notes for users, one line each.
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
            let one = bay.items.iter().filter(|item| item.kind == SymbolKind::Transformer).count() == 1;
            one && matches!((kv(high), kv(low)), (Some(high), Some(low)) if high > low)
        }
        Hang::Couple(a, b) => a != b && kv(a).is_some() && kv(a) == kv(b),
    }
}

fn bay_name(bay: &Bay) -> String {
    bay.items.first().map_or_else(|| "a coupler".to_owned(), |item| shown(&item.name))
}
