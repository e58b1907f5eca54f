//! Updates tables when values age or the registry changes, and keeps the extremes of the day for subscribed live
//! readings.

use grid::{AssetId, Micros, NodeId, PointId, Scope};
use store::day::DayExtremes;

use super::state::Core;
use crate::image::Described;
use crate::stream::Stream;

impl Core {
    /// Marks everything as changed.
    pub(super) fn mark_everything(&mut self) {
        let points: Vec<(PointId, NodeId)> = self.image.all_points().map(|point| (point.id, point.location)).collect();
        for (point, location) in points {
            self.image.diagrams.touch(point);
            self.rooms.mark(Stream::Diagram(location), |room| room.mark_point(point, true));
        }
        let tables = self.rooms.streams().filter(|stream| !stream.is_every() && !matches!(stream, Stream::Diagram(_)));
        for stream in tables.collect::<Vec<_>>() {
            self.rooms.mark(stream, |room| room.mark_rows(self.image.keys(stream)));
        }
        self.flush(true);
    }

    /// Marks changes that happen without a new value: positions without a drawing that become stale, and days that end.
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

    /// Starts the extremes of the day for an asset, because a client has subscribed to its live readings.
    pub(super) fn begin_day(&mut self, asset: AssetId) {
        let points = self.image.tables.watched(asset);
        if self.rooms.contains(Stream::Readings(asset)) {
            return;
        }
        if self.image.tables.days.watch(asset, &points) {
            self.ask_day(asset);
        }
    }

    /// Reads the days of all watched assets, because values may have been lost on the bus.
    pub(super) fn read_days(&mut self) {
        for asset in self.watched_assets() {
            if self.image.tables.days.ask(asset) {
                self.ask_day(asset);
            }
        }
    }

    fn watched_assets(&self) -> Vec<AssetId> {
        let of_asset = |stream| if let Stream::Readings(asset) = stream { Some(asset) } else { None };
        self.rooms.streams().filter_map(of_asset).collect()
    }

    /// Reads the day of watched assets that have new points.
    pub(super) fn begin_days(&mut self, described: &Described) {
        for asset in self.watched_assets().into_iter().filter(|asset| described.concerns(Stream::Readings(*asset))) {
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

    /// Adds the extremes of today that were read from the database.
    pub(super) fn learn_day(&mut self, asset: AssetId, day: Option<&DayExtremes>) {
        if self.image.tables.days.learn(asset, day) {
            self.mark_readings(asset);
        }
        if self.image.tables.days.take_again(asset) {
            self.ask_day(asset);
        }
    }

    fn mark_readings(&mut self, asset: AssetId) {
        self.rooms.mark(Stream::Readings(asset), |room| self.image.tables.reading_keys(asset).for_each(|key| room.mark_row(key, false)));
    }

    /// Frees the state of a stream that has no subscribers left.
    pub(super) fn leave_tables(&mut self, stream: Stream) {
        if let Stream::Readings(asset) = stream {
            self.image.tables.days.forget(asset);
        }
    }
}
