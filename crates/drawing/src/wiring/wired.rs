//! Where the elements of a drawing stand.

/// Where an element stands.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Wired {
    /// One for what has one terminal, two for a switch (top and bottom, or left and right) and a transformer (high and low). None for a line, whose parts
    /// have them, and for what is not wired.
    pub nodes: Vec<usize>,
    /// A line's path, cut where devices stand on it.
    pub parts: Vec<Part>,
}

/// A piece of a line.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// Its node.
    pub node: usize,
    /// Where it runs.
    pub path: Vec<[f64; 2]>,
}
