//! The temporary changes of an active network: which of them its model contains, and which do not fit it.

use std::collections::{BTreeMap, HashMap};

use grid::Micros;
use network::temporary::equipment_of;
use network::{Description, EquipmentKind};
use store::network::{ActiveVersion, VersionNumber};
use store::temporary_change::TemporaryRecord;

/// What distinguishes two networks of a utility: the version, when it became active, and the temporary changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetworkIdentity {
    /// The number of the version.
    pub version: VersionNumber,
    /// The time from which it is active.
    pub since: Micros,
    /// The numbers of the temporary changes, in order. A change stays the same as long as it has its number.
    pub temporary: Vec<i64>,
}

impl NetworkIdentity {
    /// Returns the identity of a version with temporary changes.
    pub fn new(active: &ActiveVersion, temporary: Vec<i64>) -> Self {
        Self { version: active.version, since: active.since, temporary }
    }
}

/// The current temporary changes of a utility, and why some of them do not count.
#[derive(Debug, Clone, Default)]
pub(crate) struct Temporary {
    /// All current changes, by their numbers.
    pub(crate) changes: BTreeMap<i64, TemporaryRecord>,
    /// Why changes do not fit, by their numbers.
    pub(crate) misfits: BTreeMap<i64, String>,
    /// The changes that have equipment, by its id.
    by_equipment: HashMap<String, i64>,
}

impl Temporary {
    /// Applies changes to a network. Those that do not fit are left out of it.
    pub(crate) fn apply(network: &Description, changes: &[TemporaryRecord]) -> (Description, Self) {
        let (mut changed, misfits) = network.with_fitting(changes.iter().map(TemporaryRecord::placed_change));
        let records: BTreeMap<i64, TemporaryRecord> = changes.iter().map(|record| (record.id, record.clone())).collect();
        let by_equipment: HashMap<String, i64> = records.keys().map(|number| (equipment_of(*number), *number)).collect();
        let containers = containers_at(network, &changed);
        for equipment in &mut changed.equipment[network.equipment.len()..] {
            let Some(record) = by_equipment.get(&equipment.id).and_then(|number| records.get(number)) else { continue };
            equipment.name = format!("{} {}", record.change.kind(), record.id);
            if equipment.container.is_none() {
                equipment.container = equipment.terminals.iter().find_map(|terminal| containers.get(&terminal.node).cloned());
            }
        }
        let misfits = misfits.into_iter().map(|misfit| (misfit.number, misfit.reason.to_string())).collect();
        (changed, Self { changes: records, misfits, by_equipment })
    }

    /// Returns the changes without any effect, because the network cannot be built with them.
    pub(crate) fn without_effect(changes: &[TemporaryRecord], reason: &str) -> Self {
        let misfits = changes.iter().map(|record| (record.id, reason.to_owned())).collect();
        Self { changes: changes.iter().map(|record| (record.id, record.clone())).collect(), misfits, by_equipment: HashMap::new() }
    }

    /// Returns the numbers of the changes, in order.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = i64> + '_ {
        self.changes.keys().copied()
    }

    /// Returns the change whose equipment has an id.
    pub(crate) fn of_equipment(&self, id: &str) -> Option<&TemporaryRecord> {
        self.changes.get(self.by_equipment.get(id)?)
    }
}

/// Returns a container of the equipment at each node of temporary equipment, by the id of the node. A line counts only where nothing else is.
fn containers_at(network: &Description, changed: &Description) -> HashMap<String, String> {
    let (own, temporary) = changed.equipment.split_at(network.equipment.len());
    let sought = temporary.iter().flat_map(|equipment| &equipment.terminals).map(|terminal| &*terminal.node);
    let mut found: HashMap<&str, Option<(&String, bool)>> = sought.map(|node| (node, None)).collect();
    for (equipment, container) in own.iter().filter_map(|equipment| Some((equipment, equipment.container.as_ref()?))) {
        let is_line = equipment.kind == EquipmentKind::LineSegment;
        for terminal in &equipment.terminals {
            if let Some(held) = found.get_mut(&*terminal.node)
                && held.is_none_or(|(_, was_line)| was_line && !is_line)
            {
                *held = Some((container, is_line));
            }
        }
    }
    found.into_iter().filter_map(|(node, held)| Some((node.to_owned(), held?.0.clone()))).collect()
}
