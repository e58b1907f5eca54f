//! Positions that users have entered, and which sources are present by what they have entered.

use std::collections::BTreeMap;

use grid::PointId;
use grid::manual_entry::EntryTerms;
use grid::measure::Quantity;
use grid::outage::is_dead_voltage;
use grid::position::{Encoding, Position};
use network::description::POSITION;
use network::live::EnteredPosition;
use network::{Contact, EquipmentId, Phases};
use store::manual_entry::{EntrySubject, ManualEntry};

use crate::ActiveNetwork;

impl ActiveNetwork {
    /// Returns the positions that users have entered, and which sources are present by an entered voltage. Entries for other quantities, and for other equipment,
    /// are left out: also voltages of a source that has a measured one. `reported_by`: the equipment whose position a point reports, each with the phases. It moves
    /// together, so the position of a point is that of its first piece.
    pub fn entered(&self, entries: &[ManualEntry], reported_by: impl Fn(PointId) -> Vec<(EquipmentId, Phases)>) -> Vec<EnteredPosition> {
        let subject = |entry: &ManualEntry| match &entry.subject {
            EntrySubject::Equipment { id, .. } => Some((self.model().equipment(id)?, entry.phases)),
            EntrySubject::Point(point) if entry.quantity == POSITION => {
                let mut reported = reported_by(*point).into_iter();
                let (equipment, phases) = reported.find(|(equipment, _)| self.has_manual_position(*equipment))?;
                let is_single = self.model().kind(equipment).has_position_for_each_phase();
                Some((equipment, if is_single { phases } else { Phases::NONE }))
            }
            EntrySubject::Point(_) => None,
        };
        let position = |entry: &ManualEntry| {
            let (equipment, phases) = subject(entry).filter(|(equipment, _)| self.has_manual_position(*equipment))?;
            let contact = match Position::decode(Encoding::DoublePoint, entry.value) {
                Position::Open => Contact::Open,
                Position::Closed => Contact::Closed,
                _ => return None,
            };
            let all = self.model().phases_with_contact(equipment);
            let phases = if phases.is_empty() { all } else { phases.intersection(all) };
            Some(EnteredPosition { equipment, phases, contact, terms: entry.terms })
        };
        let voltage = |entry: &ManualEntry| {
            let source = self.model().equipment(entry.subject.equipment()?)?;
            let states_presence =
                Quantity::of_code(&entry.quantity) == Quantity::Voltage && self.is_source(source) && self.has_manual_position(source);
            let nominal_kv = f64::from(self.nominal_kv(source).filter(|_| states_presence)?);
            Some((source, is_dead_voltage(&entry.quantity, nominal_kv, entry.value), entry.terms))
        };
        let current: Vec<&ManualEntry> = entries.iter().filter(|entry| !self.is_lapsed(entry.id)).collect();
        let mut voltages: BTreeMap<EquipmentId, Vec<(bool, EntryTerms)>> = BTreeMap::new();
        for (source, is_dead, terms) in current.iter().copied().filter_map(voltage) {
            voltages.entry(source).or_default().push((is_dead, terms));
        }
        let presence = |(equipment, voltages): (&EquipmentId, &Vec<(bool, EntryTerms)>)| {
            // As for measured voltages: one that is live shows that the source is present, and only all together that it is gone. With an earth at one phase, the
            // others are live.
            let is_gone = voltages.iter().all(|(is_dead, _)| *is_dead);
            let deciding = voltages.iter().filter(|(is_dead, _)| *is_dead == is_gone).map(|(_, terms)| *terms);
            let terms = deciding.max_by_key(|terms| terms.entered)?;
            let contact = if is_gone { Contact::Open } else { Contact::Closed };
            Some(EnteredPosition { equipment: *equipment, phases: self.model().phases_with_contact(*equipment), contact, terms })
        };
        let positions = current.iter().copied().filter(|entry| entry.quantity == POSITION).filter_map(position);
        positions.chain(voltages.iter().filter_map(presence)).collect()
    }
}

#[cfg(test)]
mod tests {
    use grid::manual_entry::EntryRule;
    use grid::{ClientId, Micros};
    use network::Description;
    use network::EquipmentKind;
    use network::description::{Electrical, Equipment, Node, Terminal};
    use store::network::{ActiveVersion, VersionNumber};

    use super::*;

    const POINT: PointId = PointId(7);

    /// A source without a voltage point, a switch and a fuse.
    fn network() -> ActiveNetwork {
        let node = |id: &str| Node {
            id: id.into(),
            name: String::new(),
            container: None,
            nominal_kv: Some(11.0),
            is_internal: false,
            place: None,
        };
        let equipment = |id: &str, kind, nodes: &[&str]| Equipment {
            id: id.into(),
            name: String::new(),
            kind,
            container: None,
            terminals: nodes.iter().map(|node| Terminal { node: (*node).to_owned(), phases: Phases::ABC }).collect(),
            is_in_service: true,
            electrical: Electrical::Nothing,
        };
        let description = Description {
            nodes: ["a", "b", "c"].map(node).to_vec(),
            equipment: vec![
                equipment("G", EquipmentKind::EnergySource, &["a"]),
                equipment("SW", EquipmentKind::LoadBreakSwitch, &["a", "b"]),
                equipment("FU", EquipmentKind::Fuse, &["b", "c"]),
            ],
            ..Description::default()
        };
        let active = ActiveVersion { version: VersionNumber(1), since: Micros(0), until: None };
        ActiveNetwork::new(ClientId(1), active, description).expect("a network")
    }

    fn entry(id: i64, subject: EntrySubject, quantity: &str, value: f64) -> ManualEntry {
        ManualEntry {
            id,
            subject,
            quantity: quantity.into(),
            phases: Phases::NONE,
            value,
            reason: "seen".into(),
            by: "Asha Rao".into(),
            terms: EntryTerms { rule: EntryRule::UntilReported, observed: Micros(id), entered: Micros(id), seen: None },
        }
    }

    fn of(id: &str) -> EntrySubject {
        EntrySubject::Equipment { id: id.into(), version: VersionNumber(1) }
    }

    #[test]
    fn voltages_of_a_source_are_judged_together() {
        use Contact::{Closed, Open};
        let network = network();
        let presence = |voltages: &[(&str, f64)]| {
            let entries: Vec<ManualEntry> = (1..).zip(voltages).map(|(id, (code, kv))| entry(id, of("G"), code, *kv)).collect();
            let entered = network.entered(&entries, |_| Vec::new());
            entered.iter().map(|of| (of.contact, of.terms.entered.0)).collect::<Vec<_>>()
        };
        assert_eq!(presence(&[("Vy", 6.3), ("Vb", 6.3), ("Vr", 0.0)]), [(Closed, 2)], "an earth fault at one phase");
        assert_eq!(presence(&[("Vr", 0.0), ("Vy", 6.3)]), [(Closed, 2)]);
        assert_eq!(presence(&[("Vr", 0.0), ("Vy", 0.1)]), [(Open, 2)]);
        assert_eq!(presence(&[("Ir", 0.0)]), [], "a current says nothing");
        let stated = [entry(1, of("G"), "Vr", 0.0), entry(2, of("G"), "Pos", 2.0)];
        assert_eq!(network.entered(&stated, |_| Vec::new()).len(), 2, "the network takes the later of presence and voltages");
    }

    #[test]
    fn position_of_a_point_is_that_of_the_equipment_that_it_reports() {
        let network = network();
        let equipment = |id: &str| network.model().equipment(id).expect("equipment");
        let entries = [entry(1, EntrySubject::Point(POINT), "Pos", 1.0), entry(2, EntrySubject::Point(PointId(8)), "Ir", 1.0)];
        for (id, phases) in [("SW", Phases::ABC), ("FU", Phases::parse("B").expect("a phase"))] {
            let entered = network.entered(&entries, |point| {
                assert_eq!(point, POINT, "only positions are");
                vec![(equipment(id), Phases::parse("B").expect("a phase"))]
            });
            let found: Vec<_> = entered.iter().map(|of| (of.equipment, of.phases, of.contact)).collect();
            assert_eq!(found, [(equipment(id), phases, Contact::Open)], "all phases of a switch move together");
        }
        assert_eq!(network.entered(&entries[..1], |_| Vec::new()), [], "no version binds it");
    }

    #[test]
    fn lapsed_entry_does_not_count() {
        let network = network().with_lapsed([1]);
        let entries = [entry(1, of("SW"), "Pos", 1.0), entry(2, of("FU"), "Pos", 1.0)];
        let entered = network.entered(&entries, |_| Vec::new());
        assert_eq!(entered.iter().map(|of| of.terms.entered.0).collect::<Vec<_>>(), [2]);
    }
}
