//! All rooms by stream, and the rooms with something to send. The cost of a flush depends on the changes, not on the
//! number of rooms.

use std::collections::{HashMap, HashSet};

use crate::image::Image;
use crate::room::Room;
use crate::row::Row;
use crate::stream::Stream;

/// The rooms of a hub.
#[derive(Debug, Default)]
pub(crate) struct Rooms {
    all: HashMap<Stream, Room>,
    /// Rooms with changes that wait for the conflation window. Like the other sets, bounded by the number of rooms and
    /// emptied by each flush.
    changed: HashSet<Stream>,
    /// The changed rooms with changes that do not wait for the window.
    urgent: HashSet<Stream>,
    /// Rooms with event deltas to send.
    leaving: HashSet<Stream>,
}

impl Rooms {
    pub(crate) fn get(&self, stream: Stream) -> Option<&Room> {
        self.all.get(&stream)
    }

    pub(crate) fn contains(&self, stream: Stream) -> bool {
        self.all.contains_key(&stream)
    }

    pub(crate) fn streams(&self) -> impl Iterator<Item = Stream> + '_ {
        self.all.keys().copied()
    }

    /// Returns the room of a stream for a client that joins or has joined; calls `open` if there is none.
    pub(crate) fn join(&mut self, stream: Stream, open: impl FnOnce() -> Room) -> &mut Room {
        self.all.entry(stream).or_insert_with(open)
    }

    /// Returns a room in order to change its members. Changes of its content use [`Rooms::mark`] and
    /// [`Rooms::publish`].
    pub(crate) fn members(&mut self, stream: Stream) -> Option<&mut Room> {
        self.all.get_mut(&stream)
    }

    pub(crate) fn remove(&mut self, stream: Stream) {
        self.all.remove(&stream);
    }

    /// Marks a change in the room of a stream, if there is one.
    pub(crate) fn mark(&mut self, stream: Stream, mark: impl FnOnce(&mut Room)) {
        let Some(room) = self.all.get_mut(&stream) else { return };
        mark(room);
        self.changed.insert(stream);
        if room.is_urgent() {
            self.urgent.insert(stream);
        }
    }

    /// Drops the answers that were kept for reuse, because after a change of the registry, rows may belong to different
    /// rooms.
    pub(crate) fn forget_missed(&mut self) {
        self.all.values_mut().for_each(Room::forget_missed);
    }

    /// Queues event rows in their rooms; `streams_of` returns the streams of a row. [`Rooms::send`] sends them.
    pub(crate) fn publish<R>(&mut self, rows: &[R], streams_of: impl Fn(&R) -> Vec<Stream>, row_of: impl Fn(&R) -> Row) {
        let mut inside: HashMap<Stream, Vec<Row>> = HashMap::new();
        for row in rows {
            for stream in streams_of(row).into_iter().filter(|stream| self.all.contains_key(stream)) {
                inside.entry(stream).or_default().push(row_of(row));
            }
        }
        for (stream, rows) in inside {
            if let Some(room) = self.all.get_mut(&stream) {
                room.publish(&rows);
                self.leaving.insert(stream);
            }
        }
    }

    /// Ends the streams that cannot be continued. Their next rows begin after the offset `top` of `epoch`.
    pub(crate) fn end_stream(&mut self, epoch: &str, top: i64, is_broken: impl Fn(Stream) -> bool) {
        for (_, room) in self.all.extract_if(|stream, _| is_broken(*stream)) {
            room.end_stream(epoch, top);
        }
    }

    /// Ends `latest` streams that cannot be continued. Returns them with the highest offset that their subscribers have
    /// seen.
    pub(crate) fn dissolve_latest(&mut self, is_broken: impl Fn(Stream, &Room) -> bool) -> Vec<(Stream, i64)> {
        let broken = self.all.extract_if(|stream, room| !stream.is_every() && is_broken(*stream, room));
        broken
            .map(|(stream, room)| {
                let top = room.top() + 1;
                room.end_stream(room.epoch(), top);
                (stream, top)
            })
            .collect()
    }

    /// Sends all changes, or only those that do not wait for the conflation window. Returns the number of queued
    /// frames.
    pub(crate) fn flush(&mut self, image: &Image, urgent_only: bool) -> usize {
        let due: Vec<Stream> = if urgent_only {
            self.urgent.drain().collect()
        } else {
            self.urgent.clear();
            self.changed.drain().collect()
        };
        let mut frames = 0;
        for stream in due {
            self.changed.remove(&stream);
            if let Some(room) = self.all.get_mut(&stream) {
                frames += room.flush(image);
            }
        }
        frames + self.send()
    }

    /// Sends the queued events. Returns the number of queued frames.
    pub(crate) fn send(&mut self) -> usize {
        let mut frames = 0;
        for stream in self.leaving.drain() {
            if let Some(room) = self.all.get_mut(&stream) {
                frames += room.send();
            }
        }
        frames
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use grid::{NodeId, PointId};

    use super::*;
    use crate::outbox::Outbox;

    #[test]
    fn each_change_leaves_once_with_the_flush_that_is_due() {
        let (image, outbox) = (Image::default(), Arc::new(Outbox::new(10_000, Duration::from_secs(9))));
        let mut rooms = Rooms::default();
        let diagram = |id| Stream::Diagram(NodeId(id));
        for id in [1, 2, 3] {
            let open = || Room::new(format!("sld/{id}"), diagram(id), "e".into(), 0);
            rooms.join(diagram(id), open).join(1, outbox.clone());
        }
        rooms.mark(diagram(1), |room| room.mark_point(PointId(1), true));
        rooms.mark(diagram(2), |room| room.mark_point(PointId(2), false));
        rooms.mark(diagram(4), |room| room.mark_point(PointId(4), true));
        assert_eq!(rooms.flush(&image, true), 1, "a position does not wait");
        assert_eq!(rooms.flush(&image, true), 0);
        // An urgent change is sent together with the waiting changes of the same room.
        rooms.mark(diagram(3), |room| room.mark_point(PointId(3), false));
        rooms.mark(diagram(3), |room| room.mark_point(PointId(5), true));
        assert_eq!(rooms.flush(&image, true), 1);
        assert_eq!(rooms.flush(&image, false), 1, "a measurand leaves with its window");
        assert_eq!(rooms.flush(&image, false), 0, "and once");
        assert_eq!(outbox.take(10_000).len(), 3);
    }
}
