//! The connections of the symbols and lines of a drawing: its nodes, and the nodes of each element.
//!
//! A node is everything that is connected without a device in between. A device on a line cuts the line. The ends of lines and busbars are connected with the
//! elements that they touch. Lines that cross without an end are not connected, and busbars are not cut. An element with `nodes` has exactly these nodes. The
//! same drawing always gives the same node numbers, because api and hub both use them.

mod columns;
mod connections;
mod excess;
mod groups;
mod joints;
mod mark;
mod shape;
#[cfg(test)]
mod tests;
mod wired;

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use wire::sld::Drawing;

use groups::Groups;
use joints::Sheet;
use shape::{Role, Shape};

pub use connections::Connections;
pub use excess::{ELEMENTS_MAX, Excess, PIECES_MAX, VERTICES_MAX};
pub(crate) use shape::THIRD_WINDING;
pub use shape::{REACH, Switch, TOLERANCE};
pub use wired::{Part, Wired};

/// The nodes of a drawing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Wiring {
    /// Number of nodes. They are numbered from 0 in the order of the elements.
    pub node_count: usize,
    /// The nodes of each element, in the order of the drawing.
    pub elements: Vec<Wired>,
    /// Devices that connect two nodes.
    pub branches: Vec<Joint>,
    /// Sources: for each the node, and the data that determine whether it is present.
    pub sources: Vec<(usize, Switch)>,
    /// Earth switches: for each the earthed node, and the data that determine its position.
    pub earths: Vec<(usize, Switch)>,
    /// The reason why the drawing is not wired; `None` if it is wired.
    pub excess: Option<Excess>,
    /// Hash of the identities and names of the elements, for the mark.
    names: u64,
}

/// A device between two nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Joint {
    /// One end.
    pub a: usize,
    /// The other end.
    pub b: usize,
    /// What determines whether it conducts.
    pub switch: Switch,
    /// Whether its ends are windings of a transformer. An earth does not reach through windings.
    pub is_winding: bool,
}

impl Wiring {
    /// Computes the wiring of a drawing.
    pub fn of(drawing: &Drawing) -> Self {
        Self::of_elements(drawing.elements.iter().map(Some))
    }

    /// Computes the wiring of a stored drawing. A value without elements has no nodes.
    pub fn of_value(drawing: &Value) -> Self {
        let elements = drawing.get("elements").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        Self::of_elements(elements.iter().map(Value::as_object))
    }

    fn of_elements<'a>(elements: impl Iterator<Item = Option<&'a Map<String, Value>>> + Clone) -> Self {
        let names = mark::names(elements.clone());
        let wired = shape::read(elements.clone()).and_then(|shapes| {
            let sheet = Sheet::cut(&shapes)?;
            let mut groups = sheet.named(&shapes);
            sheet.join(&shapes, &mut groups)?;
            Ok(number(&shapes, sheet, &mut groups))
        });
        match wired {
            Ok(wiring) => Self { names, ..wiring },
            // A partly wired drawing would show wrong states for the rest.
            Err(excess) => Self { elements: elements.map(|_| Wired::default()).collect(), excess: Some(excess), names, ..Self::default() },
        }
    }

    /// Returns a mark that identifies the drawing and its node numbers. A client that displays another drawing must not apply these states.
    pub fn mark(&self) -> String {
        mark::of(self.names, &self.elements)
    }

    /// Returns the indexes of devices with two terminals on one node, which cannot separate anything.
    pub fn shorted(&self) -> impl Iterator<Item = usize> + '_ {
        let is_shorted = |wired: &Wired| match *wired.nodes {
            [a, b] => a == b,
            [a, b, c] => a == b || b == c || a == c,
            _ => false,
        };
        self.elements.iter().enumerate().filter(move |(_, wired)| is_shorted(wired)).map(|(element, _)| element)
    }
}

/// Numbers the nodes.
fn number(shapes: &[Shape], sheet: Sheet, groups: &mut Groups) -> Wiring {
    let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
    let mut node = |slot: usize| {
        let next = numbers.len();
        *numbers.entry(groups.root(slot)).or_insert(next)
    };
    let mut wiring = Wiring::default();
    let Sheet { slots, mut pieces, .. } = sheet;
    for (shape, slots) in shapes.iter().zip(slots) {
        let mut wired = Wired::default();
        if let Shape::Line { .. } = shape {
            // The slot of a piece is its index in the list.
            wired.parts = slots.map(|slot| Part { node: node(slot), path: std::mem::take(&mut pieces[slot].path) }).collect();
        } else {
            wired.nodes = slots.map(&mut node).collect();
        }
        match (shape, &*wired.nodes) {
            // The other windings of a transformer are connected to its first one.
            (Shape::Device { switch, is_winding, .. }, [a, others @ ..]) => {
                let joint = |b: &usize| Joint { a: *a, b: *b, switch: switch.clone(), is_winding: *is_winding };
                wiring.branches.extend(others.iter().map(joint));
            }
            (Shape::Terminal { role: Role::Source(switch), .. }, [node]) => wiring.sources.push((*node, switch.clone())),
            (Shape::Terminal { role: Role::Earth(switch), .. }, [node]) => wiring.earths.push((*node, switch.clone())),
            _ => {}
        }
        wiring.elements.push(wired);
    }
    wiring.node_count = numbers.len();
    wiring
}
