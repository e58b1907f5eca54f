//! Distributes changes of alarms and faults to the subscribers of their areas.

use std::collections::HashMap;
use std::sync::Arc;

use auth::Principal;
use grid::{AssetId, ClientId, NodeId, Scope};
use tokio::time::Instant;
use wire::alarms::AlarmRow;
use wire::bus::BusMessage;
use wire::faults::FaultRow;
use wire::live::StreamPosition;

use super::logs::{AlarmLogs, expired};
use super::missed::answer_missed;
use super::state::Core;
use crate::area::{Area, areas_of};
use crate::connection::ConnectionId;
use crate::image::Image;
use crate::loaded::{AlarmTops, MissedAlarms};
use crate::log::{AppendResult, EventLog};
use crate::outbox::Outbox;
use crate::placed::Placed;
use crate::reader::Reader;
use crate::refusal::refusal;
use crate::room::Room;
use crate::row::Row;
use crate::stream::{Named, Stream};
use crate::subscription::{Joined, MissedRowsQuery};

/// A row of an alarm or a fault.
trait AlarmOrFault: Placed + Sized {
    /// Returns the area of a stream of this kind of row.
    fn area(stream: Stream) -> Option<Area>;
    /// Returns the stream of this kind of row for an area.
    fn stream(area: Area) -> Stream;
    fn location_and_asset(&self) -> (NodeId, Option<AssetId>);
    fn shared(row: Arc<Self>) -> Row;
    fn logs(logs: &mut AlarmLogs) -> &mut HashMap<ClientId, EventLog<Self>>;
    fn recover(reader: &Reader, client: ClientId, epoch: String, top: i64);
}

impl AlarmOrFault for AlarmRow {
    fn area(stream: Stream) -> Option<Area> {
        if let Stream::Alarms(area) = stream { Some(area) } else { None }
    }

    fn stream(area: Area) -> Stream {
        Stream::Alarms(area)
    }

    fn location_and_asset(&self) -> (NodeId, Option<AssetId>) {
        (NodeId(self.location_id), self.asset_id.map(AssetId))
    }

    fn shared(row: Arc<Self>) -> Row {
        Row::Alarm(row)
    }

    fn logs(logs: &mut AlarmLogs) -> &mut HashMap<ClientId, EventLog<Self>> {
        &mut logs.alarms
    }

    fn recover(reader: &Reader, client: ClientId, epoch: String, top: i64) {
        reader.recover_alarms(client, epoch, top);
    }
}

impl AlarmOrFault for FaultRow {
    fn area(stream: Stream) -> Option<Area> {
        if let Stream::Faults(area) = stream { Some(area) } else { None }
    }

    fn stream(area: Area) -> Stream {
        Stream::Faults(area)
    }

    fn location_and_asset(&self) -> (NodeId, Option<AssetId>) {
        (NodeId(self.location_id), Some(AssetId(self.asset_id)))
    }

    fn shared(row: Arc<Self>) -> Row {
        Row::Fault(row)
    }

    fn logs(logs: &mut AlarmLogs) -> &mut HashMap<ClientId, EventLog<Self>> {
        &mut logs.faults
    }

    fn recover(reader: &Reader, client: ClientId, epoch: String, top: i64) {
        reader.recover_faults(client, epoch, top);
    }
}

/// Returns whether a row of a utility lies in the area of a stream.
fn lies_in(image: &Image, area: Area, client: ClientId, (location, asset): (NodeId, Option<AssetId>)) -> bool {
    if !is_of(image, area, client) {
        return false;
    }
    match (area.scope(), asset) {
        (None, _) => true,
        (Some(scope @ Scope::Asset(_)), Some(asset)) => image.within(scope, location, asset),
        (Some(Scope::Asset(_)), None) => false,
        // Membership of a node does not depend on the asset.
        (Some(scope @ Scope::Node(_)), asset) => image.within(scope, location, asset.unwrap_or(AssetId(0))),
    }
}

/// Returns all areas in which a row of a utility lies.
fn areas_around(image: &Image, client: ClientId, (location, asset): (NodeId, Option<AssetId>)) -> Vec<Area> {
    let path = image.node(location).map(|node| node.path.as_slice()).unwrap_or_default();
    let of_asset = asset.map(|asset| Area::Scope(Scope::Asset(asset)));
    areas_of(client, path).chain(of_asset).filter(|area| is_of(image, *area, client)).collect()
}

fn is_of(image: &Image, area: Area, client: ClientId) -> bool {
    match area {
        Area::Client(of, _) => of == client,
        Area::Scope(scope) => image.place_of(scope).is_some_and(|place| place.0 == client),
    }
}

impl Core {
    /// Applies changes from the bus.
    pub(super) fn apply_alarms(&mut self, message: &BusMessage) {
        match message {
            BusMessage::Alarms { client, epoch, from, offset, rows } => self.append_rows(ClientId(*client), epoch, (*from, *offset), rows),
            BusMessage::Faults { client, epoch, from, offset, rows } => self.append_rows(ClientId(*client), epoch, (*from, *offset), rows),
            _ => {}
        }
    }

    fn append_rows<R: AlarmOrFault + Clone>(&mut self, client: ClientId, epoch: &str, (from, offset): (i64, i64), rows: &[R]) {
        if let Some(log) = R::logs(&mut self.alarms).get_mut(&client) {
            let taken = log.append(epoch, from, offset, rows.iter().cloned().map(Arc::new).collect(), Instant::now());
            self.dispose_rows(client, taken);
        }
    }

    /// Compares the logs of alarms and faults with the database and reads what is missing.
    pub(super) fn catch_up_alarms(&mut self, tops: AlarmTops) {
        self.compared::<AlarmRow>(tops.alarms);
        self.compared::<FaultRow>(tops.faults);
    }

    fn compared<R: AlarmOrFault>(&mut self, tops: Vec<(ClientId, String, i64)>) {
        for (client, epoch, top) in tops {
            let log = R::logs(&mut self.alarms).entry(client).or_insert_with(|| EventLog::new(epoch.clone(), top));
            let taken = log.compare(&epoch, top);
            self.dispose_rows(client, taken);
        }
    }

    /// Reads the missing rows for which a log has held later rows for too long.
    pub(super) fn expire_held_alarms(&mut self, now: Instant) {
        self.expire_rows::<AlarmRow>(now);
        self.expire_rows::<FaultRow>(now);
    }

    fn expire_rows<R: AlarmOrFault>(&mut self, now: Instant) {
        for (client, taken) in expired(R::logs(&mut self.alarms), now) {
            self.dispose_rows(client, taken);
        }
    }

    /// Adds rows that were missed and have been read from the database.
    pub(super) fn recovered_alarms(&mut self, news: MissedAlarms) {
        match news {
            MissedAlarms::Alarms { client, epoch, rows } => self.recover_rows(client, &epoch, rows),
            MissedAlarms::Faults { client, epoch, rows } => self.recover_rows(client, &epoch, rows),
        }
    }

    fn recover_rows<R: AlarmOrFault>(&mut self, client: ClientId, epoch: &str, rows: Vec<Arc<R>>) {
        if let Some(taken) = R::logs(&mut self.alarms).get_mut(&client).map(|log| log.recovered(epoch, rows)) {
            self.dispose_rows(client, taken);
        }
    }

    fn dispose_rows<R: AlarmOrFault>(&mut self, client: ClientId, taken: AppendResult<R>) {
        let image = &self.image;
        match taken {
            AppendResult::Nothing => {}
            AppendResult::Rows(rows) => {
                let streams = |row: &Arc<R>| areas_around(image, client, row.location_and_asset()).into_iter().map(R::stream).collect();
                self.rooms.publish(&rows, streams, |row| R::shared(row.clone()));
            }
            AppendResult::Missing { epoch, top } => R::recover(&self.reader, client, epoch, top),
            AppendResult::Broken { epoch, top } => {
                self.rooms.end_stream(&epoch, top, |stream| R::area(stream).is_some_and(|area| is_of(image, area, client)));
            }
        }
    }

    /// Returns the stream for the part of an area that the user may see; `None` if the user may see no part.
    pub(super) fn permitted_area(&self, principal: &Principal, named: Named, area: Area) -> Option<Stream> {
        match area {
            // A user who is confined to a node shares a room with all users confined to that node.
            Area::Client(client, _) => principal.may_see_any(client).then(|| named.stream.over(Area::Client(client, principal.node))),
            Area::Scope(scope) => {
                if let (Scope::Node(node), Some(level)) = (scope, named.level)
                    && !self.image.is_level(node, level)
                {
                    return None;
                }
                let (client, node) = self.image.place_of(scope)?;
                principal.may_see(client, &node.path).then_some(named.stream)
            }
        }
    }

    /// Subscribes a client to alarms or faults.
    pub(super) fn join_alarms(
        &mut self,
        id: ConnectionId,
        outbox: &Arc<Outbox>,
        principal: &Principal,
        (stream, name): (Stream, &str),
        since: Option<StreamPosition>,
        ack: Option<u64>,
    ) -> Joined {
        let at = (stream, name);
        if matches!(stream, Stream::Alarms(_)) {
            self.join_rows::<AlarmRow>(id, outbox, principal.client, at, since, ack)
        } else {
            self.join_rows::<FaultRow>(id, outbox, principal.client, at, since, ack)
        }
    }

    fn join_rows<R: AlarmOrFault + serde::Serialize>(
        &mut self,
        id: ConnectionId,
        outbox: &Arc<Outbox>,
        client: ClientId,
        (stream, name): (Stream, &str),
        since: Option<StreamPosition>,
        ack: Option<u64>,
    ) -> Joined {
        let (Some(log), Some(area)) = (R::logs(&mut self.alarms).get(&client), R::area(stream)) else {
            outbox.answer(ack, &refusal("unavailable", "The alarms are not read yet; try again in a second."));
            return Joined::Refused;
        };
        let epoch = self.areas.epoch(stream, log.epoch());
        let room = self.rooms.join(stream, || Room::new(name.to_owned(), stream, epoch.clone(), 0));
        let position = room.join(id, outbox.clone());
        let since = since.filter(|since| since.epoch == epoch && log.reaches(since.offset)).map(|since| since.offset);
        let image = &self.image;
        let station = area.scope().and_then(|scope| image.station_in(scope));
        let read = |since| log.after(since, station, |row| lies_in(image, area, client, row.location_and_asset()));
        let Some(missed) = since.and_then(|since| room.missed(since, log.top(), || read(since))) else {
            let (scope, top) = (area.scope(), log.top());
            let query = MissedRowsQuery { stream, position: position.clone(), client, scope, epoch, since, top };
            return Joined::Read { position, query };
        };
        answer_missed(room, id, outbox, ack, position, stream, missed)
    }
}
