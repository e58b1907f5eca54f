//! The nodes of a diagram with their positions.

use crate::layout::Item;
use crate::schema::Orientation;

pub(super) type Spot = [f64; 2];

/// A node of the metadata with its position.
#[derive(Debug)]
pub(super) struct Placed {
    pub(super) id: String,
    pub(super) what: What,
    pub(super) item: Item,
    /// Its middle.
    pub(super) at: Spot,
    pub(super) lies: Orientation,
    /// Byte of its element in the SVG.
    pub(super) byte: usize,
}

impl Placed {
    /// Returns the number of its nodes.
    pub(super) fn slots(&self) -> usize {
        match self.what {
            What::Joint | What::Bar(_) | What::End => 1,
            What::Through => 2,
            What::ThreeWindings => 3,
        }
    }
}

/// The role of a node for the wires.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum What {
    /// A junction of wires.
    Joint,
    /// A busbar, with its other end; its item has name and asset.
    Bar(Spot),
    /// A symbol at the end of a line, with one node.
    End,
    /// A symbol in a line, with two nodes.
    Through,
    /// A transformer with three nodes.
    ThreeWindings,
}
