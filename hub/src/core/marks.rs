//! Marks the rows that a change affects. Rooms are found by stream name, so a change without subscribers costs nothing.

use grid::{GatewayId, NodeId, PointId, Scope};

use super::state::Core;
use crate::area::areas_of;
use crate::room::Room;
use crate::stream::Stream;
use crate::table::Use;

impl Core {
    /// Marks a point as changed on its diagram and in every table that has subscribers.
    pub(super) fn mark(&mut self, point: PointId, urgent: bool) {
        self.image.diagrams.touch(point);
        let Some(known) = self.image.point(point) else { return };
        self.rooms.mark(Stream::Diagram(known.location), |room| room.mark_point(point, urgent));
        let path = self.image.node(known.location).map(|node| node.path.as_slice()).unwrap_or_default();
        let mut mark = |stream, key| self.rooms.mark(stream, |room| room.mark_row(key, urgent));
        for usage in self.image.tables.uses(point) {
            match *usage {
                Use::LoadCurrent(asset) => {
                    mark(Stream::LoadCurrent(Scope::Asset(asset)), asset.0);
                    for node in path {
                        mark(Stream::LoadCurrent(Scope::Node(*node)), asset.0);
                    }
                }
                Use::Table(table) => {
                    mark(Stream::Table(table, Scope::Asset(known.asset)), known.asset.0);
                    mark(Stream::Table(table, Scope::Node(known.location)), known.asset.0);
                }
                Use::Reading(key) => mark(Stream::Readings(known.asset), key),
                Use::Station => areas_of(known.client, path).for_each(|area| mark(Stream::Overview(area), known.location.0)),
            }
        }
    }

    /// Marks a change of a gateway's link.
    pub(super) fn mark_gateway(&mut self, gateway: GatewayId) {
        let Some(location) = self.image.station_of(gateway) else { return };
        if let Some(node) = self.image.node(location) {
            for area in areas_of(node.client, &node.path).filter(|area| self.image.gateway_within(gateway, *area).is_some()) {
                self.rooms.mark(Stream::Comms(area), |room| room.mark_row(gateway.0, true));
            }
        }
        self.mark_station(location);
    }

    /// Marks the overview row of a substation as changed.
    pub(super) fn mark_station(&mut self, location: NodeId) {
        let Some(node) = self.image.node(location) else { return };
        for area in areas_of(node.client, &node.path) {
            self.rooms.mark(Stream::Overview(area), |room| room.mark_row(location.0, true));
        }
    }

    /// Marks a change on the diagram of a substation.
    pub(super) fn with_diagram(&mut self, location: NodeId, mark: impl FnOnce(&mut Room)) {
        self.rooms.mark(Stream::Diagram(location), mark);
    }
}
