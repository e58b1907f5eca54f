//! Applies changes of the registry: sends changed names and rows to clients, and ends streams of nodes and assets that
//! have moved.

use std::collections::HashMap;

use grid::{ClientId, Scope};

use super::state::Core;
use crate::diagram::SubstationSet;
use crate::image::Described;
use crate::stream::Stream;

impl Core {
    /// Applies the current registry.
    pub(super) fn describe(&mut self) {
        let described = self.image.describe(self.registry.image());
        if described.is_empty() {
            return;
        }
        // Rows may belong to other rooms now.
        self.rooms.forget_missed();
        self.end_moved(&described);
        self.end_changed_areas(&described);
        self.end_shrunk(&described);
        let locations: Vec<_> = described.locations.iter().copied().collect();
        self.bind_diagrams(Some(&locations));
        if !locations.is_empty() {
            self.image.count_customers();
        }
        for point in &described.points {
            self.image.diagrams.touch(point.point);
            for location in [point.before, point.after].into_iter().flatten() {
                self.rooms.mark(Stream::Diagram(location), |room| room.mark_point(point.point, true));
            }
        }
        let tables = self.rooms.streams().filter(|stream| !stream.is_every() && !matches!(stream, Stream::Diagram(_)));
        for stream in tables.filter(|stream| described.concerns(*stream)).collect::<Vec<_>>() {
            let rows = self.image.keys(stream).into_iter().filter(|key| described.concerns_row(stream, *key));
            self.rooms.mark(stream, |room| room.mark_rows(rows));
        }
        self.begin_days(&described);
        self.watch.drawings(&self.image.changed_drawings(&locations));
        if !described.points.is_empty() {
            // Points of networks may have been added or removed.
            self.watch.networks(&self.registry);
        }
        if self.loaded {
            if described.clients {
                self.reader.load();
            }
            self.watch.flashes(SubstationSet::Of(described.locations));
        }
        self.flush(true);
    }

    /// Ends the streams of nodes and assets that have moved or were removed. Their subscribers subscribe again and get the data that they may see now.
    fn end_moved(&mut self, described: &Described) {
        let image = &self.image;
        let station = |asset| image.place_of(Scope::Asset(asset)).map(|(_, node)| node.id);
        let moved: HashMap<Stream, ClientId> =
            self.rooms.streams().filter_map(|stream| Some((stream, described.moved(stream, station)?))).collect();
        let ended = self.rooms.dissolve_latest(|stream, _| moved.contains_key(&stream));
        self.forget_rooms(ended);
        for (stream, client) in moved {
            if let Some((epoch, top)) = self.log_place(stream, client) {
                // One more than the last offset. Otherwise a client that has all rows would count as up to date.
                self.rooms.end_stream(&epoch, top + 1, |of| of == stream);
            }
        }
    }

    /// Ends the event streams of areas into which or out of which a node or asset has moved. The streams get a new epoch, so that their subscribers subscribe
    /// again and get a snapshot of the present area. The tables of these areas continue: new rows are sent in deltas, and [`Core::end_shrunk`] ends the tables
    /// that have lost rows.
    fn end_changed_areas(&mut self, described: &Described) {
        if described.areas.is_empty() {
            return;
        }
        self.areas.note(&described.areas, &self.image);
        let is_changed = |stream: &Stream| stream.events_below().is_some_and(|node| described.areas.contains(&node));
        for stream in self.rooms.streams().filter(is_changed).collect::<Vec<_>>() {
            let client = stream.events_below().and_then(|node| self.image.node(node)).map(|node| node.client);
            if let Some((epoch, top)) = client.and_then(|client| self.log_place(stream, client)) {
                self.rooms.end_stream(&self.areas.epoch(stream, &epoch), top, |of| of == stream);
            }
        }
    }

    /// Returns epoch and last offset of the log that an event stream of a utility comes from.
    fn log_place(&self, stream: Stream, client: ClientId) -> Option<(String, i64)> {
        match stream {
            Stream::Events(_) => self.logs.get(&client).map(|log| (log.epoch().to_owned(), log.top())),
            Stream::Commands(_) => self.commands.get(&client).map(|log| (log.epoch().to_owned(), log.top())),
            Stream::Alarms(_) => self.alarms.alarms.get(&client).map(|log| (log.epoch().to_owned(), log.top())),
            Stream::Faults(_) => self.alarms.faults.get(&client).map(|log| (log.epoch().to_owned(), log.top())),
            _ => None,
        }
    }

    /// Ends the tables that have lost rows. Their subscribers subscribe again and get the remaining rows.
    fn end_shrunk(&mut self, described: &Described) {
        let image = &self.image;
        let ended = self.rooms.dissolve_latest(|stream, room| described.concerns(stream) && room.has_lost_rows(image));
        self.forget_rooms(ended);
    }

    pub(super) fn forget_rooms(&mut self, ended: Vec<(Stream, i64)>) {
        for (stream, top) in ended {
            // No offset is used twice.
            self.highest = self.highest.max(top);
            self.leave_tables(stream);
        }
    }
}
