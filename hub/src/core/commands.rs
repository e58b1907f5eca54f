//! Distributes every state of a command, and the tags, to the subscribers of the diagram of its substation.

use std::collections::BTreeSet;
use std::sync::Arc;

use auth::Principal;
use grid::{ClientId, NodeId, Scope};
use tokio::time::Instant;
use wire::control::{CommandRow, TagRow};
use wire::live::StreamPosition;

use super::missed::answer_missed;
use super::state::Core;
use crate::connection::ConnectionId;
use crate::diagram::SubstationSet;
use crate::log::{AppendResult, EventLog};
use crate::outbox::Outbox;
use crate::refusal::refusal;
use crate::room::Room;
use crate::row::Row;
use crate::stream::Stream;
use crate::subscription::{Joined, MissedRowsQuery};
use crate::tags::OfClient;

impl Core {
    /// Applies states of commands from the bus.
    pub(super) fn apply_commands(&mut self, client: ClientId, epoch: &str, from: i64, offset: i64, rows: &[CommandRow]) {
        if let Some(log) = self.commands.get_mut(&client) {
            let taken = log.append(epoch, from, offset, rows.iter().cloned().map(Arc::new).collect(), Instant::now());
            self.dispose_commands(client, taken);
        }
        // The result of a command decides whether the opening of a breaker was commanded or a trip.
        let fruitless = |row: &&CommandRow| matches!(row.state.as_str(), "REFUSED" | "EXPIRED" | "CANCELLED" | "UNKNOWN");
        let locations: BTreeSet<NodeId> = rows.iter().filter(fruitless).map(|row| NodeId(row.location_id)).collect();
        if !locations.is_empty() {
            self.watch.flashes(SubstationSet::Of(locations));
        }
    }

    /// Compares the logs of commands with the database.
    pub(super) fn catch_up_commands(&mut self, streams: Vec<(ClientId, String, i64)>) {
        for (client, epoch, top) in streams {
            let log = self.commands.entry(client).or_insert_with(|| EventLog::new(epoch.clone(), top));
            let taken = log.compare(&epoch, top);
            self.dispose_commands(client, taken);
        }
    }

    /// Adds states of commands that were missed and have been read from the database.
    pub(super) fn recovered_commands(&mut self, client: ClientId, epoch: &str, rows: Vec<Arc<CommandRow>>) {
        if let Some(taken) = self.commands.get_mut(&client).map(|log| log.recovered(epoch, rows)) {
            self.dispose_commands(client, taken);
        }
    }

    pub(super) fn dispose_commands(&mut self, client: ClientId, taken: AppendResult<CommandRow>) {
        match taken {
            AppendResult::Nothing => {}
            AppendResult::Rows(rows) => {
                let streams = |row: &Arc<CommandRow>| vec![Stream::Commands(NodeId(row.location_id))];
                self.rooms.publish(&rows, streams, |row| Row::Command(row.clone()));
            }
            AppendResult::Missing { epoch, top } => self.reader.recover_commands(client, epoch, top),
            AppendResult::Broken { epoch, top } => {
                let image = &self.image;
                let of_client = |location| image.place_of(Scope::Node(location)).is_some_and(|place| place.0 == client);
                self.rooms.end_stream(&epoch, top, |stream| matches!(stream, Stream::Commands(location) if of_client(location)));
            }
        }
    }

    /// Subscribes a client to the commands of a diagram.
    pub(super) fn join_commands(
        &mut self,
        id: ConnectionId,
        outbox: &Arc<Outbox>,
        principal: &Principal,
        (location, name): (NodeId, &str),
        since: Option<StreamPosition>,
        ack: Option<u64>,
    ) -> Joined {
        let Some(log) = self.commands.get(&principal.client) else {
            outbox.answer(ack, &refusal("unavailable", "The commands are not read yet; try again in a second."));
            return Joined::Refused;
        };
        let (stream, epoch) = (Stream::Commands(location), log.epoch().to_owned());
        let room = self.rooms.join(stream, || Room::new(name.to_owned(), stream, epoch.clone(), 0));
        let position = room.join(id, outbox.clone());
        let since = since.filter(|since| since.epoch == epoch && log.reaches(since.offset)).map(|since| since.offset);
        let read = |since| log.after(since, Some(location), |row| row.location_id == location.0);
        let Some(missed) = since.and_then(|since| room.missed(since, log.top(), || read(since))) else {
            let (client, scope, top) = (principal.client, Some(Scope::Node(location)), log.top());
            let query = MissedRowsQuery { stream, position: position.clone(), client, scope, epoch, since, top };
            return Joined::Read { position, query };
        };
        answer_missed(room, id, outbox, ack, position, stream, missed)
    }

    /// Applies the version of a utility's areas of responsibility. An older one is ignored.
    pub(super) fn apply_areas(&mut self, client: ClientId, version: i64) {
        let known = self.image.area_versions.entry(client).or_default();
        if version > *known {
            *known = version;
            self.rooms.mark(Stream::Areas(client), |room| room.mark_row(client.0, true));
        }
    }

    /// Applies the tags of a substation from the bus.
    pub(super) fn apply_tags(&mut self, location: NodeId, version: i64, tags: &[TagRow]) {
        if self.image.tags.take(location, version, tags.to_vec()) {
            self.mark_tags(location);
        }
    }

    /// Compares the tags with all tags of the database.
    pub(super) fn compare_tags(&mut self, all: &[OfClient]) {
        for of_client in all {
            let mut tags = std::mem::take(&mut self.image.tags);
            let image = &self.image;
            let is_of = |location| image.place_of(Scope::Node(location)).is_some_and(|place| place.0 == of_client.client);
            let changed = tags.take_all(of_client, is_of);
            self.image.tags = tags;
            for location in changed {
                self.mark_tags(location);
            }
        }
    }

    /// Removes expired tags.
    pub(super) fn expire_tags(&mut self) {
        for location in self.image.tags.expire(crate::clock::now().millis()) {
            self.mark_tags(location);
        }
    }

    fn mark_tags(&mut self, location: NodeId) {
        self.rooms.mark(Stream::Diagram(location), Room::mark_tags);
    }
}
