//! The nodes of the elements of a drawing.

/// The nodes of an element.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Wired {
    /// One node for an element with one terminal; two for a switch (top and bottom, or left and right) and for a transformer (high and low voltage).
    /// Empty for a line, whose parts have the nodes, and for elements without connections.
    pub nodes: Vec<usize>,
    /// The path of a line, cut at its devices.
    pub parts: Vec<Part>,
}

/// A piece of a line.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// Its node.
    pub node: usize,
    /// Its path.
    pub path: Vec<[f64; 2]>,
}
