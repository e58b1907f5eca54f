//! One run of an ingest process: standby, leader, end. It connects the same functions as `ingest::run`.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;
use std::sync::{Arc, mpsc as std_mpsc};
use std::time::Duration;

use field::client::{Ack, Event, InOrder, Incoming};
use grid::{Micros, PointId, Reading};
use ingest::clock::{Moment, Timer as _};
use ingest::host::Host;
use ingest::run::presence::Presence;
use ingest::run::{Acknowledgements, Background, Ingest, lead, standby};
use ingest::writer::{self, Outcome};
use ingest::{IngestConfig, Readiness};
use registry::Image;
use store::Registry;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::broker::Message;
use crate::database::{Answer, Query};
use crate::desk::{Connection, Desk, Lead};
use crate::disk::{File, Spool};
use crate::former::Former;
use crate::tasks::Tasks;

/// The host id of all ingests.
pub(crate) const HOST: &str = "switchyard";

/// Time of a shutdown before the writers give up, µs.
const ENDING_PATIENCE: i64 = 6_000_000;

/// The pause between two attempts to read the registry.
const LOAD_PAUSE: Duration = Duration::from_secs(1);

/// Returns the settings of all ingests: the settings of the product, but with smaller limits, so that the simulation
/// reaches these limits.
pub(crate) fn config() -> IngestConfig {
    IngestConfig {
        groups: vec![crate::field::GROUP.to_owned()],
        host_id: HOST.to_owned(),
        batch_rows: 20,
        commit_timeout: Duration::from_secs(4),
        hold_bytes: 60_000,
        lead_pause: Duration::from_millis(500),
        rebirth_cooldown: Duration::from_secs(10),
        silence_limit: Duration::from_secs(10),
        will_delay: Duration::from_secs(2),
        keep_alive: Duration::from_secs(4),
        ..IngestConfig::default()
    }
}

type Loaded = Rc<RefCell<Option<(Registry, Vec<(PointId, Reading)>)>>>;

enum Phase {
    Standby(Rc<RefCell<Option<Lead>>>),
    Loading(Lead, Loaded),
    Leading,
    Ending { since: i64 },
    Over,
}

/// The MQTT client of a process.
pub(crate) struct Client {
    /// The connection, from its first packet on.
    pub(crate) line: Option<u64>,
    /// Whether it waits for permission to connect again.
    pub(crate) is_held: bool,
    connections: u64,
    received: u64,
    order: InOrder<u64>,
    /// Number of acknowledgements on all connections.
    acknowledged: u64,
    settled: (std_mpsc::Sender<Settled>, std_mpsc::Receiver<Settled>),
    /// The events that the loop has not received yet. A message is marked if it is from before the connection.
    inbox: VecDeque<(Event, bool)>,
}

/// What the loop of a process receives from its client.
pub(crate) enum Received<'a> {
    /// A connection.
    Connection,
    /// A message, and whether the broker has kept it since before the connection.
    Message { topic: &'a str, is_old: bool },
}

/// A settled message: its connection, its place, and the number to acknowledge, or `None` if its acknowledgement was
/// dropped.
type Settled = (u64, u64, Option<u64>);

impl Client {
    fn new() -> Self {
        let settled = std_mpsc::channel();
        Self {
            line: None,
            is_held: false,
            connections: 0,
            received: 0,
            order: InOrder::default(),
            acknowledged: 0,
            settled,
            inbox: VecDeque::new(),
        }
    }

    /// Starts a connection.
    pub(crate) fn begin(&mut self, line: u64) {
        self.line = Some(line);
        self.connections += 1;
        self.received = 0;
        self.order = InOrder::default();
    }

    fn deliver(&mut self, line: u64, message: Message, number: Option<u64>) {
        let ack = number.map(|number| {
            let (settled, place) = (self.settled.0.clone(), self.received);
            self.received += 1;
            Ack::new(move |is_done| {
                // After the end of the process nothing is acknowledged.
                let _ = settled.send((line, place, is_done.then_some(number)));
            })
        });
        let is_old = message.is_old;
        self.inbox.push_back((Event::Message(Incoming::detached(message.topic, message.payload, message.retain, ack)), is_old));
    }

    /// Returns the acknowledgements to send on the current connection, in order.
    fn acknowledgements(&mut self) -> Vec<u64> {
        while let Ok((line, place, number)) = self.settled.1.try_recv() {
            if self.line == Some(line) {
                self.order.put(place, number);
            }
        }
        let ready: Vec<u64> = std::iter::from_fn(|| self.order.take()).collect();
        self.acknowledged += ready.len() as u64;
        ready
    }
}

/// A process.
pub(crate) struct Process {
    pub(crate) life: u64,
    pub(crate) desk: Desk,
    pub(crate) client: Client,
    config: IngestConfig,
    started: i64,
    files: Vec<Rc<RefCell<File>>>,
    pub(crate) tasks: Tasks,
    phase: Phase,
    engine: Option<Ingest<Desk>>,
    is_deposed: Rc<Cell<bool>>,
    proofs: Option<mpsc::UnboundedReceiver<()>>,
    outcomes: Option<mpsc::UnboundedReceiver<Outcome>>,
    answers: (mpsc::UnboundedSender<Background>, mpsc::UnboundedReceiver<Background>),
    give_up: CancellationToken,
}

/// The state after a run of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    /// No action for its machine.
    None,
    /// It is the leader: it connects to the broker and receives ticks.
    Leads,
    /// The process has ended.
    Over,
}

impl Process {
    pub(crate) fn new(life: u64, started: i64, desk: Desk, files: Vec<Rc<RefCell<File>>>) -> Self {
        let slot: Rc<RefCell<Option<Lead>>> = Rc::default();
        let mut tasks = Tasks::default();
        let config = config();
        tasks.add({
            let (config, desk, slot) = (config.clone(), desk.clone(), Rc::clone(&slot));
            let former = Former { desk: desk.clone(), files: files.clone() };
            async move {
                let lead = standby::wait(&config, &desk, &former, &desk, &Readiness::default(), &CancellationToken::new()).await;
                *slot.borrow_mut() = lead;
            }
        });
        Self {
            life,
            desk,
            client: Client::new(),
            config,
            started,
            files,
            tasks,
            phase: Phase::Standby(slot),
            engine: None,
            is_deposed: Rc::default(),
            proofs: None,
            outcomes: None,
            answers: mpsc::unbounded_channel(),
            give_up: CancellationToken::new(),
        }
    }

    /// Sets its clocks.
    pub(crate) fn set_now(&self, now: i64, wall: Micros) {
        let mut inner = self.desk.inner.borrow_mut();
        inner.now = Moment { wall, steady: Micros(now - self.started) };
        inner.acknowledgements = Acknowledgements { sent: self.client.acknowledged, waiting: self.client.order.waiting() };
    }

    pub(crate) fn is_leading(&self) -> bool {
        matches!(self.phase, Phase::Leading)
    }

    /// Returns the will of the next connection.
    pub(crate) fn next_will(&self) -> Option<field::client::Will> {
        let now_ms = self.desk.inner.borrow().now.wall.millis();
        self.engine.as_ref().map(|engine| engine.presence().will_at(now_ms))
    }

    /// Returns the main loop of a leader.
    pub(crate) fn engine(&mut self) -> Option<&mut Ingest<Desk>> {
        self.engine.as_mut()
    }

    /// Records that the connection is accepted.
    pub(crate) fn up(&mut self, session_present: bool) {
        self.desk.inner.borrow_mut().is_connected = true;
        self.client.inbox.push_back((Event::Up { connection: self.client.connections, session_present }, false));
    }

    /// Records the end of the connection.
    pub(crate) fn down(&mut self, taken_over: bool) {
        self.client.line = None;
        self.client.is_held = taken_over;
        self.desk.inner.borrow_mut().is_connected = false;
        self.client.inbox.push_back((Event::Down { connection: self.client.connections, reason: String::new(), taken_over }, false));
    }

    /// Delivers a message.
    pub(crate) fn deliver(&mut self, line: u64, message: Message, number: Option<u64>) {
        self.client.deliver(line, message, number);
    }

    /// Passes the result of a read of the link states to the loop.
    pub(crate) fn await_links(&mut self, answer: tokio::sync::oneshot::Receiver<Option<Answer>>) {
        let answers = self.answers.0.clone();
        self.tasks.add(async move {
            let answer = match answer.await {
                Ok(Some(Answer::Loaded(loaded))) => Background::Links(loaded.0.links()),
                _ => Background::NoLinks,
            };
            let _ = answers.send(answer);
        });
    }

    /// Runs all tasks that can continue now. `received` is called with what the loop receives.
    /// Returns the acknowledgements for the broker.
    pub(crate) fn run(&mut self, now: i64, mut received: impl FnMut(Received<'_>)) -> (Progress, Vec<u64>) {
        let mut progress = Progress::None;
        loop {
            let mut any = self.tasks.poll();
            match self.advance(now) {
                Progress::None => {}
                other => {
                    progress = other;
                    any = true;
                }
            }
            let Some(engine) = &mut self.engine else {
                if any && progress != Progress::Over {
                    continue;
                }
                break;
            };
            while let Some(Ok(())) = self.proofs.as_mut().map(mpsc::UnboundedReceiver::try_recv) {
                engine.proven();
                any = true;
            }
            while let Some(Ok(outcome)) = self.outcomes.as_mut().map(mpsc::UnboundedReceiver::try_recv) {
                any = true;
                if matches!(outcome, Outcome::Deposed) {
                    self.is_deposed.set(true);
                } else {
                    engine.stored(outcome);
                }
            }
            while let Ok(answer) = self.answers.1.try_recv() {
                engine.answered(answer);
                any = true;
            }
            // Events that end the loop are processed before new messages.
            if matches!(self.phase, Phase::Leading) && !self.is_deposed.get() {
                while engine.has_room() {
                    let Some((event, is_old)) = self.client.inbox.pop_front() else { break };
                    match &event {
                        Event::Message(message) => received(Received::Message { topic: &message.topic, is_old }),
                        Event::Up { .. } => received(Received::Connection),
                        Event::Down { .. } => {}
                    }
                    engine.take_turn(event, || None);
                    any = true;
                }
            } else if matches!(self.phase, Phase::Ending { .. }) {
                self.client.inbox.clear();
            }
            if !any || progress == Progress::Over {
                break;
            }
        }
        (progress, self.client.acknowledgements())
    }

    fn advance(&mut self, now: i64) -> Progress {
        match std::mem::replace(&mut self.phase, Phase::Over) {
            Phase::Standby(slot) => {
                let lead = slot.borrow_mut().take();
                self.phase = match lead {
                    Some(lead) => Phase::Loading(lead, self.load()),
                    None => Phase::Standby(slot),
                };
                Progress::None
            }
            Phase::Loading(lead, loaded) => {
                let found = loaded.borrow_mut().take();
                let Some((registry, latest)) = found else {
                    self.phase = Phase::Loading(lead, loaded);
                    return Progress::None;
                };
                self.begin(lead, &registry, &latest.into_iter().collect());
                self.phase = Phase::Leading;
                Progress::Leads
            }
            Phase::Leading if self.is_deposed.get() => {
                if let Some(engine) = &mut self.engine {
                    engine.close_writers();
                }
                self.phase = Phase::Ending { since: now };
                Progress::None
            }
            Phase::Ending { since } => {
                let has_ended = self.outcomes.as_ref().is_none_or(|outcomes| outcomes.is_closed() && outcomes.is_empty());
                if !has_ended && now < since + ENDING_PATIENCE {
                    self.phase = Phase::Ending { since };
                    return Progress::None;
                }
                self.give_up.cancel();
                Progress::Over
            }
            Phase::Over => Progress::Over,
            Phase::Leading => {
                self.phase = Phase::Leading;
                Progress::None
            }
        }
    }

    fn load(&mut self) -> Loaded {
        let (loaded, desk) = (Loaded::default(), self.desk.clone());
        let found = Rc::clone(&loaded);
        self.tasks.add(async move {
            loop {
                let connection = desk.new_connection();
                if let Ok(Some(Answer::Loaded(read))) = desk.begin(connection, Query::Load, Duration::ZERO).await {
                    *found.borrow_mut() = Some(*read);
                    return;
                }
                desk.sleep(LOAD_PAUSE).await;
            }
        });
        loaded
    }

    /// Becomes leader, like `ingest::run::serve`.
    fn begin(&mut self, lead: Lead, registry: &Registry, latest: &HashMap<PointId, Reading>) {
        let tenure = lead.tenure.clone();
        let wall = self.desk.inner.borrow().now.wall;
        let mut host = Host::new(self.config.clone(), wall, tenure.term);
        host.load(Arc::new(Image::from(registry.clone())), &registry.links(), latest);
        let (proven, proofs) = mpsc::unbounded_channel();
        self.proofs = Some(proofs);
        let keep =
            lead::keep(self.desk.clone(), self.desk.clone(), self.config.lead_pause, lead, Arc::clone(&self.desk.proof_requested), proven);
        let is_deposed = Rc::clone(&self.is_deposed);
        self.tasks.add(async move {
            keep.await;
            is_deposed.set(true);
        });
        let (outcome_sender, outcomes) = mpsc::unbounded_channel();
        self.outcomes = Some(outcomes);
        let mut writers = Vec::new();
        for (number, file) in self.files.iter().enumerate() {
            let (sender, parcels) = mpsc::unbounded_channel();
            writers.push(sender);
            self.tasks.add(writer::run(writer::Setup {
                number,
                database: Connection::new(self.desk.clone()),
                tenure: tenure.clone(),
                config: self.config.clone(),
                spool: Some(Spool { file: Rc::clone(file), desk: self.desk.clone() }),
                timer: self.desk.clone(),
                parcels,
                outcomes: outcome_sender.clone(),
                give_up: self.give_up.clone(),
            }));
        }
        let presence = Presence::new(&self.config.host_id, self.config.will_delay);
        self.engine = Some(Ingest::new(self.config.clone(), self.desk.clone(), host, presence, writers, HashMap::new()));
    }
}
