//! A copy of one utility's registry with its link states: hierarchy, assets, gateways and points. It is read completely
//! and kept briefly.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use grid::lease::{confirmed_since, is_live};
use grid::{AssetId, ClientId, GatewayId, Lease, Level, Micros, NodeId, Point, PointId, Reading, freshness};
use store::registry::{AssetRecord, ClientRecord, GatewayRecord, NodeRecord};
use store::{ReadClass, Registry, Store};

/// Maximum age of the copy: one read serves a burst of requests, and an operator does not notice the delay.
const FRESH: Duration = Duration::from_secs(2);

/// The registry of one utility, indexed.
#[derive(Debug)]
pub struct Field {
    registry: Registry,
    nodes: HashMap<NodeId, usize>,
    assets: HashMap<AssetId, usize>,
    gateways: HashMap<GatewayId, usize>,
    /// Devices that are offline.
    gone: HashSet<(GatewayId, String)>,
    /// Gateways that are not live: their newest state is offline, or no ingest confirms it. The stored history of their
    /// links may differ.
    down: HashSet<GatewayId>,
}

impl Field {
    /// Indexes the registry of one utility. `leases` are those of the ingests that are online; a gateway without a
    /// lease is offline.
    pub fn new(mut registry: Registry, leases: &[Lease]) -> Self {
        let mut down = HashSet::new();
        for gateway in &mut registry.gateways {
            if !is_live(gateway.link().as_ref(), confirmed_since(leases, gateway.client, &gateway.code)) {
                // Its last stored change is to online; the time when it was lost is unknown.
                gateway.since = gateway.since.filter(|_| !gateway.online);
                gateway.online = false;
            }
            if !gateway.online {
                down.insert(gateway.id);
            }
        }
        let nodes = registry.nodes.iter().enumerate().map(|(at, node)| (node.id, at)).collect();
        let assets = registry.assets.iter().enumerate().map(|(at, asset)| (asset.id, at)).collect();
        let gateways = registry.gateways.iter().enumerate().map(|(at, gateway)| (gateway.id, at)).collect();
        let gone = registry.devices.iter().filter(|device| !device.online).map(|device| (device.gateway, device.code.clone())).collect();
        Self { registry, nodes, assets, gateways, gone, down }
    }

    /// Returns the utility.
    pub fn client(&self) -> Option<&ClientRecord> {
        self.registry.clients.first()
    }

    /// Returns a node by its id.
    pub fn node(&self, id: NodeId) -> Option<&NodeRecord> {
        self.nodes.get(&id).map(|at| &self.registry.nodes[*at])
    }

    /// Returns an asset by its id.
    pub fn asset(&self, id: AssetId) -> Option<&AssetRecord> {
        self.assets.get(&id).map(|at| &self.registry.assets[*at])
    }

    /// Returns all nodes.
    pub fn nodes(&self) -> &[NodeRecord] {
        &self.registry.nodes
    }

    /// Returns all gateways.
    pub fn gateways(&self) -> &[GatewayRecord] {
        &self.registry.gateways
    }

    /// Returns whether a link is online now, given its last state in the history. It is not while its gateway is not
    /// live.
    pub fn holds_now(&self, gateway: GatewayId, told: Option<bool>) -> Option<bool> {
        told.map(|holds| holds && !self.down.contains(&gateway))
    }

    /// Like [`Field::holds_now`], with the time of the last change. If the history says online but the gateway is not
    /// live, the time is unknown.
    pub fn link_now(&self, gateway: GatewayId, told: Option<bool>, since: Option<String>) -> (Option<bool>, Option<String>) {
        let now = self.holds_now(gateway, told);
        (now, since.filter(|_| now == told))
    }

    /// Returns all assets.
    pub fn assets(&self) -> &[AssetRecord] {
        &self.registry.assets
    }

    /// Returns the assets of one substation.
    pub fn assets_at(&self, location: NodeId) -> impl Iterator<Item = &AssetRecord> + Clone {
        self.registry.assets.iter().filter(move |asset| asset.location == location)
    }

    /// Returns the points of one substation.
    pub fn points_at(&self, location: NodeId) -> impl Iterator<Item = &Point> + Clone {
        self.registry.points.iter().filter(move |point| point.location == location)
    }

    /// Returns all points.
    pub fn points(&self) -> impl Iterator<Item = &Point> + Clone {
        self.registry.points.iter()
    }

    /// Returns the node of a level that contains `node`, or `node` itself.
    pub fn above(&self, node: &NodeRecord, level: Level) -> Option<&NodeRecord> {
        node.path.iter().filter_map(|id| self.node(*id)).find(|above| above.level == level)
    }

    /// Returns a reading with the quality for display at `now`: communication lost if the link is offline, questionable
    /// if its source time is in the future. The caller checks its age.
    fn shown(&self, point: &Point, reading: Reading, now: Micros) -> Reading {
        let gateway_up = self.gateways.get(&point.gateway).is_some_and(|at| self.registry.gateways[*at].online);
        let device_up = self.gone.is_empty() || !self.gone.contains(&(point.gateway, point.device.clone()));
        Reading { quality: freshness::shown_quality(reading.quality, reading.source, now, None, gateway_up && device_up), ..reading }
    }

    /// Returns the newest readings by point, with the quality for display at `now`.
    pub fn picture(&self, latest: Vec<(PointId, Reading)>, now: Micros) -> HashMap<PointId, Reading> {
        let points: HashMap<PointId, &Point> = self.registry.points.iter().map(|point| (point.id, point)).collect();
        latest.into_iter().filter_map(|(point, reading)| Some((point, self.shown(points.get(&point)?, reading, now)))).collect()
    }
}

/// The time of the read, its leases, and the result.
type Slot = Arc<tokio::sync::Mutex<Option<(Instant, Vec<Lease>, Arc<Field>)>>>;

/// Copies of the registries, one for each utility. Bounded by the number of utilities. Clones share the copies.
#[derive(Clone)]
pub struct Fields {
    store: Store,
    leases: Arc<dyn Fn() -> Vec<Lease> + Send + Sync>,
    slots: Arc<Mutex<HashMap<ClientId, Slot>>>,
}

impl std::fmt::Debug for Fields {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fields").finish_non_exhaustive()
    }
}

impl Fields {
    /// Creates the cache, which is empty at first. `leases` returns the current leases of the ingests.
    pub fn new(store: &Store, leases: impl Fn() -> Vec<Lease> + Send + Sync + 'static) -> Self {
        Self { store: store.in_class(ReadClass::Reserved), leases: Arc::new(leases), slots: Arc::default() }
    }

    /// Drops the copy of a utility; the next request reads it again.
    pub fn forget(&self, client: ClientId) {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner).remove(&client);
    }

    /// Returns the copy of a utility, at most two seconds old and with the current leases: a change of these causes a
    /// new read. Simultaneous callers share one read.
    pub async fn get(&self, client: ClientId) -> store::Result<Arc<Field>> {
        let leases = (self.leases)();
        let slot = Arc::clone(self.slots.lock().unwrap_or_else(PoisonError::into_inner).entry(client).or_default());
        let mut held = slot.lock().await;
        if let Some((read, of, field)) = &*held
            && read.elapsed() < FRESH
            && *of == leases
        {
            return Ok(Arc::clone(field));
        }
        let field = Arc::new(Field::new(self.store.registry(Some(client)).await?, &leases));
        *held = Some((Instant::now(), leases, Arc::clone(&field)));
        Ok(field)
    }
}
