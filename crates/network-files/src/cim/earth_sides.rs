//! What decides on the side of an earth switch.

use std::collections::HashSet;

/// The nodes of grounds, and the nodes of equipment that is neither a ground nor an earth switch.
#[derive(Debug, Default)]
pub(super) struct EarthSides {
    pub(super) grounded: HashSet<String>,
    pub(super) with_equipment: HashSet<String>,
}
