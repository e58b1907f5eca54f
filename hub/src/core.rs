//! The one task that owns the process image and the rooms.
//!
//! It never waits for the database or for a client. Database queries run in other tasks, and their results arrive as
//! commands. Each client has an outbox.

mod alarms;
mod areas;
mod commands;
mod diagrams;
mod events;
mod flushes;
mod join;
mod logs;
mod marks;
mod missed;
mod registry;
mod state;
mod tables;

use std::collections::HashMap;
use std::time::Duration;

use ::registry::Registry;
use bus::{Bus, Received, Subscription};
use grid::{ClientId, NodeId, PointId};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use wire::bus::BusMessage;

use self::areas::Areas;
use self::logs::{AlarmLogs, expired};
use self::state::Core;
use crate::clock::now;
use crate::config::HubConfig;
use crate::diagram::{SubstationSet, Watch};
use crate::failpoint;
use crate::heartbeats::Heartbeats;
use crate::image::Image;
use crate::inbox::{Command, INBOX};
use crate::leases::ValidLeases;
use crate::loaded::{Loaded, LogsOf};
use crate::losses::Losses;
use crate::news::{self, News};
use crate::reader::Reader;
use crate::rooms::Rooms;

/// Maximum number of bus messages, and of event rows in them, that are processed before the resulting frames are sent.
/// So the changes are combined into fewer frames for each client.
const TOGETHER: usize = 256;
const ROWS_TOGETHER: usize = 500;

/// Starts the core; it runs until `shutdown`. It subscribes to the bus before the database is read, so that no change
/// is missed in between.
pub(crate) fn start(
    config: HubConfig,
    bus: &Bus,
    store: store::Store,
    registry: Registry,
    heartbeats: Heartbeats,
    sessions_ended: mpsc::Sender<i64>,
    shutdown: CancellationToken,
) -> (mpsc::Sender<Command>, JoinHandle<()>) {
    let (sender, inbox) = mpsc::channel(INBOX);
    let subscription = bus.subscribe();
    let watch = Watch::new(store.clone(), sender.clone());
    let reader = Reader::new(store, registry.clone(), sender.clone());
    let (epoch, _) = auth::new_token();
    let core = Core {
        config,
        image: Image::default(),
        registry,
        loaded: false,
        rooms: Rooms::default(),
        logs: HashMap::new(),
        commands: HashMap::new(),
        alarms: AlarmLogs::default(),
        areas: Areas::new(&epoch[..8]),
        epoch: epoch[..16].to_owned(),
        highest: 0,
        reader,
        watch,
        leases: ValidLeases::default(),
        heartbeats,
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
        self.describe();
        self.reader.load();
        let mut registry = self.registry.clone();
        let mut networks = self.registry.networks().clone();
        loop {
            self.heartbeats.pulse.note();
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
                            // The next messages could exceed what an outbox holds: let the sockets write first.
                            tokio::task::yield_now().await;
                        }
                    }
                },
                Some(command) = inbox.recv() => {
                    self.obey(command);
                    self.send();
                }
                _ = window.tick() => {
                    // Registry changes that arrive in quick succession are applied once per window.
                    if registry.has_changed() {
                        self.describe();
                    }
                    if networks.has_changed() {
                        self.watch.networks(&self.registry);
                    }
                    self.expire_held();
                    self.flush(false);
                }
                _ = watch.tick() => self.watch_ingest(),
                _ = reconcile.tick() => if self.loaded {
                    self.reader.reconcile(self.logs.keys().copied().collect());
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
                    // Bounded: when the channel is full, the periodic re-check finds the ended session.
                    let _ = sessions_ended.try_send(*session);
                }
                self.apply(message);
            }
        }
    }

    fn apply(&mut self, message: &BusMessage) {
        let news = news::apply(message, &mut self.image, &mut self.leases, Instant::now(), now());
        self.mark_news(news);
        match message {
            BusMessage::Events { client, epoch, from, offset, rows } => self.apply_events(ClientId(*client), epoch, *from, *offset, rows),
            BusMessage::Registry { .. } => self.reader.look(),
            BusMessage::AlarmsAlive { client } => self.heartbeats.alarms.record(ClientId(*client)),
            BusMessage::Commands { client, epoch, from, offset, rows } => {
                self.apply_commands(ClientId(*client), epoch, *from, *offset, rows);
            }
            BusMessage::Alarms { .. } | BusMessage::Faults { .. } => self.apply_alarms(message),
            BusMessage::Tags { location, version, tags, .. } => self.apply_tags(NodeId(*location), *version, tags),
            BusMessage::Areas { client, version } => self.apply_areas(ClientId(*client), *version),
            // A breaker's flashing depends on the answers of gateways to commands.
            BusMessage::Acknowledged { location, .. } => self.watch.flashes(SubstationSet::Of([NodeId(*location)].into())),
            // Handled above, or of no interest to the hub.
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
                // If the client has disconnected meanwhile, its `Leave` command removes it from the room.
                let _ = answer.send(joined);
            }
            Command::Release { id, stream, position, outbox, ack, answer } => {
                // A client that has left meanwhile still expects an answer.
                outbox.answer(ack, &*answer);
                if let Some(room) = self.rooms.members(stream) {
                    room.release(id, &position, answer.offset);
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
            // The receiver is closed if the answer came too late.
            Command::Probe { answer } => drop(answer.send(self.loaded)),
            Command::Loaded(loaded) => self.load(*loaded),
            Command::Diagrams(news) => self.learn(news),
            Command::Day(asset, day) => self.learn_day(asset, day.as_ref()),
            Command::Reconciled { latest, links, streams, control } => {
                let news = news::compare(latest, links, &mut self.image, now());
                self.mark_news(news);
                self.catch_up(streams);
                self.catch_up_commands(control.streams);
                self.catch_up_alarms(control.alarms);
                self.compare_tags(&control.tags);
                control.areas.into_iter().for_each(|(client, version)| self.apply_areas(client, version));
            }
            Command::RecoveredAlarms(news) => self.recovered_alarms(news),
            Command::RecoveredCommands { client, epoch, rows } => self.recovered_commands(client, &epoch, rows),
            Command::Recovered { client, epoch, rows } => self.recovered_events(client, &epoch, rows),
        }
    }

    fn load(&mut self, loaded: Loaded) {
        self.describe();
        let has_missed = self.image.has_other_clients(loaded.streams.iter().map(|(client, ..)| *client));
        self.watch.flashes(SubstationSet::All);
        for (gateway, seen) in loaded.last_seen {
            self.image.note_gateway_message(gateway, seen);
        }
        news::compare(loaded.latest, loaded.links, &mut self.image, now());
        for LogsOf { client, events, commands, alarms, faults } in loaded.logs {
            self.logs.entry(client).or_insert(events);
            self.commands.entry(client).or_insert(commands);
            self.alarms.begin(client, alarms, faults);
        }
        self.catch_up(loaded.streams);
        self.catch_up_commands(loaded.control.streams);
        self.catch_up_alarms(loaded.control.alarms);
        self.compare_tags(&loaded.control.tags);
        loaded.control.areas.into_iter().for_each(|(client, version)| self.apply_areas(client, version));
        self.loaded = true;
        self.losses.note_read(loaded.began, Instant::now());
        self.end_leases();
        self.read_days();
        self.mark_everything();
        if has_missed {
            // A utility was added while the others were read.
            self.reader.load();
        }
    }

    /// Reads the missing rows for which any log has held later rows for too long.
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
        tracing::debug!(target: "trace", point = point.0, epoch, seq, "applied to the process image");
        let status = self.image.point(point).is_some_and(|point| point.encoding().is_some());
        self.mark(point, status);
        for beside in self.image.entered_beside(point) {
            self.mark(beside, true);
        }
    }

    fn read_what_was_lost(&mut self) {
        if self.losses.take_due(Instant::now()) {
            self.reader.load();
        }
    }

    fn watch_ingest(&mut self) {
        self.read_what_was_lost();
        self.expire_tags();
        self.image.diagrams.age(now());
        for point in self.image.take_caught_up(now()) {
            self.mark(point, true);
        }
        self.age_tables(now());
        self.end_leases();
    }

    fn end_leases(&mut self) {
        if news::expire(&mut self.image, &mut self.leases, &self.losses, Instant::now()) {
            self.mark_everything();
        }
    }
}
