//! The terminals of equipment in a file, and their ends in the description.
//!
//! An end that is not connected gets an open switch and an internal node, so that the rest of the equipment is not affected. A transformer, for example, keeps
//! its other ends.

use std::collections::{HashMap, HashSet};

use network::EquipmentKind;
use network::description::{Electrical, Equipment, Node, Switch, Terminal};

use super::Import;
use super::new_terminal::{End, NewTerminal};
use super::objects::Object;
use crate::Note;

impl<'o> Import<'o> {
    /// Collects the terminals of all equipment. Adds a note for a terminal without a node or without equipment.
    pub(super) fn add_terminals(&mut self) {
        let nodes: HashSet<&str> = self.description.nodes.iter().map(|node| node.id.as_str()).collect();
        let mut found: HashMap<&'o str, Vec<End<'o>>> = HashMap::new();
        let mut notes = Vec::new();
        for terminal in self.objects.of_class("Terminal") {
            let equipment = terminal.reference("Terminal.ConductingEquipment");
            let Some(equipment) = equipment.and_then(|id| self.objects.get(id)) else {
                notes.push(Note::new(terminal.name_or_id(), "terminal left out, because its equipment is missing"));
                continue;
            };
            let node = ["Terminal.ConnectivityNode", "Terminal.TopologicalNode"]
                .iter()
                .filter_map(|property| terminal.reference(property))
                .filter_map(|id| self.objects.get(id))
                .find(|node| nodes.contains(node.mrid.as_str()));
            let Some(node) = node else {
                notes.push(Note::new(terminal.name_or_id(), "terminal left out, because its node is missing"));
                continue;
            };
            let is_connected = terminal.flag("ACDCTerminal.connected").or(terminal.flag("Terminal.connected")).unwrap_or(true);
            found.entry(&equipment.id).or_default().push(End { object: terminal.mark_used(), node: node.mrid.clone(), is_connected });
        }
        for ends in found.values_mut() {
            // The order of the file where there are no numbers.
            ends.sort_by_key(|end| end.object.sequence_number().unwrap_or(u32::MAX));
        }
        drop(nodes);
        self.terminals = found;
        self.notes.extend(notes);
    }

    pub(super) fn ends(&self, equipment: &Object) -> Vec<End<'o>> {
        self.terminals.get(equipment.id.as_str()).cloned().unwrap_or_default()
    }

    /// Opens the ends that are not connected. If the equipment is a switch, the switch itself is opened. Returns whether any connected end is left.
    pub(super) fn disconnect(&mut self, ends: &mut [NewTerminal<'o>], container: Option<&String>, electrical: &mut Electrical) -> bool {
        let connected = ends.iter().filter(|end| end.is_connected).count();
        if let Electrical::Switch(switch) = electrical {
            switch.is_normally_open |= connected < ends.len();
            return true;
        }
        if connected > 0 {
            for end in ends.iter_mut().filter(|end| !end.is_connected) {
                end.terminal.node = self.open_end(end, container);
            }
        }
        connected > 0
    }

    /// Adds an open switch between the node of a terminal and an internal node. Returns the id of the internal node. Tanks of one transformer share their
    /// terminals.
    fn open_end(&mut self, end: &NewTerminal<'o>, container: Option<&String>) -> String {
        let inner = format!("{}-end", end.object.mrid);
        if let Some(switch) = self.open_ends.get(end.object.id.as_str()) {
            for terminal in &mut self.description.equipment[*switch].terminals {
                terminal.phases = terminal.phases.union(end.terminal.phases);
            }
            return inner;
        }
        let outer = &self.description.nodes[self.node_at[&end.terminal.node]];
        let node = Node {
            id: inner.clone(),
            name: String::new(),
            container: outer.container.clone(),
            nominal_kv: outer.nominal_kv,
            is_internal: true,
            place: None,
        };
        self.description.nodes.push(node);
        self.open_ends.insert(&end.object.id, self.description.equipment.len());
        self.description.equipment.push(Equipment {
            id: format!("{}-switch", end.object.mrid),
            name: String::new(),
            kind: EquipmentKind::Switch,
            container: container.cloned(),
            terminals: vec![end.terminal.clone(), Terminal { node: inner.clone(), phases: end.terminal.phases }],
            is_in_service: true,
            electrical: Electrical::Switch(Switch { is_normally_open: true, ..Switch::default() }),
        });
        inner
    }

    pub(super) fn note_open_ends(&mut self) {
        let count = self.open_ends.len();
        if count > 0 {
            self.note(
                "Terminal",
                format!("{count} ends of equipment are not connected: an open switch is added at each, with an internal node"),
            );
        }
    }
}
