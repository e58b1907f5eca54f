//! Values that users have entered, by the points that show them.

use std::collections::HashMap;

use grid::manual_entry::EnteredValue;
use grid::position::{Encoding, Position};
use grid::{Point, PointId, Reading};
use network::EquipmentId;
use network::description::POSITION;
use store::manual_entry::{EntrySubject, ManualEntry};

use crate::{ActiveNetwork, EquipmentPoints};

/// Values that users have entered, by point.
pub type EnteredValues = HashMap<PointId, ShownEntry>;

/// A value that a user has entered, at one of the points that show it.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownEntry {
    /// The value in the unit of the point, and until when it counts.
    pub value: EnteredValue,
    /// The other points of the same position. A report of one of them ends the entry at all.
    pub beside: Box<[PointId]>,
}

impl ShownEntry {
    /// Returns the reading to show instead of the last one of its point, as substituted; `None` if telemetry counts. `last` returns the last reading of a point, with
    /// the quality that was reported.
    pub fn shown(&self, point: PointId, last: impl Fn(PointId) -> Option<Reading>) -> Option<Reading> {
        let counts = |beside: &PointId| self.value.terms.counts(last(*beside).as_ref());
        self.beside.iter().all(counts).then(|| self.value.shown(last(point).as_ref())).flatten()
    }
}

/// Returns the values of the points for which users have entered something: for the point itself, or the position of all phases of the equipment that the point
/// reports. Of several entries, the latest one is returned. `network`: the active network with the points of its equipment.
pub fn entered_values<'a, 'b>(
    entries: impl IntoIterator<Item = &'b ManualEntry>,
    network: Option<(&ActiveNetwork, &EquipmentPoints)>,
    point: impl Fn(PointId) -> Option<&'a Point>,
) -> EnteredValues {
    let mut values = EnteredValues::new();
    let mut add = |id: PointId, entry: &ManualEntry, beside: Vec<PointId>| {
        let Some(value) = point(id).and_then(|point| value_of(point, entry)) else { return };
        let held = values.get(&id).map(|held| held.value.terms.entered);
        if held.is_none_or(|held| held <= entry.terms.entered) {
            let value = EnteredValue { value, terms: entry.terms };
            values.insert(id, ShownEntry { value, beside: beside.into() });
        }
    };
    for entry in entries {
        let is_position = entry.quantity == POSITION;
        let equipment = network.filter(|_| is_position && entry.phases.is_empty()).and_then(|(active, points)| {
            let equipment = match &entry.subject {
                EntrySubject::Equipment { id, .. } => active.model().equipment(id).filter(|_| !active.is_lapsed(entry.id))?,
                // A fuse has a position for each phase, and the point reports only its own.
                EntrySubject::Point(id) => points.moved_by(*id).iter().copied().find(|of| is_gang(active, *of))?,
            };
            Some((active, points, equipment))
        });
        match (equipment, &entry.subject) {
            (Some((active, points, equipment)), _) => {
                for id in points.positions(equipment) {
                    let others = points.positions(equipment).filter(|other| *other != id && is_gang(active, equipment));
                    add(id, entry, others.collect());
                }
            }
            (None, EntrySubject::Point(id)) => add(*id, entry, Vec::new()),
            (None, EntrySubject::Equipment { .. }) => {}
        }
    }
    values
}

/// Returns whether all phases of equipment move together.
fn is_gang(active: &ActiveNetwork, equipment: EquipmentId) -> bool {
    !active.model().kind(equipment).has_position_for_each_phase()
}

/// Returns the value of an entry as its point shows it. A position is stored as a double point, and its point may have another encoding.
fn value_of(point: &Point, entry: &ManualEntry) -> Option<f64> {
    match point.encoding() {
        None => Some(entry.value),
        Some(encoding) => Position::decode(Encoding::DoublePoint, entry.value).encode(encoding),
    }
}

#[cfg(test)]
mod tests {
    use grid::manual_entry::{EntryRule, EntryTerms};
    use grid::measure::Quantity;
    use grid::point::kind_of_code;
    use grid::{AssetId, ClientId, GatewayId, LinkOrder, Micros, NodeId, Ordinal, Quality};
    use network::description::{Electrical, Equipment, Measurement, Node, Terminal};
    use network::{Description, EquipmentKind, Phases};
    use store::network::{ActiveVersion, VersionNumber};
    use store::registry::GatewayRecord;

    use super::*;
    use crate::Image;

    const FIRST: PointId = PointId(1);
    const SECOND: PointId = PointId(2);

    fn position_point(id: PointId) -> Point {
        Point {
            id,
            client: ClientId(1),
            gateway: GatewayId(1),
            device: "F1".to_owned(),
            metric: format!("P{id}/Pos"),
            code: POSITION.to_owned(),
            asset: AssetId(1),
            asset_name: "F1CB".to_owned(),
            asset_type: 1,
            location: NodeId(1),
            kind: kind_of_code(POSITION),
            quantity: Quantity::Status,
            unit: String::new(),
            decimals: 0,
            scale: 1.0,
            expected_ms: None,
        }
    }

    /// A switch whose position two points report, with these points.
    fn switch(kind: EquipmentKind) -> (ActiveNetwork, Image) {
        let node =
            |id: &str| Node { id: id.into(), name: String::new(), container: None, nominal_kv: None, is_internal: false, place: None };
        let equipment = Equipment {
            id: "SW".into(),
            name: String::new(),
            kind,
            container: None,
            terminals: ["a", "b"].map(|node| Terminal { node: node.to_owned(), phases: Phases::ABC }).to_vec(),
            is_in_service: true,
            electrical: Electrical::Nothing,
        };
        let measurement = |(id, phases): (PointId, &str)| Measurement {
            id: format!("M{id}"),
            equipment: "SW".into(),
            terminal: None,
            quantity: POSITION.into(),
            phases: Phases::parse(phases).expect("phases"),
            point: Some(format!("RTU/F1/P{id}/Pos")),
        };
        let description = Description {
            nodes: ["a", "b"].map(node).to_vec(),
            equipment: vec![equipment],
            measurements: [(FIRST, "A"), (SECOND, "BC")].map(measurement).to_vec(),
            ..Description::default()
        };
        let gateway = GatewayRecord {
            id: GatewayId(1),
            client: ClientId(1),
            code: "RTU".to_owned(),
            name: "RTU".to_owned(),
            location: NodeId(1),
            online: true,
            since: None,
            order: LinkOrder::default(),
            last_seen: None,
            discovered: false,
        };
        let points = [FIRST, SECOND].map(position_point).to_vec();
        let image = Image::from(store::Registry { gateways: vec![gateway], points, ..store::Registry::default() });
        let version = ActiveVersion { version: VersionNumber(1), since: Micros(0), until: None };
        (ActiveNetwork::new(ClientId(1), version, description).expect("a network"), image)
    }

    #[test]
    fn report_of_one_point_ends_the_entry_at_all_points_of_a_gang_switch() {
        let terms = EntryTerms { rule: EntryRule::UntilReported, observed: Micros(10), entered: Micros(20), seen: None };
        let newer =
            Reading { value: Some(2.0), quality: Quality::Good, source: Micros(30), received: Micros(30), ordinal: Ordinal::default() };
        let equipment = EntrySubject::Equipment { id: "SW".into(), version: VersionNumber(1) };
        for (kind, subject, shown) in [
            (EquipmentKind::Breaker, equipment.clone(), [false, false]),
            (EquipmentKind::Breaker, EntrySubject::Point(SECOND), [false, false]),
            (EquipmentKind::Fuse, equipment, [false, true]),
            (EquipmentKind::Fuse, EntrySubject::Point(SECOND), [false, true]),
        ] {
            let (active, image) = switch(kind);
            let points = active.equipment_points(&image);
            let (reason, by) = ("seen".to_owned(), "Asha Rao".to_owned());
            let entry = ManualEntry { id: 1, subject, quantity: POSITION.into(), phases: Phases::NONE, value: 1.0, reason, by, terms };
            let values = entered_values([&entry], Some((&active, &points)), |point| image.point(point).map(AsRef::as_ref));
            let at = |last: &dyn Fn(PointId) -> Option<Reading>| {
                [FIRST, SECOND].map(|point| values.get(&point).is_some_and(|value| value.shown(point, last).is_some()))
            };
            assert!(at(&|_| None)[1], "{kind:?}: no point has reported");
            assert_eq!(at(&|point| (point == FIRST).then_some(newer)), shown, "{kind:?}: the second point is silent");
        }
    }
}
