//! The one task that owns the process image and the rooms. It never waits for the database or for a client: questions to the database run
//! beside it and come back as commands, and clients have their outboxes.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::time::Duration;

use auth::Principal;
use bus::{Bus, Received, Subscription};
use grid::{ClientId, GatewayId, Micros, NodeId, PointId, Reading, Scope, Shard, Share};
use serde_json::value::RawValue;
use store::Registry;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use wire::bus::BusMessage;
use wire::live::Place;

use crate::config::{EVENTS_RING, HubConfig};
use crate::image::{Image, reading_of};
use crate::outbox::Outbox;
use crate::reader::Reader;
use crate::room::{ConnectionId, Room, SharedRow};
use crate::stream::{self, Stream};

/// Commands that wait for the core. Senders wait at the bound: only that client is slowed.
const INBOX: usize = 4_096;
/// Without a word from ingest for so long, nothing is live any more.
const INGEST_SILENCE: Duration = Duration::from_secs(3);

/// What the core is asked.
pub(crate) enum Command {
    /// A client subscribes.
    Join {
        id: ConnectionId,
        outbox: Arc<Outbox>,
        principal: Box<Principal>,
        name: String,
        since: Option<Place>,
        answer: oneshot::Sender<Joined>,
    },
    /// A client has the rows of an event stream up to `offset`.
    Release { id: ConnectionId, stream: Stream, offset: i64 },
    /// A client unsubscribes.
    Leave { id: ConnectionId, stream: Stream },
    /// A client has room again for streams on which it was left behind.
    Behind { outbox: Arc<Outbox>, streams: Vec<Stream> },
    /// The field, its latest readings and the event streams, as the database has them.
    Loaded(Box<Loaded>),
    /// Readings that the database received lately, and how far its event streams go.
    Reconciled { latest: Vec<(PointId, Reading)>, streams: Vec<(ClientId, String, i64)> },
    /// Event rows that were missed; `epoch` as the database has it now.
    Recovered { client: ClientId, epoch: String, rows: Vec<SharedRow> },
}

/// The database's side of the picture.
pub(crate) struct Loaded {
    pub(crate) registry: Registry,
    pub(crate) latest: Vec<(PointId, Reading)>,
    pub(crate) streams: Vec<(ClientId, String, i64)>,
}

/// The answer to a subscribe.
pub(crate) enum Joined {
    /// The stream cannot be joined.
    Refused { code: &'static str, message: &'static str },
    /// A `latest` stream; no snapshot when the client stands where the stream stands.
    Latest { stream: Stream, epoch: String, offset: i64, snapshot: Option<Box<RawValue>>, position: Arc<AtomicI64> },
    /// An event stream whose missed rows are in memory.
    Missed { stream: Stream, epoch: String, offset: i64, rows: Vec<SharedRow>, position: Arc<AtomicI64> },
    /// An event stream that the client has to be brought to from the database; rows are held for it meanwhile.
    Read { stream: Stream, client: ClientId, scope: Scope, epoch: String, since: Option<i64>, position: Arc<AtomicI64> },
}

/// The events of one utility in memory.
struct EventLog {
    epoch: String,
    top: i64,
    /// Without a gap up to `top`. Beyond [`EVENTS_RING`] the oldest go; the database has them.
    ring: VecDeque<SharedRow>,
    recovering: bool,
}

/// The core's state.
pub(crate) struct Core {
    config: HubConfig,
    image: Image,
    loaded: bool,
    rooms: HashMap<Stream, Room>,
    logs: HashMap<ClientId, EventLog>,
    epoch: String,
    reader: Reader,
    /// What each ingest takes, and when it was last heard. Bounded by the ingests there are: the silent ones go.
    ingests: HashMap<String, (Shard, Instant)>,
}

/// Starts the core; it runs until `shutdown`. The bus is subscribed before the database is read, so that nothing falls in between.
pub(crate) fn start(
    config: HubConfig,
    bus: &Bus,
    store: store::Store,
    sessions_ended: mpsc::Sender<i64>,
    shutdown: CancellationToken,
) -> mpsc::Sender<Command> {
    let (sender, inbox) = mpsc::channel(INBOX);
    let subscription = bus.subscribe();
    let reader = Reader::new(store, sender.clone());
    let (epoch, _) = auth::new_token();
    let core = Core {
        config,
        image: Image::default(),
        loaded: false,
        rooms: HashMap::new(),
        logs: HashMap::new(),
        epoch: epoch[..16].to_owned(),
        reader,
        ingests: HashMap::new(),
    };
    tokio::spawn(core.run(inbox, subscription, sessions_ended, shutdown));
    sender
}

impl Core {
    async fn run(
        mut self,
        mut inbox: mpsc::Receiver<Command>,
        mut bus: Subscription,
        sessions_ended: mpsc::Sender<i64>,
        shutdown: CancellationToken,
    ) {
        let mut window = interval(self.config.conflation);
        window.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut watch = interval(Duration::from_millis(500));
        let mut reconcile = interval(self.config.reconcile);
        self.reader.load();
        loop {
            tokio::select! {
                () = shutdown.cancelled() => return,
                received = bus.next() => match received {
                    None => return,
                    Some(Received::Lagged) => {
                        metrics::counter!("hub_bus_lagged_total").increment(1);
                        self.reader.load();
                    }
                    Some(Received::Message(message)) => {
                        if let BusMessage::Session { session, .. } = &*message {
                            // Bounded: at the bound the periodic re-check finds the ended session instead.
                            let _ = sessions_ended.try_send(*session);
                        }
                        self.hear(&message);
                        self.flush(true);
                    }
                },
                Some(command) = inbox.recv() => self.obey(command),
                _ = window.tick() => self.flush(false),
                _ = watch.tick() => self.watch_ingest(),
                _ = reconcile.tick() => if self.loaded { self.reader.reconcile(self.logs.keys().copied().collect()) },
            }
        }
    }

    fn hear(&mut self, message: &BusMessage) {
        match message {
            BusMessage::Changes { changes, .. } => {
                for change in changes {
                    let point = PointId(change.point);
                    self.image.heard(point, Micros(change.received));
                    if let Some(reading) = reading_of(change) {
                        self.take(point, reading);
                    }
                }
            }
            BusMessage::Events { client, epoch, from, offset, rows } => {
                self.append(ClientId(*client), epoch, *from, *offset, rows.iter().cloned().map(Arc::new).collect());
            }
            BusMessage::Gateway { gateway, online, since, .. } => {
                let gateway = GatewayId(*gateway);
                let points = self.image.set_link(gateway, *online, Micros(*since));
                for point in points {
                    self.mark(point, true);
                }
                if let Some(record) = self.image.gateway(gateway)
                    && let Some(room) = self.rooms.get_mut(&Stream::Comms(record.client))
                {
                    room.mark_gateway(gateway);
                }
            }
            BusMessage::Device { gateway, device, online, since, .. } => {
                for point in self.image.set_device(GatewayId(*gateway), device, *online, Micros(*since)) {
                    self.mark(point, true);
                }
            }
            BusMessage::Registry { .. } => self.reader.load(),
            BusMessage::Alive { ingest, clients, share } => {
                let clients = clients.iter().copied().map(ClientId).collect();
                let shard = Shard { clients, share: share.and_then(|(part, of)| Share::new(part, of)) };
                if self.ingests.insert(ingest.clone(), (shard, Instant::now())).is_none() {
                    self.ingests_changed();
                }
            }
            BusMessage::Session { .. } => {}
        }
    }

    fn obey(&mut self, command: Command) {
        match command {
            Command::Join { id, outbox, principal, name, since, answer } => {
                let joined = self.join(id, outbox, &principal, &name, since);
                // A client that is gone meanwhile leaves its rooms by its own Leave.
                let _ = answer.send(joined);
            }
            Command::Release { id, stream, offset } => {
                if let Some(room) = self.rooms.get_mut(&stream) {
                    room.release(id, offset);
                }
            }
            Command::Leave { id, stream } => {
                if let Some(room) = self.rooms.get_mut(&stream) {
                    room.leave(id);
                    if room.is_empty() {
                        self.rooms.remove(&stream);
                    }
                }
            }
            Command::Behind { outbox, streams } => {
                for stream in streams {
                    if let Some(room) = self.rooms.get(&stream) {
                        room.refresh(&outbox, &self.image);
                    }
                }
            }
            Command::Loaded(loaded) => self.load(*loaded),
            Command::Reconciled { latest, streams } => {
                for (point, reading) in latest {
                    self.take(point, reading);
                }
                self.catch_up(streams);
            }
            Command::Recovered { client, epoch, rows } => self.recovered(client, &epoch, rows),
        }
    }

    fn load(&mut self, loaded: Loaded) {
        self.image.describe(loaded.registry);
        for (point, reading) in loaded.latest {
            self.image.take(point, reading);
        }
        self.catch_up(loaded.streams);
        self.loaded = true;
        self.mark_everything();
    }

    /// Compares the event logs with the database: rows that were committed but never reached the bus, as when ingest died in between, are read.
    fn catch_up(&mut self, streams: Vec<(ClientId, String, i64)>) {
        for (client, epoch, top) in streams {
            let log =
                self.logs.entry(client).or_insert_with(|| EventLog { epoch: epoch.clone(), top, ring: VecDeque::new(), recovering: false });
            if log.epoch != epoch || log.top < top {
                Self::recover(&self.reader, client, log);
            }
        }
    }

    fn take(&mut self, point: PointId, reading: Reading) {
        // A point that was discovered since the registry was read keeps its reading until a Registry message has it described.
        if self.image.take(point, reading) {
            let status = self.image.point(point).is_some_and(|point| point.encoding().is_some());
            self.mark(point, status);
        }
    }

    fn mark(&mut self, point: PointId, urgent: bool) {
        let Some(known) = self.image.point(point) else { return };
        if let Some(room) = self.rooms.get_mut(&Stream::Diagram(known.location)) {
            room.mark_point(point, urgent);
        }
        for (row, layout) in self.image.rows_of(point) {
            for room in self.rooms.values_mut() {
                if let Stream::LoadCurrent(scope) = room.stream()
                    && self.image.within(scope, layout.location, layout.asset)
                {
                    room.mark_row(row);
                }
            }
        }
    }

    fn mark_everything(&mut self) {
        let points: Vec<PointId> = self.image.all_points().collect();
        for point in points {
            self.mark(point, true);
        }
        for room in self.rooms.values_mut() {
            if let Stream::Comms(client) = room.stream() {
                for row in self.image.gateway_rows(client) {
                    room.mark_gateway(GatewayId(row.id));
                }
            }
        }
        self.flush(true);
    }

    fn watch_ingest(&mut self) {
        let heard = self.ingests.len();
        self.ingests.retain(|ingest, (_, heard)| {
            let silent = heard.elapsed() > INGEST_SILENCE;
            if silent {
                tracing::warn!(ingest, "not heard for {INGEST_SILENCE:?}: what it takes is shown as not live");
            }
            !silent
        });
        if self.ingests.len() < heard {
            self.ingests_changed();
        }
    }

    fn ingests_changed(&mut self) {
        if self.image.set_shards(self.ingests.values().map(|(shard, _)| shard.clone()).collect()) {
            self.mark_everything();
        }
    }

    fn flush(&mut self, urgent_only: bool) {
        let mut frames = 0;
        for room in self.rooms.values_mut() {
            if !urgent_only || room.is_urgent() {
                frames += room.flush(&self.image);
            }
        }
        if frames > 0 {
            metrics::counter!("hub_frames_total").increment(frames as u64);
        }
    }

    fn append(&mut self, client: ClientId, epoch: &str, from: i64, offset: i64, rows: Vec<SharedRow>) {
        let Some(log) = self.logs.get_mut(&client) else { return };
        if log.recovering || offset <= log.top && log.epoch == epoch {
            return;
        }
        if log.epoch != epoch || from > log.top {
            Self::recover(&self.reader, client, log);
            return;
        }
        self.publish(client, rows);
    }

    fn recover(reader: &Reader, client: ClientId, log: &mut EventLog) {
        if !log.recovering {
            log.recovering = true;
            metrics::counter!("hub_event_gaps_total").increment(1);
            reader.recover(client, log.epoch.clone(), log.top);
        }
    }

    fn recovered(&mut self, client: ClientId, epoch: &str, rows: Vec<SharedRow>) {
        let Some(log) = self.logs.get_mut(&client) else { return };
        log.recovering = false;
        if log.epoch != epoch {
            // Continuity is lost: who listens will see another epoch in the next delta or heartbeat and start afresh.
            *log = EventLog {
                epoch: epoch.to_owned(),
                top: rows.last().map_or(0, |row| row.offset),
                ring: VecDeque::new(),
                recovering: false,
            };
            self.rooms.retain(
                |stream, _| !matches!(stream, Stream::Events(scope) if self.image.place_of(*scope).is_some_and(|place| place.0 == client)),
            );
            return;
        }
        self.publish(client, rows);
    }

    /// Appends rows that continue the log, and sends them to the rooms they lie in.
    fn publish(&mut self, client: ClientId, mut rows: Vec<SharedRow>) {
        let Some(log) = self.logs.get_mut(&client) else { return };
        rows.retain(|row| row.offset > log.top);
        let Some(last) = rows.last() else { return };
        log.top = last.offset;
        log.ring.extend(rows.iter().cloned());
        let excess = log.ring.len().saturating_sub(EVENTS_RING);
        log.ring.drain(..excess);
        for room in self.rooms.values_mut() {
            let Stream::Events(scope) = room.stream() else { continue };
            if self.image.place_of(scope).is_none_or(|place| place.0 != client) {
                continue;
            }
            let inside: Vec<SharedRow> = rows.iter().filter(|row| in_scope(&self.image, scope, row)).cloned().collect();
            room.publish(&inside);
        }
    }

    fn join(&mut self, id: ConnectionId, outbox: Arc<Outbox>, principal: &Principal, name: &str, since: Option<Place>) -> Joined {
        if !self.loaded {
            return Joined::Refused { code: "unavailable", message: "The picture is not complete yet; try again in a second." };
        }
        // A stream that may not be seen answers exactly like one that does not exist.
        let Some(stream) = self.permitted(principal, name) else {
            return Joined::Refused { code: "unknown_stream", message: "There is no such stream." };
        };
        let log = self.logs.get(&principal.client);
        let epoch = match (stream, log) {
            (Stream::Events(_), Some(log)) => log.epoch.clone(),
            (Stream::Events(_), None) => {
                return Joined::Refused { code: "unavailable", message: "The event log is not read yet; try again in a second." };
            }
            _ => self.epoch.clone(),
        };
        let room = self.rooms.entry(stream).or_insert_with(|| Room::new(name.to_owned(), stream, epoch));
        // What has yet to leave goes to those who are already in, so that the snapshot and the place agree.
        room.flush(&self.image);
        let position = room.join(id, outbox);
        let epoch = room.epoch().to_owned();
        let since = since.filter(|since| since.epoch == epoch);
        let Stream::Events(scope) = stream else {
            let offset = room.top();
            let same = since.is_some_and(|since| since.offset == offset);
            let snapshot = if same { None } else { room.snapshot(&self.image) };
            return Joined::Latest { stream, epoch, offset, snapshot, position };
        };
        let since = since.map(|since| since.offset).filter(|offset| log.is_some_and(|log| *offset <= log.top));
        if let (Some(offset), Some(log)) = (since, log)
            && (log.ring.front().is_some_and(|first| first.offset <= offset + 1) || offset == log.top)
        {
            let rows: Vec<SharedRow> =
                log.ring.iter().filter(|row| row.offset > offset && in_scope(&self.image, scope, row)).cloned().collect();
            let offset = rows.last().map_or(offset, |row| row.offset);
            room.release(id, offset);
            return Joined::Missed { stream, epoch, offset, rows, position };
        }
        Joined::Read { stream, client: principal.client, scope, epoch, since, position }
    }

    fn permitted(&self, principal: &Principal, name: &str) -> Option<Stream> {
        let named = stream::parse(name)?;
        let of = |scope| {
            let (client, node) = self.image.place_of(scope)?;
            principal.may_see(client, &node.path).then_some(named.stream)
        };
        let node_is = |node: NodeId| named.level.is_none_or(|level| self.image.is_level(node, level));
        match named.stream {
            Stream::Diagram(node) => node_is(node).then(|| of(Scope::Node(node))).flatten(),
            Stream::Events(scope) | Stream::LoadCurrent(scope) => match scope {
                Scope::Node(node) => node_is(node).then(|| of(scope)).flatten(),
                Scope::Asset(_) => of(scope),
            },
            Stream::Comms(client) => (client == principal.client).then_some(named.stream),
        }
    }
}

fn in_scope(image: &Image, scope: Scope, row: &SharedRow) -> bool {
    image.within(scope, NodeId(row.location_id), grid::AssetId(row.asset_id))
}
