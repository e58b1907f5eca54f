//! What the core does about tables: which rows of which rooms a change may have changed, and the days of those who watch live readings.

use grid::{AssetId, GatewayId, Micros, NodeId, PointId, Scope};
use store::day::DayExtremes;

use super::Core;
use crate::stream::Stream;
use crate::table::{Use, areas_of};

impl Core {
    /// Notes that a point may say something else, on its diagram and in every table that somebody looks at. A room is found by its name: who looks at nothing
    /// costs nothing.
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

    /// Notes that a gateway is heard or is not any more.
    pub(super) fn mark_gateway(&mut self, gateway: GatewayId) {
        let Some(location) = self.image.station_of(gateway) else { return };
        if let Some(node) = self.image.node(location) {
            for area in areas_of(node.client, &node.path).filter(|area| self.image.gateway_within(gateway, *area).is_some()) {
                self.rooms.mark(Stream::Comms(area), |room| room.mark_row(gateway.0, true));
            }
        }
        self.mark_station(location);
    }

    /// Notes that a substation may look other at one glance.
    pub(super) fn mark_station(&mut self, location: NodeId) {
        let Some(node) = self.image.node(location) else { return };
        for area in areas_of(node.client, &node.path) {
            self.rooms.mark(Stream::Overview(area), |room| room.mark_row(location.0, true));
        }
    }

    /// Notes that everything may be other than it was.
    pub(super) fn mark_everything(&mut self) {
        let points: Vec<(PointId, Option<NodeId>)> =
            self.image.all_points().map(|point| (point, self.image.point(point).map(|known| known.location))).collect();
        for (point, location) in points {
            self.image.diagrams.touch(point);
            if let Some(location) = location {
                self.rooms.mark(Stream::Diagram(location), |room| room.mark_point(point, true));
            }
        }
        let tables = self.rooms.streams().filter(|stream| !stream.is_every() && !matches!(stream, Stream::Diagram(_)));
        for stream in tables.collect::<Vec<_>>() {
            self.rooms.mark(stream, |room| room.mark_rows(&self.image));
        }
        self.flush(true);
    }

    /// What time alone changes: positions without a drawing that become too old, and days that end.
    pub(super) fn age_tables(&mut self, now: Micros) {
        if self.rooms.streams().any(|stream| matches!(stream, Stream::Overview(_))) {
            let ageing: Vec<NodeId> = self.image.tables.stations().filter(|(_, ages)| *ages).map(|(location, _)| location).collect();
            for location in ageing {
                self.mark_station(location);
            }
        }
        for asset in self.image.tables.days.turn(now) {
            self.mark_readings(asset);
            self.ask_day(asset);
        }
    }

    /// Somebody begins to watch an asset's live readings.
    pub(super) fn begin_day(&mut self, asset: AssetId) {
        let points = self.image.tables.watched(asset);
        if self.rooms.contains(Stream::Readings(asset)) {
            return;
        }
        if self.image.tables.days.watch(asset, &points) {
            self.ask_day(asset);
        }
    }

    /// The field was described anew, and the points of those who are watched may be others.
    pub(super) fn begin_days(&mut self) {
        let watched = self.rooms.streams().filter_map(|stream| if let Stream::Readings(asset) = stream { Some(asset) } else { None });
        for asset in watched.collect::<Vec<_>>() {
            let points = self.image.tables.watched(asset);
            if self.image.tables.days.watch(asset, &points) {
                self.ask_day(asset);
            }
        }
    }

    fn ask_day(&self, asset: AssetId) {
        if let Some((client, _)) = self.image.place_of(Scope::Asset(asset)) {
            self.reader.day(client, asset, self.image.tables.watched(asset));
        }
    }

    /// The database has said what an asset's points have been today.
    pub(super) fn learn_day(&mut self, asset: AssetId, day: Option<&DayExtremes>) {
        if self.image.tables.days.learn(asset, day) {
            self.mark_readings(asset);
        }
    }

    fn mark_readings(&mut self, asset: AssetId) {
        self.rooms.mark(Stream::Readings(asset), |room| self.image.tables.reading_keys(asset).for_each(|key| room.mark_row(key, false)));
    }

    /// Nobody listens to a stream any more.
    pub(super) fn leave_tables(&mut self, stream: Stream) {
        if let Stream::Readings(asset) = stream {
            self.image.tables.days.forget(asset);
        }
    }
}
