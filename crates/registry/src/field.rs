//! A utility as its users see it: the followed registry, and the state of its links at the moment.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use dashmap::DashMap;
use grid::lease::{confirmed_since, covers, is_live};
use grid::{AssetId, ClientId, GatewayId, Lease, Level, LinkOrder, LinkState, Micros, NodeId, Point, PointId, Reading, freshness};
use network::EquipmentId;
use network::description::POSITION;
use network::live::Sight;
use store::manual_entry::{EntrySubject, ManualEntry};
use store::network::ActiveVersion;
use store::registry::{AssetRecord, ClientRecord, CurrentLinks, NodeRecord};
use store::{ReadClass, Store};

use crate::codes::Codes;
use crate::entered_values::{EnteredValues, entered_values};
use crate::networks::is_version;
use crate::present::{BoundPositions, Place, PresentNetwork, PresentSlot, Unreported};
use crate::{ActiveNetwork, ActiveNetworks, EquipmentPoints, FirstRead, Gateway, NetworkFeeders, Registry, UnavailableNetworks, Utility};

/// Maximum age of link states: one read serves a burst of requests, and an operator does not notice the delay.
const LINKS_FRESH: Duration = Duration::from_secs(2);
/// How long a caller waits for its own write. Beyond that, it goes on with the image that there is.
const REFRESH_MAX: Duration = Duration::from_secs(5);

/// One utility at a moment: its part of the registry, its stored link states, and what the ingests confirm.
#[derive(Debug, Clone)]
pub struct Field {
    utility: Utility,
    links: Arc<StoredLinks>,
    leases: Vec<Lease>,
    network: Option<Arc<ActiveNetwork>>,
    is_network_unavailable: bool,
    entries: Arc<Vec<ManualEntry>>,
    /// The entries by the points that show them, once they were needed.
    entered: OnceLock<Arc<EnteredValues>>,
    /// The codes of substations and assets, once they were needed.
    codes: OnceLock<Arc<Codes>>,
    present: Arc<PresentSlot>,
}

/// The state of a gateway's link as it may be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Link {
    /// Whether the gateway is live: its newest state is online, and an ingest confirms it.
    pub online: bool,
    /// Since when it is so; `None` if it was never online, or if the time of the loss is unknown.
    pub since: Option<Micros>,
    /// When something of it last arrived.
    pub last_seen: Option<Micros>,
}

/// Link states as the database has them.
#[derive(Debug, Default)]
struct StoredLinks {
    states: HashMap<GatewayId, LinkState>,
    last_seen: HashMap<GatewayId, Micros>,
    /// Devices that are offline while their gateway may be online.
    gone: HashMap<GatewayId, HashSet<String>>,
}

impl From<CurrentLinks> for StoredLinks {
    fn from(read: CurrentLinks) -> Self {
        let mut gone: HashMap<GatewayId, HashSet<String>> = HashMap::new();
        for (gateway, device) in read.gone_devices {
            gone.entry(gateway).or_default().insert(device);
        }
        Self { states: read.states.into_iter().collect(), last_seen: read.last_seen.into_iter().collect(), gone }
    }
}

impl Field {
    /// Creates the view of a utility with its stored link states. `leases` are those of the ingests that are online; a
    /// gateway without a lease is offline.
    pub fn new(utility: Utility, links: CurrentLinks, leases: Vec<Lease>) -> Self {
        Self {
            utility,
            links: Arc::new(links.into()),
            leases,
            network: None,
            is_network_unavailable: false,
            entries: Arc::default(),
            entered: OnceLock::new(),
            codes: OnceLock::new(),
            present: Arc::default(),
        }
    }

    /// Returns the view with an active network and its manual entries.
    #[must_use]
    pub fn with_network(self, network: Arc<ActiveNetwork>, entries: Vec<ManualEntry>) -> Self {
        Self { network: Some(network), entries: Arc::new(entries), entered: OnceLock::new(), present: Arc::default(), ..self }
    }

    /// Returns the utility.
    pub fn client(&self) -> &ClientRecord {
        self.utility.client()
    }

    /// Returns a node by its id.
    pub fn node(&self, id: NodeId) -> Option<&NodeRecord> {
        self.utility.node(id)
    }

    /// Returns an asset by its id.
    pub fn asset(&self, id: AssetId) -> Option<&AssetRecord> {
        self.utility.asset(id)
    }

    /// Returns a gateway by its id.
    pub fn gateway(&self, id: GatewayId) -> Option<&Gateway> {
        self.utility.gateway(id)
    }

    /// Returns a point by its id.
    pub fn point(&self, id: PointId) -> Option<&Point> {
        self.utility.point(id)
    }

    /// Returns all nodes, by id.
    pub fn nodes(&self) -> impl Iterator<Item = &NodeRecord> + Clone {
        self.utility.nodes()
    }

    /// Returns all gateways, by id.
    pub fn gateways(&self) -> impl Iterator<Item = &Gateway> + Clone {
        self.utility.gateways()
    }

    /// Returns the gateways of one substation, by id.
    pub fn gateways_at(&self, location: NodeId) -> impl Iterator<Item = &Gateway> + Clone {
        self.utility.gateways_at(location)
    }

    /// Returns all assets, substation by substation.
    pub fn assets(&self) -> impl Iterator<Item = &AssetRecord> + Clone {
        self.utility.assets()
    }

    /// Returns the assets of one substation, by id.
    pub fn assets_at(&self, location: NodeId) -> impl Iterator<Item = &AssetRecord> + Clone {
        self.utility.assets_at(location)
    }

    /// Returns all points, substation by substation.
    pub fn points(&self) -> impl Iterator<Item = &Point> + Clone {
        self.utility.points()
    }

    /// Returns the points of one substation, asset by asset.
    pub fn points_at(&self, location: NodeId) -> impl Iterator<Item = &Point> + Clone {
        self.utility.points_at(location)
    }

    /// Returns the points of one asset, by id.
    pub fn points_of(&self, asset: AssetId) -> impl Iterator<Item = &Point> + Clone {
        self.utility.points_of(asset)
    }

    /// Returns the node of a level that contains `node`, or `node` itself.
    pub fn above(&self, node: &NodeRecord, level: Level) -> Option<&NodeRecord> {
        self.utility.above(node, level)
    }

    /// Returns the state of a gateway's link as it may be shown. A gateway that the utility does not have is offline.
    pub fn link(&self, gateway: GatewayId) -> Link {
        let Some(Gateway { client, code, .. }) = self.gateway(gateway) else { return Link::default() };
        let state = self.links.states.get(&gateway);
        let online = is_live(state, confirmed_since(&self.leases, *client, code));
        // If only the confirmation is missing, the last stored change says when the gateway came, not when it was lost.
        let since = state.filter(|state| state.online == online).map(|state| state.since);
        Link { online, since, last_seen: self.links.last_seen.get(&gateway).copied() }
    }

    /// Returns whether a link is online now, given its last state in the history. It is not while its gateway is not
    /// live.
    pub fn holds_now(&self, gateway: GatewayId, recorded: Option<bool>) -> Option<bool> {
        recorded.map(|is_up| is_up && self.link(gateway).online)
    }

    /// Like [`Field::holds_now`], with the time of the last change. If the history says online but the gateway is not
    /// live, the time is unknown.
    pub fn link_now(&self, gateway: GatewayId, recorded: Option<bool>, since: Option<String>) -> (Option<bool>, Option<String>) {
        let now = self.holds_now(gateway, recorded);
        (now, since.filter(|_| now == recorded))
    }

    /// Returns the active network of the utility with the positions that the database has now; `None` if the utility has no active network.
    pub async fn present_network(&self, store: &Store, now: Micros) -> store::Result<Option<PresentNetwork>> {
        let Some(active) = &self.network else { return Ok(None) };
        let latest = store.latest_of_points(active.client(), &self.network_points()).await?;
        Ok(self.network_with(latest, &self.entries, now, Unreported::Assumed))
    }

    /// Returns the substation with a code.
    pub fn station(&self, code: &str) -> Option<&NodeRecord> {
        self.codes().station(code).and_then(|id| self.node(id))
    }

    /// Returns the asset with a code at a substation.
    fn asset_at(&self, location: NodeId, code: &str) -> Option<&AssetRecord> {
        self.codes().asset(location, code).and_then(|id| self.asset(id))
    }

    /// Returns the codes of substations and assets. Those of the last request are taken if they are the same.
    fn codes(&self) -> &Codes {
        self.codes.get_or_init(|| self.present.codes(&self.utility))
    }

    /// Returns the points of the equipment of a network of the utility.
    pub fn equipment_points(&self, active: &Arc<ActiveNetwork>) -> Arc<EquipmentPoints> {
        self.present.equipment_points(active, &self.utility.image)
    }

    /// Returns the equipment of the active network that an asset is: that of its position, and that with its name, `STATION/ASSET`. For an asset without
    /// either, it is what its points measure, else what is in the container with its name.
    pub fn network_equipment(&self, asset: &AssetRecord) -> Vec<EquipmentId> {
        let Some(active) = &self.network else { return Vec::new() };
        let points = self.equipment_points(active);
        let own: HashSet<PointId> = self.points_of(asset.id).map(|point| point.id).collect();
        let station = self.node(asset.location).map(|node| node.code.as_str()).unwrap_or_default();
        let name = format!("{station}/{}", asset.code);
        let mut found = points.with_position(&own);
        found.extend(active.model().equipment(&name));
        if found.is_empty() {
            found = points.measured_by(&own);
        }
        if found.is_empty() {
            found = active.equipment_in(&name);
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Returns the feeders of the utility in its active network; none without an active network.
    pub fn network_feeders(&self) -> Arc<NetworkFeeders> {
        self.network.as_ref().map_or_else(Arc::default, |active| self.present.feeders(active, &self.utility))
    }

    /// Returns whether the active network of the utility is not in memory: it is being loaded, or cannot be used. The states of all nodes are unknown then.
    pub fn is_network_unavailable(&self) -> bool {
        self.is_network_unavailable
    }

    /// Returns the active network of the utility; `None` if it has none.
    pub fn active_network(&self) -> Option<&ActiveNetwork> {
        self.network.as_deref()
    }

    /// Returns the equipment of the active network whose positions points report; `None` if the utility has no active network.
    pub fn bound_positions(&self) -> Option<Arc<BoundPositions>> {
        Some(self.present.positions(self.network.as_ref()?, &self.utility.image, Unreported::Unknown))
    }

    /// Builds what a decision about a command needs of the active network, so that its transaction only changes it. May take a second after an activation.
    pub fn prepare_network(&self) {
        let Some(active) = &self.network else { return };
        self.network_points();
        self.bound_positions();
        self.equipment_points(active);
        active.normal();
        active.stored().normal();
    }

    /// Returns how many networks of the utility were built from nothing since the start.
    pub fn networks_built(&self) -> u64 {
        self.present.built()
    }

    /// Returns the points that the states of the active network depend on.
    pub fn network_points(&self) -> Vec<PointId> {
        let points = self.network.as_ref().map(|active| self.present.points(active, &self.utility.image, Unreported::Assumed));
        points.unwrap_or_default()
    }

    /// Returns the active network with the given readings of its points and manual entries; `None` if the utility has no active network.
    pub fn network_with(
        &self,
        latest: Vec<(PointId, Reading)>,
        entries: &[ManualEntry],
        now: Micros,
        unreported: Unreported,
    ) -> Option<PresentNetwork> {
        let active = self.network.as_ref()?;
        let points = self.present.points(active, &self.utility.image, unreported);
        let values = entered_values(entries, None, |point| self.point(point));
        let last: HashMap<PointId, Reading> = latest.iter().filter(|(point, _)| values.contains_key(point)).copied().collect();
        let latest = self.reported(latest, now);
        let sight = |point: PointId| {
            let known = self.point(point)?;
            let (encoding, reading) = (known.encoding(), latest.get(&point).copied());
            // Entered positions count by equipment and phase, and entered values by their points.
            let entered = if encoding.is_none() {
                values.get(&point).and_then(|value| value.shown(point, |of| last.get(&of).copied()))
            } else {
                None
            };
            Some(Sight { encoding, age_limit_ms: known.age_limit_ms(), reading: entered.or(reading) })
        };
        let sights: Vec<(PointId, Option<Sight>)> = points.into_iter().map(|point| (point, sight(point))).collect();
        Some(self.present.take(active, &self.utility.image, unreported, entries, now, &sights))
    }

    /// Returns the newest readings by point, with the quality for display at `now`: communication lost if the link is
    /// offline, questionable if the source time is in the future. Entered values that count replace them, as substituted. The caller checks their age.
    pub fn picture(&self, latest: Vec<(PointId, Reading)>, now: Micros) -> HashMap<PointId, Reading> {
        let entered = self.entered();
        let last: HashMap<PointId, Reading> = latest.iter().filter(|(point, _)| entered.contains_key(point)).copied().collect();
        let mut picture = self.reported(latest, now);
        picture.extend(entered.iter().filter_map(|(point, value)| Some((*point, value.shown(*point, |of| last.get(&of).copied())?))));
        picture
    }

    /// Returns the values that users have entered, by the points that show them. Telemetry may count instead.
    pub fn entered(&self) -> Arc<EnteredValues> {
        let values = || {
            let network = self.network.as_ref().filter(|_| !self.entries.is_empty());
            let network = network.map(|active| (active, self.equipment_points(active)));
            let network = network.as_ref().map(|(active, points)| (&***active, &**points));
            Arc::new(entered_values(self.entries.iter(), network, |point| self.point(point)))
        };
        Arc::clone(self.entered.get_or_init(values))
    }

    /// Returns the positions that users have entered, by the points of a substation that show them: of `entries` those for its points, and those for the equipment
    /// whose position they report.
    pub fn entered_at(&self, location: NodeId, entries: &[ManualEntry]) -> EnteredValues {
        let own: HashSet<PointId> = self.points_at(location).filter(|point| point.code == POSITION).map(|point| point.id).collect();
        let network = self.network.as_ref().map(|active| (active, self.equipment_points(active)));
        let mut names: HashSet<&str> = HashSet::new();
        if let Some((active, points)) = &network {
            let moved = own.iter().flat_map(|point| points.moved_by(*point));
            names.extend(moved.map(|equipment| active.model().equipment_name(*equipment)));
        }
        let is_own = |entry: &&ManualEntry| match &entry.subject {
            EntrySubject::Point(point) => own.contains(point),
            EntrySubject::Equipment { id, .. } => names.contains(id.as_str()),
        };
        let network = network.as_ref().map(|(active, points)| (&***active, &**points));
        entered_values(entries.iter().filter(is_own), network, |point| self.point(point))
    }

    /// Returns the current manual entries.
    pub fn entries(&self) -> &Arc<Vec<ManualEntry>> {
        &self.entries
    }

    /// Returns the newest readings by point as [`Field::picture`], without what users have entered.
    pub fn reported(&self, latest: Vec<(PointId, Reading)>, now: Micros) -> HashMap<PointId, Reading> {
        let mut live: HashMap<GatewayId, Option<LinkOrder>> = HashMap::new();
        let shown = |(id, reading): (PointId, Reading)| {
            let point = self.point(id)?;
            let confirmed_since = *live.entry(point.gateway).or_insert_with(|| self.live_since(point.gateway));
            let is_linked = covers(confirmed_since, &reading) && self.is_device_online(point);
            let quality = freshness::shown_quality(reading.quality, reading.source, now, None, is_linked);
            Some((id, Reading { quality, ..reading }))
        };
        latest.into_iter().filter_map(shown).collect()
    }

    /// Returns whether the link to a point works, and brought this reading of it: its ingest, gateway and device are online.
    pub fn is_linked(&self, point: &Point, reading: &Reading) -> bool {
        covers(self.live_since(point.gateway), reading) && self.is_device_online(point)
    }

    /// Returns the link order from which states of a gateway are confirmed; `None` if the gateway is not live.
    fn live_since(&self, gateway: GatewayId) -> Option<LinkOrder> {
        let known = self.gateway(gateway)?;
        let since = confirmed_since(&self.leases, known.client, &known.code);
        since.filter(|_| is_live(self.links.states.get(&gateway), since))
    }

    /// Returns whether the device of a point is online, while its gateway is. A device whose state was never reported is.
    pub fn is_device_online(&self, point: &Point) -> bool {
        !self.links.gone.get(&point.gateway).is_some_and(|gone| gone.contains(&point.device))
    }
}

impl PresentNetwork {
    /// Returns where a piece of equipment is: at the asset of its position, else where its containers say. The id of a substation in the network is its
    /// code, or its name is, and that of an asset is `STATION/ASSET`.
    pub fn place_of<'a>(&self, field: &'a Field, equipment: EquipmentId) -> Place<'a> {
        let point = self.positions().point_of(equipment).and_then(|point| field.point(point));
        if let Some(point) = point {
            return Place { station: field.node(point.location), asset: field.asset(point.asset), point: Some(point) };
        }
        if let Some(temporary) = self.active().temporary_of(equipment) {
            return Place { station: temporary.location.and_then(|location| field.node(location)), asset: None, point: None };
        }
        let mut codes = self.active().substation_of(equipment).into_iter().flat_map(|id| self.active().codes_of_station(id));
        let station = codes.find_map(|code| field.station(code));
        let id = self.active().model().equipment_name(equipment);
        let asset = station.and_then(|station| {
            let code = id.strip_prefix(station.code.as_str())?.strip_prefix('/')?;
            field.asset_at(station.id, code)
        });
        Place { station, asset, point: None }
    }
}

/// When link states were read, for which leases, and what they were.
struct LinksRead {
    at: Instant,
    leases: Vec<Lease>,
    links: Arc<StoredLinks>,
}

/// The last read of a utility's link states. The lock is held during a read.
type Slot = Arc<tokio::sync::Mutex<Option<LinksRead>>>;

/// Returns each utility's [`Field`]. Clones share the link states that were read, one set for each utility of the
/// registry.
#[derive(Clone)]
pub struct Fields {
    registry: Registry,
    store: Store,
    leases: Arc<dyn Fn() -> Vec<Lease> + Send + Sync>,
    slots: Arc<DashMap<ClientId, Slot>>,
    /// The networks with their last positions.
    networks: Arc<DashMap<ClientId, Arc<PresentSlot>>>,
}

impl std::fmt::Debug for Fields {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fields").finish_non_exhaustive()
    }
}

impl Fields {
    /// Creates the views of a followed registry. `leases` returns what the ingests confirm at the moment.
    pub fn new(registry: Registry, store: &Store, leases: impl Fn() -> Vec<Lease> + Send + Sync + 'static) -> Self {
        Self {
            registry,
            store: store.in_class(ReadClass::Reserved),
            leases: Arc::new(leases),
            slots: Arc::default(),
            networks: Arc::default(),
        }
    }

    /// Waits until the registry contains what was committed before this call, at most 5 s.
    pub async fn refresh(&self) {
        if tokio::time::timeout(REFRESH_MAX, self.registry.refresh()).await.is_err() {
            tracing::warn!("the registry is not refreshed within {} s", REFRESH_MAX.as_secs());
        }
    }

    /// Returns a utility with the newest registry and with link states that are at most two seconds old. A change of the
    /// leases causes a new read of the link states. Simultaneous callers share one read.
    ///
    /// # Errors
    /// The link states cannot be read, the registry has no such utility, or it has not been read within 5 s.
    pub async fn get(&self, client: ClientId) -> store::Result<Arc<Field>> {
        let utility = if let Some(utility) = self.registry.utility(client) {
            utility
        } else {
            // It may have been added a moment ago, or the registry is still being read.
            self.refresh().await;
            self.registry.utility(client).ok_or_else(|| self.missing(client))?
        };
        let (networks, unavailable) = self.active_networks().await?;
        let mut leases = (self.leases)();
        let mut links = self.links(client, &leases).await?;
        // A lease may have ended or started during the read.
        let present = (self.leases)();
        if present != leases {
            links = self.links(client, &present).await?;
            // Only those that were valid all the time count.
            leases = (self.leases)().into_iter().filter(|lease| present.contains(lease)).collect();
        }
        let present = Arc::clone(&self.networks.entry(client).or_default());
        let entries = self.registry.networks().entries_of(client);
        let (network, entered, codes) = (networks.get(&client).cloned(), OnceLock::new(), OnceLock::new());
        let is_network_unavailable = unavailable.contains(&client);
        Ok(Arc::new(Field { utility, links, leases, network, is_network_unavailable, entries, entered, codes, present }))
    }

    /// Returns the network of a utility in a version that the database says is active; `None` if it cannot be used. Its temporary changes are those that were
    /// read last.
    ///
    /// # Errors
    /// It is not loaded within 5 s.
    pub async fn network(&self, client: ClientId, version: ActiveVersion) -> store::Result<Option<Arc<ActiveNetwork>>> {
        let networks = self.registry.networks();
        if let Some(network) = networks.of(client).filter(|network| is_version(network, version)) {
            return Ok(Some(network));
        }
        // It has become active a moment ago.
        let read = async { networks.refresh().await && networks.settled(client).await };
        let is_read = tokio::time::timeout(REFRESH_MAX, read).await.unwrap_or(false);
        if is_read { Ok(networks.of(client).filter(|_| !networks.is_missing(client))) } else { Err(store::Error::RegistryUnread) }
    }

    /// Reads the temporary changes and the manual entries that were committed before this call, and waits for the network of a utility with them.
    pub async fn refresh_network(&self, client: ClientId) {
        let networks = self.registry.networks();
        let read = async { networks.refresh().await && networks.settled(client).await };
        if tokio::time::timeout(REFRESH_MAX, read).await.is_err() {
            tracing::warn!(%client, "the network is not refreshed within {} s", REFRESH_MAX.as_secs());
        }
    }

    async fn active_networks(&self) -> store::Result<(Arc<ActiveNetworks>, Arc<UnavailableNetworks>)> {
        let networks = self.registry.networks();
        if networks.all().is_none() {
            // They are read at the start, as the registry is.
            let _ = tokio::time::timeout(REFRESH_MAX, networks.loaded()).await;
        }
        networks.with_unavailable().ok_or(store::Error::RegistryUnread)
    }

    fn missing(&self, client: ClientId) -> store::Error {
        match self.registry.first_read() {
            FirstRead::Done => store::Error::Data(format!("utility {client} does not exist")),
            FirstRead::Reading | FirstRead::Failed(_) => store::Error::RegistryUnread,
        }
    }

    async fn links(&self, client: ClientId, leases: &[Lease]) -> store::Result<Arc<StoredLinks>> {
        // Copied out of the map, which must not be locked during a read.
        let slot = Arc::clone(&self.slots.entry(client).or_default());
        let mut held = slot.lock().await;
        if let Some(read) = &*held
            && read.at.elapsed() < LINKS_FRESH
            && read.leases == leases
        {
            return Ok(Arc::clone(&read.links));
        }
        // The states are as old as the beginning of the query.
        let at = Instant::now();
        let links = Arc::new(StoredLinks::from(self.store.current_links(client).await?));
        *held = Some(LinksRead { at, leases: leases.to_vec(), links: Arc::clone(&links) });
        Ok(links)
    }
}
