//! The simulated world: a queue of events in the order of time, and what each of them does. Everything random comes from one seed.

use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque};
use std::rc::Rc;
use std::time::Duration;

use field::client::Qos;
use field::topic::{Kind, Topic};
use grid::{Micros, PointId, Quality};
use hub::ProcessImage;
use ingest::run::TICK;
use tokio::sync::oneshot;
use wire::bus::BusMessage;

use crate::broker::{Broker, Effect, Message, Subscriptions, ToBroker, ToClient};
use crate::clock::WallClock;
use crate::database::{Answer, Database, Query};
use crate::desk::{Action, Desk};
use crate::disk::File;
use crate::faults::Faults;
use crate::field::{METRICS, gateway_id, gateway_of, number_of, point_id};
use crate::gateway::Gateway;
use crate::process::{HOST, Process, Progress, config};
use crate::tally::Tally;
use crate::truth::Truth;

/// Machines that run an ingest: a leader and a standby.
pub(crate) const MACHINES: usize = 2;

/// The place of the hub among those that ask the database.
pub(crate) const HUB: usize = MACHINES;

/// The id by which all ingests connect to the broker; gateways have their own.
const INGEST_CLIENT: usize = usize::MAX;

/// Whether the states of gateways are confirmed for each connection of the leader. It decides about two checks: the hub shows nothing as good of a gateway
/// that was not heard since the leader has connected, and after a quiet time it shows the states of gateways as they are.
///
/// False until the heartbeat of ingest carries the order of its connection and the hub shows a gateway as live only if it was confirmed at that order or later.
/// Before that both checks fail: a leader that is deposed has told the hub states that the database refuses, and its successor, which remembers those of the
/// database, reports changes of them only.
pub const CONFIRMED_PER_CONNECTION: bool = false;

/// How long the hub may show the state from before an interruption, µs: the silence of an ingest after which nothing of it is live, and the way there.
const CONFIRMATION_GRACE: i64 = 5_000_000;

/// A heartbeat proves that ingest is heard within so long, µs.
const SECOND: i64 = 1_000_000;

/// Events that are kept for the report of a failure.
const KEPT_EVENTS: usize = 10_000;

/// How long a connection to the broker may take, µs, and the pause before the next attempt.
const CONNECT_LIMIT: i64 = 3 * SECOND;

pub(crate) enum Event {
    Start(usize),
    Tick(usize, u64),
    Wake(usize, u64, oneshot::Sender<()>),
    Connect(usize, u64),
    ConnectLimit(u64),
    ToBroker(u64, ToBroker),
    ToClient(u64, ToClient),
    Will(u64),
    /// One end of a connection notices that the other does not answer.
    Silence {
        path: Path,
        cut: u64,
        line: Option<u64>,
        is_broker: bool,
    },
    Database(usize, ToDatabase),
    Reply(u64, Option<Answer>),
    Limit(u64),
    Bus(u64, Option<Box<BusMessage>>),
    HubStart,
    HubTick(u64),
    HubReconcile(u64),
    HubLoad(u64),
    GatewayStart(usize),
    GatewayTick(usize),
    Measure(usize),
    Fault,
    Heal(Path, u64),
    BrokerUp,
    DatabaseUp,
    DiskUp(usize, usize),
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum ToDatabase {
    Ask(u64),
    Close(u64),
}

/// A link that can be cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Path {
    /// A client and the broker: a machine, or behind the machines a gateway.
    Broker(usize),
    /// A machine or the hub, and the database.
    Database(usize),
    /// A machine and the hub.
    Bus(usize),
}

struct Entry(i64, u64, Event);

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        (self.0, self.1) == (other.0, other.1)
    }
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.0, self.1).cmp(&(other.0, other.1))
    }
}

/// A connection to the broker, as its client has it.
struct Line {
    party: usize,
    life: u64,
    is_open: bool,
    is_ready: bool,
    will: Option<(field::client::Will, i64)>,
    /// The latest arrival in each direction: what is sent later arrives later.
    arrivals: [i64; 2],
    stalled: VecDeque<Event>,
}

/// A question on its way to the database, or its answer on the way back.
struct Asked {
    peer: usize,
    connection: u64,
    life: u64,
    query: Option<Query>,
    answer: Option<Answerer>,
}

enum Answerer {
    Process(oneshot::Sender<Option<Answer>>),
    HubLoad(u64),
    HubReconcile(u64),
}

pub(crate) struct Machine {
    pub(crate) clock: WallClock,
    pub(crate) files: Vec<Rc<RefCell<File>>>,
    pub(crate) process: Option<Process>,
}

pub(crate) struct Hub {
    pub(crate) life: u64,
    pub(crate) is_running: bool,
    image: ProcessImage,
    is_loading: bool,
    shown: BTreeMap<PointId, grid::Reading>,
}

/// The world of one seed.
pub(crate) struct World {
    pub(crate) now: i64,
    pub(crate) random: fastrand::Rng,
    queue: BinaryHeap<Reverse<Entry>>,
    sequence: u64,
    pub(crate) tally: Tally,
    pub(crate) truth: Truth,
    pub(crate) machines: Vec<Machine>,
    pub(crate) gateways: Vec<(Gateway, WallClock, Option<u64>)>,
    pub(crate) broker: Broker,
    pub(crate) database: Database,
    pub(crate) hub: Hub,
    lines: BTreeMap<u64, Line>,
    asked: BTreeMap<u64, Asked>,
    arrivals: BTreeMap<u64, i64>,
    pub(crate) cuts: BTreeMap<Path, u64>,
    stalled: BTreeMap<usize, VecDeque<ToDatabase>>,
    bus_arrivals: [i64; MACHINES],
    numbers: u64,
    connections: Rc<Cell<u64>>,
    pub(crate) faults: Faults,
    /// When each gateway was last heard by a leader, and when a leader last connected.
    heard: Vec<i64>,
    connected_at: i64,
    events: Option<VecDeque<String>>,
    /// Gateways measure.
    pub(crate) is_measuring: bool,
}

impl World {
    /// Returns the world of a seed. With `is_traced` it keeps its last events as text.
    pub(crate) fn new(seed: u64, is_traced: bool) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut truth = Truth::default();
        let count = random.usize(3..=6);
        // Without its will, the death of a gateway is known by silence alone: messages of QoS 1 that waited in a session would break that.
        let keeps_wills = random.bool();
        let gateways: Vec<_> = (0..count)
            .map(|number| {
                let clock = WallClock::new(&mut random);
                let has_outbox = number == 0 || number > 2 && random.bool();
                (Gateway::new(number, has_outbox, keeps_wills, millis(clock.wall(0)), &mut truth), clock, None)
            })
            .collect();
        let machine = |random: &mut fastrand::Rng| Machine {
            clock: WallClock::new(random),
            files: (0..config().writers).map(|_| Rc::default()).collect(),
            process: None,
        };
        let machines = (0..MACHINES).map(|_| machine(&mut random)).collect();
        let limit_in_flight = random.usize(4..40);
        let mut world = Self {
            now: 0,
            queue: BinaryHeap::new(),
            sequence: 0,
            tally: Tally { seeds: 1, ..Tally::default() },
            truth,
            machines,
            gateways,
            broker: Broker::new(limit_in_flight, keeps_wills),
            database: Database::new(count),
            hub: Hub { life: 0, is_running: false, image: ProcessImage::default(), is_loading: false, shown: BTreeMap::new() },
            lines: BTreeMap::new(),
            asked: BTreeMap::new(),
            arrivals: BTreeMap::new(),
            cuts: BTreeMap::new(),
            stalled: BTreeMap::new(),
            bus_arrivals: [0; MACHINES],
            numbers: 0,
            connections: Rc::default(),
            faults: Faults::new(&mut random),
            heard: vec![0; count],
            connected_at: 0,
            events: is_traced.then(VecDeque::new),
            is_measuring: true,
            random,
        };
        for machine in 0..MACHINES {
            let delay = world.random.i64(0..SECOND);
            world.after(delay, Event::Start(machine));
        }
        for gateway in 0..count {
            let delay = world.random.i64(0..5 * SECOND);
            world.after(delay, Event::GatewayStart(gateway));
            world.after(delay, Event::GatewayTick(gateway));
            world.after(delay, Event::Measure(gateway));
        }
        world.after(0, Event::HubStart);
        world.after(5 * SECOND, Event::Fault);
        world
    }

    pub(crate) fn after(&mut self, delay: i64, event: Event) {
        self.at(self.now + delay, event);
    }

    fn at(&mut self, time: i64, event: Event) {
        self.sequence += 1;
        self.queue.push(Reverse(Entry(time, self.sequence, event)));
    }

    pub(crate) fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    /// A delay on a network: most often short.
    fn latency(&mut self) -> i64 {
        if self.random.u8(..20) == 0 { self.random.i64(20_000..400_000) } else { self.random.i64(200..20_000) }
    }

    pub(crate) fn note(&mut self, text: impl FnOnce() -> String) {
        if let Some(events) = &mut self.events {
            if events.len() >= KEPT_EVENTS {
                events.pop_front();
            }
            events.push_back(format!("{:>9} ms  step {:>6}  {}", self.now / 1_000, self.tally.steps, text()));
        }
    }

    pub(crate) fn events(&self) -> Vec<String> {
        self.events.iter().flatten().cloned().collect()
    }

    fn is_cut(&self, path: Path) -> bool {
        self.cuts.contains_key(&path)
    }

    /// Does the next event.
    pub(crate) fn step(&mut self) {
        let Some(Reverse(Entry(time, _, event))) = self.queue.pop() else { return };
        self.now = time;
        // Nobody waits any more for what was given up.
        if let Event::Wake(_, _, done) = &event
            && done.is_closed()
        {
            return;
        }
        if matches!(&event, Event::Limit(number) if !self.asked.contains_key(number)) {
            return;
        }
        self.tally.steps += 1;
        self.act(event);
    }

    fn act(&mut self, event: Event) {
        match event {
            Event::Start(machine) => self.start(machine),
            Event::Tick(machine, life) => {
                self.with(machine, life, |process| {
                    if process.is_leading()
                        && let Some(engine) = process.engine()
                    {
                        engine.tick();
                    }
                });
                if self.is_alive(machine, life) {
                    self.after(TICK.as_micros() as i64, Event::Tick(machine, life));
                }
            }
            Event::Wake(machine, life, done) => self.with(machine, life, |_| {
                let _ = done.send(());
            }),
            Event::Connect(party, life) => self.connect(party, life),
            Event::ConnectLimit(line) => {
                if self.lines.get(&line).is_some_and(|line| line.is_open && !line.is_ready) {
                    self.close_line(line, false);
                }
            }
            Event::ToBroker(line, packet) => self.to_broker(line, packet),
            Event::ToClient(line, packet) => self.to_client(line, packet),
            Event::Will(line) => {
                if self.broker.is_up {
                    self.broker.publish_delayed(line, &mut self.truth);
                    self.after_broker();
                }
            }
            Event::Silence { path, cut, line, is_broker } => self.silence(path, cut, line, is_broker),
            Event::Database(peer, packet) => self.to_database(peer, packet),
            Event::Reply(number, answer) => self.reply(number, answer),
            Event::Limit(number) => self.finish(number, None),
            Event::Bus(life, message) => self.bus(life, message),
            Event::HubStart => self.start_hub(),
            Event::HubTick(life) => self.tick_hub(life),
            Event::HubReconcile(life) => {
                if life == self.hub.life {
                    self.ask_for_hub(Answerer::HubReconcile(life));
                    self.after(5 * SECOND, Event::HubReconcile(life));
                }
            }
            Event::HubLoad(life) => {
                if life == self.hub.life {
                    self.ask_for_hub(Answerer::HubLoad(life));
                }
            }
            Event::GatewayStart(gateway) => {
                if !self.gateways[gateway].0.is_running {
                    self.note(|| format!("gateway {gateway} starts"));
                    self.gateways[gateway].0.start();
                    self.after(1_000, Event::Connect(MACHINES + gateway, 0));
                }
            }
            Event::GatewayTick(gateway) => {
                let now_ms = self.gateway_ms(gateway);
                let messages = self.gateways[gateway].0.tick(self.now, now_ms, &mut self.random);
                self.send_of(gateway, messages);
                self.after(SECOND, Event::GatewayTick(gateway));
            }
            Event::Measure(gateway) => self.measure(gateway),
            Event::Fault => self.strike(),
            Event::Heal(path, cut) => self.heal(path, cut),
            Event::BrokerUp => {
                self.note(|| "the broker is back".to_owned());
                self.broker.start(&mut self.truth);
                self.after_broker();
            }
            Event::DatabaseUp => {
                self.note(|| "the database is back".to_owned());
                self.database.is_up = true;
            }
            Event::DiskUp(machine, file) => self.machines[machine].files[file].borrow_mut().is_failing = false,
        }
    }

    // --- processes -----------------------------------------------------------------------------------------------------------------------

    fn is_alive(&self, machine: usize, life: u64) -> bool {
        self.machines[machine].process.as_ref().is_some_and(|process| process.life == life)
    }

    fn start(&mut self, machine: usize) {
        if self.machines[machine].process.is_some() {
            return;
        }
        let life = self.number();
        self.note(|| format!("machine {machine} starts ingest as life {life}"));
        let desk = Desk::new(self.random.fork(), Rc::clone(&self.connections));
        let files = self.machines[machine].files.clone();
        self.machines[machine].process = Some(Process::new(life, self.now, desk, files));
        self.with(machine, life, |_| {});
    }

    /// The process of a machine ends without a word.
    pub(crate) fn crash(&mut self, machine: usize) {
        let Some(process) = self.machines[machine].process.take() else { return };
        self.note(|| format!("machine {machine}: life {} ends", process.life));
        if let Some(line) = process.client.line {
            self.send_up(line, ToBroker::Closed);
            if let Some(line) = self.lines.get_mut(&line) {
                line.is_open = false;
            }
        }
        // Also those whose first question is still on its way.
        let known = self.database.connections.iter().filter(|(_, peer)| **peer == machine).map(|(connection, _)| *connection);
        let asked = self.asked.values().filter(|asked| asked.peer == machine).map(|asked| asked.connection);
        let open: BTreeSet<u64> = known.chain(asked).collect();
        for connection in open {
            self.send_to_database(machine, connection, ToDatabase::Close(connection), 0);
        }
    }

    /// Runs a process after something has happened to it, and takes up what it begins.
    fn with(&mut self, machine: usize, life: u64, happens: impl FnOnce(&mut Process)) {
        let (now, wall) = (self.now, self.machines[machine].clock.wall(self.now));
        let Some(process) = self.machines[machine].process.as_mut().filter(|process| process.life == life) else { return };
        process.set_now(now, wall);
        happens(process);
        let (heard, connected_at) = (&mut self.heard, &mut self.connected_at);
        let (progress, acknowledgements) = process.run(now, |topic| match topic.map(Topic::parse) {
            Some(Ok(Topic::Edge { kind, node, .. })) if kind != Kind::NDeath => {
                if let Some(gateway) = gateway_of(&node) {
                    heard[gateway] = now;
                }
            }
            Some(_) => {}
            None => *connected_at = now,
        });
        let line = process.client.line;
        let actions = std::mem::take(&mut process.desk.inner.borrow_mut().actions);
        if let Some(line) = line {
            for number in acknowledgements {
                self.send_up(line, ToBroker::Acknowledge(number));
            }
        }
        for action in actions {
            self.take_up(machine, life, line, action);
        }
        match progress {
            Progress::None => {}
            Progress::Leads => {
                self.note(|| format!("machine {machine}: life {life} leads"));
                self.after(0, Event::Connect(machine, life));
                self.after(0, Event::Tick(machine, life));
            }
            Progress::Over => {
                if let Some(line) = line {
                    self.send_up(line, ToBroker::Disconnect { with_will: false });
                }
                if let Some(process) = &mut self.machines[machine].process {
                    process.client.line = None;
                }
                self.crash(machine);
                let pause = self.random.i64(SECOND / 10..2 * SECOND);
                self.after(pause, Event::Start(machine));
            }
        }
    }

    fn take_up(&mut self, machine: usize, life: u64, line: Option<u64>, action: Action) {
        match action {
            Action::Publish { topic, payload, qos, retain } => {
                if let Some(line) = line {
                    let is_qos_1 = qos != Qos::AtMostOnce;
                    self.send_up(line, ToBroker::Publish(Message { topic, payload: payload.into(), is_qos_1, retain }));
                }
            }
            Action::Resume => {
                if let Some(process) = self.machines[machine].process.as_mut().filter(|process| process.client.is_held) {
                    process.client.is_held = false;
                    self.after(0, Event::Connect(machine, life));
                }
            }
            Action::Renew => {
                if let Some(line) = line {
                    self.close_line(line, false);
                }
            }
            Action::Broadcast(message) => self.broadcast(machine, message),
            Action::Sleep(duration, done) => self.after(duration.as_micros() as i64, Event::Wake(machine, life, done)),
            Action::Flush(done) => {
                let delay = if self.random.u8(..20) == 0 { self.random.i64(SECOND / 10..SECOND) } else { self.random.i64(500..20_000) };
                self.tally.spooled += 1;
                self.after(delay, Event::Wake(machine, life, done));
            }
            Action::Ask { connection, query, pause, answer } => {
                self.ask(machine, life, connection, query, pause, Answerer::Process(answer));
            }
            Action::Close(connection) => self.send_to_database(machine, connection, ToDatabase::Close(connection), 0),
            Action::ReadRegistry => {
                let (sender, answer) = oneshot::channel();
                if let Some(process) = &mut self.machines[machine].process {
                    process.await_registry(answer);
                    let connection = process.desk.new_connection();
                    self.ask(machine, life, connection, Query::Load, Duration::ZERO, Answerer::Process(sender));
                }
            }
        }
    }

    // --- the broker ----------------------------------------------------------------------------------------------------------------------

    fn connect(&mut self, party: usize, life: u64) {
        let line = self.number();
        let will = if party < MACHINES {
            let Some(process) = self.machines[party].process.as_mut().filter(|process| process.life == life && process.is_leading()) else {
                return;
            };
            if process.client.line.is_some() || process.client.is_held {
                return;
            }
            let wall = self.machines[party].clock.wall(self.now);
            let Some(process) = &mut self.machines[party].process else { return };
            process.set_now(self.now, wall);
            process.client.begin(line);
            process.next_will().map(|will| (will, config().will_delay.as_micros() as i64))
        } else {
            let (gateway, _, own) = &mut self.gateways[party - MACHINES];
            if !gateway.is_running || own.is_some() {
                return;
            }
            *own = Some(line);
            let death = gateway.connect();
            let will = field::client::Will { topic: death.topic, payload: death.payload.into(), qos: Qos::AtLeastOnce, retain: false };
            Some((will, 0))
        };
        self.lines.insert(line, Line { party, life, is_open: true, is_ready: false, will, arrivals: [0; 2], stalled: VecDeque::new() });
        self.tally.reconnects += 1;
        self.send_up(line, ToBroker::Connect);
        self.after(CONNECT_LIMIT, Event::ConnectLimit(line));
        if let Some(cut) = self.cuts.get(&Path::Broker(party)).copied() {
            self.expect_silence(Path::Broker(party), cut, line);
        }
    }

    fn send_up(&mut self, line: u64, packet: ToBroker) {
        let arrival = self.now + self.latency();
        let Some(entry) = self.lines.get_mut(&line) else { return };
        entry.arrivals[0] = arrival.max(entry.arrivals[0]);
        let arrival = entry.arrivals[0];
        self.at(arrival, Event::ToBroker(line, packet));
    }

    fn send_down(&mut self, line: u64, packet: ToClient) {
        let arrival = self.now + self.latency();
        let Some(entry) = self.lines.get_mut(&line) else { return };
        entry.arrivals[1] = arrival.max(entry.arrivals[1]);
        let arrival = entry.arrivals[1];
        self.at(arrival, Event::ToClient(line, packet));
    }

    /// Puts an event aside while the link of a connection is cut.
    fn stall(&mut self, line: u64, event: Event) -> Option<Event> {
        let party = self.lines.get(&line)?.party;
        if self.is_cut(Path::Broker(party)) {
            self.lines.get_mut(&line)?.stalled.push_back(event);
            return None;
        }
        Some(event)
    }

    fn to_broker(&mut self, line: u64, packet: ToBroker) {
        let Some(Event::ToBroker(_, packet)) = self.stall(line, Event::ToBroker(line, packet)) else { return };
        if !self.broker.is_up {
            if matches!(packet, ToBroker::Connect) {
                self.send_down(line, ToClient::Closed);
            }
            return;
        }
        if let ToBroker::Connect = packet {
            let Some(entry) = self.lines.get_mut(&line) else { return };
            let (party, will) = (entry.party, entry.will.take());
            let is_ingest = party < MACHINES;
            let subscriptions = if is_ingest {
                Subscriptions::Ingest { state: Topic::State { host: HOST.to_owned() }.to_string() }
            } else {
                Subscriptions::Gateway { code: crate::field::code(party - MACHINES) }
            };
            let client = if is_ingest { INGEST_CLIENT } else { party };
            self.broker.connect(line, client, subscriptions, is_ingest, will, &mut self.truth);
        } else if self.broker.is_open(line) {
            match packet {
                ToBroker::Publish(message) => self.broker.publish(&message, &mut self.truth),
                ToBroker::Acknowledge(number) => {
                    if let Some(message) = self.broker.acknowledge(line, number) {
                        let spooled = spooled(&self.machines);
                        self.truth.acknowledge_message(&message.topic, &message.payload, spooled.into_iter());
                    }
                }
                ToBroker::Disconnect { with_will } => self.broker.close(line, with_will, &mut self.truth),
                ToBroker::Closed => self.broker.close(line, true, &mut self.truth),
                ToBroker::Connect => {}
            }
        }
        self.after_broker();
    }

    pub(crate) fn after_broker(&mut self) {
        for effect in self.broker.take_effects() {
            match effect {
                Effect::Send(line, packet) => {
                    self.tally.takeovers += u64::from(matches!(packet, ToClient::TakenOver));
                    self.send_down(line, packet);
                }
                Effect::DelayWill(line, delay) => self.after(delay, Event::Will(line)),
            }
        }
    }

    fn to_client(&mut self, line: u64, packet: ToClient) {
        let Some(Event::ToClient(_, packet)) = self.stall(line, Event::ToClient(line, packet)) else { return };
        let Some(entry) = self.lines.get_mut(&line).filter(|line| line.is_open) else { return };
        let (party, life) = (entry.party, entry.life);
        match packet {
            ToClient::TakenOver => self.close_line(line, true),
            ToClient::Closed => self.close_line(line, false),
            ToClient::Ready { session_present } => {
                entry.is_ready = true;
                if party < MACHINES {
                    self.note(|| format!("machine {party}: connected to the broker"));
                    self.with(party, life, |process| process.up(session_present));
                } else {
                    let gateway = party - MACHINES;
                    self.note(|| format!("gateway {gateway}: connected to the broker"));
                    self.gateways[gateway].0.is_up = true;
                    let now_ms = self.gateway_ms(gateway);
                    let births = self.gateways[gateway].0.birth(self.now, now_ms, &mut self.random);
                    self.send_of(gateway, births);
                }
            }
            ToClient::Publish(message, number) => {
                let values = || Truth::values_of(&message.topic, &message.payload);
                self.note(|| format!("{} {:?} reaches {party}, to be acknowledged: {number:?}", message.topic, values()));
                if party < MACHINES {
                    self.with(party, life, |process| process.deliver(line, message, number));
                } else {
                    if let Some(number) = number {
                        self.send_up(line, ToBroker::Acknowledge(number));
                    }
                    let gateway = party - MACHINES;
                    let now_ms = self.gateway_ms(gateway);
                    let (messages, forgotten) = self.gateways[gateway].0.take(&message, self.now, now_ms, &mut self.random);
                    if !forgotten.is_empty() {
                        let spooled = spooled(&self.machines);
                        self.truth.acknowledge("a gateway", &forgotten, spooled.into_iter());
                    }
                    self.send_of(gateway, messages);
                }
            }
        }
    }

    /// The client's end of a connection is over.
    pub(crate) fn close_line(&mut self, line: u64, taken_over: bool) {
        let Some(entry) = self.lines.get_mut(&line).filter(|line| line.is_open) else { return };
        entry.is_open = false;
        let (party, life) = (entry.party, entry.life);
        self.note(|| format!("{party}: the connection to the broker is over, taken over: {taken_over}"));
        self.send_up(line, ToBroker::Closed);
        let pause = self.random.i64(SECOND / 10..2 * SECOND);
        if party < MACHINES {
            self.with(party, life, |process| {
                if process.client.line == Some(line) {
                    process.down(taken_over);
                }
            });
        } else {
            let (gateway, _, own) = &mut self.gateways[party - MACHINES];
            if *own == Some(line) {
                *own = None;
                gateway.down();
            }
        }
        if !taken_over {
            self.after(pause, Event::Connect(party, life));
        }
    }

    // --- gateways ------------------------------------------------------------------------------------------------------------------------

    fn gateway_ms(&self, gateway: usize) -> u64 {
        millis(self.gateways[gateway].1.wall(self.now))
    }

    fn send_of(&mut self, gateway: usize, messages: Vec<Message>) {
        let Some(line) = self.gateways[gateway].2 else { return };
        for message in messages {
            self.send_up(line, ToBroker::Publish(message));
        }
    }

    fn measure(&mut self, gateway: usize) {
        if self.is_measuring {
            let now_ms = self.gateway_ms(gateway);
            let message = self.gateways[gateway].0.measure(self.now, now_ms, &mut self.random, &mut self.truth);
            self.send_of(gateway, message.into_iter().collect());
        }
        let pause = self.random.i64(50_000..2 * SECOND);
        self.after(pause, Event::Measure(gateway));
    }

    /// A gateway loses its power.
    pub(crate) fn crash_gateway(&mut self, gateway: usize) {
        self.note(|| format!("gateway {gateway} crashes"));
        let (crashed, _, own) = &mut self.gateways[gateway];
        crashed.crash();
        if let Some(line) = own.take() {
            self.send_up(line, ToBroker::Closed);
            if let Some(line) = self.lines.get_mut(&line) {
                line.is_open = false;
            }
        }
    }

    // --- the database --------------------------------------------------------------------------------------------------------------------

    fn ask(&mut self, peer: usize, life: u64, connection: u64, query: Query, pause: Duration, answer: Answerer) {
        let number = self.number();
        self.asked.insert(number, Asked { peer, connection, life, query: Some(query), answer: Some(answer) });
        let pause = pause.as_micros() as i64;
        self.send_to_database(peer, connection, ToDatabase::Ask(number), pause);
        self.after(pause + config().commit_timeout.as_micros() as i64, Event::Limit(number));
    }

    fn send_to_database(&mut self, peer: usize, connection: u64, packet: ToDatabase, pause: i64) {
        let arrival = self.now + pause + self.latency();
        let last = self.arrivals.entry(connection).or_default();
        *last = arrival.max(*last);
        let arrival = *last;
        if let ToDatabase::Close(_) = packet {
            self.arrivals.remove(&connection);
        }
        self.at(arrival, Event::Database(peer, packet));
    }

    fn to_database(&mut self, peer: usize, packet: ToDatabase) {
        if self.is_cut(Path::Database(peer)) {
            self.stalled.entry(peer).or_default().push_back(packet);
            return;
        }
        match packet {
            ToDatabase::Close(connection) => self.database.close(connection),
            ToDatabase::Ask(number) => {
                let Some(asked) = self.asked.get_mut(&number) else { return };
                let (connection, life, query) = (asked.connection, asked.life, asked.query.take());
                let is_up = self.database.is_up;
                if let Some(Query::Commit(batch, tenure)) = query.as_ref().filter(|_| is_up) {
                    let term = tenure.as_ref().map(|tenure| tenure.term.0);
                    let states: Vec<_> =
                        batch.gateways.iter().filter_map(|mark| Some((number_of(mark.gateway), mark.online?, mark.order))).collect();
                    let values: Vec<_> = batch.samples.iter().filter_map(|sample| sample.reading.value).collect();
                    let dead: Vec<_> = batch.dead.iter().map(|dead| (&dead.reason, Truth::values_of(&dead.topic, &dead.payload))).collect();
                    self.note(|| {
                        format!("life {life} commits in term {term:?}: values {values:?}, states {states:?}, dead letters {dead:?}")
                    });
                }
                let answer = query.filter(|_| is_up).and_then(|query| self.database.answer(connection, peer, life, query, &mut self.truth));
                let latency = self.latency();
                self.after(latency, Event::Reply(number, answer));
            }
        }
    }

    fn reply(&mut self, number: u64, answer: Option<Answer>) {
        let Some(asked) = self.asked.get(&number) else { return };
        // Without a way back the answer is lost: the limit ends the wait.
        if !self.is_cut(Path::Database(asked.peer)) {
            self.finish(number, answer);
        }
    }

    fn finish(&mut self, number: u64, answer: Option<Answer>) {
        let Some(asked) = self.asked.get_mut(&number) else { return };
        let (peer, life, connection) = (asked.peer, asked.life, asked.connection);
        let Some(answerer) = asked.answer.take() else { return };
        // One that is stalled still arrives, although nobody waits for its answer.
        if asked.query.is_none() {
            self.asked.remove(&number);
        }
        match answerer {
            Answerer::Process(sender) => self.with(peer, life, |process| {
                if answer.is_some() {
                    process.desk.inner.borrow_mut().open.insert(connection);
                } else {
                    process.desk.inner.borrow_mut().open.remove(&connection);
                }
                let _ = sender.send(answer);
            }),
            Answerer::HubLoad(life) => self.loaded(life, answer),
            Answerer::HubReconcile(life) => {
                if let Some(Answer::Loaded(read)) = answer.filter(|_| life == self.hub.life) {
                    self.hub.image.reconcile(&read.1);
                    self.check_shown();
                }
            }
        }
    }

    // --- bus and hub ---------------------------------------------------------------------------------------------------------------------

    fn broadcast(&mut self, machine: usize, message: BusMessage) {
        let arrival = (self.now + self.latency()).max(self.bus_arrivals[machine]);
        self.bus_arrivals[machine] = arrival;
        let is_lost = self.is_cut(Path::Bus(machine)) || self.faults.loses_message(&mut self.random);
        self.tally.lost_messages += u64::from(is_lost);
        let message = (!is_lost).then(|| Box::new(message));
        self.at(arrival, Event::Bus(self.hub.life, message));
    }

    fn bus(&mut self, life: u64, message: Option<Box<BusMessage>>) {
        if life != self.hub.life || !self.hub.is_running {
            return;
        }
        let now = since_start(self.now);
        match message {
            Some(message) => {
                self.hub.image.take(&message, now);
                self.check_shown();
            }
            None => {
                self.hub.image.note_loss(now);
            }
        }
    }

    pub(crate) fn start_hub(&mut self) {
        let life = self.number();
        self.note(|| format!("the hub starts as life {life}"));
        self.hub = Hub { life, is_running: true, image: ProcessImage::default(), is_loading: true, shown: BTreeMap::new() };
        self.after(0, Event::HubLoad(life));
        self.after(SECOND / 2, Event::HubTick(life));
        self.after(5 * SECOND, Event::HubReconcile(life));
    }

    fn ask_for_hub(&mut self, answerer: Answerer) {
        self.connections.set(self.connections.get() + 1);
        let connection = self.connections.get();
        self.ask(HUB, self.hub.life, connection, Query::Load, Duration::ZERO, answerer);
    }

    fn loaded(&mut self, life: u64, answer: Option<Answer>) {
        if life != self.hub.life {
            return;
        }
        match answer {
            Some(Answer::Loaded(read)) => {
                self.hub.is_loading = false;
                self.hub.image.load(read.0, &read.1, since_start(self.now));
                self.check_shown();
            }
            _ => {
                self.after(SECOND, Event::HubLoad(life));
            }
        }
    }

    fn tick_hub(&mut self, life: u64) {
        if life != self.hub.life {
            return;
        }
        if self.hub.image.tick(since_start(self.now)) && !self.hub.is_loading {
            self.hub.is_loading = true;
            self.after(0, Event::HubLoad(life));
        }
        self.check_freshness();
        self.after(SECOND / 2, Event::HubTick(life));
    }

    // --- checks --------------------------------------------------------------------------------------------------------------------------

    fn points(&self) -> impl Iterator<Item = (usize, PointId)> + use<> {
        (0..self.gateways.len()).flat_map(|gateway| (0..METRICS.len()).map(move |metric| (gateway, point_id(gateway, metric))))
    }

    /// What the hub shows goes back nowhere.
    fn check_shown(&mut self) {
        for (_, point) in self.points() {
            let Some(shown) = self.hub.image.shown(point) else { continue };
            let before = self.hub.shown.insert(point, shown);
            self.truth.replace("the hub", point, before.as_ref(), &shown);
        }
    }

    /// Nothing is shown as good of a gateway that was not heard since the last interruption.
    fn check_freshness(&mut self) {
        if !CONFIRMED_PER_CONNECTION || self.now < self.connected_at + CONFIRMATION_GRACE {
            return;
        }
        for (gateway, point) in self.points() {
            let is_good = self.hub.image.shown(point).is_some_and(|shown| shown.quality == Quality::Good);
            if is_good && self.heard[gateway] < self.connected_at {
                let (heard, connected) = (self.heard[gateway] / 1_000, self.connected_at / 1_000);
                self.truth.fail(format!(
                    "point {point} is shown as good; its gateway was last heard at {heard} ms, and the leader has connected at {connected} ms"
                ));
            }
        }
    }

    /// After a quiet time everything is as it is in truth.
    pub(crate) fn check_end(&mut self) {
        self.truth.check_promises();
        for gateway in 0..self.gateways.len() {
            let is_running = self.gateways[gateway].0.is_running;
            let stored = self.database.gateways[gateway].is_some_and(|link| link.online);
            let shown = self.hub.image.is_online(gateway_id(gateway)) == Some(true);
            let waiting = self.gateways[gateway].0.waiting();
            if stored != is_running || CONFIRMED_PER_CONNECTION && shown != is_running {
                self.truth.fail(format!(
                    "gateway {gateway} is online: {is_running}; the database has {stored}, the hub shows {shown} after a quiet time"
                ));
            }
            if is_running && waiting > 0 {
                self.truth.fail(format!("gateway {gateway} has {waiting} messages without acknowledgement after a quiet time"));
            }
        }
        for (gateway, point) in self.points() {
            let stored = self.database.latest.get(&point);
            let shown = self.hub.image.shown(point);
            // What came live and was lost before its commit is shown too, and may be newer.
            if stored.is_some_and(|stored| shown.is_none_or(|shown| stored.source > shown.source)) {
                self.truth.fail(format!("point {point}: the database has {stored:?}, the hub shows {shown:?} after a quiet time"));
            }
            if CONFIRMED_PER_CONNECTION
                && self.gateways[gateway].0.is_running
                && shown.is_none_or(|reading| reading.quality != Quality::Good)
            {
                self.truth.fail(format!("point {point} of a gateway that reports is shown as {shown:?} after a quiet time"));
            }
        }
        for (machine, file) in
            self.machines.iter().enumerate().flat_map(|(number, machine)| machine.files.iter().map(move |file| (number, file)))
        {
            if !file.borrow().records.is_empty() {
                self.truth.fail(format!("a spool of machine {machine} is not stored after a quiet time"));
            }
        }
    }

    /// The figures of the run.
    pub(crate) fn tally(&self) -> Tally {
        Tally {
            leader_changes: self.database.terms,
            commits: self.database.commits,
            refused_commits: self.database.refusals,
            redeliveries: self.broker.redeliveries,
            values: self.truth.stored_count() as u64,
            ..self.tally
        }
    }

    // --- links ---------------------------------------------------------------------------------------------------------------------------

    /// Cuts a link. What is sent on it waits; who waits for an answer notices after a while.
    pub(crate) fn cut(&mut self, path: Path, duration: i64) {
        if self.is_cut(path) {
            return;
        }
        let cut = self.number();
        self.note(|| format!("{path:?} is cut for {} ms", duration / 1_000));
        self.cuts.insert(path, cut);
        self.tally.partitions += 1;
        self.after(duration, Event::Heal(path, cut));
        match path {
            Path::Broker(party) => {
                let lines: Vec<u64> = self.lines.iter().filter(|(_, line)| line.party == party).map(|(number, _)| *number).collect();
                for line in lines {
                    self.expect_silence(path, cut, line);
                }
            }
            Path::Database(_) => {
                let patience = self.random.i64(5 * SECOND..14 * SECOND);
                self.after(patience, Event::Silence { path, cut, line: None, is_broker: false });
            }
            Path::Bus(_) => {}
        }
    }

    fn expect_silence(&mut self, path: Path, cut: u64, line: u64) {
        let keep_alive = config().keep_alive.as_micros() as i64;
        for is_broker in [false, true] {
            let patience = self.random.i64(keep_alive / 2..keep_alive * 3 / 2);
            self.after(patience, Event::Silence { path, cut, line: Some(line), is_broker });
        }
    }

    fn silence(&mut self, path: Path, cut: u64, line: Option<u64>, is_broker: bool) {
        if self.cuts.get(&path) != Some(&cut) {
            return;
        }
        match (path, line) {
            (Path::Broker(_), Some(line)) if is_broker => {
                if self.broker.is_up && self.broker.is_open(line) {
                    self.broker.close(line, true, &mut self.truth);
                    self.send_down(line, ToClient::Closed);
                    self.after_broker();
                }
            }
            (Path::Broker(_), Some(line)) => self.close_line(line, false),
            (Path::Database(peer), _) => {
                let lost: Vec<u64> =
                    self.database.connections.iter().filter(|(_, other)| **other == peer).map(|(connection, _)| *connection).collect();
                lost.into_iter().for_each(|connection| self.database.close(connection));
            }
            _ => {}
        }
    }

    pub(crate) fn heal(&mut self, path: Path, cut: u64) {
        if self.cuts.get(&path) != Some(&cut) {
            return;
        }
        self.note(|| format!("{path:?} is healed"));
        self.cuts.remove(&path);
        match path {
            Path::Broker(party) => {
                let lines: Vec<u64> = self.lines.iter().filter(|(_, line)| line.party == party).map(|(number, _)| *number).collect();
                for number in lines {
                    let Some(line) = self.lines.get_mut(&number) else { continue };
                    // Before everything that is sent from now on, and in order.
                    for event in std::mem::take(&mut line.stalled) {
                        match event {
                            Event::ToBroker(line, packet) => self.to_broker(line, packet),
                            Event::ToClient(line, packet) => self.to_client(line, packet),
                            _ => {}
                        }
                    }
                }
                self.lines.retain(|number, line| line.party != party || line.is_open || self.broker.is_open(*number));
            }
            Path::Database(peer) => {
                for packet in self.stalled.remove(&peer).unwrap_or_default() {
                    self.to_database(peer, packet);
                }
            }
            Path::Bus(_) => self.after(0, Event::Bus(self.hub.life, None)),
        }
    }

    /// Forgets connections to the broker that are over at both ends.
    pub(crate) fn forget_lines(&mut self) {
        let latest = self.now - 60 * SECOND;
        self.lines.retain(|number, line| line.is_open || self.broker.is_open(*number) || line.arrivals[0].max(line.arrivals[1]) > latest);
    }
}

fn millis(time: Micros) -> u64 {
    time.millis().cast_unsigned()
}

fn since_start(now: i64) -> Duration {
    Duration::from_micros(now.cast_unsigned())
}

/// The batches in all spools.
fn spooled(machines: &[Machine]) -> Vec<store::writer::Batch> {
    machines.iter().flat_map(|machine| &machine.files).flat_map(|file| file.borrow().batches().collect::<Vec<_>>()).collect()
}
