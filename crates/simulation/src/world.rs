//! The simulated world: a queue of events in order of time, and the effect of each event. All random numbers come from one seed.

mod checks;
mod cuts;
mod gateways;
mod lines;
mod picture;
mod processes;
mod questions;
mod strikes;

use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque};
use std::rc::Rc;
use std::time::Duration;

use grid::{Micros, PointId};
use hub::ProcessImage;
use ingest::run::TICK;
use tokio::sync::oneshot;
use wire::bus::BusMessage;

use crate::broker::{Broker, ToBroker, ToClient};
use crate::clock::WallClock;
use crate::database::{Answer, Database, Query};
use crate::disk::File;
use crate::faults::Faults;
use crate::gateway::Gateway;
use crate::process::{Process, config};
use crate::tally::Tally;
use crate::truth::Truth;

/// Machines that run an ingest: a leader and a standby.
pub(crate) const MACHINES: usize = 2;

/// Number of the hub among the clients of the database, after the machines.
pub(crate) const HUB: usize = MACHINES;

/// The client id of all ingests at the broker. Each gateway has its own id.
const INGEST_CLIENT: usize = usize::MAX;

/// How long the hub may show states from before an interruption, µs: the lease of a silent ingest, and the delay of its messages.
const CONFIRMATION_GRACE: i64 = 5_000_000;

/// One second, µs.
const SECOND: i64 = 1_000_000;

/// Maximum number of events that are kept for the report of a failure.
const KEPT_EVENTS: usize = 10_000;

/// Time limit for a connection to the broker, µs, which is also the pause before the next attempt.
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
    /// One end of a connection detects that the other end does not answer.
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
    /// A client and the broker. Clients are the machines, followed by the gateways.
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

/// A connection to the broker, seen from its client.
struct Line {
    party: usize,
    life: u64,
    is_open: bool,
    is_ready: bool,
    will: Option<(field::client::Will, i64)>,
    /// The latest arrival in each direction. Later messages arrive after it, so that messages do not overtake each other.
    arrivals: [i64; 2],
    stalled: VecDeque<Event>,
}

/// A query on its way to the database, or its answer on the way back.
struct PendingQuery {
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
    /// The time when the hub started, or when it last missed messages of the bus.
    lost_at: i64,
    load_began: i64,
    load_again: bool,
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
    queries: BTreeMap<u64, PendingQuery>,
    arrivals: BTreeMap<u64, i64>,
    pub(crate) cuts: BTreeMap<Path, u64>,
    stalled: BTreeMap<usize, VecDeque<ToDatabase>>,
    bus_arrivals: [i64; MACHINES],
    numbers: u64,
    connections: Rc<Cell<u64>>,
    pub(crate) faults: Faults,
    /// When a leader last received a message of each gateway. `connected_at`: when a leader last connected.
    received: Vec<i64>,
    /// By machine: the gateways of which its ingest has received a message on its present connection, other than those that the broker had kept.
    received_from: [BTreeSet<usize>; MACHINES],
    connected_at: i64,
    events: Option<VecDeque<String>>,
    /// Whether gateways measure new values.
    pub(crate) is_measuring: bool,
}

impl World {
    /// Returns the world of a seed. With `is_traced` it keeps its last events as text.
    pub(crate) fn new(seed: u64, is_traced: bool) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut truth = Truth::default();
        let count = random.usize(3..=6);
        // If the broker loses wills, only silence reveals the death of a gateway. Queued messages of QoS 1 would break that silence, so plain
        // gateways then use QoS 0.
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
            hub: Hub {
                life: 0,
                is_running: false,
                image: ProcessImage::default(),
                is_loading: false,
                shown: BTreeMap::new(),
                lost_at: 0,
                load_began: 0,
                load_again: false,
            },
            lines: BTreeMap::new(),
            queries: BTreeMap::new(),
            arrivals: BTreeMap::new(),
            cuts: BTreeMap::new(),
            stalled: BTreeMap::new(),
            bus_arrivals: [0; MACHINES],
            numbers: 0,
            connections: Rc::default(),
            faults: Faults::new(&mut random),
            received: vec![0; count],
            received_from: std::array::from_fn(|_| BTreeSet::new()),
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

    /// Returns a random network delay, µs; mostly a short one.
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

    /// Processes the next event.
    pub(crate) fn step(&mut self) {
        let Some(Reverse(Entry(time, _, event))) = self.queue.pop() else { return };
        self.now = time;
        // The process has given up waiting for this event.
        if let Event::Wake(_, _, done) = &event
            && done.is_closed()
        {
            return;
        }
        if matches!(&event, Event::Limit(number) if !self.queries.contains_key(number)) {
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
            Event::ToBroker(line, packet) => self.reach_broker(line, packet),
            Event::ToClient(line, packet) => self.reach_client(line, packet),
            Event::Will(line) => {
                if self.broker.is_up {
                    self.broker.publish_delayed(line, &mut self.truth);
                    self.after_broker();
                }
            }
            Event::Silence { path, cut, line, is_broker } => self.silence(path, cut, line, is_broker),
            Event::Database(peer, packet) => self.reach_database(peer, packet),
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
                let messages = self.gateways[gateway].0.tick(self.now, now_ms);
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
}

fn millis(time: Micros) -> u64 {
    time.millis().cast_unsigned()
}

fn since_start(now: i64) -> Duration {
    Duration::from_micros(now.cast_unsigned())
}

/// Returns the batches in all spools.
fn spooled(machines: &[Machine]) -> Vec<store::writer::Batch> {
    machines.iter().flat_map(|machine| &machine.files).flat_map(|file| file.borrow().batches().collect::<Vec<_>>()).collect()
}
