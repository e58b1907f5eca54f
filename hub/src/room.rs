//! One stream and its subscribers. A room has the offset of the stream, collects changes, and sends them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use grid::PointId;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use tokio_tungstenite::tungstenite::Utf8Bytes;
use wire::live::{Class, Delta, Snapshot};
use wire::rows::Column;

use crate::connection::ConnectionId;
use crate::diagram::Marks;
use crate::disconnect::DisconnectReason;
use crate::frame::Shared;
use crate::image::Image;
use crate::outbox::Outbox;
use crate::placed::Placed;
use crate::row::Row;
use crate::socketio::{NAMESPACE, packet};
use crate::stream::Stream;
use crate::table::RowKey;

/// A subscriber.
#[derive(Debug)]
struct Member {
    outbox: Arc<Outbox>,
    /// The offset that the client has reached; its heartbeat reports it.
    position: Arc<AtomicI64>,
    /// Event rows that arrived while the client's snapshot was being read; `None` once the client has the snapshot.
    held: Option<Vec<Row>>,
}

/// Event deltas that are sent together.
#[derive(Debug, Default)]
struct Leaving {
    /// The offset of the room before the first delta. It may be greater than the offsets of the rows, because it
    /// includes rows that a client has read from the database.
    from: i64,
    /// The offset of the last row.
    through: i64,
    deltas: Vec<Utf8Bytes>,
    /// The rows of the deltas, for clients with a different offset.
    rows: Vec<Row>,
}

/// A stream's room.
#[derive(Debug)]
pub(crate) struct Room {
    name: String,
    stream: Stream,
    epoch: String,
    top: i64,
    members: HashMap<ConnectionId, Member>,
    /// Event deltas to send.
    leaving: Leaving,
    /// Points of a diagram that changed since the last delta.
    points: HashSet<PointId>,
    /// Whether the tags of a diagram changed since the last delta.
    tags: bool,
    /// Other changes of a diagram since the last delta.
    marks: Marks,
    /// Rows of a table that may have changed since the last delta.
    rows: HashSet<RowKey>,
    /// The last sent form of each row; an unchanged row is not sent again. Bounded by the number of rows.
    sent: HashMap<RowKey, Box<RawValue>>,
    /// Whether the registry has changed, so that the columns of a table may have changed.
    columns: bool,
    /// Whether a change must not wait for the conflation window.
    urgent: bool,
    /// The encoded snapshot at `top`, shared by all clients that join before the next flush. That flush also sends them
    /// the values that have changed since then.
    snapshot: Option<Box<RawValue>>,
    /// The last encoded answer with the rows that a client has missed. It is kept because clients that reconnect
    /// together usually have the same offset.
    missed: Option<Missed>,
}

/// The rows after an offset.
#[derive(Debug, Clone)]
pub(crate) struct Missed {
    since: i64,
    /// The last offset of the utility's log when the rows were taken from it.
    top: i64,
    pub(crate) offset: i64,
    pub(crate) rows: Option<Box<RawValue>>,
}

impl Room {
    pub(crate) fn new(name: String, stream: Stream, epoch: String, top: i64) -> Self {
        Self {
            name,
            stream,
            epoch,
            top,
            members: HashMap::new(),
            leaving: Leaving::default(),
            points: HashSet::new(),
            tags: false,
            marks: Marks::default(),
            rows: HashSet::new(),
            sent: HashMap::new(),
            columns: false,
            urgent: false,
            snapshot: None,
            missed: None,
        }
    }

    pub(crate) fn class(&self) -> Class {
        if self.stream.is_every() { Class::Every } else { Class::Latest }
    }

    pub(crate) fn epoch(&self) -> &str {
        &self.epoch
    }

    pub(crate) fn top(&self) -> i64 {
        self.top
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Adds a subscriber. On an event stream, rows are held for it until [`Room::release`].
    pub(crate) fn join(&mut self, id: ConnectionId, outbox: Arc<Outbox>) -> Arc<AtomicI64> {
        outbox.forget(self.stream);
        let position = Arc::new(AtomicI64::new(self.top));
        let held = (self.class() == Class::Every).then(Vec::new);
        self.members.insert(id, Member { outbox, position: position.clone(), held });
        position
    }

    /// Ends the stream for all subscribers. They get a delta whose `from` is not their offset, so they know that they
    /// have lost rows. The room must be dropped afterwards.
    ///
    /// Then the subscribers subscribe again with their present offset, and get a snapshot or, on an event stream, the
    /// missed rows. Their other streams continue.
    pub(crate) fn end_stream(&self, epoch: &str, top: i64) {
        let delta = Shared::new(vec![encode_events(&self.name, epoch, top, top, &[])]);
        for member in self.members.values() {
            // A client ignores a delta of its own epoch that ends at its own offset, for example after a join that was
            // answered from the database meanwhile.
            let sees_it = epoch != self.epoch || member.position.load(Ordering::Relaxed) < top;
            if member.held.is_none() && sees_it {
                member.outbox.push_every(delta.clone());
            } else {
                // Also while an answer for the old stream is still being read.
                member.outbox.disconnect(DisconnectReason::Broken);
            }
        }
    }

    pub(crate) fn leave(&mut self, id: ConnectionId) {
        if let Some(member) = self.members.remove(&id) {
            member.outbox.forget(self.stream);
        }
    }

    /// Marks a changed point. If `urgent`, it is sent with the next flush, without waiting for the window.
    pub(crate) fn mark_point(&mut self, point: PointId, urgent: bool) {
        self.points.insert(point);
        self.urgent |= urgent;
    }

    /// Marks the tags of a diagram as changed.
    pub(crate) fn mark_tags(&mut self) {
        self.tags = true;
        self.urgent = true;
        self.snapshot = None;
    }

    /// Marks nodes of a diagram whose state changed.
    pub(crate) fn mark_nodes(&mut self, nodes: Vec<usize>) {
        self.marks.nodes(nodes);
        self.urgent = true;
        self.snapshot = None;
    }

    /// Marks the drawing of a diagram and all of its nodes as changed.
    pub(crate) fn mark_drawing(&mut self) {
        self.marks.drawing();
        self.urgent = true;
        self.snapshot = None;
    }

    /// Marks the flashing points of a diagram as changed.
    pub(crate) fn mark_flashes(&mut self) {
        self.marks.flashes();
        self.urgent = true;
        self.snapshot = None;
    }

    /// Marks a row of a table that may have changed.
    pub(crate) fn mark_row(&mut self, row: RowKey, urgent: bool) {
        self.rows.insert(row);
        self.urgent |= urgent;
    }

    /// Marks rows and columns of a table that may have changed.
    pub(crate) fn mark_rows(&mut self, rows: impl IntoIterator<Item = RowKey>) {
        self.rows.extend(rows);
        self.columns = true;
        self.urgent = true;
        self.snapshot = None;
    }

    /// Returns whether clients have rows of a table that no longer exist. This must be known because a delta cannot
    /// remove a row.
    pub(crate) fn has_lost_rows(&self, image: &Image) -> bool {
        let keys: HashSet<RowKey> = image.keys(self.stream).into_iter().collect();
        self.sent.keys().any(|key| !keys.contains(key))
    }

    pub(crate) fn is_urgent(&self) -> bool {
        self.urgent
    }

    /// Sends the changes, encoded once for all subscribers. Returns the number of queued frames.
    pub(crate) fn flush(&mut self, image: &Image) -> usize {
        if self.points.is_empty() && !self.tags && self.marks.is_empty() && self.rows.is_empty() {
            return 0;
        }
        self.urgent = false;
        let rows = self.changed_rows(image);
        let from = self.top;
        let frame = match self.stream {
            stream if stream.is_every() => return 0,
            Stream::Diagram(location) => {
                self.top += 1;
                let changes = self.points.drain().map(|point| image.value_at(location, point)).collect();
                let tags = std::mem::take(&mut self.tags).then(|| image.tags.at(location));
                let mut delta = Delta { changes: Some(changes), tags, ..self.continuing::<()>(from) };
                self.marks.leave(&image.diagrams, location, &mut delta);
                delta.network_unavailable = delta.nodes.is_some().then(|| image.is_network_unavailable_at(location));
                encode(&delta)
            }
            _ if rows.is_empty() => return 0,
            _ => {
                self.top += 1;
                let columns = std::mem::take(&mut self.columns).then(|| image.columns(self.stream)).flatten();
                encode(&Delta { rows: Some(rows), columns, ..self.continuing(from) })
            }
        };
        self.snapshot = None;
        tracing::debug!(target: "trace", stream = self.name, offset = self.top, bytes = frame.len(), "framed");
        let frame = Shared::new(vec![frame]);
        let mut queued = 0;
        for member in self.members.values() {
            // This delta does not continue the offset of a client that is behind. [`Room::refresh`] sends it
            // everything.
            if member.position.load(Ordering::Relaxed) == from && member.outbox.push_latest(self.stream, frame.clone()) {
                member.position.store(self.top, Ordering::Relaxed);
                queued += 1;
            }
        }
        queued
    }

    /// Returns the marked rows that differ from the last ones sent.
    fn changed_rows(&mut self, image: &Image) -> Vec<Box<RawValue>> {
        let mut changed = Vec::new();
        for key in self.rows.drain() {
            let Some(row) = image.row(self.stream, key) else { continue };
            if self.sent.get(&key).is_none_or(|sent| sent.get() != row.get()) {
                self.sent.insert(key, row.clone());
                changed.push(row);
            }
        }
        changed
    }

    /// Sends a client that was behind the complete state, as one delta that continues its offset.
    pub(crate) fn refresh(&self, outbox: &Arc<Outbox>, image: &Image) {
        let Some(member) = self.members.values().find(|member| Arc::ptr_eq(&member.outbox, outbox)) else { return };
        let from = member.position.load(Ordering::Relaxed);
        let frame = match self.stream {
            Stream::Diagram(location) => {
                let (changes, tags) = (Some(image.diagram(location)), Some(image.tags.at(location)));
                let mut delta = Delta { changes, tags, ..self.continuing::<()>(from) };
                image.diagrams.whole(location, &mut delta);
                delta.network_unavailable = Some(image.is_network_unavailable_at(location));
                encode(&delta)
            }
            stream if stream.is_every() => return,
            _ => self.delta(from, image.rows(self.stream).into_iter().map(|(_, row)| row).collect()),
        };
        if member.outbox.push_latest(self.stream, frame) {
            member.position.store(self.top, Ordering::Relaxed);
        }
    }

    /// Sends the marked changes before a snapshot is built, so that the snapshot agrees with what subscribers have at
    /// the room's offset.
    pub(crate) fn flush_before_snapshot(&mut self, image: &Image) {
        if self.snapshot.is_none() {
            self.flush(image);
        }
    }

    /// Returns the snapshot of a `latest` stream at the room's offset, encoded once between two flushes.
    pub(crate) fn snapshot(&mut self, image: &Image) -> Option<Box<RawValue>> {
        if self.snapshot.is_none() {
            self.snapshot = match self.stream {
                Stream::Diagram(location) => {
                    let (nodes, flashes) = (image.diagrams.nodes(location), image.diagrams.flashes(location));
                    let (points, tags) = (image.diagram(location), image.tags.at(location));
                    let (wiring, network_unavailable) = (image.diagrams.wiring(location), image.is_network_unavailable_at(location));
                    to_raw_value(&Snapshot::Points { points, tags, nodes, wiring, flashes, network_unavailable }).ok()
                }
                stream if stream.is_every() => return None,
                _ => {
                    let (keys, rows): (Vec<RowKey>, Vec<Box<RawValue>>) = image.rows(self.stream).into_iter().unzip();
                    let snapshot = to_raw_value(&TableSnapshot { rows: &rows, columns: image.columns(self.stream) }).ok();
                    // The first subscriber has these rows; later ones have the rows that were sent.
                    if self.members.is_empty() {
                        self.sent = keys.into_iter().zip(rows).collect();
                    }
                    snapshot
                }
            };
        }
        self.snapshot.clone()
    }

    /// Returns the rows after an offset. They are taken from the utility's log by `read`, or reused if the last request
    /// had the same offset and the log has not changed. `None` if the log does not reach back that far.
    pub(crate) fn missed<'a, R: Placed + Serialize + 'a>(
        &mut self,
        since: i64,
        top: i64,
        read: impl FnOnce() -> Option<Vec<&'a Arc<R>>>,
    ) -> Option<Missed> {
        if self.missed.as_ref().is_none_or(|missed| (missed.since, missed.top) != (since, top)) {
            let rows = read()?;
            let offset = rows.last().map_or(since, |row| row.offset());
            self.missed = Some(Missed { since, top, offset, rows: to_raw_value(&rows).ok() });
        }
        self.missed.clone()
    }

    /// Drops the answer that was kept for reuse, because different rows may belong to this room now.
    pub(crate) fn forget_missed(&mut self) {
        self.missed = None;
    }

    /// Queues event rows of this room, oldest first. [`Room::send`] sends them.
    pub(crate) fn publish<R: Clone + Into<Row>>(&mut self, rows: &[R]) {
        let rows: Vec<Row> = rows.iter().cloned().map(Into::into).collect();
        let Some(last) = rows.last() else { return };
        let (from, offset) = (self.top, last.offset());
        self.top = self.top.max(offset);
        if self.leaving.deltas.is_empty() {
            self.leaving.from = from;
        }
        self.leaving.deltas.push(encode_events(&self.name, &self.epoch, from, offset, &rows));
        self.leaving.through = self.leaving.through.max(offset);
        self.leaving.rows.extend(rows.iter().cloned());
        for member in self.members.values_mut() {
            let Some(held) = &mut member.held else { continue };
            // Rows are held only while one query runs. Beyond the limit, the connection ends and the client reconnects.
            if held.len() + rows.len() > crate::config::EVENTS_RING {
                member.outbox.disconnect(DisconnectReason::Slow);
            } else {
                held.extend(rows.iter().cloned());
            }
        }
    }

    /// Sends the queued event deltas, encoded once for all clients at the room's offset. Returns the number of queued
    /// frames.
    pub(crate) fn send(&mut self) -> usize {
        let Leaving { from, through, deltas, rows } = std::mem::take(&mut self.leaving);
        let Some(first) = rows.first().map(Row::offset) else { return 0 };
        let count = deltas.len();
        let together = Shared::new(deltas);
        let mut queued = 0;
        for member in self.members.values().filter(|member| member.held.is_none()) {
            let position = member.position.load(Ordering::Relaxed);
            if position >= through {
                continue;
            }
            if position == from && from < first {
                member.outbox.push_every(together.clone());
                queued += count;
            } else {
                let newer: Vec<Row> = rows.iter().filter(|row| row.offset() > position).cloned().collect();
                member.outbox.push_every(encode_events(&self.name, &self.epoch, position, through, &newer));
                queued += 1;
            }
            member.position.store(through, Ordering::Relaxed);
        }
        queued
    }

    /// Stops holding rows for a client that has received the rows up to `offset`, and sends it the held rows after
    /// `offset`.
    pub(crate) fn release(&mut self, id: ConnectionId, joined: &Arc<AtomicI64>, offset: i64) {
        // A client that has left and joined again waits for a later answer.
        if !self.members.get(&id).is_some_and(|member| Arc::ptr_eq(&member.position, joined)) {
            return;
        }
        // The room's offset may be lower if it had no subscribers before. Rows up to `offset` are delivered or in the
        // snapshot.
        if self.members.len() == 1 {
            self.top = self.top.max(offset);
        }
        let Some(member) = self.members.get_mut(&id) else { return };
        member.position.store(offset, Ordering::Relaxed);
        let newer: Vec<Row> = member.held.take().unwrap_or_default().into_iter().filter(|row| row.offset() > offset).collect();
        if let Some(last) = newer.last() {
            member.outbox.push_every(encode_events(&self.name, &self.epoch, offset, last.offset(), &newer));
            member.position.store(last.offset(), Ordering::Relaxed);
        }
    }

    fn delta<T: Serialize>(&self, from: i64, rows: Vec<T>) -> Utf8Bytes {
        encode(&Delta { rows: Some(rows), ..self.continuing(from) })
    }

    /// Returns an empty delta from an offset to the room's offset.
    fn continuing<T>(&self, from: i64) -> Delta<T> {
        nothing(&self.name, &self.epoch, from, self.top)
    }
}

/// A [`Snapshot`] of encoded rows.
#[derive(Serialize)]
struct TableSnapshot<'a> {
    rows: &'a [Box<RawValue>],
    #[serde(skip_serializing_if = "Option::is_none")]
    columns: Option<Vec<Column>>,
}

fn nothing<T>(name: &str, epoch: &str, from: i64, offset: i64) -> Delta<T> {
    Delta {
        stream: name.to_owned(),
        epoch: epoch.to_owned(),
        from,
        offset,
        changes: None,
        tags: None,
        nodes: None,
        wiring: None,
        network_unavailable: None,
        flashes: None,
        rows: None,
        columns: None,
    }
}

fn encode_events(name: &str, epoch: &str, from: i64, offset: i64, rows: &[Row]) -> Utf8Bytes {
    encode(&Delta { rows: Some(rows.to_vec()), ..nothing(name, epoch, from, offset) })
}

fn encode<T: Serialize>(delta: &Delta<T>) -> Utf8Bytes {
    // A delta is numbers and strings: it always has a JSON form.
    to_raw_value(delta).map(|raw| Utf8Bytes::from(format!("4{}", &packet::event(NAMESPACE, "delta", &raw)[1..]))).unwrap_or_default()
}

#[cfg(test)]
mod tests;
