//! How the symbols and lines of a drawing are connected: its nodes, and which element stands on which.
//!
//! A node is what is connected without a device in between. Lines are cut at the devices that stand on them; the ends of lines and busbars join what they
//! touch; what crosses without an end there is not joined, and busbars are not cut. An element that names its `nodes` itself is taken at its word.
//! The same drawing gives the same numbers wherever it is asked: api and hub speak of nodes by them.

mod columns;
mod excess;
mod groups;
mod joints;
mod mark;
mod shape;
#[cfg(test)]
mod tests;
mod wired;

use std::collections::BTreeMap;

use grid::topology::{At, Branch, Network};
use serde_json::{Map, Value};
use wire::sld::Drawing;

use groups::Groups;
use joints::Sheet;
use shape::{Role, Shape};

pub use excess::{ELEMENTS_MAX, Excess, PIECES_MAX, VERTICES_MAX};
pub use shape::{REACH, Switch, TOLERANCE};
pub use wired::{Part, Wired};

/// The nodes of a drawing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Wiring {
    /// How many nodes there are; they are numbered from 0 in the order in which the elements meet them.
    pub node_count: usize,
    /// Element by element, in the order of the drawing.
    pub elements: Vec<Wired>,
    /// What connects two nodes.
    pub branches: Vec<Joint>,
    /// Where power comes from, with what says whether it does.
    pub sources: Vec<(usize, Switch)>,
    /// Earth switches with the node that they earth.
    pub earths: Vec<(usize, Switch)>,
    /// Why nothing is wired, if nothing is.
    pub excess: Option<Excess>,
    /// Of what the elements are and name, for the mark.
    names: u64,
}

/// A device between two nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Joint {
    /// One end.
    pub a: usize,
    /// The other end.
    pub b: usize,
    /// What says whether it conducts.
    pub switch: Switch,
}

/// A network with what its inputs are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inputs {
    /// The network.
    pub network: Network,
    /// The status points that are its inputs, in their order.
    pub points: Vec<String>,
    /// One more input, which says whether the sources that no point speaks of may be taken for known.
    pub sources: usize,
}

impl Wiring {
    /// Of a drawing.
    pub fn of(drawing: &Drawing) -> Self {
        Self::of_elements(drawing.elements.iter().map(Some))
    }

    /// Of a drawing as it is stored. What has no elements has no nodes.
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
            // A part of it would claim things of the rest.
            Err(excess) => Self { elements: elements.map(|_| Wired::default()).collect(), excess: Some(excess), names, ..Self::default() },
        }
    }

    /// A mark by which two sides know that they speak of the same nodes of the same drawing: a client that has drawn another drawing must not colour it by
    /// these.
    pub fn mark(&self) -> String {
        mark::of(self.names, &self.elements)
    }

    /// Devices of which both ends stand on one node, so that they can part nothing: by their places in the drawing.
    pub fn shorted(&self) -> impl Iterator<Item = usize> + '_ {
        let is_shorted = |wired: &Wired| matches!(*wired.nodes, [a, b] if a == b);
        self.elements.iter().enumerate().filter(move |(_, wired)| is_shorted(wired)).map(|(element, _)| element)
    }

    /// As a network of which the states can be worked out.
    pub fn network(&self) -> Inputs {
        let mut points: BTreeMap<&str, usize> = BTreeMap::new();
        let at = || self.sources.iter().chain(&self.earths).map(|(_, switch)| switch);
        let switches = || self.branches.iter().map(|branch| &branch.switch).chain(at());
        for switch in switches() {
            if let Switch::Point(point) = switch {
                points.insert(point, 0);
            }
        }
        points.values_mut().enumerate().for_each(|(index, input)| *input = index);
        let input = |switch: &Switch| match switch {
            Switch::Always => None,
            Switch::Point(point) => points.get(point.as_str()).copied(),
            // No input has this number: what is missing is unknown.
            Switch::Untold => Some(usize::MAX),
        };
        let branches: Vec<Branch> =
            self.branches.iter().map(|joint| Branch { a: joint.a, b: joint.b, switch: input(&joint.switch) }).collect();
        let heard = Some(points.len());
        let sources = self.sources.iter().map(|(node, switch)| At { node: *node, switch: input(switch).or(heard) });
        let sources: Vec<At> = sources.collect();
        let earths: Vec<At> = self.earths.iter().map(|(node, switch)| At { node: *node, switch: input(switch) }).collect();
        let network = Network::new(self.node_count, &branches, &sources, &earths);
        Inputs { network, sources: points.len(), points: points.into_keys().map(str::to_owned).collect() }
    }
}

/// Gives the nodes their numbers.
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
            // A piece's slot is its place in the list.
            wired.parts = slots.map(|slot| Part { node: node(slot), path: std::mem::take(&mut pieces[slot].path) }).collect();
        } else {
            wired.nodes = slots.map(&mut node).collect();
        }
        match (shape, &*wired.nodes) {
            (Shape::Device { switch, .. }, [a, b]) => wiring.branches.push(Joint { a: *a, b: *b, switch: switch.clone() }),
            (Shape::Terminal { role: Role::Source(switch), .. }, [node]) => wiring.sources.push((*node, switch.clone())),
            (Shape::Terminal { role: Role::Earth(switch), .. }, [node]) => wiring.earths.push((*node, switch.clone())),
            _ => {}
        }
        wiring.elements.push(wired);
    }
    wiring.node_count = numbers.len();
    wiring
}
