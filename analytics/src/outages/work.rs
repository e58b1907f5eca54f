//! Determines which substations must be recomputed, and from when on.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use grid::{ClientId, Micros, NodeId};
use registry::Image;
use store::Store;
use store::alarm::Cursor;
use store::outage::{Changed, RecomputedOutages, SourceOrder};

use super::circuit::Circuit;
use super::infeeds;
use super::station::Station;
use super::threshold::longest_momentary_ms;
use crate::config::AnalyticsConfig;

/// From this number of new events on, progress is logged.
const MANY: i64 = 10_000;
/// Limit of overlapping outages that are computed together.
const CHAIN_MAX: usize = 1_000;

pub(super) struct Worker {
    config: AnalyticsConfig,
    store: Store,
    /// Identifies the leader in the database.
    name: String,
    registry: Arc<Image>,
    /// The offset up to which the events of each utility have been processed.
    cursors: HashMap<ClientId, Cursor>,
    /// The offset up to which the changes of each utility's faults have been processed. After a start all faults are processed once.
    faults: HashMap<ClientId, Cursor>,
    /// Circuits of the stored drawings.
    circuits: HashMap<NodeId, (Micros, Arc<Circuit>)>,
}

/// Another process has become leader.
struct Refused;

impl Worker {
    pub(super) fn new(config: AnalyticsConfig, store: Store, name: String) -> Self {
        Self { config, store, name, registry: Arc::default(), cursors: HashMap::new(), faults: HashMap::new(), circuits: HashMap::new() }
    }

    /// Processes new events. With `gaps`, also results that were incomplete because of missing reports, and the past of new feeders.
    pub(super) async fn turn(&mut self, registry: Arc<Image>, gaps: bool) {
        self.registry = registry;
        let clients: Vec<ClientId> = self.registry.clients().collect();
        self.cursors.retain(|client, _| clients.contains(client));
        self.faults.retain(|client, _| clients.contains(client));
        for client in clients {
            match self.turn_of(client, gaps).await {
                Ok(Ok(())) => {}
                Ok(Err(Refused)) => {
                    tracing::info!(%client, "another service has taken over the outages of this utility");
                    self.cursors.remove(&client);
                }
                Err(error) => {
                    tracing::warn!(%error, %client, "outages cannot be worked out; trying again");
                    self.cursors.remove(&client);
                }
            }
        }
    }

    async fn turn_of(&mut self, client: ClientId, gaps: bool) -> store::Result<Result<(), Refused>> {
        let (epoch, top) = self.store.event_stream(client).await?;
        let held = self.cursors.get(&client).filter(|held| held.epoch == epoch).cloned();
        let cursor = match held {
            Some(cursor) => cursor,
            None => self.store.claim_outages(client, &self.name).await?,
        };
        let mut changed: BTreeMap<NodeId, Changed> = BTreeMap::new();
        // Substations whose whole past is recomputed with the present data.
        let mut unlaid = HashSet::new();
        if top > cursor.through {
            for one in self.store.outages_changed(client, (cursor.through, top)).await? {
                changed.insert(one.location, one);
            }
        }
        if gaps {
            for one in self.store.outages_unlaid(client, self.momentary_ms(client)).await? {
                unlaid.insert(one.location);
                let entry = changed.entry(one.location).or_insert(one);
                entry.since = entry.since.min(one.since);
            }
            infeeds::record(&self.store, client).await?;
            for one in self.store.outage_gaps(client).await? {
                let entry = changed.entry(one.location).or_insert(one);
                entry.since = entry.since.min(one.since);
            }
        }
        let faults = self.store.fault_stream(client).await?;
        let faults = Cursor { epoch: faults.0, through: faults.1 };
        let looked_at = self.faults.get(&client).filter(|held| held.epoch == faults.epoch).map_or(0, |held| held.through);
        if faults.through > looked_at {
            for one in self.store.outages_by_faults(client, (looked_at, faults.through)).await? {
                let entry = changed.entry(one.location).or_insert(one);
                entry.since = entry.since.min(one.since);
            }
        }
        let events: i64 = changed.values().map(|one| one.events).sum();
        if events >= MANY {
            tracing::info!(%client, events, substations = changed.len(), "outages are worked out");
        }
        for (done, one) in changed.values().enumerate() {
            if !self.rework(client, one, unlaid.contains(&one.location)).await? {
                return Ok(Err(Refused));
            }
            metrics::counter!("analytics_outage_reworks_total").increment(1);
            if events >= MANY {
                tracing::info!(%client, done = done + 1, of = changed.len(), "outages of substations");
            }
        }
        self.faults.insert(client, faults);
        if top > cursor.through {
            let after = Cursor { epoch, through: top };
            if !self.store.advance_outages(client, &self.name, &after).await? {
                return Ok(Err(Refused));
            }
            metrics::counter!("analytics_outage_events_total").increment(events.unsigned_abs());
            self.cursors.insert(client, after);
        } else {
            self.cursors.insert(client, cursor);
        }
        Ok(Ok(()))
    }

    /// Recomputes a substation from an instant on, which may be its whole past. Returns whether this process is still the leader.
    async fn rework(&mut self, client: ClientId, changed: &Changed, is_all: bool) -> store::Result<bool> {
        let location = changed.location;
        let momentary_ms = self.momentary_ms(client);
        let mut from = changed.since;
        for _ in 0..CHAIN_MAX {
            let Some(earlier) = self.store.outages_touching(client, location, from, momentary_ms).await? else { break };
            from = earlier;
        }
        let circuit = self.circuit(client, location).await?;
        let Some(utility) = self.registry.utility(client) else { return Ok(true) };
        let Some(mut station) = Station::new(location, &utility, circuit) else { return Ok(true) };
        let layout = station.layout();
        let open = self.store.outages_open(client, location, from).await?;
        let states = self.store.switches_before(client, location, from).await?;
        let lines = self.store.infeed_changes(client, location, from).await?;
        let (before, after): (Vec<_>, Vec<_>) = lines.into_iter().partition(|change| change.at < from);
        station.begin(from, momentary_ms, (&states, &before), &open);
        let mut after = after.into_iter().peekable();
        let mut place = SourceOrder::before(from);
        loop {
            let page = self.store.switches_after(client, location, place, self.config.page).await?;
            for moved in &page {
                while let Some(change) = after.next_if(|change| change.at <= moved.at) {
                    station.feed(&change);
                }
                station.step(moved);
            }
            match page.last() {
                Some(last) if page.len() as i64 >= self.config.page => place = last.place,
                _ => break,
            }
        }
        for change in after {
            station.feed(&change);
        }
        let (outages, silent) = station.finish();
        self.store
            .enter_outages(
                client,
                &self.name,
                &RecomputedOutages {
                    location,
                    from,
                    outages: &outages,
                    silent: &silent,
                    layout: is_all.then_some((layout.0.as_slice(), layout.1, momentary_ms)),
                },
            )
            .await
    }

    /// Returns the duration of the longest momentary interruption of a utility, ms.
    fn momentary_ms(&self, client: ClientId) -> i64 {
        self.registry
            .client(client)
            .map_or_else(|| longest_momentary_ms(&serde_json::Value::Null), |record| longest_momentary_ms(&record.config))
    }

    /// Returns the circuit of a substation; `None` if it has no drawing.
    async fn circuit(&mut self, client: ClientId, location: NodeId) -> store::Result<Option<Arc<Circuit>>> {
        // Read each time, because a changed drawing is not announced on the bus, and one row costs little compared with the events.
        let Some(record) = self.store.drawing_record(client, location).await? else { return Ok(None) };
        if let Some((stored, circuit)) = self.circuits.get(&location)
            && *stored == record.updated
        {
            return Ok(Some(Arc::clone(circuit)));
        }
        let circuit = Arc::new(Circuit::of(&record.body));
        self.circuits.insert(location, (record.updated, Arc::clone(&circuit)));
        Ok(Some(circuit))
    }
}
