//! The field as its users see it: hierarchy, assets, gateways and points of one utility, read whole and kept for a moment.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use grid::lease::{confirmed_since, is_live};
use grid::{AssetId, ClientId, GatewayId, Lease, Level, Micros, NodeId, Point, PointId, Reading, freshness};
use store::registry::{AssetRecord, ClientRecord, GatewayRecord, NodeRecord};
use store::{Registry, Store};

/// How old the copy may be: long enough for one reading to serve a burst of calls, short enough for an operator.
const FRESH: Duration = Duration::from_secs(2);

/// One utility's field, indexed.
#[derive(Debug)]
pub struct Field {
    registry: Registry,
    nodes: HashMap<NodeId, usize>,
    assets: HashMap<AssetId, usize>,
    gateways: HashMap<GatewayId, usize>,
    /// Devices that are gone.
    gone: HashSet<(GatewayId, String)>,
    /// Gateways that are not live: their newest state says so, or no ingest confirms it. The history of their links, which is kept by the clock, may say
    /// otherwise.
    down: HashSet<GatewayId>,
}

impl Field {
    /// Indexes a registry of one utility. `leases`: what the ingests that are heard vouch for; a gateway beyond that is not online.
    pub fn new(mut registry: Registry, leases: &[Lease]) -> Self {
        let mut down = HashSet::new();
        for gateway in &mut registry.gateways {
            if !is_live(gateway.link().as_ref(), confirmed_since(leases, gateway.client, &gateway.code)) {
                // Its last change was that it came: when it was lost nobody knows.
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

    /// The utility itself.
    pub fn client(&self) -> Option<&ClientRecord> {
        self.registry.clients.first()
    }

    /// A node by its id.
    pub fn node(&self, id: NodeId) -> Option<&NodeRecord> {
        self.nodes.get(&id).map(|at| &self.registry.nodes[*at])
    }

    /// An asset by its id.
    pub fn asset(&self, id: AssetId) -> Option<&AssetRecord> {
        self.assets.get(&id).map(|at| &self.registry.assets[*at])
    }

    /// All nodes.
    pub fn nodes(&self) -> &[NodeRecord] {
        &self.registry.nodes
    }

    /// All gateways.
    pub fn gateways(&self) -> &[GatewayRecord] {
        &self.registry.gateways
    }

    /// Whether a link holds now, given what its history says last: not while the gateway is not live.
    pub fn holds_now(&self, gateway: GatewayId, told: Option<bool>) -> Option<bool> {
        told.map(|holds| holds && !self.down.contains(&gateway))
    }

    /// The same with since when: where the history says otherwise, its last change is not what ended the link, and nobody knows what was.
    pub fn link_now(&self, gateway: GatewayId, told: Option<bool>, since: Option<String>) -> (Option<bool>, Option<String>) {
        let now = self.holds_now(gateway, told);
        (now, since.filter(|_| now == told))
    }

    /// All assets.
    pub fn assets(&self) -> &[AssetRecord] {
        &self.registry.assets
    }

    /// The assets of one substation.
    pub fn assets_at(&self, location: NodeId) -> impl Iterator<Item = &AssetRecord> + Clone {
        self.registry.assets.iter().filter(move |asset| asset.location == location)
    }

    /// The points of one substation.
    pub fn points_at(&self, location: NodeId) -> impl Iterator<Item = &Point> + Clone {
        self.registry.points.iter().filter(move |point| point.location == location)
    }

    /// All points.
    pub fn points(&self) -> impl Iterator<Item = &Point> + Clone {
        self.registry.points.iter()
    }

    /// The node above `node` (or itself) at a level.
    pub fn above(&self, node: &NodeRecord, level: Level) -> Option<&NodeRecord> {
        node.path.iter().filter_map(|id| self.node(*id)).find(|above| above.level == level)
    }

    /// A reading of a point as it may be shown now: behind a dead link it is the last one known, and says so. One of the future is questionable. Age is judged
    /// where it is shown.
    fn shown(&self, point: &Point, reading: Reading, now: Micros) -> Reading {
        let gateway_up = self.gateways.get(&point.gateway).is_some_and(|at| self.registry.gateways[*at].online);
        let device_up = self.gone.is_empty() || !self.gone.contains(&(point.gateway, point.device.clone()));
        Reading { quality: freshness::shown_quality(reading.quality, reading.source, now, None, gateway_up && device_up), ..reading }
    }

    /// Newest readings by point, as they may be shown at `now`.
    pub fn picture(&self, latest: Vec<(PointId, Reading)>, now: Micros) -> HashMap<PointId, Reading> {
        let points: HashMap<PointId, &Point> = self.registry.points.iter().map(|point| (point.id, point)).collect();
        latest.into_iter().filter_map(|(point, reading)| Some((point, self.shown(points.get(&point)?, reading, now)))).collect()
    }
}

/// When it was read, for which leases, and what.
type Slot = Arc<tokio::sync::Mutex<Option<(Instant, Vec<Lease>, Arc<Field>)>>>;

/// Copies of the fields, one a utility; bounded by the utilities that exist, since only their members get here. Clones share the copies.
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
    /// Creates the copies, which are empty at first. `leases` returns what the ingests vouch for at the moment.
    pub fn new(store: Store, leases: impl Fn() -> Vec<Lease> + Send + Sync + 'static) -> Self {
        Self { store, leases: Arc::new(leases), slots: Arc::default() }
    }

    /// Has a utility read anew by whoever asks next.
    pub fn forget(&self, client: ClientId) {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner).remove(&client);
    }

    /// The field, at most two seconds old, by the leases that hold: at once another when one begins or ends. Callers at once wait for one reading.
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
