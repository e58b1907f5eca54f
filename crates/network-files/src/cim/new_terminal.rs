//! A terminal of a file, and a terminal of new equipment.

use network::Phases;
use network::description::Terminal;

use super::objects::Object;

/// A terminal of a file.
#[derive(Debug, Clone)]
pub(super) struct End<'o> {
    pub(super) object: &'o Object,
    pub(super) node: String,
    pub(super) is_connected: bool,
}

impl<'o> End<'o> {
    /// Returns the end with the phases of the equipment.
    pub(super) fn with_phases(&self, phases: Phases) -> NewTerminal<'o> {
        NewTerminal { object: self.object, terminal: Terminal { node: self.node.clone(), phases }, is_connected: self.is_connected }
    }
}

/// A terminal of new equipment.
#[derive(Debug, Clone)]
pub(super) struct NewTerminal<'o> {
    pub(super) object: &'o Object,
    pub(super) terminal: Terminal,
    pub(super) is_connected: bool,
}
