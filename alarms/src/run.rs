//! Reads, commits and tells. One service works; others stand by, and one that has lost the lead without knowing finds the cursor moved and starts afresh.

use std::collections::{HashMap, HashSet};
use std::time::{SystemTime, UNIX_EPOCH};

use bus::{Received, Subscription};
use grid::{ClientId, GatewayId, Micros, Ordinal, PointId, Quality, Reading};
use store::alarm::{Cursor, Entered};
use store::lead;
use tokio::time::{Instant, MissedTickBehavior, interval, interval_at};
use tokio_util::sync::CancellationToken;
use wire::alarms::AlarmRow;
use wire::bus::{BusMessage, Change};
use wire::faults::FaultRow;

use crate::field::{Link, PENDING_MAX, Read, Utility};
use crate::step::Work;
use crate::{AlarmsConfig, Deps};

/// The lock that says who works.
const LEAD: &str = "alarms";
/// Messages of the bus that are taken before what follows from them is committed.
const TOGETHER: usize = 256;

/// Works until `shutdown`. A database that is away is waited for.
pub async fn run(config: AlarmsConfig, deps: Deps, shutdown: CancellationToken) {
    while !shutdown.is_cancelled() {
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = lead_and_work(&config, &deps) => {}
        }
    }
}

/// Waits for the lead and works as long as it is held.
async fn lead_and_work(config: &AlarmsConfig, deps: &Deps) {
    let mut told = false;
    let lead = loop {
        match lead::take(&deps.database_url, LEAD).await {
            Ok(Some(lead)) => break lead,
            Ok(None) if !told => tracing::info!("another service takes care of the alarms; standing by"),
            Ok(None) => {}
            Err(error) => tracing::warn!(%error, "waiting for the database"),
        }
        told = true;
        tokio::time::sleep(config.lead).await;
    };
    let lost = async {
        loop {
            tokio::time::sleep(config.lead).await;
            if !lead.holds(config.lead).await {
                return;
            }
        }
    };
    tokio::select! {
        () = lost => tracing::warn!("the lead of the alarms is lost"),
        () = Worker::new(config.clone(), deps.clone()).work() => {}
    }
}

struct Worker {
    config: AlarmsConfig,
    deps: Deps,
    utilities: HashMap<ClientId, Utility>,
    /// What is being entered, until it is.
    works: HashMap<ClientId, Work>,
    /// Everything is to be read anew.
    to_read: bool,
    polled: Instant,
}

/// The wall clock.
fn now() -> Micros {
    Micros(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| i64::try_from(since.as_micros()).unwrap_or(i64::MAX)))
}

impl Worker {
    fn new(config: AlarmsConfig, deps: Deps) -> Self {
        Self { config, deps, utilities: HashMap::new(), works: HashMap::new(), to_read: true, polled: Instant::now() }
    }

    async fn work(mut self) {
        // Before the database is read, so that nothing falls in between.
        let mut bus = self.deps.bus.subscribe();
        let mut turns = interval(self.config.turn);
        turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut reconcile = interval_at(Instant::now() + self.config.reconcile, self.config.reconcile);
        reconcile.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                received = bus.next() => match received {
                    None => return,
                    Some(first) => {
                        self.hear(&first);
                        self.hear_more(&mut bus);
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

    fn hear_more(&mut self, bus: &mut Subscription) {
        for _ in 1..TOGETHER {
            let Some(next) = bus.try_next() else { return };
            self.hear(&next);
        }
    }

    fn hear(&mut self, received: &Received) {
        let Received::Message(message) = received else {
            metrics::counter!("alarms_bus_lagged_total").increment(1);
            self.to_read = true;
            return;
        };
        let Some(utility) = self.utilities.get_mut(&ClientId(message.client())) else {
            // A utility that is new, or everything before the first reading, which reads all.
            self.to_read |= matches!(**message, BusMessage::Registry { .. });
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
            BusMessage::Events { .. } => utility.dirty = true,
            BusMessage::Gateway { gateway, online, since, .. } => {
                utility.link(&Link::Gateway(GatewayId(*gateway)), *online, Micros(*since));
            }
            BusMessage::Device { gateway, device, online, since, .. } => {
                utility.link(&Link::Device(GatewayId(*gateway), device.clone()), *online, Micros(*since));
            }
            BusMessage::Registry { .. } | BusMessage::AlarmRules { .. } => self.to_read = true,
            _ => {}
        }
        if utility.pending.len() > PENDING_MAX {
            tracing::error!(client = %utility.client, "the database does not take the alarms; they will be found by what it has stored");
            utility.pending.clear();
            self.to_read = true;
        }
    }

    /// Enters what has been heard, then reads what is new.
    async fn turn(&mut self) {
        if self.polled.elapsed() >= self.config.poll {
            self.polled = Instant::now();
            self.utilities.values_mut().for_each(|utility| utility.dirty = true);
        }
        let clients: Vec<ClientId> = self.utilities.keys().copied().collect();
        for client in clients {
            if let Err(error) = self.turn_of(client).await {
                tracing::warn!(%error, %client, "alarms cannot be entered; they wait");
                return;
            }
        }
        if self.to_read {
            match self.read().await {
                Ok(()) => self.to_read = false,
                Err(error) => tracing::warn!(%error, "the field cannot be read for alarms; trying again"),
            }
        }
    }

    async fn turn_of(&mut self, client: ClientId) -> store::Result<()> {
        let Self { deps, utilities, works, config, to_read, .. } = self;
        let Some(utility) = utilities.get_mut(&client) else { return Ok(()) };
        utility.time(now());
        loop {
            let mut more = false;
            let work = works.entry(client).or_default();
            if work.is_empty() {
                work.flips.append(&mut utility.pending);
                work.touched.extend(utility.touched.drain());
                work.orphans.append(&mut utility.orphans);
                if utility.dirty {
                    work.shelves = deps.store.alarm_shelves_over(client).await?;
                    if let Some(before) = utility.cursor.clone() {
                        let events = deps.store.field_events(client, before.through, config.batch).await?;
                        more = events.len() as i64 == config.batch;
                        if let Some(last) = events.last() {
                            let after = Cursor { through: last.event.offset, ..before.clone() };
                            work.take_events(utility, &events);
                            work.cursor = Some((Some(before), after));
                            metrics::counter!("alarms_events_total").increment(events.len() as u64);
                        }
                    }
                    utility.dirty = more;
                }
            }
            if work.is_empty() {
                return Ok(());
            }
            let (sources, breakers) = work.about(utility);
            let step = work.cursor.as_ref().map(|(before, after)| (before.as_ref(), after));
            let entered = deps.store.enter_alarms(client, step, (&sources, &breakers), |ledger| work.apply(utility, ledger)).await?;
            let done = works.remove(&client).unwrap_or_default();
            match entered {
                Entered::Elsewhere => {
                    tracing::info!(%client, "somebody else has taken events of this utility; reading anew");
                    utility.pending.clear();
                    *to_read = true;
                    return Ok(());
                }
                Entered::Done { alarms, faults } => {
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
                    tell(deps, client, alarms, faults);
                }
            }
            if !more {
                return Ok(());
            }
        }
    }

    /// Reads everything anew. What waits to be entered has been, so that what is stored is what stands.
    async fn read(&mut self) -> store::Result<()> {
        let store = &self.deps.store;
        let registry = store.registry(None).await?;
        let mut read = HashMap::with_capacity(registry.clients.len());
        for client in &registry.clients {
            let client = client.id;
            let mut cursor = store.alarm_cursor(client).await?;
            let rules = store.alarm_rules(client, None).await?;
            let active: HashSet<String> = store.alarms_active(client).await?.into_iter().collect();
            let open = store.faults_open(client).await?.into_iter().map(|record| (record.breaker, record.fault)).collect();
            // The readings before the top: where the cursor is there, they tell of no event that was not taken.
            let latest = store.latest_of(client, None).await?;
            let (epoch, top) = store.event_stream(client).await?;
            if cursor.as_ref().is_none_or(|cursor| cursor.epoch != epoch) {
                if cursor.is_some() {
                    tracing::warn!(%client, "the event history is another one; alarms go on from its end");
                }
                let begin = Cursor { epoch, through: top };
                let entered = store.enter_alarms(client, Some((cursor.as_ref(), &begin)), (&[], &[]), |_| ()).await?;
                if entered == Entered::Elsewhere {
                    continue;
                }
                cursor = Some(begin);
            }
            let caught_up = cursor.as_ref().is_some_and(|cursor| cursor.through == top);
            let before = self.utilities.remove(&client);
            let parts = Read { registry: &registry, rules, active, open, cursor, silent_s: self.config.silent_s };
            let mut utility = Utility::new(client, parts, before);
            let at = now();
            for (point, reading) in &latest {
                utility.stored(*point, reading, at, caught_up);
            }
            read.insert(client, utility);
        }
        self.utilities = read;
        Ok(())
    }
}

/// Tells the hubs.
fn tell(
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
