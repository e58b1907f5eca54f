//! Determines which substations must be recomputed, and from which time on.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use grid::{AssetId, ClientId, Micros, NodeId};
use registry::Image;
use store::Store;
use store::alarm::Cursor;
use store::outage::Changed;

use super::area::Area;
use super::changes_by_hand::{ChangesByHand, SeenByHand};
use super::circuit::Circuit;
use super::infeeds;
use super::past_networks::{self, Activations, PastNetworks};
use super::rework::{Planned, Rework};
use super::station::Station;
use super::threshold::longest_momentary_ms;
use super::version::VersionPoints;
use crate::config::AnalyticsConfig;

/// If there are at least this many new events, progress is logged.
const MANY: i64 = 10_000;
/// Maximum number of pages of events of a utility that are processed in one turn. Then the next utility is processed, and after that the events that have
/// arrived meanwhile.
const PAGES_PER_TURN: usize = 5;
/// Maximum number of pages of newly arrived events that are processed before a long recomputation continues.
const PAGES_BETWEEN: usize = 25;
/// Changes from this time on are recomputed before older ones, ms.
const RECENT_MS: i64 = 86_400_000;

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
    networks: PastNetworks,
    /// What users have entered by hand that was taken into account.
    by_hand: HashMap<ClientId, SeenByHand>,
    /// Utilities in which users may have entered something since.
    unseen: HashSet<ClientId>,
    /// Whether this is so in all utilities.
    is_unseen: bool,
    /// Work in progress.
    passes: HashMap<ClientId, Pass>,
    /// Utilities whose incomplete results are to be computed again after the work in progress.
    gaps: HashSet<ClientId>,
}

/// The recomputations that are caused by the changes up to some offsets.
#[derive(Debug)]
struct Pass {
    planned: VecDeque<Planned>,
    current: Option<Rework>,
    /// The cursor after the pass, and whether it differs from the stored one.
    cursor: (Cursor, bool),
    faults: Cursor,
    events: i64,
    activations: Activations,
    /// Number of activations that are new.
    new_activations: usize,
}

/// Another process has become leader.
struct Refused;

impl Worker {
    pub(super) fn new(config: AnalyticsConfig, store: Store, name: String) -> Self {
        Self {
            config,
            store,
            name,
            registry: Arc::default(),
            cursors: HashMap::new(),
            faults: HashMap::new(),
            circuits: HashMap::new(),
            networks: PastNetworks::default(),
            by_hand: HashMap::new(),
            unseen: HashSet::new(),
            is_unseen: true,
            passes: HashMap::new(),
            gaps: HashSet::new(),
        }
    }

    /// Looks in the next turn for what users have entered by hand.
    pub(super) fn look_for_changes_by_hand(&mut self) {
        self.is_unseen = true;
    }

    /// Processes a portion of the new events of each utility. With `gaps`, also recomputes results that were incomplete because of missing reports, and
    /// computes the past of new feeders. Returns whether work is left.
    pub(super) async fn turn(&mut self, registry: Arc<Image>, gaps: bool) -> bool {
        self.registry = registry;
        let clients: Vec<ClientId> = self.registry.clients().collect();
        self.cursors.retain(|client, _| clients.contains(client));
        self.faults.retain(|client, _| clients.contains(client));
        self.passes.retain(|client, _| clients.contains(client));
        if gaps {
            self.gaps = clients.iter().copied().collect();
        }
        if std::mem::take(&mut self.is_unseen) {
            self.unseen = clients.iter().copied().collect();
        }
        for client in clients {
            match Box::pin(self.turn_of(client)).await {
                Ok(Ok(())) => {}
                Ok(Err(Refused)) => {
                    tracing::info!(%client, "another service has taken over the outages of this utility");
                    self.forget(client);
                }
                Err(error) => {
                    tracing::warn!(%error, %client, "outages cannot be worked out; trying again");
                    self.forget(client);
                }
            }
        }
        !self.passes.is_empty()
    }

    fn forget(&mut self, client: ClientId) {
        self.cursors.remove(&client);
        self.passes.remove(&client);
        self.by_hand.remove(&client);
        self.unseen.insert(client);
    }

    async fn turn_of(&mut self, client: ClientId) -> store::Result<Result<(), Refused>> {
        let mut pass = match self.passes.remove(&client) {
            Some(mut pass) => match self.follow_meanwhile(client, &mut pass).await? {
                Ok(()) => pass,
                Err(refused) => return Ok(Err(refused)),
            },
            None => self.plan(client).await?,
        };
        let mut pages = PAGES_PER_TURN;
        loop {
            let mut rework = if let Some(rework) = pass.current.take() {
                rework
            } else {
                let Some(planned) = pass.planned.pop_front() else { break };
                let Some(rework) = self.begin(client, planned, &pass.activations).await? else { continue };
                rework
            };
            if !rework.proceed(&self.store, &mut self.networks, self.config.page, &mut pages).await? {
                pass.current = Some(rework);
                self.passes.insert(client, pass);
                return Ok(Ok(()));
            }
            if !rework.finish(&self.store, &mut self.networks, &self.name).await? {
                return Ok(Err(Refused));
            }
            metrics::counter!("analytics_outage_reworks_total").increment(1);
            if pass.events >= MANY {
                tracing::info!(%client, left = pass.planned.len(), "outages of substations");
            }
        }
        self.faults.insert(client, pass.faults);
        if pass.new_activations > 0 {
            self.store.take_activations(client, &self.name, pass.activations.len()).await?;
        }
        let (cursor, is_new) = pass.cursor;
        if is_new {
            if !self.store.advance_outages(client, &self.name, &cursor).await? {
                return Ok(Err(Refused));
            }
            metrics::counter!("analytics_outage_events_total").increment(pass.events.unsigned_abs());
        }
        self.cursors.insert(client, cursor);
        Ok(Ok(()))
    }

    /// Processes events that have arrived since a long recomputation began, and what users have entered since, so that a late event of last year does not delay
    /// the present. The result is preliminary: the long recomputation also reads these events, and replaces it.
    async fn follow_meanwhile(&mut self, client: ClientId, pass: &mut Pass) -> store::Result<Result<(), Refused>> {
        let (epoch, top) = self.store.event_stream(client).await?;
        let through = pass.cursor.0.through;
        if epoch != pass.cursor.0.epoch {
            return Ok(Ok(()));
        }
        let by_hand = self.changes_by_hand(client, &pass.cursor.0, &pass.activations).await?;
        let is_by_hand = by_hand != ChangesByHand::default();
        if top <= through && !is_by_hand {
            return Ok(Ok(()));
        }
        let changed = self.store.outages_changed(client, (through, top)).await?;
        pass.events += changed.iter().map(|one| one.events).sum::<i64>();
        let mut changed = changed.into_iter().map(|one| (one.location, one)).collect();
        by_hand.at_stations.into_iter().for_each(|one| add(&mut changed, one));
        let arrived = self.planned(client, &pass.activations, by_hand.of_network, (changed, HashSet::new())).await?;
        pass.cursor = (Cursor { epoch, through: top }, pass.cursor.1 || top > through);
        let recent = now().plus_millis(-RECENT_MS);
        for planned in arrived {
            // What users have entered was read when it began.
            let will_be_read =
                !is_by_hand && planned.is_network && pass.current.as_ref().is_some_and(|current| current.will_read(planned.since));
            let mut is_processed = false;
            let mut pages = PAGES_BETWEEN;
            if planned.since >= recent
                && let Some(mut rework) = self.begin(client, planned.clone(), &pass.activations).await?
                && rework.proceed(&self.store, &mut self.networks, self.config.page, &mut pages).await?
            {
                if !rework.finish(&self.store, &mut self.networks, &self.name).await? {
                    return Ok(Err(Refused));
                }
                is_processed = true;
            }
            // What the long recomputation neither reads nor leaves alone is processed again after it.
            if !(will_be_read || is_processed && !planned.is_network) {
                pass.planned.push_back(planned);
            }
        }
        Ok(Ok(()))
    }

    /// Finds the changes since the last pass.
    async fn plan(&mut self, client: ClientId) -> store::Result<Pass> {
        let gaps = self.gaps.remove(&client);
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
        let (activations, taken) = self.store.outage_activations(client, now()).await?;
        let by_hand = self.changes_by_hand(client, &cursor, &activations).await?;
        by_hand.at_stations.into_iter().for_each(|one| add(&mut changed, one));
        if gaps {
            for one in self.store.outages_unlaid(client, self.momentary_ms(client)).await? {
                unlaid.insert(one.location);
                add(&mut changed, one);
            }
            let newest = self.newest(client, &activations).await?;
            let lines: Vec<AssetId> = newest.map(|version| version.lines().collect()).unwrap_or_default();
            infeeds::record(&self.store, client, &lines).await?;
            self.store.outage_gaps(client).await?.into_iter().for_each(|one| add(&mut changed, one));
        }
        let faults = self.store.fault_stream(client).await?;
        let faults = Cursor { epoch: faults.0, through: faults.1 };
        let looked_at = self.faults.get(&client).filter(|held| held.epoch == faults.epoch).map_or(0, |held| held.through);
        if faults.through > looked_at {
            let by_faults = self.store.outages_by_faults(client, (looked_at, faults.through)).await?;
            for one in by_faults {
                add(&mut changed, one);
            }
        }
        let events: i64 = changed.values().map(|one| one.events).sum();
        let new_activations = activations.len().saturating_sub(taken);
        let activated = activations.get(taken).map(|(since, _)| *since);
        let of_network = activated.into_iter().chain(by_hand.of_network).min();
        let planned = self.planned(client, &activations, of_network, (changed, unlaid)).await?;
        if events >= MANY {
            tracing::info!(%client, events, parts = planned.len(), "outages are worked out");
        }
        let cursor = if top > cursor.through { (Cursor { epoch, through: top }, true) } else { (cursor, false) };
        Ok(Pass { planned, current: None, cursor, faults, events, activations, new_activations })
    }

    /// Returns what users have entered by hand since it was last looked for.
    async fn changes_by_hand(&mut self, client: ClientId, cursor: &Cursor, activations: &Activations) -> store::Result<ChangesByHand> {
        let Some(utility) = self.registry.utility(client).filter(|_| self.unseen.contains(&client)) else {
            return Ok(ChangesByHand::default());
        };
        let newest = self.newest(client, activations).await?;
        let seen = match self.by_hand.remove(&client) {
            Some(seen) => seen,
            None => SeenByHand::after(&self.store, client, cursor).await?,
        };
        let (seen, changes) = seen.look(&self.store, client, &utility, newest.as_deref()).await?;
        self.by_hand.insert(client, seen);
        self.unseen.remove(&client);
        Ok(changes)
    }

    /// Returns the recomputations: one for all substations of the network together, and one for each other substation. If a version of the network became
    /// active at `activated`, or users changed something in it by hand, the whole network is recomputed from then on.
    async fn planned(
        &mut self,
        client: ClientId,
        activations: &Activations,
        activated: Option<Micros>,
        (changed, unlaid): (BTreeMap<NodeId, Changed>, HashSet<NodeId>),
    ) -> store::Result<VecDeque<Planned>> {
        let single = |one: &Changed, unlaid: &HashSet<NodeId>| Planned {
            locations: vec![one.location],
            since: one.since,
            unlaid: unlaid.iter().filter(|location| **location == one.location).copied().collect(),
            is_network: false,
        };
        let oldest = changed.values().map(|one| one.since).chain(activated).min();
        let (Some(oldest), Some(utility)) = (oldest, self.registry.utility(client)) else { return Ok(VecDeque::new()) };
        let used = past_networks::since(activations, oldest);
        let connected = self.networks.locations(&self.store, &self.registry, &utility, (client, used)).await?;
        let (within, outside): (Vec<&Changed>, Vec<&Changed>) = changed.values().partition(|one| connected.contains(&one.location));
        let mut planned: VecDeque<Planned> = outside.into_iter().map(|one| single(one, &unlaid)).collect();
        if let Some(since) = within.iter().map(|one| one.since).chain(activated).min().filter(|_| !connected.is_empty()) {
            let unlaid = unlaid.into_iter().filter(|location| connected.contains(location)).collect();
            let locations: Vec<NodeId> = connected.iter().copied().collect();
            let is_recent = |at: &Micros| *at >= now().plus_millis(-RECENT_MS);
            let newest = within.iter().filter_map(|one| one.recent).min().filter(|_| !is_recent(&since));
            // The result of the recent part is preliminary: the recomputation of all replaces it.
            let recent = newest.map(|since| Planned { locations: locations.clone(), since, unlaid: HashSet::new(), is_network: true });
            planned.extend(recent);
            planned.push_back(Planned { locations, since, unlaid, is_network: true });
        }
        Ok(planned)
    }

    /// Returns the version that became active last; `None` if there is none, or it cannot be used.
    async fn newest(&mut self, client: ClientId, activations: &Activations) -> store::Result<Option<Arc<VersionPoints>>> {
        let Some(activation) = activations.last().copied() else { return Ok(None) };
        self.networks.version(&self.store, &self.registry, client, activation).await
    }

    /// Begins to recompute substations; `None` if they have no feeders.
    async fn begin(&mut self, client: ClientId, planned: Planned, activations: &Activations) -> store::Result<Option<Rework>> {
        let momentary_ms = self.momentary_ms(client);
        let from = planned.from(&self.store, client, momentary_ms).await?;
        let used = if planned.is_network { past_networks::since(activations, from) } else { &[] };
        let Some(utility) = self.registry.utility(client) else { return Ok(None) };
        let mut stations = Vec::with_capacity(planned.locations.len());
        for location in &planned.locations {
            stations.push(Station::new(*location, &utility, self.circuit(client, *location).await?));
        }
        if stations.iter().all(|station| station.feeders.is_empty()) {
            return Ok(None);
        }
        let area = Area::new(&utility, stations);
        let networks = (&mut self.networks, &self.registry, used);
        Ok(Some(Rework::begin(&self.store, (client, planned), area, networks, (from, momentary_ms)).await?))
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
        let circuit = Arc::new(Circuit::of(location, record.updated, &record.body));
        self.circuits.insert(location, (record.updated, Arc::clone(&circuit)));
        Ok(Some(circuit))
    }
}

/// Adds a change to those of each substation.
fn add(changed: &mut BTreeMap<NodeId, Changed>, one: Changed) {
    let entry = changed.entry(one.location).or_insert(one);
    entry.since = entry.since.min(one.since);
    entry.recent = entry.recent.into_iter().chain(one.recent).min();
}

fn now() -> Micros {
    Micros(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros() as i64))
}
