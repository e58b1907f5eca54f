//! One stream and who listens to it: where it stands, what has yet to leave, and how it leaves.

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
use crate::cut::Cut;
use crate::diagram::Marks;
use crate::frame::Shared;
use crate::image::Image;
use crate::outbox::Outbox;
use crate::placed::Placed;
use crate::row::Row;
use crate::socketio::{NAMESPACE, packet};
use crate::stream::Stream;
use crate::table::RowKey;

/// A listener.
#[derive(Debug)]
struct Member {
    outbox: Arc<Outbox>,
    /// The place the client has been brought to; also read by its heartbeat.
    position: Arc<AtomicI64>,
    /// Event rows that came while the client's snapshot was being read; `None` once it has it.
    held: Option<Vec<Row>>,
}

/// Event deltas that leave together.
#[derive(Debug, Default)]
struct Leaving {
    /// Where the room stood before the first of them. It may be ahead of them: it knows of rows that a client has read from the database.
    from: i64,
    /// The last of their rows.
    through: i64,
    deltas: Vec<Utf8Bytes>,
    /// Their rows, for clients that stand elsewhere.
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
    /// Event deltas that have yet to leave.
    leaving: Leaving,
    /// Points of a diagram that changed since the last delta.
    points: HashSet<PointId>,
    /// Other tags hang on a diagram's devices than at the last delta.
    tags: bool,
    /// What else of a diagram changed since the last delta.
    marks: Marks,
    /// Rows of a table that may have changed since the last delta.
    rows: HashSet<RowKey>,
    /// Rows as they were last sent: one that is the same again does not leave. Bounded by the rows there are.
    sent: HashMap<RowKey, Box<RawValue>>,
    /// The field was described anew: what columns a table has may have changed.
    columns: bool,
    /// Whether something changed that must not wait for the conflation window.
    urgent: bool,
    /// The encoded snapshot at `top`, shared by all who join before the next flush. Values that have changed since leave with that, to these as well.
    snapshot: Option<Box<RawValue>>,
    /// What was last missed here, encoded: clients that come back together come from the same place.
    missed: Option<Missed>,
}

/// The rows after a place, and up to where they go.
#[derive(Debug, Clone)]
pub(crate) struct Missed {
    since: i64,
    /// The top of the utility's log when they were taken from it.
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

    /// Lets a connection listen. On an event stream rows are held for it until [`Room::release`].
    pub(crate) fn join(&mut self, id: ConnectionId, outbox: Arc<Outbox>) -> Arc<AtomicI64> {
        outbox.forget(self.stream);
        let position = Arc::new(AtomicI64::new(self.top));
        let held = (self.class() == Class::Every).then(Vec::new);
        self.members.insert(id, Member { outbox, position: position.clone(), held });
        position
    }

    /// Tells all subscribers that the stream cannot be continued: by a delta that continues nothing, up to where the stream goes now. They subscribe again
    /// with the place they have, and get a snapshot, or what they have missed of an event stream. Their other streams go on. The room is to be dropped.
    pub(crate) fn dissolve(&self, epoch: &str, top: i64) {
        let delta = Shared::new(vec![encode_events(&self.name, epoch, top, top, &[])]);
        for member in self.members.values() {
            // A client ignores a delta of its own epoch that ends where it is already, as after a join that was answered from the database meanwhile.
            let sees_it = epoch != self.epoch || member.position.load(Ordering::Relaxed) < top;
            if member.held.is_none() && sees_it {
                member.outbox.push_every(delta.clone());
            } else {
                // The same where its answer is still being read, for the stream as it was.
                member.outbox.cut(Cut::Broken);
            }
        }
    }

    pub(crate) fn leave(&mut self, id: ConnectionId) {
        if let Some(member) = self.members.remove(&id) {
            member.outbox.forget(self.stream);
        }
    }

    /// Notes a changed point. `urgent` ones leave with the next flush, without waiting for the window.
    pub(crate) fn mark_point(&mut self, point: PointId, urgent: bool) {
        self.points.insert(point);
        self.urgent |= urgent;
    }

    /// Notes that other tags hang there.
    pub(crate) fn mark_tags(&mut self) {
        self.tags = true;
        self.urgent = true;
        self.snapshot = None;
    }

    /// Notes nodes of a diagram whose state is another.
    pub(crate) fn mark_nodes(&mut self, nodes: Vec<usize>) {
        self.marks.nodes(nodes);
        self.urgent = true;
        self.snapshot = None;
    }

    /// Notes that a diagram's drawing is another one: its nodes are.
    pub(crate) fn mark_drawing(&mut self) {
        self.marks.drawing();
        self.urgent = true;
        self.snapshot = None;
    }

    /// Notes that something else flashes on a diagram.
    pub(crate) fn mark_flashes(&mut self) {
        self.marks.flashes();
        self.urgent = true;
        self.snapshot = None;
    }

    /// Notes a row of a table that may be another now.
    pub(crate) fn mark_row(&mut self, row: RowKey, urgent: bool) {
        self.rows.insert(row);
        self.urgent |= urgent;
    }

    /// Notes that rows of a table may be others, and its columns too.
    pub(crate) fn mark_rows(&mut self, rows: impl IntoIterator<Item = RowKey>) {
        self.rows.extend(rows);
        self.columns = true;
        self.urgent = true;
        self.snapshot = None;
    }

    /// Whether clients have rows of a table that are not there any more. A delta cannot take a row away.
    pub(crate) fn has_lost_rows(&self, image: &Image) -> bool {
        let keys: HashSet<RowKey> = image.keys(self.stream).into_iter().collect();
        self.sent.keys().any(|key| !keys.contains(key))
    }

    pub(crate) fn is_urgent(&self) -> bool {
        self.urgent
    }

    /// Sends what changed, encoded once for all. Answers how many frames were queued.
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
            // A client that is behind does not have what this delta continues. [`Room::refresh`] brings it to the present.
            if member.position.load(Ordering::Relaxed) == from && member.outbox.push_latest(self.stream, frame.clone()) {
                member.position.store(self.top, Ordering::Relaxed);
                queued += 1;
            }
        }
        queued
    }

    /// Those of the marked rows that are not as they were last sent.
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

    /// Brings a client that had to be left behind to the present: everything, as one delta that continues what it has.
    pub(crate) fn refresh(&self, outbox: &Arc<Outbox>, image: &Image) {
        let Some(member) = self.members.values().find(|member| Arc::ptr_eq(&member.outbox, outbox)) else { return };
        let from = member.position.load(Ordering::Relaxed);
        let frame = match self.stream {
            Stream::Diagram(location) => {
                let (changes, tags) = (Some(image.diagram(location)), Some(image.tags.at(location)));
                let mut delta = Delta { changes, tags, ..self.continuing::<()>(from) };
                image.diagrams.whole(location, &mut delta);
                encode(&delta)
            }
            stream if stream.is_every() => return,
            _ => self.delta(from, image.rows(self.stream).into_iter().map(|(_, row)| row).collect()),
        };
        if member.outbox.push_latest(self.stream, frame) {
            member.position.store(self.top, Ordering::Relaxed);
        }
    }

    /// Sends what has yet to leave, if a snapshot is to be made: it agrees with what everybody has at the room's place.
    pub(crate) fn flush_before_snapshot(&mut self, image: &Image) {
        if self.snapshot.is_none() {
            self.flush(image);
        }
    }

    /// A `latest` stream at the room's place, encoded once between two flushes.
    pub(crate) fn snapshot(&mut self, image: &Image) -> Option<Box<RawValue>> {
        if self.snapshot.is_none() {
            self.snapshot = match self.stream {
                Stream::Diagram(location) => {
                    let (nodes, flashes) = (image.diagrams.nodes(location), image.diagrams.flashes(location));
                    let (points, tags) = (image.diagram(location), image.tags.at(location));
                    to_raw_value(&Snapshot::Points { points, tags, nodes, wiring: image.diagrams.wiring(location), flashes }).ok()
                }
                stream if stream.is_every() => return None,
                _ => {
                    let (keys, rows): (Vec<RowKey>, Vec<Box<RawValue>>) = image.rows(self.stream).into_iter().unzip();
                    let snapshot = to_raw_value(&TableSnapshot { rows: &rows, columns: image.columns(self.stream) }).ok();
                    // The first who comes has them; those who are there already have what was sent.
                    if self.members.is_empty() {
                        self.sent = keys.into_iter().zip(rows).collect();
                    }
                    snapshot
                }
            };
        }
        self.snapshot.clone()
    }

    /// What a client has missed since a place, taken from the utility's log by `read` unless the last client came from the same place and the log has not
    /// moved since. `None` if the log does not reach back so far.
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

    /// Forgets it: other rows may lie in this room now.
    pub(crate) fn forget_missed(&mut self) {
        self.missed = None;
    }

    /// Takes event rows that lie in this room, oldest first. They leave with [`Room::send`].
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
            // Held only while one query runs; what would go beyond the bound is cut, and the client comes back.
            if held.len() + rows.len() > crate::config::EVENTS_RING {
                member.outbox.cut(Cut::Slow);
            } else {
                held.extend(rows.iter().cloned());
            }
        }
    }

    /// Sends the event deltas that have yet to leave: put together once for all clients that stand where the room stood. Answers how many were queued.
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

    /// Ends the holding: the client has rows up to `offset`; what came since follows.
    pub(crate) fn release(&mut self, id: ConnectionId, joined: &Arc<AtomicI64>, offset: i64) {
        // Whoever has left and come back meanwhile is held for a later answer.
        if !self.members.get(&id).is_some_and(|member| Arc::ptr_eq(&member.position, joined)) {
            return;
        }
        // The room may stand lower when nobody has listened before: rows up to here are known to be delivered or in the snapshot.
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

    /// A delta of nothing that leads from a place to where the room stands.
    fn continuing<T>(&self, from: i64) -> Delta<T> {
        nothing(&self.name, &self.epoch, from, self.top)
    }
}

/// A [`Snapshot`] of rows that are encoded already.
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
