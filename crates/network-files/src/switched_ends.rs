//! Finds switches at the ends of lines and transformers. Such a switch is between a node and an internal node to which only the line or transformer is
//! connected.
//!
//! In tools without connectivity nodes, such a switch is a property of the end of the line.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use network::Description;

/// Switches that belong to ends of branches. All switches and nodes of a chain share one list, so that the memory for a chain is proportional to its length.
#[derive(Debug, Default)]
pub(crate) struct SwitchedEnds {
    /// For each position of a switch in the description, the position of its branch, and the node from which the switch leads to the branch.
    pub(crate) by_switch: HashMap<usize, (usize, Rc<String>)>,
    /// For each internal node that is left out, the node at which the branch would end without its switches, and the positions of these switches.
    pub(crate) by_node: HashMap<String, (Rc<String>, Rc<[usize]>)>,
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
                let (mut inner, mut passed) = (Vec::new(), HashSet::from([node]));
                while let Some([one, other]) = at.get(node).map(Vec::as_slice) {
                    let next = if *one == from { *other } else { *one };
                    let switch = &description.equipment[next];
                    // Nodes of a chain that leads back are not left out.
                    let Some(far) = switch.terminals.iter().find(|terminal| terminal.node != node).map(|terminal| terminal.node.as_str())
                    else {
                        break;
                    };
                    if next == from || !switch.kind.is_switch() || found.by_switch.contains_key(&next) || passed.contains(far) {
                        break;
                    }
                    switches.push(next);
                    inner.push(node);
                    passed.insert(far);
                    (node, from) = (far, next);
                }
                if switches.is_empty() {
                    continue;
                }
                let (outer, switches) = (Rc::new(node.to_owned()), Rc::<[usize]>::from(switches));
                for switch in switches.iter() {
                    found.by_switch.insert(*switch, (branch, Rc::clone(&outer)));
                }
                for node in inner {
                    found.by_node.insert(node.to_owned(), (Rc::clone(&outer), Rc::clone(&switches)));
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use network::description::{Electrical, Equipment, Node, Terminal};
    use network::{EquipmentKind, Phases};

    use super::*;

    const SWITCHES: usize = 2_000;

    /// A line that begins behind a chain of switches.
    fn chain() -> Description {
        let node = |number: usize| Node {
            id: format!("n{number}"),
            name: String::new(),
            container: None,
            nominal_kv: None,
            is_internal: (1..=SWITCHES).contains(&number),
            place: None,
        };
        let equipment = |number: usize| Equipment {
            id: format!("e{number}"),
            name: String::new(),
            kind: if number == SWITCHES { EquipmentKind::LineSegment } else { EquipmentKind::LoadBreakSwitch },
            container: None,
            terminals: [number, number + 1].map(|at| Terminal { node: format!("n{at}"), phases: Phases::ABC }).into(),
            is_in_service: true,
            electrical: Electrical::Nothing,
        };
        Description {
            nodes: (0..=SWITCHES + 1).map(node).collect(),
            equipment: (0..=SWITCHES).map(equipment).collect(),
            ..Description::default()
        }
    }

    #[test]
    fn memory_of_a_chain_is_that_of_its_switches() {
        let found = SwitchedEnds::find(&chain(), |index| index == SWITCHES);
        assert_eq!((found.by_switch.len(), found.by_node.len()), (SWITCHES, SWITCHES));
        assert!(found.by_switch.values().all(|(branch, outer)| *branch == SWITCHES && outer.as_str() == "n0"));
        let lists: HashSet<(*const usize, usize)> = found.by_node.values().map(|(_, list)| (list.as_ptr(), list.len())).collect();
        assert_eq!(lists.into_iter().map(|(_, length)| length).sum::<usize>(), SWITCHES);
        let outer: HashSet<*const u8> = found.by_node.values().map(|(outer, _)| outer.as_ptr()).collect();
        assert_eq!(outer.len(), 1);
    }
}
