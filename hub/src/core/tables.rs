//! What the core does about tables: what time or a new description changes in them, and the days of those who watch live readings.

use grid::{AssetId, Micros, NodeId, PointId, Scope};
use store::day::DayExtremes;

use super::state::Core;
use crate::stream::Stream;

impl Core {
    /// Notes that everything may be other than it was.
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
