//! The one task that owns the process image and the rooms. It never waits for the database or for a client: questions to the database run
//! beside it and come back as commands, and clients have their outboxes.

mod alarms;
mod commands;
mod diagrams;
mod join;
mod tables;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::time::Duration;

use auth::Principal;
use bus::{Bus, Received, Subscription};
use grid::{AssetId, ClientId, NodeId, PointId, Reading, Scope};
use store::Registry;
use store::day::DayExtremes;
use store::registry::Links;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{Instant, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use wire::alarms::AlarmRow;
use wire::bus::BusMessage;
use wire::control::CommandRow;
use wire::faults::FaultRow;
use wire::live::Place;

pub(crate) use alarms::{News as AlarmNews, Tops};

use crate::beats::Beats;
use crate::config::HubConfig;
use crate::diagram::{News as DiagramNews, Wanted, Watch};
use crate::failpoint;
use crate::image::Image;
use crate::log::{EventLog, Placed, Taken};
use crate::losses::Losses;
use crate::news::{self, News};
use crate::outbox::Outbox;
use crate::pulse::Pulse;
use crate::reader::Reader;
use crate::room::{ConnectionId, Row, SharedRow};
use crate::rooms::Rooms;
use crate::stream::Stream;
use crate::tags::OfClient;
use crate::vouched::Vouched;

/// Commands that wait for the core. Senders wait at the bound: only that client is slowed.
const INBOX: usize = 4_096;
/// Messages of the bus, and event rows in them, that are taken before what follows from them leaves: so much is put together for each client.
const TOGETHER: usize = 256;
const ROWS_TOGETHER: usize = 500;

/// What the core is asked.
pub(crate) enum Command {
    /// A client subscribes. What can be answered at once is put into its outbox before anything that follows from it.
    Join {
        id: ConnectionId,
        outbox: Arc<Outbox>,
        principal: Box<Principal>,
        name: String,
        since: Option<Place>,
        /// The id of the acknowledgement that the client waits for.
        ack: Option<u64>,
        answer: oneshot::Sender<Joined>,
    },
    /// A client has the rows of an event stream up to `offset`.
    Release { id: ConnectionId, stream: Stream, position: Arc<AtomicI64>, offset: i64 },
    /// A client unsubscribes.
    Leave { id: ConnectionId, stream: Stream },
    /// A client has room again for streams on which it was left behind.
    Behind { outbox: Arc<Outbox>, streams: Vec<Stream> },
    /// The field, its latest readings and the event streams, as the database has them.
    Loaded(Box<Loaded>),
    /// Readings that the database received lately, and how far its event streams go.
    Reconciled { latest: Vec<(PointId, Reading)>, links: Links, streams: Vec<(ClientId, String, i64)>, control: OfControl },
    /// Event rows that were missed; `epoch` as the database has it now.
    Recovered { client: ClientId, epoch: String, rows: Vec<SharedRow> },
    /// States of commands that were missed.
    RecoveredCommands { client: ClientId, epoch: String, rows: Vec<Arc<CommandRow>> },
    /// Changes of alarms or faults that were missed.
    RecoveredAlarms(alarms::News),
    /// What was read for diagrams.
    Diagrams(DiagramNews),
    /// What the points of an asset have been today; `None` where the utility is gone.
    Day(AssetId, Option<DayExtremes>),
    /// Asks whether the core works; answered with whether it has read the field.
    Probe { answer: oneshot::Sender<bool> },
}

/// Signs of life that the core keeps and the sessions look at. Clones share them.
#[derive(Debug, Clone)]
pub(crate) struct Signs {
    /// Of the alarm service.
    pub(crate) alarms: Beats,
    /// Of the core itself.
    pub(crate) pulse: Pulse,
}

/// The database's side of the picture.
pub(crate) struct Loaded {
    /// When the read began.
    pub(crate) began: Instant,
    pub(crate) registry: Registry,
    pub(crate) latest: Vec<(PointId, Reading)>,
    pub(crate) streams: Vec<(ClientId, String, i64)>,
    pub(crate) control: OfControl,
    /// The newest rows of each utility's streams; at the start alone.
    pub(crate) logs: Vec<LogsOf>,
}

/// The logs of a utility.
pub(crate) struct LogsOf {
    pub(crate) client: ClientId,
    pub(crate) events: EventLog,
    pub(crate) commands: EventLog<CommandRow>,
    pub(crate) alarms: EventLog<AlarmRow>,
    pub(crate) faults: EventLog<FaultRow>,
}

/// The streams of commands and the tags, as the database has them.
pub(crate) struct OfControl {
    pub(crate) streams: Vec<(ClientId, String, i64)>,
    pub(crate) tags: Vec<OfClient>,
    pub(crate) alarms: Tops,
}

/// What came of a subscribe.
pub(crate) enum Joined {
    /// The stream cannot be joined; the client has been told.
    Refused,
    /// The client has been answered.
    Answered { stream: Stream, position: Arc<AtomicI64> },
    /// An event stream that the client has to be brought to from the database; rows are held for it meanwhile.
    Read { position: Arc<AtomicI64>, question: Question },
}

/// What is to be read for a subscriber of events.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    pub(crate) stream: Stream,
    /// The membership that it is read for.
    pub(crate) position: Arc<AtomicI64>,
    pub(crate) client: ClientId,
    pub(crate) scope: Option<Scope>,
    pub(crate) epoch: String,
    /// Where the client stands, if it may go on from there.
    pub(crate) since: Option<i64>,
    /// The top of the log when it joined.
    pub(crate) top: i64,
}

/// The core's state.
pub(crate) struct Core {
    config: HubConfig,
    image: Image,
    loaded: bool,
    rooms: Rooms,
    logs: HashMap<ClientId, EventLog>,
    commands: HashMap<ClientId, EventLog<CommandRow>>,
    alarms: alarms::Logs,
    epoch: String,
    /// The highest place that a room which is gone has had.
    highest: i64,
    reader: Reader,
    watch: Watch,
    vouched: Vouched,
    signs: Signs,
    losses: Losses,
}

/// Starts the core; it runs until `shutdown`. The bus is subscribed before the database is read, so that nothing falls in between.
pub(crate) fn start(
    config: HubConfig,
    bus: &Bus,
    store: store::Store,
    signs: Signs,
    sessions_ended: mpsc::Sender<i64>,
    shutdown: CancellationToken,
) -> (mpsc::Sender<Command>, JoinHandle<()>) {
    let (sender, inbox) = mpsc::channel(INBOX);
    let subscription = bus.subscribe();
    let watch = Watch::new(store.clone(), sender.clone());
    let reader = Reader::new(store, sender.clone());
    let (epoch, _) = auth::new_token();
    let core = Core {
        config,
        image: Image::default(),
        loaded: false,
        rooms: Rooms::default(),
        logs: HashMap::new(),
        commands: HashMap::new(),
        alarms: alarms::Logs::default(),
        epoch: epoch[..16].to_owned(),
        highest: 0,
        reader,
        watch,
        vouched: Vouched::default(),
        signs,
        losses: Losses::default(),
    };
    (sender, tokio::spawn(core.run(inbox, subscription, sessions_ended, shutdown)))
}

fn rows_in(received: &Received) -> usize {
    match received {
        Received::Message(message) => match &**message {
            BusMessage::Events { rows, .. } => rows.len(),
            BusMessage::Alarms { rows, .. } => rows.len(),
            _ => 0,
        },
        Received::Lagged => 0,
    }
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
            self.signs.pulse.note();
            failpoint::hold(failpoint::CORE_ROUND).await;
            tokio::select! {
                () = shutdown.cancelled() => return,
                received = bus.next() => match received {
                    None => return,
                    Some(first) => {
                        let mut rows = rows_in(&first);
                        self.receive(&first, &sessions_ended);
                        for _ in 1..TOGETHER {
                            if rows >= ROWS_TOGETHER {
                                break;
                            }
                            let Some(next) = bus.try_next() else { break };
                            rows += rows_in(&next);
                            self.receive(&next, &sessions_ended);
                        }
                        self.flush(true);
                        if rows >= ROWS_TOGETHER {
                            // More may follow than a client can have waiting: the sockets get their turn.
                            tokio::task::yield_now().await;
                        }
                    }
                },
                Some(command) = inbox.recv() => {
                    self.obey(command);
                    self.send();
                }
                _ = window.tick() => {
                    self.expire_held();
                    self.flush(false);
                }
                _ = watch.tick() => self.watch_ingest(),
                _ = reconcile.tick() => if self.loaded {
                    self.reader.reconcile(self.logs.keys().copied().collect());
                    self.watch.drawings();
                },
            }
        }
    }

    fn receive(&mut self, received: &Received, sessions_ended: &mpsc::Sender<i64>) {
        match received {
            Received::Lagged => {
                metrics::counter!("hub_bus_lagged_total").increment(1);
                self.losses.note(Instant::now());
                self.read_what_was_lost();
            }
            Received::Message(message) => {
                if let BusMessage::Session { session, .. } = &**message {
                    // Bounded: at the bound the periodic re-check finds the ended session instead.
                    let _ = sessions_ended.try_send(*session);
                }
                self.hear(message);
            }
        }
    }

    fn hear(&mut self, message: &BusMessage) {
        let news = news::apply(message, &mut self.image, &mut self.vouched, Instant::now(), crate::session::now());
        self.mark_news(news);
        match message {
            BusMessage::Events { client, epoch, from, offset, rows } => {
                let client = ClientId(*client);
                if let Some(log) = self.logs.get_mut(&client) {
                    let taken = log.append(epoch, *from, *offset, rows.iter().cloned().map(Arc::new).collect(), Instant::now());
                    self.dispose(client, taken);
                }
            }
            BusMessage::Registry { .. } => self.reader.load(),
            BusMessage::AlarmsAlive { client } => self.signs.alarms.heard(ClientId(*client)),
            BusMessage::Commands { client, epoch, from, offset, rows } => {
                self.hear_commands(ClientId(*client), epoch, *from, *offset, rows);
            }
            BusMessage::Alarms { .. } | BusMessage::Faults { .. } => self.hear_alarms(message),
            BusMessage::Tags { location, version, tags, .. } => self.hear_tags(NodeId(*location), *version, tags),
            // What gateways say of commands is for those who mind them.
            BusMessage::Acknowledged { location, .. } => self.watch.flashes(Wanted::Of([NodeId(*location)].into())),
            // Taken above, or for other services.
            BusMessage::Changes { .. }
            | BusMessage::Gateway { .. }
            | BusMessage::Device { .. }
            | BusMessage::Alive { .. }
            | BusMessage::Session { .. }
            | BusMessage::CommandAnswer { .. }
            | BusMessage::CommandEpoch { .. }
            | BusMessage::AlarmRules { .. } => {}
        }
    }

    fn mark_news(&mut self, news: News) {
        for (point, ordinal) in news.readings {
            self.mark_reading(point, ordinal);
        }
        for point in news.qualities {
            self.mark(point, true);
        }
        for gateway in news.gateways {
            self.mark_gateway(gateway);
        }
        if news.everything {
            self.mark_everything();
        }
    }

    fn obey(&mut self, command: Command) {
        match command {
            Command::Join { id, outbox, principal, name, since, ack, answer } => {
                let joined = self.join(id, &outbox, &principal, &name, since, ack);
                // A client that is gone meanwhile leaves its rooms by its own Leave.
                let _ = answer.send(joined);
            }
            Command::Release { id, stream, position, offset } => {
                if let Some(room) = self.rooms.members(stream) {
                    room.release(id, &position, offset);
                }
            }
            Command::Leave { id, stream } => {
                if let Some(room) = self.rooms.members(stream) {
                    room.leave(id);
                    if room.is_empty() {
                        self.highest = self.highest.max(room.top());
                        self.rooms.remove(stream);
                        self.leave_tables(stream);
                    }
                }
            }
            Command::Behind { outbox, streams } => {
                for stream in streams {
                    if let Some(room) = self.rooms.get(stream) {
                        room.refresh(&outbox, &self.image);
                    }
                }
            }
            // An answer that came too late has no receiver.
            Command::Probe { answer } => drop(answer.send(self.loaded)),
            Command::Loaded(loaded) => self.load(*loaded),
            Command::Diagrams(news) => self.learn(news),
            Command::Day(asset, day) => self.learn_day(asset, day.as_ref()),
            Command::Reconciled { latest, links, streams, control } => {
                let news = news::compare(latest, links, &mut self.image, crate::session::now());
                self.mark_news(news);
                self.catch_up(streams);
                self.catch_up_commands(control.streams);
                self.catch_up_alarms(control.alarms);
                self.compare_tags(&control.tags);
            }
            Command::RecoveredAlarms(news) => self.recovered_alarms(news),
            Command::RecoveredCommands { client, epoch, rows } => self.recovered_commands(client, &epoch, rows),
            Command::Recovered { client, epoch, rows } => {
                if let Some(taken) = self.logs.get_mut(&client).map(|log| log.recovered(&epoch, rows)) {
                    self.dispose(client, taken);
                }
            }
        }
    }

    fn load(&mut self, loaded: Loaded) {
        self.image.describe(loaded.registry);
        self.bind_diagrams(None);
        self.watch.drawings();
        self.watch.flashes(Wanted::All);
        let now = crate::session::now();
        for (point, reading) in loaded.latest {
            self.image.take(point, reading, now);
        }
        self.rooms.forget_missed();
        for LogsOf { client, events, commands, alarms, faults } in loaded.logs {
            self.logs.entry(client).or_insert(events);
            self.commands.entry(client).or_insert(commands);
            self.alarms.begin(client, alarms, faults);
        }
        self.catch_up(loaded.streams);
        self.catch_up_commands(loaded.control.streams);
        self.catch_up_alarms(loaded.control.alarms);
        self.compare_tags(&loaded.control.tags);
        self.loaded = true;
        self.losses.note_read(loaded.began, Instant::now());
        self.end_leases();
        self.begin_days();
        self.mark_everything();
    }

    /// Compares the event logs with the database.
    fn catch_up(&mut self, streams: Vec<(ClientId, String, i64)>) {
        for (client, epoch, top) in streams {
            let taken = self.logs.entry(client).or_insert_with(|| EventLog::new(epoch.clone(), top)).compare(&epoch, top);
            self.dispose(client, taken);
        }
    }

    /// Reads what rows of any log have been held for too long for.
    fn expire_held(&mut self) {
        let now = Instant::now();
        for (client, taken) in expired(&mut self.logs, now) {
            self.dispose(client, taken);
        }
        for (client, taken) in expired(&mut self.commands, now) {
            self.dispose_commands(client, taken);
        }
        self.expire_held_alarms(now);
    }

    fn mark_reading(&mut self, point: PointId, ordinal: grid::Ordinal) {
        let grid::Ordinal { epoch, seq } = ordinal;
        tracing::debug!(target: "trace", point = point.0, epoch, seq, "in the picture");
        let status = self.image.point(point).is_some_and(|point| point.encoding().is_some());
        self.mark(point, status);
    }

    fn read_what_was_lost(&mut self) {
        if self.losses.take_due(Instant::now()) {
            self.reader.load();
        }
    }

    fn watch_ingest(&mut self) {
        self.read_what_was_lost();
        self.expire_tags();
        self.image.diagrams.age(crate::session::now());
        for point in self.image.take_caught_up(crate::session::now()) {
            self.mark(point, true);
        }
        self.age_tables(crate::session::now());
        self.end_leases();
    }

    fn end_leases(&mut self) {
        if news::expire(&mut self.image, &mut self.vouched, &self.losses, Instant::now()) {
            self.mark_everything();
        }
    }

    fn flush(&mut self, urgent_only: bool) {
        self.settle();
        let frames = self.rooms.flush(&self.image, urgent_only);
        if frames > 0 {
            metrics::counter!("hub_frames_total").increment(frames as u64);
        }
    }

    /// Sends the events that have yet to leave.
    fn send(&mut self) {
        let frames = self.rooms.send();
        if frames > 0 {
            metrics::counter!("hub_frames_total").increment(frames as u64);
        }
    }

    /// Does what has to be done about rows of a utility's event log.
    fn dispose(&mut self, client: ClientId, taken: Taken) {
        let image = &self.image;
        let of_client = |scope: &Scope| image.place_of(*scope).is_some_and(|place| place.0 == client);
        match taken {
            Taken::Nothing => {}
            Taken::Rows(rows) => {
                self.changed_at(&rows);
                let scopes = |row: &SharedRow| image.scopes_of(NodeId(row.location_id), Some(AssetId(row.asset_id)));
                let streams = |row: &SharedRow| scopes(row).filter(of_client).map(Stream::Events).collect();
                self.rooms.publish(&rows, streams, |row| Row::Event(row.clone()));
            }
            Taken::Missing { epoch, top } => {
                metrics::counter!("hub_event_gaps_total").increment(1);
                self.reader.recover(client, epoch, top);
            }
            Taken::Broken { epoch, top } => {
                self.watch.flashes(Wanted::All);
                self.rooms.dissolve(&epoch, top, |stream| matches!(stream, Stream::Events(scope) if of_client(&scope)));
            }
        }
    }
}

/// The logs that have held rows for too long.
fn expired<R: Placed>(logs: &mut HashMap<ClientId, EventLog<R>>, now: Instant) -> Vec<(ClientId, Taken<R>)> {
    let expired = logs.iter_mut().map(|(client, log)| (*client, log.expire(now)));
    expired.filter(|(_, taken)| !matches!(taken, Taken::Nothing)).collect()
}
