//! The nodes of all terminals, as positions in the description.

use std::collections::HashMap;

use network::description::Description;

use crate::CaseError;

/// The nodes of the terminals of each piece of equipment.
#[derive(Debug, Clone)]
pub(crate) struct Terminals {
    /// For each piece of equipment its first terminal, and one more entry at the end.
    first: Vec<u32>,
    nodes: Vec<u32>,
}

impl Terminals {
    pub(crate) fn new(description: &Description) -> Result<Self, CaseError> {
        let by_id: HashMap<&str, u32> =
            description.nodes.iter().enumerate().map(|(index, node)| (node.id.as_str(), index as u32)).collect();
        let mut terminals = Self { first: vec![0], nodes: Vec::new() };
        for equipment in &description.equipment {
            let bad = || CaseError::BadTerminals(equipment.id.clone());
            let (least, most) = equipment.kind.terminals();
            if !(least..=most).contains(&equipment.terminals.len()) || !equipment.electrical.fits(equipment.kind) {
                return Err(bad());
            }
            for terminal in &equipment.terminals {
                terminals.nodes.push(*by_id.get(terminal.node.as_str()).ok_or_else(bad)?);
            }
            terminals.first.push(terminals.nodes.len() as u32);
        }
        Ok(terminals)
    }

    /// Returns the nodes of the terminals of a piece of equipment.
    pub(crate) fn of(&self, equipment: usize) -> &[u32] {
        &self.nodes[self.range(equipment)]
    }

    /// Returns the positions of the terminals of a piece of equipment among all terminals.
    pub(crate) fn range(&self, equipment: usize) -> std::ops::Range<usize> {
        self.first[equipment] as usize..self.first[equipment + 1] as usize
    }

    /// Returns the node of a terminal.
    pub(crate) fn node(&self, terminal: usize) -> u32 {
        self.nodes[terminal]
    }

    /// Returns the number of terminals.
    pub(crate) fn count(&self) -> usize {
        self.nodes.len()
    }
}
