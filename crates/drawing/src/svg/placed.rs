//! The nodes of a diagram with their places.

use crate::layout::Item;
use crate::schema::Orientation;

pub(super) type Spot = [f64; 2];

/// A node of the metadata with its place.
#[derive(Debug)]
pub(super) struct Placed {
    pub(super) id: String,
    pub(super) what: What,
    pub(super) item: Item,
    /// Its middle.
    pub(super) at: Spot,
    pub(super) lies: Orientation,
}

/// What a node is to the wires.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum What {
    /// A place where wires meet.
    Joint,
    /// A busbar to its other end; its item has name and asset.
    Bar(Spot),
    /// A symbol on the end of a line, with one node.
    End,
    /// A symbol in a line, with two.
    Through,
}
