//! Checks that a network can be written for tools that calculate.

use std::collections::HashSet;

use network::description::Electrical;
use network::{Description, EquipmentKind};

/// The reason why a network cannot be exported. No file was written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExportError {
    /// Equipment is at a node that does not exist.
    #[error("{id}: its node {node} does not exist. Add the node, or remove the equipment")]
    NoNode {
        /// The id of the equipment.
        id: String,
        /// The id of the node.
        node: String,
    },
    /// Equipment has too few or too many terminals.
    #[error("{id}: {kind} has {least} to {most} terminals, but this one has {found}. Correct its terminals", kind = .kind.as_str())]
    Terminals {
        /// The id of the equipment.
        id: String,
        /// What it is.
        kind: EquipmentKind,
        /// The number of its terminals.
        found: usize,
        /// The smallest number.
        least: usize,
        /// The greatest number.
        most: usize,
    },
    /// A transformer has values for more or fewer ends than it has terminals.
    #[error("{id}: the transformer has {terminals} terminals, but values of {ends} ends. Give the values of each end, or of none")]
    Ends {
        /// The id of the transformer.
        id: String,
        /// The number of its terminals.
        terminals: usize,
        /// The number of ends with values.
        ends: usize,
    },
}

/// Refuses a network with equipment whose terminals are not valid, because a file would have it at a wrong place.
pub(crate) fn check(description: &Description) -> Result<(), ExportError> {
    let nodes: HashSet<&str> = description.nodes.iter().map(|node| node.id.as_str()).collect();
    for equipment in &description.equipment {
        let (id, found) = (&equipment.id, equipment.terminals.len());
        let (least, most) = equipment.kind.terminals();
        if !(least..=most).contains(&found) {
            return Err(ExportError::Terminals { id: id.clone(), kind: equipment.kind, found, least, most });
        }
        if let Some(terminal) = equipment.terminals.iter().find(|terminal| !nodes.contains(terminal.node.as_str())) {
            return Err(ExportError::NoNode { id: id.clone(), node: terminal.node.clone() });
        }
        if let Electrical::Transformer(transformer) = &equipment.electrical
            && transformer.ends.len() != found
        {
            return Err(ExportError::Ends { id: id.clone(), terminals: found, ends: transformer.ends.len() });
        }
    }
    Ok(())
}
