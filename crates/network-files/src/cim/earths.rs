//! Earth switches and grounds.
//!
//! In CIM an earth switch has two terminals, one of them at a node with a `Ground`. The description has one terminal only, at the side of the network. An earth
//! at the wrong side would never be seen, so an earth switch whose side is not known is an error.

use network::description::{Electrical, Switch};
use network::{EquipmentKind, Phases};

use super::Import;
use super::earth_sides::EarthSides;
use super::new_terminal::End;
use super::objects::Object;
use crate::Note;

impl<'o> Import<'o> {
    /// Collects the nodes that decide on the side of an earth switch, after the terminals.
    pub(super) fn find_earth_sides(&mut self) {
        let mut sides = EarthSides::default();
        for (equipment, ends) in &self.terminals {
            let nodes = ends.iter().map(|end| end.node.clone());
            match self.objects.get(equipment).map(|object| object.class.as_str()) {
                Some("Ground") => sides.grounded.extend(nodes),
                Some("GroundDisconnector") => {}
                _ => sides.with_equipment.extend(nodes),
            }
        }
        self.earth_sides = sides;
    }

    pub(super) fn add_earth_switch(&mut self, object: &'o Object, phases: Phases, is_open: bool) {
        let ends = self.ends(object);
        let Some(end) = self.end_at_network(object, &ends) else {
            let reason = "GroundDisconnector left out, because it is not known which of its terminals is at the earth; connect that terminal to a \
                          node with a Ground";
            self.notes.push(Note::error(object.name_or_id(), reason));
            return;
        };
        let is_normally_open = is_open || ends.iter().any(|end| !end.is_connected);
        let electrical = Electrical::Switch(Switch { is_normally_open, ..Switch::default() });
        self.add_at(object, EquipmentKind::GroundDisconnector, vec![end.with_phases(phases)], electrical);
    }

    /// Returns the end of an earth switch that is not at the earth; `None` if it is not known.
    fn end_at_network<'e>(&self, object: &Object, ends: &'e [End<'o>]) -> Option<&'e End<'o>> {
        let EarthSides { grounded, with_equipment } = &self.earth_sides;
        let declared = self.index.look_at("Terminal.ConductingEquipment", &object.id).len();
        match ends {
            // The export of Switchyard has one terminal only. If another terminal has no node, this one may be at the earth.
            [end] => ((declared == 1 || with_equipment.contains(&end.node)) && !grounded.contains(&end.node)).then_some(end),
            [one, other] => only_one(one, other, |end| !grounded.contains(&end.node))
                .or_else(|| only_one(one, other, |end| with_equipment.contains(&end.node)).filter(|end| !grounded.contains(&end.node))),
            _ => None,
        }
    }

    /// Adds a ground as an earth that is always closed. A ground at which only earth switches end is their other side.
    pub(super) fn add_ground(&mut self, object: &'o Object) {
        let ends = self.ends(object);
        if ends.is_empty() {
            return;
        }
        if ends.iter().any(|end| self.earth_sides.with_equipment.contains(&end.node)) {
            self.add(object, EquipmentKind::GroundDisconnector, Electrical::Nothing);
        } else {
            self.grounds_of_switches.insert(&object.id);
        }
    }
}

fn only_one<'e, 'o>(one: &'e End<'o>, other: &'e End<'o>, is: impl Fn(&End<'o>) -> bool) -> Option<&'e End<'o>> {
    match (is(one), is(other)) {
        (true, false) => Some(one),
        (false, true) => Some(other),
        _ => None,
    }
}
