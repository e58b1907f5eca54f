//! Finds switches at the ends of lines and transformers: those between a node and an internal node with nothing but the line.
//!
//! Tools without connectivity nodes keep such a switch as a property of the end of the line.

use std::collections::{HashMap, HashSet};

use network::Description;

/// Switches that belong to ends of branches.
#[derive(Debug, Default)]
pub(crate) struct SwitchedEnds {
    /// By the position of a switch in the description: the position of the branch, and the node from which the switch leads to it.
    pub(crate) by_switch: HashMap<usize, (usize, String)>,
    /// By internal node that is left out: the node at which the branch ends without its switches, and the positions of the switches.
    pub(crate) by_node: HashMap<String, (String, Vec<usize>)>,
}

impl SwitchedEnds {
    /// Finds the switches at all equipment of a description for which `has_ends` is true.
    pub(crate) fn find(description: &Description, has_ends: impl Fn(usize) -> bool) -> Self {
        let internal: HashSet<&str> = description.nodes.iter().filter(|node| node.is_internal).map(|node| node.id.as_str()).collect();
        let mut at: HashMap<&str, Vec<usize>> = HashMap::new();
        for (index, equipment) in description.equipment.iter().enumerate() {
            for terminal in &equipment.terminals {
                if internal.contains(terminal.node.as_str()) {
                    at.entry(&terminal.node).or_default().push(index);
                }
            }
        }
        let mut found = Self::default();
        for (branch, equipment) in description.equipment.iter().enumerate().filter(|(index, _)| has_ends(*index)) {
            for terminal in &equipment.terminals {
                let (mut node, mut from, mut switches) = (terminal.node.as_str(), branch, Vec::new());
                let mut passed = vec![node];
                while let Some([one, other]) = at.get(node).map(Vec::as_slice) {
                    let next = if *one == from { *other } else { *one };
                    let switch = &description.equipment[next];
                    // Nodes of a chain that leads back are not left out.
                    let Some(far) = switch.terminals.iter().find(|terminal| terminal.node != node).map(|terminal| terminal.node.as_str())
                    else {
                        break;
                    };
                    if next == from || !switch.kind.is_switch() || found.by_switch.contains_key(&next) || passed.contains(&far) {
                        break;
                    }
                    switches.push(next);
                    passed.push(far);
                    (node, from) = (far, next);
                }
                if switches.is_empty() {
                    continue;
                }
                for switch in &switches {
                    found.by_switch.insert(*switch, (branch, node.to_owned()));
                }
                for inner in &passed[..passed.len() - 1] {
                    found.by_node.insert((*inner).to_owned(), (node.to_owned(), switches.clone()));
                }
            }
        }
        found
    }
}
