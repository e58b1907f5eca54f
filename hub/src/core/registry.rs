//! Applies changes of the registry: sends changed names and rows to clients, and ends streams of nodes and assets that
//! have moved.

use std::collections::HashMap;

use grid::{ClientId, Scope};

use super::state::Core;
use crate::diagram::Wanted;
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
        self.end_shrunk(&described);
        let locations: Vec<_> = described.locations.iter().copied().collect();
        self.bind_diagrams(Some(&locations));
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
        self.watch.drawings(&self.image.drawings_wanted(&locations));
        if self.loaded {
            if described.clients {
                self.reader.load();
            }
            self.watch.flashes(Wanted::Of(described.locations));
        }
        self.flush(true);
    }

    /// Ends the streams of nodes and assets that have moved or were removed. Their subscribers subscribe again and get
    /// what they may see now.
    fn end_moved(&mut self, described: &Described) {
        let image = &self.image;
        let station = |asset| image.place_of(Scope::Asset(asset)).map(|(_, node)| node.id);
        let moved: HashMap<Stream, ClientId> =
            self.rooms.streams().filter_map(|stream| Some((stream, described.moved(stream, station)?))).collect();
        let ended = self.rooms.dissolve_latest(|stream, _| moved.contains_key(&stream));
        self.forget_rooms(ended);
        for (stream, client) in moved {
            let place = match stream {
                Stream::Events(_) => self.logs.get(&client).map(|log| (log.epoch(), log.top())),
                Stream::Commands(_) => self.commands.get(&client).map(|log| (log.epoch(), log.top())),
                Stream::Alarms(_) => self.alarms.alarms.get(&client).map(|log| (log.epoch(), log.top())),
                Stream::Faults(_) => self.alarms.faults.get(&client).map(|log| (log.epoch(), log.top())),
                _ => None,
            };
            if let Some((epoch, top)) = place {
                // One more than the last offset. Otherwise a client that has all rows would count as up to date.
                self.rooms.dissolve(epoch, top + 1, |of| of == stream);
            }
        }
    }

    /// Ends the tables that have lost rows. Their subscribers subscribe again and get the remaining rows.
    fn end_shrunk(&mut self, described: &Described) {
        let image = &self.image;
        let ended = self.rooms.dissolve_latest(|stream, room| described.concerns(stream) && room.has_lost_rows(image));
        self.forget_rooms(ended);
    }

    fn forget_rooms(&mut self, ended: Vec<(Stream, i64)>) {
        for (stream, top) in ended {
            // No offset is used twice.
            self.highest = self.highest.max(top);
            self.leave_tables(stream);
        }
    }
}
