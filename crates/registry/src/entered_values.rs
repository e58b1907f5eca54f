//! Values that users have entered, by the points that show them.

use std::collections::HashMap;

use grid::manual_entry::EnteredValue;
use grid::position::{Encoding, Position};
use grid::{Point, PointId};
use network::description::POSITION;
use store::manual_entry::{EntrySubject, ManualEntry};

use crate::{ActiveNetwork, EquipmentPoints};

/// Values that users have entered, by point.
pub type EnteredValues = HashMap<PointId, EnteredValue>;

/// Returns the values of the points for which users have entered something: for the point itself, or the position of all phases of the equipment that the point
/// reports. Of several entries, the latest one is returned. `network`: the active network with the points of its equipment.
pub fn entered_values<'a, 'b>(
    entries: impl IntoIterator<Item = &'b ManualEntry>,
    network: Option<(&ActiveNetwork, &EquipmentPoints)>,
    point: impl Fn(PointId) -> Option<&'a Point>,
) -> EnteredValues {
    let mut values = EnteredValues::new();
    let mut add = |id: PointId, entry: &ManualEntry| {
        let Some(value) = point(id).and_then(|point| value_of(point, entry)) else { return };
        let held = values.get(&id).map(|held: &EnteredValue| held.terms.entered);
        if held.is_none_or(|held| held <= entry.terms.entered) {
            values.insert(id, EnteredValue { value, terms: entry.terms });
        }
    };
    for entry in entries {
        match &entry.subject {
            EntrySubject::Point(id) => add(*id, entry),
            EntrySubject::Equipment { id, .. } if entry.quantity == POSITION && entry.phases.is_empty() => {
                let Some((active, points)) = network.filter(|(active, _)| !active.is_lapsed(entry.id)) else { continue };
                let Some(equipment) = active.model().equipment(id) else { continue };
                points.positions(equipment).for_each(|id| add(id, entry));
            }
            EntrySubject::Equipment { .. } => {}
        }
    }
    values
}

/// Returns the value of an entry as its point shows it. A position is stored as a double point, and its point may have another encoding.
fn value_of(point: &Point, entry: &ManualEntry) -> Option<f64> {
    match point.encoding() {
        None => Some(entry.value),
        Some(encoding) => Position::decode(Encoding::DoublePoint, entry.value).encode(encoding),
    }
}
