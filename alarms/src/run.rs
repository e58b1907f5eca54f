//! Reads, commits and publishes. One process is the leader and the others are on standby. If a process has lost the leadership without noticing, it finds that
//! the cursor has moved, and reads everything again.

use std::collections::{HashMap, HashSet};
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bus::{Received, Subscription};
use grid::alarm::Rule;
use grid::alarm::rated::{self, Indicator};
use grid::fault::CURRENT_WINDOW_MS;
use grid::{AssetId, ClientId, GatewayId, Micros, NodeId, Ordinal, Point, PointId, Quality, Reading};
use store::alarm::{Cursor, FieldEvent, Ledger, Progress, StepResult};
use store::rating::EnteredRating;
use store::{Store, lead};
use tokio::sync::watch;
use tokio::time::{Instant, MissedTickBehavior, interval, interval_at};
use tokio_util::sync::CancellationToken;
use wire::alarms::AlarmRow;
use wire::bus::{BusMessage, Change};
use wire::faults::FaultRow;
use wire::from_grid::link_state;

use crate::bound::BoundNetworks;
use crate::causes::Hidden;
use crate::field::{PENDING_MAX, Read, Utility};
use crate::link::Link;
use crate::step::Work;
use crate::supply::Circuit;
use crate::{AlarmsConfig, Deps};

/// The name of the lock of the leader.
const LEAD: &str = "alarms";
/// Time limit for refreshing the registry. After it, the refresh is repeated later.
const REFRESH_MAX: Duration = Duration::from_secs(5);
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;
/// Maximum number of bus messages that are processed before their results are committed.
const TOGETHER: usize = 256;

/// Runs until `shutdown`. While the database cannot be reached, it waits.
///
/// The future is boxed so that its code is compiled in this crate and not in the executable.
pub fn run(config: AlarmsConfig, deps: Deps, shutdown: CancellationToken) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    Box::pin(work(config, deps, shutdown))
}

async fn work(config: AlarmsConfig, deps: Deps, shutdown: CancellationToken) {
    let mut worker = Worker::new(config, deps);
    while !shutdown.is_cancelled() {
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = lead_and_work(&mut worker) => {}
        }
    }
}

/// Waits for the leadership and works while it is held. If the process loses it because the database is unreachable, it continues to receive messages and
/// commits later. If it finds another leader, it discards its state.
async fn lead_and_work(worker: &mut Worker) {
    let patience = worker.config.lead;
    let url = worker.deps.database_url.clone();
    let mut is_logged = false;
    let lead = loop {
        let taken = tokio::select! {
            taken = lead::take(&url, LEAD) => taken,
            () = worker.listen() => return,
        };
        match taken {
            Ok(Some(lead)) => break lead,
            Ok(None) => {
                worker.forget();
                if !is_logged {
                    tracing::info!("another process is the leader of the alarms; on standby");
                }
            }
            Err(error) => tracing::warn!(%error, "waiting for the database"),
        }
        is_logged = true;
        tokio::select! {
            () = tokio::time::sleep(patience) => {}
            () = worker.listen() => return,
        }
    };
    let lost = async {
        loop {
            tokio::time::sleep(patience).await;
            if !lead.holds(patience).await {
                return;
            }
        }
    };
    // Deletes in a task of its own, so that alarms do not wait for it.
    let forgetting = forget(worker.config.clone(), worker.deps.store.clone(), worker.clients.subscribe());
    tokio::select! {
        () = lost => tracing::warn!("the lead of the alarms is lost"),
        () = worker.work() => {}
        () = forgetting => {}
    }
}

/// Deletes old rows repeatedly, a few of each utility at a time. It ends when the worker ends.
async fn forget(config: AlarmsConfig, store: Store, mut clients: watch::Receiver<Vec<ClientId>>) {
    let mut wait = config.poll;
    loop {
        tokio::time::sleep(wait).await;
        let Ok(known) = clients.wait_for(|clients| !clients.is_empty()).await.map(|clients| clients.clone()) else { return };
        let before = (config.keep_days > 0).then(|| now().plus_millis(-i64::from(config.keep_days) * DAY_MS));
        let mut more = false;
        for client in known {
            match store.forget_alarms(client, before).await {
                Ok((0, _)) => {}
                Ok((gone, of_client)) => {
                    tracing::debug!(%client, gone, "old changes of alarms and faults have gone");
                    more |= of_client;
                }
                Err(error) => tracing::warn!(%error, %client, "expired changes cannot be deleted; trying again later"),
            }
        }
        // Pauses between parts, so that the database can serve others.
        wait = if more { config.poll } else { config.forget };
    }
}

/// The data of one utility: its parts, its stored readings, and whether the readings are not newer than the processed events.
type Parts<'a> = (Read<'a>, Vec<(PointId, Reading)>, bool);

struct Worker {
    config: AlarmsConfig,
    deps: Deps,
    /// Subscribed before the database is read, so that no message is missed in between.
    bus: Subscription,
    utilities: HashMap<ClientId, Utility>,
    /// Work that is not committed yet.
    works: HashMap<ClientId, Work>,
    /// Whether everything must be read from the database.
    to_read: bool,
    /// The time of the next read after an incomplete one.
    read_from: Instant,
    polled: Instant,
    /// When the last heartbeat of each utility was published.
    published_beats: HashMap<ClientId, Instant>,
    /// Circuits of drawings, with the time when the drawing was stored.
    circuits: Circuits,
    /// The active networks with their points.
    networks: BoundNetworks,
    /// The utilities that were read, for the deletion of old rows.
    clients: watch::Sender<Vec<ClientId>>,
}

/// Returns the wall clock time.
fn now() -> Micros {
    Micros(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| i64::try_from(since.as_micros()).unwrap_or(i64::MAX)))
}

impl Worker {
    fn new(config: AlarmsConfig, deps: Deps) -> Self {
        let (bus, now) = (deps.bus.subscribe(), Instant::now());
        let (utilities, works, published_beats, circuits) = <_>::default();
        let clients = watch::Sender::default();
        let networks = BoundNetworks::new(&deps.registry);
        Self {
            networks,
            config,
            deps,
            bus,
            utilities,
            works,
            to_read: true,
            read_from: now,
            polled: now,
            published_beats,
            circuits,
            clients,
        }
    }

    /// Discards the state, because another process has committed the same events.
    fn forget(&mut self) {
        self.utilities.clear();
        self.works.clear();
        self.to_read = true;
    }

    /// Evaluates messages of the bus without committing. It ends when the bus ends.
    async fn listen(&mut self) {
        while let Some(received) = self.bus.next().await {
            self.apply(&received);
        }
    }

    /// Works until it is dropped, which is safe at any await. Uncommitted work is kept, and the next call commits it.
    async fn work(&mut self) {
        self.to_read = true;
        let mut turns = interval(self.config.turn);
        turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut reconcile = interval_at(Instant::now() + self.config.reconcile, self.config.reconcile);
        reconcile.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                received = self.bus.next() => match received {
                    None => return,
                    Some(first) => {
                        self.apply(&first);
                        if self.utilities.values().any(|utility| utility.dirty) {
                            self.turn().await;
                        }
                    }
                },
                _ = turns.tick() => self.turn().await,
                _ = reconcile.tick() => self.to_read = true,
            }
        }
    }

    fn apply_pending(&mut self) {
        for _ in 1..TOGETHER {
            let Some(next) = self.bus.try_next() else { return };
            self.apply(&next);
        }
    }

    fn apply(&mut self, received: &Received) {
        let Received::Message(message) = received else {
            metrics::counter!("alarms_bus_lagged_total").increment(1);
            self.to_read = true;
            return;
        };
        let Some(utility) = self.utilities.get_mut(&ClientId(message.client())) else {
            // A new utility is read after the registry has it.
            return;
        };
        match &**message {
            BusMessage::Changes { changes, .. } => {
                for change in changes {
                    if let Some(reading) = reading_of(change) {
                        utility.value(PointId(change.point), &reading);
                    }
                }
            }
            BusMessage::Events { .. } | BusMessage::Commands { .. } => utility.dirty = true,
            BusMessage::Gateway { gateway, online, since, order, .. } => {
                utility.link(&Link::Gateway(GatewayId(*gateway)), link_state(*online, *since, *order));
            }
            BusMessage::Device { gateway, device, online, since, order, .. } => {
                utility.link(&Link::Device(GatewayId(*gateway), device.clone()), link_state(*online, *since, *order));
            }
            BusMessage::AlarmRules { .. } => self.to_read = true,
            _ => {}
        }
        if utility.pending.len() > PENDING_MAX {
            tracing::error!(client = %utility.client, "the database does not take the alarms; they will be found by what it has stored");
            utility.pending.clear();
            self.to_read = true;
        }
    }

    /// Commits pending work, then reads new events. Values that arrived before an event are applied before the event is read, so that the currents of a fault
    /// are known when it opens.
    async fn turn(&mut self) {
        self.apply_pending();
        if self.polled.elapsed() >= self.config.poll {
            self.polled = Instant::now();
            self.utilities.values_mut().for_each(|utility| utility.dirty = true);
        }
        let clients: Vec<ClientId> = self.utilities.keys().copied().collect();
        for client in clients {
            self.step_or_log(client).await;
        }
        self.to_read |= self.deps.registry.has_changed() || self.networks.have_changed();
        if self.to_read && self.read_from <= Instant::now() {
            match self.read().await {
                Ok(whole) => self.to_read = !whole,
                Err(error) => tracing::warn!(%error, "the field cannot be read for alarms; trying again"),
            }
            if self.to_read {
                self.read_from = Instant::now() + self.config.poll;
            }
        }
    }

    /// Serves utilities whose heartbeat is due while many others are being read.
    async fn turn_overdue(&mut self) {
        let is_overdue = |client: &ClientId| self.published_beats.get(client).is_some_and(|at| at.elapsed() >= self.config.beat);
        let overdue: Vec<ClientId> = self.utilities.keys().copied().filter(is_overdue).collect();
        for client in overdue {
            if let Some(utility) = self.utilities.get_mut(&client) {
                utility.dirty = true;
            }
            self.step_or_log(client).await;
        }
    }

    async fn step_or_log(&mut self, client: ClientId) {
        if let Err(error) = self.turn_of(client).await {
            tracing::warn!(%error, %client, "alarms cannot be entered; they wait");
        }
    }

    #[expect(clippy::too_many_lines, reason = "the steps of a turn in their order")]
    async fn turn_of(&mut self, client: ClientId) -> store::Result<()> {
        let Self { deps, utilities, works, config, to_read, published_beats, circuits, .. } = self;
        let Some(utility) = utilities.get_mut(&client) else { return Ok(()) };
        utility.time(now());
        utility.begin_network(now());
        loop {
            let work = works.entry(client).or_default();
            if work.is_empty() {
                work.flips.append(&mut utility.take_pending(now()));
                work.folds.append(&mut utility.folds);
                work.touched.extend(utility.touched.drain());
                work.orphans.append(&mut utility.orphans);
                work.restated.append(&mut utility.restated);
                if utility.held_until.is_some_and(|until| until <= now()) {
                    (utility.held_until, utility.dirty) = (None, true);
                }
                if utility.dirty {
                    work.shelves = deps.store.alarm_shelves_over(client).await?;
                    if let Some(before) = utility.cursor.clone() {
                        let mut events = deps.store.field_events(client, before.events.through, config.batch).await?;
                        let commands = match &before.commands {
                            Some(place) => deps.store.field_commands(client, place.through, config.batch).await?,
                            None => Vec::new(),
                        };
                        let more = [events.len(), commands.len()].into_iter().any(|taken| taken as i64 == config.batch);
                        let registry = deps.registry.image().utility(client);
                        let tripped = utility.open.keys().filter_map(|breaker| Some(utility.bays.get(breaker)?.location));
                        for location in utility.causes.missing(tripped, &events) {
                            let Some(registry) = &registry else { break };
                            let circuit = circuit(&deps.store, circuits, client, location).await?;
                            utility.add_station(location, registry, circuit, now());
                        }
                        let (settled, held_until) = utility.settled(&events, now());
                        events.truncate(settled);
                        utility.held_until = held_until;
                        // Reads before anything is taken, so that a failure repeats the same events.
                        work.currents = stored_currents(&deps.store, utility, &events).await?;
                        let mut after = before.clone();
                        if let Some(last) = events.last() {
                            after.events.through = last.event.offset;
                            work.take_events(utility, &events);
                            metrics::counter!("alarms_events_total").increment(events.len() as u64);
                        }
                        if let (Some(last), Some(place)) = (commands.last(), &mut after.commands) {
                            place.through = last.record.offset;
                            work.take_commands(&commands);
                        }
                        if after != before {
                            work.cursor = Some((Some(before), after));
                        }
                        utility.dirty = more && held_until.is_none();
                        if !more && held_until.is_none() {
                            work.late = utility.late.drain().collect();
                        }
                    }
                }
            }
            if work.is_empty() {
                // The heartbeat is published only after success, here and below. A service that fails or lags behind publishes none.
                beat(deps, config.beat, published_beats, client);
                return Ok(());
            }
            let (sources, breakers) = work.about(utility);
            let step = work.cursor.as_ref().map(|(before, after)| (before.as_ref(), after));
            let mut hidden = Hidden::new();
            let decide = |ledger: &mut Ledger| hidden = work.apply(utility, ledger);
            let entered = deps.store.enter_alarms(client, step, (&sources, &breakers), decide).await?;
            let done = works.remove(&client).unwrap_or_default();
            match entered {
                StepResult::Elsewhere => {
                    tracing::info!(%client, "another process has moved the cursor of this utility; reading everything again");
                    // Pending work is kept: the step may have been committed by this process, with its confirmation lost.
                    *to_read = true;
                    return Ok(());
                }
                StepResult::Done { alarms, faults } => {
                    if let Some((_, after)) = done.cursor {
                        utility.cursor = Some(after);
                    }
                    for record in &faults.rows {
                        if record.fault.is_open() {
                            utility.open.insert(record.breaker, record.fault);
                        } else {
                            utility.open.remove(&record.breaker);
                        }
                    }
                    utility.committed(&alarms.rows, hidden);
                    publish(deps, client, alarms, faults);
                    if !utility.dirty {
                        beat(deps, config.beat, published_beats, client);
                    }
                }
            }
        }
    }

    /// Reads everything from the database and returns whether all of it could be read. Pending work is committed before, so the stored state is current. If the
    /// step of a utility cannot be committed, or the utility cannot be read, its state in memory is kept.
    async fn read(&mut self) -> store::Result<bool> {
        // Alarms of points that the registry does not have yet would be treated as orphans and ended.
        if tokio::time::timeout(REFRESH_MAX, self.deps.registry.refresh()).await.is_err() {
            return Ok(false);
        }
        self.networks.wait(REFRESH_MAX).await;
        let registry = self.deps.registry.image();
        let clients: HashSet<ClientId> = registry.clients().collect();
        let mut whole = true;
        for client in clients.iter().copied() {
            if self.works.get(&client).is_some_and(|work| !work.is_empty()) {
                whole = false;
                continue;
            }
            let Some(of_client) = registry.utility(client) else { continue };
            let network = self.networks.of(client, &registry).await;
            match self.parts_of(&of_client).await {
                // No await between removing the old state and inserting the new one.
                Ok(Some((parts, latest, caught_up))) => {
                    let parts = Read { network, ..parts };
                    let mut utility = Utility::new(client, parts, self.utilities.remove(&client));
                    let at = now();
                    for (point, reading) in &latest {
                        utility.stored(*point, reading, at, caught_up);
                    }
                    self.utilities.insert(client, utility);
                    // Reading may have taken long, so the heartbeat may be due.
                    if caught_up {
                        beat(&self.deps, self.config.beat, &mut self.published_beats, client);
                    }
                }
                Ok(None) => whole = false,
                Err(error) => {
                    tracing::warn!(%error, %client, "the utility cannot be read for alarms; trying again");
                    whole = false;
                }
            }
            self.turn_overdue().await;
        }
        self.clients.send_replace(clients.iter().copied().collect());
        self.networks.retain(&clients);
        self.utilities.retain(|client, _| clients.contains(client));
        self.works.retain(|client, _| clients.contains(client));
        self.published_beats.retain(|client, _| clients.contains(client));
        Ok(whole)
    }

    /// Reads the data of a utility, its stored readings, and whether they are not newer than the processed events. `None` if another
    /// process has moved the cursor.
    async fn parts_of<'a>(&self, utility: &'a registry::Utility) -> store::Result<Option<Parts<'a>>> {
        let (store, client) = (&self.deps.store, utility.client().id);
        let stored_links = store.links(Some(client)).await?;
        let mut cursor = store.alarm_cursor(client).await?;
        let mut rules = store.alarm_rules(client, None).await?;
        let rated = of_ratings(utility, &store.plates(client, None).await?, &rules);
        rules.extend(rated);
        let active = store.alarms_active(client).await?;
        let open = store.faults_open(client).await?.into_iter().map(|record| (record.breaker, record.fault)).collect();
        // The readings are read before the top of the stream. If the cursor is at the top, they are not newer than the processed events.
        let latest = store.latest_of(client, None).await?;
        let (epoch, top) = store.event_stream(client).await?;
        let (command_epoch, command_top) = store.command_stream(client).await?;
        let events = cursor.as_ref().map(|cursor| &cursor.events).filter(|place| place.epoch == epoch);
        let commands = cursor.as_ref().and_then(|cursor| cursor.commands.as_ref()).filter(|place| place.epoch == command_epoch);
        if events.is_none() || commands.is_none() {
            if cursor.as_ref().is_some_and(|cursor| events.is_none() || cursor.commands.is_some()) {
                tracing::warn!(%client, "the history of events or commands is another one; alarms go on from its end");
            }
            let begin = Progress {
                events: events.cloned().unwrap_or(Cursor { epoch, through: top }),
                commands: Some(commands.cloned().unwrap_or(Cursor { epoch: command_epoch, through: command_top })),
            };
            let entered = store.enter_alarms(client, Some((cursor.as_ref(), &begin)), (&[], &[]), |_| ()).await?;
            if entered == StepResult::Elsewhere {
                return Ok(None);
            }
            cursor = Some(begin);
        }
        let caught_up = cursor.as_ref().is_some_and(|cursor| cursor.events.through == top);
        let parts = Read {
            registry: utility,
            stored_links,
            rules,
            active,
            open,
            cursor,
            silent_s: self.config.silent_s,
            outlasts: self.config.outlasts,
            network: None,
        };
        Ok(Some((parts, latest, caught_up)))
    }
}

/// Circuits of drawings, with the time when the drawing was stored.
type Circuits = HashMap<NodeId, (Micros, Arc<Circuit>)>;

/// Returns the circuit of a substation; `None` if it has no drawing.
async fn circuit(store: &Store, circuits: &mut Circuits, client: ClientId, location: NodeId) -> store::Result<Option<Arc<Circuit>>> {
    let Some(record) = store.drawing_record(client, location).await? else { return Ok(None) };
    if let Some((_, circuit)) = circuits.get(&location).filter(|(stored, _)| *stored == record.updated) {
        return Ok(Some(Arc::clone(circuit)));
    }
    let updated = record.updated;
    // A large drawing takes milliseconds, in which other utilities are served.
    let built = tokio::task::spawn_blocking(move || Circuit::of(&record.body)).await;
    let circuit = Arc::new(built.unwrap_or_else(|_| Circuit::of(&serde_json::Value::Null)));
    circuits.insert(location, (updated, Arc::clone(&circuit)));
    Ok(Some(circuit))
}

/// Reads the stored fault currents of openings for which the bus did not deliver all currents.
async fn stored_currents(
    store: &Store,
    utility: &Utility,
    events: &[FieldEvent],
) -> store::Result<HashMap<(PointId, Micros), [Option<f64>; 3]>> {
    let incomplete = Work::incomplete(utility, events);
    if incomplete.is_empty() {
        return Ok(HashMap::new());
    }
    let instants: Vec<(PointId, Micros)> = incomplete.iter().flat_map(|(_, at, points)| points.map(|point| (point, *at))).collect();
    let values = store.values_near(utility.client, &instants, CURRENT_WINDOW_MS).await?;
    let of = |((breaker, at, _), values): (&(PointId, Micros, _), &[Option<f64>])| Some(((*breaker, *at), values.try_into().ok()?));
    Ok(incomplete.iter().zip(values.chunks(3)).filter_map(of).collect())
}

/// Returns the rules that are derived from the ratings of transformers. A rule of a user for the same point and kind replaces the derived rule.
fn of_ratings(utility: &registry::Utility, plates: &[(AssetId, EnteredRating)], decided: &[Rule]) -> Vec<Rule> {
    let limits: HashMap<AssetId, _> = plates.iter().map(|(asset, plate)| (*asset, plate.limits)).collect();
    let of = |point: &Point| {
        let limits = limits.get(&point.asset)?;
        let oil = Indicator { alarm: limits.oil_alarm, trip: limits.oil_trip };
        let winding = Indicator { alarm: limits.winding_alarm, trip: limits.winding_trip };
        Some(rated::rules(point, oil, winding, decided))
    };
    utility.points().filter_map(of).flatten().collect()
}

/// Publishes the heartbeat of a utility, if it is due.
fn beat(deps: &Deps, every: Duration, published_beats: &mut HashMap<ClientId, Instant>, client: ClientId) {
    if published_beats.get(&client).is_none_or(|at| at.elapsed() >= every) {
        published_beats.insert(client, Instant::now());
        deps.bus.publish(BusMessage::AlarmsAlive { client: client.0 });
    }
}

/// Publishes changes to the hubs.
fn publish(
    deps: &Deps,
    client: ClientId,
    alarms: store::alarm::Committed<grid::alarm::AlarmRecord>,
    faults: store::alarm::Committed<grid::fault::FaultRecord>,
) {
    if let Some(last) = faults.rows.last() {
        let at = now();
        let rows = faults.rows.iter().map(|record| FaultRow::from((record, at))).collect();
        deps.bus.publish(BusMessage::Faults { client: client.0, epoch: faults.epoch, from: faults.from, offset: last.offset, rows });
    }
    if let Some(last) = alarms.rows.last() {
        metrics::counter!("alarms_changes_total").increment(alarms.rows.len() as u64);
        let rows = alarms.rows.iter().map(AlarmRow::from).collect();
        deps.bus.publish(BusMessage::Alarms { client: client.0, epoch: alarms.epoch, from: alarms.from, offset: last.offset, rows });
    }
}

fn reading_of(change: &Change) -> Option<Reading> {
    Some(Reading {
        value: change.value,
        quality: Quality::from_code(change.quality)?,
        source: Micros(change.source),
        received: Micros(change.received),
        ordinal: Ordinal { epoch: change.epoch, seq: change.seq },
    })
}
