//! Subscribes clients to streams: checks rights, compares the client's offset, and sends a snapshot or the missed rows.

use std::sync::Arc;

use auth::Principal;
use grid::{AssetId, NodeId, Scope};
use wire::live::{Class, StreamPosition, Subscribed};
use wire::rows::EventRow;

use super::missed::answer_missed;
use super::state::Core;
use crate::connection::ConnectionId;
use crate::outbox::Outbox;
use crate::refusal::refusal;
use crate::room::Room;
use crate::stream::{self, Stream};
use crate::subscription::{Joined, MissedRowsQuery};

impl Core {
    pub(super) fn join(
        &mut self,
        id: ConnectionId,
        outbox: &Arc<Outbox>,
        principal: &Principal,
        name: &str,
        since: Option<StreamPosition>,
        ack: Option<u64>,
    ) -> Joined {
        let refuse = |code, message| {
            outbox.answer(ack, &refusal(code, message));
            Joined::Refused
        };
        if !self.loaded {
            return refuse("unavailable", "The picture is not complete yet; try again in a second.");
        }
        // A stream without permission gets the same answer as one that does not exist.
        let Some(stream) = self.permitted(principal, name) else { return refuse("unknown_stream", "There is no such stream.") };
        if let Stream::Commands(location) = stream {
            return self.join_commands(id, outbox, principal, (location, name), since, ack);
        }
        if let Stream::Alarms(_) | Stream::Faults(_) = stream {
            return self.join_alarms(id, outbox, principal, (stream, name), since, ack);
        }
        let Stream::Events(scope) = stream else {
            return self.join_latest(id, outbox, stream, name, since, ack);
        };
        let Some(log) = self.logs.get(&principal.client) else {
            return refuse("unavailable", "The event log is not read yet; try again in a second.");
        };
        let epoch = self.areas.epoch(stream, log.epoch());
        let room = self.rooms.join(stream, || Room::new(name.to_owned(), stream, epoch.clone(), 0));
        let position = room.join(id, outbox.clone());
        let since = since.filter(|since| since.epoch == epoch && log.reaches(since.offset)).map(|since| since.offset);
        let image = &self.image;
        let inside = |row: &EventRow| image.within(scope, NodeId(row.location_id), AssetId(row.asset_id));
        let read = |since| log.after(since, image.station_in(scope), inside);
        let Some(missed) = since.and_then(|since| room.missed(since, log.top(), || read(since))) else {
            let (client, top) = (principal.client, log.top());
            let query = MissedRowsQuery { stream, position: position.clone(), client, scope: Some(scope), epoch, since, top };
            return Joined::Read { position, query };
        };
        answer_missed(room, id, outbox, ack, position, stream, missed)
    }

    fn join_latest(
        &mut self,
        id: ConnectionId,
        outbox: &Arc<Outbox>,
        stream: Stream,
        name: &str,
        since: Option<StreamPosition>,
        ack: Option<u64>,
    ) -> Joined {
        // A new room starts above every offset of earlier rooms, so that a client cannot mistake an old snapshot for a
        // current one.
        let (mut epoch, above) = (self.epoch.clone(), self.highest + 1);
        // Rooms of one name have different rows for users confined to different nodes, so their offsets cannot be
        // compared.
        if let Some(node) = stream.confined_to() {
            epoch = format!("{epoch}-{node}");
        }
        if let Stream::Readings(asset) = stream {
            self.begin_day(asset);
        }
        self.settle();
        let room = self.rooms.join(stream, || Room::new(name.to_owned(), stream, epoch, above));
        room.flush_before_snapshot(&self.image);
        let (epoch, offset) = (room.epoch().to_owned(), room.top());
        let same = since.is_some_and(|since| since.epoch == epoch && since.offset == offset);
        let snapshot = if same { None } else { room.snapshot(&self.image) };
        outbox.answer(ack, &Subscribed { ok: true, class: Class::Latest, epoch, offset, snapshot, missed: None });
        Joined::Answered { stream, position: room.join(id, outbox.clone()) }
    }

    fn permitted(&self, principal: &Principal, name: &str) -> Option<Stream> {
        let named = stream::parse(name)?;
        let of = |scope| {
            let (client, node) = self.image.place_of(scope)?;
            principal.may_see(client, &node.path).then_some(named.stream)
        };
        let node_is = |node: NodeId| named.level.is_none_or(|level| self.image.is_level(node, level));
        match named.stream {
            Stream::Diagram(node) | Stream::Commands(node) => node_is(node).then(|| of(Scope::Node(node))).flatten(),
            Stream::Network(node, _) => {
                node_is(node).then(|| of(Scope::Node(node))).flatten().map(|_| Stream::Network(node, principal.node))
            }
            Stream::Events(scope) | Stream::LoadCurrent(scope) | Stream::Table(_, scope) => match scope {
                Scope::Node(node) => node_is(node).then(|| of(scope)).flatten(),
                Scope::Asset(_) => of(scope),
            },
            Stream::Areas(client) => principal.may_see_any(client).then_some(named.stream),
            Stream::Readings(asset) => of(Scope::Asset(asset)),
            Stream::Comms(area) | Stream::Overview(area) | Stream::Alarms(area) | Stream::Faults(area) => {
                self.permitted_area(principal, named, area)
            }
        }
    }
}
