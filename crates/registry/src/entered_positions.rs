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
        let mut converted = EnteredEntries::default();
        converted.take(self, entries, reported_by).unwrap_or_default()
    }

    /// Returns the position that an entry states; `None` if it states none.
    fn entered_position(
        &self,
        entry: &ManualEntry,
        reported_by: impl Fn(PointId) -> Vec<(EquipmentId, Phases)>,
    ) -> Option<EnteredPosition> {
        if entry.quantity != POSITION || self.is_lapsed(entry.id) {
            return None;
        }
        let (equipment, phases) = match &entry.subject {
            EntrySubject::Equipment { id, .. } => (self.model().equipment(id)?, entry.phases),
            EntrySubject::Point(point) => {
                let mut reported = reported_by(*point).into_iter();
                let (equipment, phases) = reported.find(|(equipment, _)| self.has_manual_position(*equipment))?;
                let is_single = self.model().kind(equipment).has_position_for_each_phase();
                (equipment, if is_single { phases } else { Phases::NONE })
            }
        };
        if !self.has_manual_position(equipment) {
            return None;
        }
        let contact = match Position::decode(Encoding::DoublePoint, entry.value) {
            Position::Open => Contact::Open,
            Position::Closed => Contact::Closed,
            _ => return None,
        };
        let all = self.model().phases_with_contact(equipment);
        let phases = if phases.is_empty() { all } else { phases.intersection(all) };
        Some(EnteredPosition { equipment, phases, contact, terms: entry.terms })
    }

    /// Returns which sources are present by entered voltages.
    fn entered_presences(&self, entries: &[ManualEntry]) -> Vec<EnteredPosition> {
        let voltage = |entry: &ManualEntry| {
            let source = self.model().equipment(entry.subject.equipment()?)?;
            let states_presence =
                Quantity::of_code(&entry.quantity) == Quantity::Voltage && self.is_source(source) && self.has_manual_position(source);
            let nominal_kv = f64::from(self.nominal_kv(source).filter(|_| states_presence)?);
            Some((source, is_dead_voltage(&entry.quantity, nominal_kv, entry.value), entry.terms))
        };
        let mut voltages: BTreeMap<EquipmentId, Vec<(bool, EntryTerms)>> = BTreeMap::new();
        let of_others = entries.iter().filter(|entry| entry.quantity != POSITION && !self.is_lapsed(entry.id));
        for (source, is_dead, terms) in of_others.filter_map(voltage) {
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
        voltages.iter().filter_map(presence).collect()
    }
}

/// The manual entries that a network has taken, each with the position that it states.
#[derive(Debug, Default)]
pub(crate) struct EnteredEntries {
    /// The numbers of the entries, in their order.
    numbers: Vec<i64>,
    positions: Vec<Option<EnteredPosition>>,
}

impl EnteredEntries {
    /// Takes the current entries and returns all positions that they state; `None` if they are those that were taken last. Only entries between the first and the
    /// last difference are converted: an entry does not change, another value is another entry.
    pub(crate) fn take(
        &mut self,
        active: &ActiveNetwork,
        entries: &[ManualEntry],
        reported_by: impl Fn(PointId) -> Vec<(EquipmentId, Phases)>,
    ) -> Option<Vec<EnteredPosition>> {
        let is_same = |(held, entry): (&i64, &ManualEntry)| *held == entry.id;
        let first = self.numbers.iter().zip(entries).take_while(|pair| is_same(*pair)).count();
        if first == self.numbers.len() && first == entries.len() {
            return None;
        }
        let rest = self.numbers[first..].iter().rev().zip(entries[first..].iter().rev());
        let last = rest.take_while(|pair| is_same(*pair)).count();
        let (held, new) = (first..self.numbers.len() - last, &entries[first..entries.len() - last]);
        self.numbers.splice(held.clone(), new.iter().map(|entry| entry.id));
        self.positions.splice(held, new.iter().map(|entry| active.entered_position(entry, &reported_by)));
        let presences = active.entered_presences(entries);
        Some(self.positions.iter().flatten().copied().chain(presences).collect())
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
