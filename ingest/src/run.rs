//! The main loop: it passes messages to the host, parcels to the writers, values and events to the bus, and
//! acknowledgements and requests to the nodes. Only this module uses IO and clock.

mod background;
mod dependencies;
mod discoveries;
mod environment;
pub mod lead;
pub mod presence;
mod progress;
mod spools;
pub mod standby;
mod supervisor;
mod takeover;

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use field::client::{Event, Events, Incoming, Qos, Settings};
use grid::{ClientId, Micros, Share};
use registry::Image;
use store::Discovery;
use store::lead::Lead;
use tokio::sync::{Notify, mpsc};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;
use wire::bus::BusMessage;

use crate::IngestConfig;
use crate::clock::{Clock, Moment, RuntimeTimer};
use crate::failpoint;
use crate::host::{Host, Message, Out};
use crate::node_index::NodeIndex;
use crate::parcel::Parcel;
use crate::publish::{coalesce, event_messages};
use crate::readiness::State;
use crate::spool::SpoolError;
use crate::writer::connection::Connection;
use crate::writer::{self, Outcome};
pub use background::Background;
pub use dependencies::Deps;
pub use environment::Environment;
use environment::Live;
use lead::DatabaseLeases;
use presence::{Observed, Presence, wall_ms};
pub use progress::Acknowledgements;
use progress::{Progress, Stall};
use supervisor::Supervisor;
use takeover::Takeovers;

/// Interval of [`Ingest::tick`].
pub const TICK: Duration = Duration::from_millis(100);

/// Interval of the heartbeats to hubs.
const ALIVE: Duration = Duration::from_secs(1);

/// Maximum number and bytes of messages in one turn of the loop.
const MESSAGES_PER_TURN: usize = 256;
const BYTES_PER_TURN: usize = 2 * 1024 * 1024;

/// Maximum number of QoS 1 messages that the broker may have in flight. It is sufficient for a full batch of each writer while the same number of messages is
/// in flight, even if each message has few values. The size of the messages is limited separately, in the inbox and in the hold.
const ON_THE_WAY: u16 = 4_000;

/// If this many acknowledgements wait for an earlier one, the broker will soon stop sending messages. Values then no longer count as live.
const STALLED_ACKNOWLEDGEMENTS: usize = ON_THE_WAY as usize / 2;

/// Maximum time of a shutdown. The service manager must wait longer than this.
const ENDING_PATIENCE: Duration = Duration::from_secs(10);

/// Parts of [`ENDING_PATIENCE`]: this one is the time for writers to stop storing, the next one is for the last acknowledgements and the STATE message.
const GIVING_UP_PATIENCE: Duration = Duration::from_secs(1);
const GOODBYE_PATIENCE: Duration = Duration::from_secs(3);

/// Why ingest cannot run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The broker's address or settings are invalid.
    #[error(transparent)]
    Mqtt(#[from] field::client::Error),
    /// Another process has become leader of this shard.
    #[error("another ingest leads the shard {0}; this one ends, and what it spooled is stored after its next start")]
    Deposed(String),
    /// The spool cannot be opened.
    #[error(transparent)]
    Spool(#[from] SpoolError),
    /// A required task has panicked.
    #[error(
        "the task {0} of ingest has panicked; ingest ends, and what was not stored is sent again after its next start. Report the panic in the log"
    )]
    Panicked(String),
}

/// Why the loop of a leader ends.
enum Ended {
    Shutdown,
    Deposed,
    Panicked(String),
}

/// The state of a leader and its decisions. It contains all parts of the loop that do not wait.
pub struct Ingest<S> {
    config: IngestConfig,
    environment: S,
    host: Host,
    presence: Presence,
    writers: Vec<mpsc::UnboundedSender<Parcel>>,
    able: Vec<bool>,
    /// Bytes between receipt and COMMIT.
    held: usize,
    /// The last published offset, by utility.
    published: HashMap<ClientId, i64>,
    is_comparing: bool,
    /// When the stored link states were last read.
    compared: Moment,
    alive: Option<Micros>,
    takeovers: Takeovers,
    progress: Progress,
    /// The reported stall.
    stall: Option<Stall>,
    /// Whether the broker has granted the subscriptions, according to the last report; `None` without a connection.
    subscribed: Option<bool>,
}

/// Runs until `shutdown`. Waits for an unavailable database or broker. Fails only if the settings can never work.
///
/// The future is boxed so that its code is compiled in this crate, at its optimisation level, and not in the
/// executable.
pub fn run(config: IngestConfig, deps: Deps, shutdown: CancellationToken) -> Pin<Box<dyn Future<Output = Result<(), Error>> + Send>> {
    Box::pin(work(config, deps, shutdown))
}

async fn work(config: IngestConfig, deps: Deps, shutdown: CancellationToken) -> Result<(), Error> {
    let readiness = deps.readiness.clone();
    let leases = DatabaseLeases(deps.database_url.clone());
    let former = standby::Files { config: &config, deps: &deps };
    let lead = standby::wait(&config, &leases, &former, &RuntimeTimer, &deps.readiness, &shutdown).await;
    let ended = match lead {
        Some(lead) => Box::pin(serve(config, deps, lead, shutdown)).await,
        None => Ok(()),
    };
    readiness.set(State::Starting);
    ended
}

/// Receives the telemetry of the shard as its leader.
async fn serve(config: IngestConfig, deps: Deps, lead: Lead, shutdown: CancellationToken) -> Result<(), Error> {
    let clock = Clock::start();
    let tenure = lead.tenure().clone();
    let (requested, (proven, mut proofs)) = (Arc::new(Notify::new()), mpsc::unbounded_channel());
    let deposed =
        lead::keep(DatabaseLeases(deps.database_url.clone()), RuntimeTimer, config.lead_pause, lead, Arc::clone(&requested), proven);
    tokio::pin!(deposed);
    let mut host = Host::new(config.clone(), clock.now().wall, tenure.term);
    let Some(published) = background::load(&deps, &mut host, &shutdown).await else { return Ok(()) };
    let spools = spools::open(&config).await?;
    let presence = Presence::new(&config.host_id, config.will_delay);
    let (publisher, mut events) = field::client::connect(settings(&config, &presence, &tenure))?;
    let (outcome_sender, mut outcomes) = mpsc::unbounded_channel();
    let give_up = CancellationToken::new();
    let (supervisor, mut panics) = Supervisor::new();
    let (mut writers, mut tasks) = (Vec::new(), Vec::new());
    for (number, spool) in spools.into_iter().enumerate() {
        let (sender, parcels) = mpsc::unbounded_channel();
        writers.push(sender);
        let setup = writer::Setup {
            number,
            database: Connection::new(deps.database_url.clone(), config.commit_timeout),
            tenure: tenure.clone(),
            config: config.clone(),
            spool,
            timer: RuntimeTimer,
            parcels,
            outcomes: outcome_sender.clone(),
            give_up: give_up.clone(),
        };
        tasks.push(supervisor.spawn(format!("writer {number}"), writer::run(setup)));
    }
    drop(outcome_sender);
    let (background, mut answers) = mpsc::unbounded_channel();
    let (discoveries, requests) = mpsc::unbounded_channel();
    supervisor.spawn("that enters discoveries", discoveries::run(deps.store.clone(), requests, background.clone(), shutdown.clone()));
    let mut registry = deps.registry.clone();
    let live = Live { deps, clock, publisher, background, discoveries, supervisor, proof_requested: requested };
    let mut ingest = Ingest::new(config, live, host, presence, writers, published);
    let mut tick = tokio::time::interval(TICK);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let ended = loop {
        let room = ingest.has_room();
        tokio::select! {
            // By priority: ends, then what frees memory, then messages, and those only if there is room.
            biased;
            () = shutdown.cancelled() => break Ended::Shutdown,
            Some(name) = panics.recv() => break Ended::Panicked(name),
            () = &mut deposed => break Ended::Deposed,
            Some(()) = proofs.recv() => ingest.proven(),
            _ = tick.tick() => ingest.tick(),
            Some(outcome) = outcomes.recv() => match outcome {
                Outcome::Deposed => break Ended::Deposed,
                outcome => ingest.stored(outcome),
            },
            Some(answer) = answers.recv() => ingest.answered(answer),
            true = registry.changed() => ingest.follow(&registry.image()),
            event = events.next(), if room => match event {
                Some(event) => ingest.take_turn(event, || events.try_next()),
                // The connection was not closed here, so its task has panicked.
                None => break Ended::Panicked("of the MQTT connection".to_owned()),
            },
        }
    };
    ingest.environment.set_readiness(State::Starting);
    ingest.end(events, outcomes, tasks, give_up, matches!(ended, Ended::Deposed)).await;
    match ended {
        Ended::Shutdown => Ok(()),
        Ended::Deposed => Err(Error::Deposed(tenure.name)),
        Ended::Panicked(name) => Err(Error::Panicked(name)),
    }
}

fn settings(config: &IngestConfig, presence: &Presence, tenure: &store::lead::Tenure) -> Settings {
    let mut filters = field::topic::telemetry_filters(&config.groups);
    filters.extend(config.mappings.filters());
    filters.push(presence.topic().to_owned());
    Settings {
        username: config.username.clone(),
        password: config.password.clone(),
        clean_start: false,
        session_expiry: config.session_expiry,
        keep_alive: config.keep_alive,
        max_packet: config.max_packet,
        receive_maximum: ON_THE_WAY,
        subscriptions: filters.into_iter().map(|filter| (filter, Qos::AtLeastOnce)).collect(),
        will: Some(presence.will()),
        will_delay: config.will_delay,
        // Shown in the connection list of the broker.
        user_properties: vec![("switchyard-term".to_owned(), tenure.term.to_string())],
        hold_when_taken_over: true,
        ..Settings::new(config.url.clone(), config.client_id.clone())
    }
}

impl<S: Environment> Ingest<S> {
    /// Returns the state of a new leader. `writers` receive parcels; `published` has the last offset of each event
    /// stream.
    pub fn new(
        config: IngestConfig,
        environment: S,
        host: Host,
        presence: Presence,
        writers: Vec<mpsc::UnboundedSender<Parcel>>,
        published: HashMap<ClientId, i64>,
    ) -> Self {
        let able = vec![false; writers.len()];
        let compared = environment.now();
        let takeovers = Takeovers::new(config.lead_pause);
        let progress = Progress::new(config.unstored_limit);
        Self {
            config,
            environment,
            host,
            presence,
            writers,
            able,
            held: 0,
            published,
            is_comparing: false,
            compared,
            alive: None,
            takeovers,
            progress,
            stall: None,
            subscribed: None,
        }
    }

    /// Returns the presence, which creates the will of each connection.
    pub fn presence(&self) -> &Presence {
        &self.presence
    }

    /// Stops sending parcels: the writers end when they have stored theirs.
    pub fn close_writers(&mut self) {
        self.writers.clear();
    }

    /// Returns whether there is room for another message. If not, no message may be taken.
    pub fn has_room(&self) -> bool {
        self.held + self.host.parked_bytes() < self.config.hold_bytes
    }

    /// Takes an event of the broker's connection and the events that follow it, up to the limits of one turn.
    pub fn take_turn(&mut self, first: Event, mut following: impl FnMut() -> Option<Event>) {
        let mut out = Out::default();
        let mut next = Some(first);
        let (mut messages, mut bytes) = (0, 0);
        while let Some(event) = next {
            messages += 1;
            bytes += if let Event::Message(message) = &event { message.payload.len() } else { 0 };
            self.take(event, &mut out);
            // Messages of this turn are not yet counted as held, so a turn is small compared with the hold.
            next = if messages < MESSAGES_PER_TURN && bytes < BYTES_PER_TURN { following() } else { None };
        }
        self.act(out);
    }

    fn take(&mut self, event: Event, out: &mut Out) {
        let now = self.environment.now();
        match event {
            Event::Message(message) if message.topic == self.presence.topic() => self.observe_state(message),
            Event::Message(Incoming { topic, payload, retain, ack, .. }) => {
                self.host.take(Message { topic, payload, retain, ack, now }, out);
            }
            Event::Up { session_present, .. } => {
                tracing::info!(session_present, "connected to the MQTT broker");
                self.host.connected(now);
                if session_present {
                    self.host.expect_backlog();
                }
                // The next `Alive` reports values from before the interruption as unconfirmed. It is sent when the broker grants the subscriptions: that has
                // happened already for a new session, and happens later for a resumed one. Until then the lease of the last `Alive` runs out.
                self.alive = None;
                self.publish_alive(now);
                self.presence.connected(now.steady);
                self.subscribed = Some(false);
                self.note_subscription();
                self.publish_presence();
            }
            Event::Down { reason, taken_over, .. } => {
                tracing::warn!(reason, "not connected to the MQTT broker");
                self.environment.set_readiness(State::Starting);
                self.subscribed = None;
                self.host.disconnected();
                if taken_over {
                    self.takeovers.taken_over(now.steady);
                    self.environment.request_proof();
                }
            }
        }
    }

    /// Handles a STATE message on the topic of this host. It is either the echo of a message of this process, or a message of another process that must be
    /// corrected.
    fn observe_state(&mut self, message: Incoming) {
        match self.presence.observe(&message.payload, message.retain) {
            Observed::Nothing => {}
            Observed::Echo => self.host.end_backlog(),
            Observed::Contradicted => {
                tracing::warn!("another client has declared this host offline; corrected");
                self.publish_presence();
            }
            Observed::Newer => {
                tracing::warn!("the broker keeps a STATE of this host from a clock that is ahead; connecting again with a later one");
                self.environment.renew();
            }
        }
        if let Some(ack) = message.ack {
            ack.done();
        }
    }

    fn act(&mut self, out: Out) {
        let now = self.environment.now();
        for message in coalesce(out.live) {
            self.environment.broadcast(message);
        }
        for parcel in out.parcels {
            self.hand_on(parcel, now);
        }
        for (topic, payload) in out.commands {
            if let Err(error) = self.environment.publish(&topic, payload, Qos::AtMostOnce, false) {
                tracing::debug!(%error, topic, "a request is not sent");
            }
        }
        for (index, discovery) in out.discoveries {
            self.discover(index, discovery);
        }
    }

    fn hand_on(&mut self, mut parcel: Parcel, now: Moment) {
        if parcel.is_empty() {
            // Nothing to store.
            if let Some((node, place)) = parcel.node.zip(parcel.place) {
                self.host.durable(node, place, now);
            }
            if let Some(ack) = parcel.ack {
                ack.done();
            }
            return;
        }
        parcel.held = parcel.size();
        self.held += parcel.held;
        parcel.handed_on = now.steady;
        self.progress.handed_on(now.steady);
        // All events use the first writer, so that they reach the bus in offset order. Values are distributed by node.
        let writer = if parcel.has_events() { 0 } else { parcel.node.map_or(0, |node| node.0 % self.writers.len()) };
        // A writer ends only after this loop.
        let _ = self.writers[writer].send(parcel);
    }

    fn discover(&self, index: NodeIndex, discovery: Discovery) {
        tracing::info!(node = discovery.gateway_code, points = discovery.points.len(), "discovering");
        self.environment.discover(index, discovery);
    }

    /// Starts to read the stored link states for a comparison, unless the last one was less than an interval ago.
    fn compare_links(&mut self, now: Moment) {
        if self.is_comparing || now.steady < crate::config::after(self.compared.steady, self.config.compare_interval) {
            return;
        }
        (self.is_comparing, self.compared) = (true, now);
        self.environment.read_links();
    }

    /// Applies the changes of the registry.
    pub fn follow(&mut self, registry: &Arc<Image>) {
        self.host.follow(registry);
    }

    /// Applies the result of a background task.
    pub fn answered(&mut self, answer: Background) {
        match answer {
            Background::Discovered(index, answer) => {
                let mut out = Out::default();
                self.host.discovered(index, answer, &mut out);
                self.act(out);
            }
            Background::Links(links) => {
                self.is_comparing = false;
                self.host.compare_links(&links);
            }
            Background::NoLinks => self.is_comparing = false,
            Background::Missed(all) => {
                for events in all {
                    // If a newer event was published meanwhile, hubs have seen the gap and read the missing events.
                    if self.published.get(&events.client).is_none_or(|published| *published == events.from) {
                        self.publish(&events);
                    }
                }
            }
        }
    }

    fn publish(&mut self, events: &store::writer::CommittedEvents) {
        for message in event_messages(events) {
            self.environment.broadcast(message);
        }
        self.published.insert(events.client, events.offset);
    }

    /// Applies the report of a writer.
    pub fn stored(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Able { writer, able } => {
                self.able[writer] = able;
                self.publish_presence();
            }
            Outcome::Recovered => self.look_for_missed(),
            // The loop ends.
            Outcome::Deposed => {}
            Outcome::Stored(stored) => {
                let now = self.environment.now();
                self.held = self.held.saturating_sub(stored.freed);
                self.progress.stored(&stored.handed_on);
                for (node, place) in stored.places {
                    tracing::debug!(target: "trace", node = self.host.name_of(node), epoch = place.epoch, seq = place.seq, "durable");
                    self.host.durable(node, place, now);
                }
                for events in &stored.events {
                    self.publish(events);
                }
            }
        }
    }

    /// Looks for events that were committed but not published. A COMMIT may have succeeded although its answer was lost. Then the retry does not return the
    /// events again, because they are stored already.
    fn look_for_missed(&self) {
        self.environment.look_for_missed(self.published.clone());
    }

    /// Records that the database has confirmed the leadership of this process.
    pub fn proven(&mut self) {
        self.takeovers.proven(self.environment.now().steady);
    }

    /// Applies the passing of time; call it every [`TICK`].
    pub fn tick(&mut self) {
        let now = self.environment.now();
        let mut out = Out::default();
        self.host.tick(now, &mut out);
        self.act(out);
        self.acknowledge(now);
        self.watch_progress(now);
        self.note_subscription();
        self.publish_presence();
        self.publish_alive(now);
        if self.takeovers.take_resumption(now.steady) {
            self.environment.resume();
        }
        self.compare_links(now);
        metrics::gauge!("ingest_held_bytes").set((self.held + self.host.parked_bytes()) as f64);
        metrics::gauge!("ingest_gateways_online").set(self.host.online_count() as f64);
    }

    fn acknowledge(&mut self, now: Moment) {
        if !self.environment.is_connected() {
            return;
        }
        for (node, place, topic, payload) in self.host.take_acknowledgements(now) {
            failpoint::reach(failpoint::BEFORE_ACKNOWLEDGEMENT);
            if self.environment.publish(&topic, payload, Qos::AtMostOnce, false).is_err() {
                self.host.not_sent(node, place);
            }
        }
    }

    /// Reports when received rows do not become durable, or durable messages are not acknowledged.
    fn watch_progress(&mut self, now: Moment) {
        if self.environment.is_connected() {
            self.progress.note_acknowledgements(self.environment.acknowledgements(), now.steady);
        } else {
            self.progress.begin_connection(now.steady);
        }
        let stall = self.progress.stall(self.host.parked_since(), now.steady);
        if self.progress.take_renewal(now.steady) {
            // All later messages are stored, so the first one will never be acknowledged on this connection. On the
            // next one the broker sends it again.
            tracing::error!("acknowledgements to the MQTT broker wait for one that does not come; connecting again");
            metrics::counter!("ingest_stalled_acknowledgements_total").increment(1);
            self.environment.renew();
        }
        if std::mem::replace(&mut self.stall, stall) != stall {
            match stall {
                Some(Stall::Rows) => {
                    tracing::error!(limit = ?self.config.unstored_limit, "rows wait to be stored for longer than the limit; not ready");
                }
                Some(Stall::Acknowledgements) => {}
                None => tracing::info!("messages are durable and acknowledged again"),
            }
            self.report_readiness();
        }
    }

    /// Reports readiness when the broker has granted the subscriptions. With a resumed session, this happens some time after the connection is established.
    fn note_subscription(&mut self) {
        if self.subscribed == Some(false) && self.environment.is_subscribed() {
            self.subscribed = Some(true);
            self.report_readiness();
        }
    }

    fn report_readiness(&self) {
        if self.subscribed == Some(true) && self.environment.is_subscribed() {
            self.environment.set_readiness(if self.stall.is_some() { State::Stalled } else { State::Subscribed });
        }
    }

    /// Sends the heartbeat to hubs, which confirms that values are live. It is sent only while messages are received.
    fn publish_alive(&mut self, now: Moment) {
        let due = self.alive.is_none_or(|last| now.steady >= crate::config::after(last, ALIVE));
        if due
            && self.environment.is_subscribed()
            && self.has_room()
            && self.environment.acknowledgements().waiting < STALLED_ACKNOWLEDGEMENTS
            && let Some((shard, since)) = self.host.shard().zip(self.host.since())
        {
            self.alive = Some(now.steady);
            let clients = shard.clients.iter().map(|client| client.0).collect();
            let share = shard.share.map(Share::numbers);
            let since = (since.term.0, since.count);
            self.environment.broadcast(BusMessage::Alive { ingest: self.config.host_id.clone(), clients, share, since });
        }
    }

    /// Publishes the STATE of this host if it changed. Publishes nothing before the subscriptions are granted. A broker that refuses them does so at each
    /// attempt, and each STATE online would cause births of all gateways.
    fn publish_presence(&mut self) {
        if !self.environment.is_subscribed() {
            return;
        }
        let held = self.held + self.host.parked_bytes();
        let able = self.able.iter().all(|able| *able);
        if let Some((topic, payload)) = self.presence.news(able, held, self.config.hold_bytes, self.environment.now().steady)
            && self.environment.publish(&topic, payload, Qos::AtLeastOnce, true).is_err()
        {
            self.presence.not_published();
        }
    }

    /// Applies the reports of writers until they have ended.
    async fn store_rest(&mut self, outcomes: &mut mpsc::UnboundedReceiver<Outcome>) {
        while let Some(outcome) = outcomes.recv().await {
            self.stored(outcome);
        }
    }
}

impl Ingest<Live> {
    /// Stores and acknowledges what is held, if the database is available, and publishes STATE offline. Takes at most
    /// [`ENDING_PATIENCE`].
    async fn end(
        mut self,
        mut events: Events,
        mut outcomes: mpsc::UnboundedReceiver<Outcome>,
        tasks: Vec<tokio::task::JoinHandle<()>>,
        give_up: CancellationToken,
        is_deposed: bool,
    ) {
        let deadline = Instant::now() + ENDING_PATIENCE;
        self.close_writers();
        // Each acknowledgement brings another message, and a full inbox would block the STATE message. Messages that
        // arrive now are sent again later.
        tokio::spawn(async move { while events.next().await.is_some() {} });
        if timeout_at(deadline - GOODBYE_PATIENCE - GIVING_UP_PATIENCE, self.store_rest(&mut outcomes)).await.is_err() {
            tracing::warn!(
                bytes = self.held,
                "ending with values that the database has not taken; gateways with an outbox will send them again"
            );
            give_up.cancel();
            // A running commit may still finish.
            let _ = timeout_at(deadline - GOODBYE_PATIENCE, self.store_rest(&mut outcomes)).await;
        }
        for task in tasks {
            // A task that has not ended has no result that could be lost. A panic was logged.
            task.abort();
            let _ = task.await;
        }
        let _ = timeout_at(deadline, self.acknowledge_rest()).await;
        // The new leader publishes STATE now.
        if !is_deposed {
            let (topic, payload) = self.presence.goodbye(wall_ms());
            let _ = self.environment.publisher.try_publish(&topic, payload, Qos::AtLeastOnce, true);
        }
        self.environment.publisher.close_within(deadline - Instant::now()).await;
    }

    /// Sends every due acknowledgement, without the usual interval.
    async fn acknowledge_rest(&mut self) {
        let now = self.environment.now();
        let due = Moment { steady: crate::config::after(now.steady, self.config.ack_interval), ..now };
        for (_, _, topic, payload) in self.host.take_acknowledgements(due) {
            if self.environment.publisher.publish(&topic, payload, Qos::AtMostOnce, false).await.is_err() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests;
