//! Finds the parts of a utility without supply, and the switches or infeeds that are the cause, in the network of the utility. Pure.
//!
//! [`BoundNetwork`] is the active network with the points and assets of the registry; it never changes. [`NetworkSupply`] applies readings. It has the states
//! of the network twice: the present ones, and those that the network would have if every switch that is open but normally closed were closed.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use grid::alarm::AlarmKind;
use grid::outage::{Supply, is_dead_voltage};
use grid::topology::Contact;
use grid::{AssetId, GatewayId, Micros, NodeId, Point, PointId, Quality, Reading};
use network::customers::CustomersWithoutSupply;
use network::description::POSITION;
use network::live::{Bindings, EnteredPosition, LiveNetwork, Presence, Sight};
use network::{EquipmentId, EquipmentKind, Model, NetworkState, Phases};
use registry::{ActiveNetwork, Image, NetworkFeeders};
use store::manual_entry::ManualEntry;

use crate::about::About;
use crate::link::Link;
use crate::supply::{FEEDER, opened_about};

/// Priority of the alarm for an infeed whose voltage is lost.
const INFEED_PRIORITY: i16 = 1;
/// A voltage is assumed to be lost at most this long before the first measurement that shows that it is dead, ms.
const MEASURED_MS: i64 = 60_000;

/// Where an asset is in the network.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    nodes: Box<[network::NodeId]>,
    /// Whether it has supply only while all of its nodes have supply. Otherwise one node with supply is sufficient.
    needs_all: bool,
}

/// The active network of a utility with its points and assets.
#[derive(Debug)]
pub(crate) struct BoundNetwork {
    active: Arc<ActiveNetwork>,
    model: Arc<Model>,
    bindings: Arc<Bindings>,
    /// Positions that users have entered.
    entered: Vec<EnteredPosition>,
    registry: registry::Utility,
    /// The equipment whose position a point reports: it moves together.
    switches: HashMap<PointId, Vec<EquipmentId>>,
    /// Each infeed, by the first point of its voltage: one source.
    infeeds: HashMap<PointId, Vec<EquipmentId>>,
    /// The first point of the infeed whose voltage a point measures.
    infeed_of: HashMap<PointId, PointId>,
    places: HashMap<AssetId, Place>,
    feeders: NetworkFeeders,
    /// The substations of which a switch is in the network.
    locations: HashSet<NodeId>,
}

impl BoundNetwork {
    /// Finds the points and assets of a network; `None` if the utility does not exist. May take a second for a large one.
    pub(crate) fn new(active: Arc<ActiveNetwork>, image: &Arc<Image>, entries: &[ManualEntry]) -> Option<Self> {
        let registry = image.utility(active.client())?;
        let mut bindings = active.bind(image);
        let model = Arc::clone(active.model());
        // An earthed part has no supply either, and an unknown earth switch must not make everything behind an open breaker unknown.
        bindings.positions.retain(|(_, equipment, _)| model.earth_of(*equipment).is_none());
        // Causes are switches and infeeds. What only a measurement shows stays unknown, so nothing is suppressed by it.
        bindings.voltages.clear();
        // Entered measurements are no matter of alarms.
        let positions: Vec<ManualEntry> = entries.iter().filter(|entry| entry.quantity == POSITION).cloned().collect();
        // Of several pieces of equipment that a point reports, the first one is used for all.
        let reported: HashMap<PointId, (EquipmentId, Phases)> =
            bindings.positions.iter().rev().map(|(point, equipment, phases)| (*point, (*equipment, *phases))).collect();
        let mut entered = active.entered(&positions, |point| reported.get(&point).into_iter().copied().collect());
        entered.retain(|entered| model.earth_of(entered.equipment).is_none());
        let switches = bindings.equipment_by_point();
        let mut infeeds: HashMap<PointId, Vec<EquipmentId>> = HashMap::new();
        let mut infeed_of = HashMap::new();
        for (source, presence) in &bindings.sources {
            let Presence::Measured(voltages) = presence else { continue };
            let Some(first) = voltages.iter().map(|voltage| voltage.point).min() else { continue };
            infeeds.insert(first, vec![*source]);
            infeed_of.extend(voltages.iter().map(|voltage| (voltage.point, first)));
        }
        let places = places(&active, image, &registry, &switches);
        let feeders = NetworkFeeders::new(&active, &registry, |point| switches.get(&point).map_or(&[][..], Vec::as_slice));
        let locations = switches.keys().filter_map(|point| Some(registry.point(*point)?.location)).collect();
        let bindings = Arc::new(bindings);
        Some(Self { active, model, bindings, entered, registry, switches, infeeds, infeed_of, places, feeders, locations })
    }

    /// Returns the customers of a feeder; `None` if the network does not have them.
    pub(crate) fn customers(&self, feeder: AssetId) -> Option<i32> {
        self.feeders.customers(feeder).map(limited)
    }

    /// Returns whether a substation is part of the network.
    pub(crate) fn has_location(&self, location: NodeId) -> bool {
        self.locations.contains(&location)
    }

    /// Returns whether a point reports the position of a switch of the network.
    pub(crate) fn has_switch(&self, point: PointId) -> bool {
        self.switches.contains_key(&point)
    }

    /// Returns whether a point identifies an infeed.
    pub(crate) fn is_infeed(&self, point: PointId) -> bool {
        self.infeeds.contains_key(&point)
    }

    /// Returns whether a point measures the voltage of an infeed.
    pub(crate) fn measures_infeed(&self, point: PointId) -> bool {
        self.infeed_of.contains_key(&point)
    }

    /// Returns the equipment of a switch or an infeed: several pieces if one point reports them together.
    fn equipment(&self, point: PointId) -> &[EquipmentId] {
        self.switches.get(&point).or_else(|| self.infeeds.get(&point)).map_or(&[], Vec::as_slice)
    }

    /// Returns whether equipment is open, or gives nothing, in the normal state. A generator need not run.
    fn is_normally_open(&self, equipment: EquipmentId) -> bool {
        let kind = self.model.kind(equipment);
        let is_generator = kind.may_feed() && kind != EquipmentKind::EnergySource;
        is_generator || self.model.branches_of(equipment).any(|branch| self.model.branch(branch).normal == Contact::Open)
    }
}

/// Returns a number of customers as alarms store it.
fn limited(customers: u64) -> i32 {
    i32::try_from(customers).unwrap_or(i32::MAX)
}

/// Finds the place of each asset: where its voltages are measured; else both ends of the switch with its currents, or of the only breaker of its bay; else
/// the equipment with its code.
fn places(
    active: &ActiveNetwork,
    image: &Image,
    registry: &registry::Utility,
    switches: &HashMap<PointId, Vec<EquipmentId>>,
) -> HashMap<AssetId, Place> {
    let model = active.model();
    let ends = |equipment: &EquipmentId| model.terminals_of(*equipment).iter().map(|(node, _)| *node);
    let mut volts: HashMap<AssetId, BTreeSet<network::NodeId>> = HashMap::new();
    let mut through: HashMap<AssetId, BTreeSet<network::NodeId>> = HashMap::new();
    for at in active.measured_at(image) {
        let Some(asset) = registry.point(at.point).map(|point| point.asset) else { continue };
        match at.node {
            Some(node) if at.is_voltage => drop(volts.entry(asset).or_default().insert(node)),
            _ if !at.is_voltage && model.kind(at.equipment).is_switch() => through.entry(asset).or_default().extend(ends(&at.equipment)),
            _ => {}
        }
    }
    // The breakers of each bay: those with one point are one.
    let mut breakers: HashMap<(GatewayId, &str), Vec<&[EquipmentId]>> = HashMap::new();
    for (point, equipment) in switches.iter().filter(|(_, of)| of.iter().all(|of| model.kind(*of) == EquipmentKind::Breaker)) {
        let Some(point) = registry.point(*point) else { continue };
        breakers.entry((point.gateway, point.device.as_str())).or_default().push(equipment);
    }
    let mut places = HashMap::new();
    for asset in registry.assets() {
        let place = |nodes: BTreeSet<network::NodeId>, needs_all| Place { nodes: nodes.into_iter().collect(), needs_all };
        let of_bay = || {
            let mut of_gateways =
                registry.gateways_at(asset.location).filter_map(|gateway| breakers.get(&(gateway.id, asset.device.as_str())));
            let found = of_gateways.next().filter(|_| asset.type_id == FEEDER && of_gateways.next().is_none())?;
            let [breaker] = found.as_slice() else { return None };
            Some(place(breaker.iter().flat_map(ends).collect(), true))
        };
        let named = || {
            let station = registry.node(asset.location)?;
            let equipment = model.equipment(&format!("{}/{}", station.code, asset.code))?;
            Some(place(ends(&equipment).collect(), false))
        };
        let measured = volts.remove(&asset.id).map(|nodes| place(nodes, false));
        let found = measured.or_else(|| through.remove(&asset.id).map(|nodes| place(nodes, true))).or_else(of_bay).or_else(named);
        places.extend(found.map(|place| (asset.id, place)));
    }
    places
}

/// A part whose supply is followed.
#[derive(Debug, Clone)]
struct Load {
    asset: AssetId,
    place: Place,
    /// The entered customers.
    customers: i32,
}

impl Load {
    fn supply(&self, state: &NetworkState) -> Supply {
        let mut each = self.place.nodes.iter().map(|node| Supply::from(state.state(*node)));
        let [most, least] = if self.place.needs_all { [Supply::Off, Supply::On] } else { [Supply::On, Supply::Off] };
        if each.clone().any(|supply| supply == most) {
            most
        } else if each.all(|supply| supply == least) {
            least
        } else {
            Supply::Unknown
        }
    }
}

/// The supply of a utility by its network.
#[derive(Debug)]
pub(crate) struct NetworkSupply {
    bound: Arc<BoundNetwork>,
    live: LiveNetwork,
    /// The network as it would be if every switch that is open but normally closed were closed, and every infeed had voltage.
    closed: NetworkState,
    loads: Vec<Load>,
    load_of: HashMap<AssetId, usize>,
    /// The loads at each node.
    loads_at: HashMap<network::NodeId, Vec<u32>>,
    /// The supply of each load as of the last [`NetworkSupply::settle`].
    supply: Vec<Supply>,
    without_supply: CustomersWithoutSupply,
    readings: HashMap<PointId, Reading>,
    offline: HashSet<Link>,
    /// Infeeds whose voltage is lost, each with the time at which it certainly still had voltage.
    absent: HashMap<PointId, Micros>,
    /// Infeeds with a lost voltage that [`NetworkSupply::take_lost_infeeds`] has not returned yet.
    newly_absent: BTreeSet<PointId>,
    /// The latest time at which each infeed had voltage.
    had_voltage: HashMap<PointId, Micros>,
}

impl NetworkSupply {
    /// Creates the supply without readings. `followed` are the assets whose supply is tracked in addition to the feeders.
    pub(crate) fn new(bound: Arc<BoundNetwork>, followed: &HashSet<AssetId>) -> Self {
        let mut live = LiveNetwork::new(Arc::clone(&bound.model), Arc::clone(&bound.bindings));
        live.enter(&bound.entered);
        live.settle();
        let assets = bound.registry.assets().filter(|asset| asset.type_id == FEEDER || followed.contains(&asset.id));
        let loads: Vec<Load> = assets
            .filter_map(|asset| Some(Load { asset: asset.id, place: bound.places.get(&asset.id)?.clone(), customers: asset.customers }))
            .collect();
        let load_of = loads.iter().enumerate().map(|(index, load)| (load.asset, index)).collect();
        let mut loads_at: HashMap<network::NodeId, Vec<u32>> = HashMap::new();
        for (index, load) in loads.iter().enumerate() {
            load.place.nodes.iter().for_each(|node| loads_at.entry(*node).or_default().push(index as u32));
        }
        let supply = loads.iter().map(|load| load.supply(live.state())).collect();
        let mut closed = live.state().clone();
        for entered in bound.entered.iter().filter(|of| of.contact == Contact::Open && !bound.is_normally_open(of.equipment)) {
            closed.set_contact(entered.equipment, Contact::Closed);
        }
        closed.settle();
        let without_supply = bound.active.customers_without_supply(live.state());
        let (readings, offline, absent, newly_absent, had_voltage) = <_>::default();
        Self { bound, live, closed, loads, load_of, loads_at, supply, without_supply, readings, offline, absent, newly_absent, had_voltage }
    }

    /// Returns a new supply with different assets or a different binding. It keeps the readings and the link states.
    pub(crate) fn rebuilt(self, bound: Arc<BoundNetwork>, followed: &HashSet<AssetId>) -> Self {
        let mut rebuilt = Self::new(bound, followed);
        (rebuilt.offline, rebuilt.had_voltage) = (self.offline, self.had_voltage);
        for (point, reading) in self.readings {
            rebuilt.see(point, &reading, reading.received);
        }
        rebuilt
    }

    /// Returns whether it was created with this binding and tracks the same assets.
    pub(crate) fn is_of(&self, bound: &Arc<BoundNetwork>, followed: &HashSet<AssetId>) -> bool {
        let is_followed = |load: &Load| followed.contains(&load.asset);
        let is_feeder = |load: &Load| bound.registry.asset(load.asset).is_some_and(|asset| asset.type_id == FEEDER);
        let has_all = || followed.iter().all(|asset| self.load_of.contains_key(asset) || !bound.places.contains_key(asset));
        Arc::ptr_eq(&self.bound, bound) && self.loads.iter().all(|load| is_followed(load) || is_feeder(load)) && has_all()
    }

    /// Returns the binding.
    pub(crate) fn bound(&self) -> &BoundNetwork {
        &self.bound
    }

    /// Returns whether the states depend on a point.
    pub(crate) fn depends_on(&self, point: PointId) -> bool {
        self.live.depends_on(point)
    }

    /// Applies a reading. Returns `false` if it is older than the known reading.
    pub(crate) fn see(&mut self, point: PointId, reading: &Reading, now: Micros) -> bool {
        if !self.live.depends_on(point) || self.readings.get(&point).is_some_and(|held| held.supersedes(reading)) {
            return false;
        }
        self.readings.insert(point, *reading);
        self.refresh(point, now);
        true
    }

    /// Applies the state of a link. Readings that a device reported before it went offline become unknown. Returns whether the state of the link has changed.
    pub(crate) fn link(&mut self, link: &Link, is_online: bool, now: Micros) -> bool {
        let is_new = if is_online { self.offline.remove(link) } else { self.offline.insert(link.clone()) };
        if !is_new {
            return false;
        }
        let is_behind = |point: &&PointId| {
            self.bound.registry.point(**point).is_some_and(|point| match link {
                Link::Gateway(gateway) => point.gateway == *gateway,
                Link::Device(gateway, device) => point.gateway == *gateway && point.device == *device,
            })
        };
        let behind: Vec<PointId> = self.readings.keys().filter(is_behind).copied().collect();
        for point in behind {
            self.refresh(point, now);
        }
        true
    }

    /// Applies voltages again that have become stale or valid. Returns whether there are any.
    pub(crate) fn age(&mut self, now: Micros) -> bool {
        let due = self.live.due(now);
        for point in &due {
            self.refresh(*point, now);
        }
        !due.is_empty()
    }

    fn refresh(&mut self, point: PointId, now: Micros) {
        let now = self.readings.get(&point).map_or(now, |reading| now.max(reading.received));
        let sight = self.bound.registry.point(point).and_then(|of| Some(sight(of, self.readings.get(&point)?, &self.offline)));
        self.live.see(point, now, sight);
        let infeed = self.bound.infeed_of.get(&point).copied();
        let bound = Arc::clone(&self.bound);
        for equipment in bound.equipment(infeed.unwrap_or(point)) {
            let contact = self.live.state().contact(*equipment);
            let closed = if contact == Contact::Open && !bound.is_normally_open(*equipment) { Contact::Closed } else { contact };
            self.closed.set_contact(*equipment, closed);
        }
        let Some(infeed) = infeed else { return };
        let contact = self.contact(infeed);
        let at = self.readings.get(&point).map_or(now, |reading| reading.source);
        match contact {
            Contact::Closed => {
                if self.is_live(infeed, point) {
                    let had = self.had_voltage.entry(infeed).or_insert(at);
                    *had = at.max(*had);
                }
                self.absent.remove(&infeed);
                self.newly_absent.remove(&infeed);
            }
            Contact::Open if !self.absent.contains_key(&infeed) => {
                // The voltage was lost after it was last measured.
                let had = self.had_voltage.get(&infeed).map_or(at, |had| at.min((*had).max(at.plus_millis(-MEASURED_MS))));
                self.absent.insert(infeed, had);
                self.newly_absent.insert(infeed);
            }
            Contact::Open | Contact::Unknown => {}
        }
    }

    /// Returns whether the voltage of a point shows that the infeed is live.
    fn is_live(&self, infeed: PointId, point: PointId) -> bool {
        let equipment = self.bound.equipment(infeed);
        let presence = self.bound.bindings.sources.iter().find(|(source, _)| equipment.contains(source)).map(|(_, presence)| presence);
        let Some(Presence::Measured(voltages)) = presence else { return false };
        let measured = voltages.iter().find(|voltage| voltage.point == point);
        let kv = self.readings.get(&point).and_then(|reading| reading.value);
        measured.zip(kv).is_some_and(|(voltage, kv)| !is_dead_voltage(&voltage.code, voltage.nominal_kv, kv))
    }

    /// Updates the states after readings.
    pub(crate) fn settle(&mut self) {
        let changed = self.live.settle();
        self.without_supply.follow(self.live.state(), &changed);
        for load in changed.iter().filter_map(|node| self.loads_at.get(node)).flatten() {
            self.supply[*load as usize] = self.loads[*load as usize].supply(self.live.state());
        }
        self.closed.settle();
    }

    /// Returns the infeeds that have lost their voltage since the last call, each with the time at which it certainly still had voltage.
    pub(crate) fn take_lost_infeeds(&mut self) -> Vec<(PointId, Micros)> {
        let lost = std::mem::take(&mut self.newly_absent);
        lost.into_iter().filter(|infeed| self.is_open(*infeed)).filter_map(|infeed| Some((infeed, *self.absent.get(&infeed)?))).collect()
    }

    /// Returns whether the infeed whose voltage a point measures has voltage.
    pub(crate) fn infeed(&self, point: PointId) -> Contact {
        self.bound.infeed_of.get(&point).map_or(Contact::Unknown, |infeed| self.contact(*infeed))
    }

    /// Returns whether the supply of an asset is tracked.
    pub(crate) fn follows(&self, asset: AssetId) -> bool {
        self.load_of.contains_key(&asset)
    }

    /// Returns whether an asset certainly has supply.
    pub(crate) fn is_supplied(&self, asset: AssetId) -> bool {
        self.load_of.get(&asset).is_some_and(|load| self.supply[*load] == Supply::On)
    }

    /// Returns the parts that are without supply, and that would have supply if this switch were closed or if this infeed had voltage.
    pub(crate) fn behind(&mut self, switch: PointId) -> HashSet<AssetId> {
        let Self { bound, live, loads, loads_at, supply, .. } = self;
        let equipment = bound.equipment(switch);
        live.with_contact(equipment, Contact::Closed, |state, changed| {
            let is_behind = |index: &u32| supply[*index as usize] == Supply::Off && loads[*index as usize].supply(state) != Supply::Off;
            let at_changed = changed.iter().filter_map(|node| loads_at.get(node)).flatten();
            at_changed.filter(|index| is_behind(index)).map(|index| loads[*index as usize].asset).collect()
        })
    }

    /// Returns the parts for which this switch or infeed alone is a sufficient cause: they would be without supply even if every other switch that is open but
    /// normally closed were closed. Empty if the switch is closed or the infeed has voltage.
    pub(crate) fn interrupted(&mut self, switch: PointId) -> HashSet<AssetId> {
        if self.is_closed(switch) {
            return HashSet::new();
        }
        let Self { bound, closed, loads, loads_at, .. } = self;
        let equipment = bound.equipment(switch);
        let present: Vec<Contact> = equipment.iter().map(|of| closed.contact(*of)).collect();
        for of in equipment {
            closed.set_contact(*of, Contact::Closed);
        }
        closed.settle();
        let mut without: Vec<u32> = closed.with_contact(equipment, Contact::Open, |state, changed| {
            let at_changed = changed.iter().filter_map(|node| loads_at.get(node)).flatten();
            at_changed.copied().filter(|index| loads[*index as usize].supply(state) == Supply::Off).collect()
        });
        without.retain(|index| loads[*index as usize].supply(closed) != Supply::Off);
        let interrupted = without.into_iter().map(|index| loads[index as usize].asset).collect();
        for (of, present) in equipment.iter().zip(present) {
            closed.set_contact(*of, present);
        }
        closed.settle();
        interrupted
    }

    /// Returns the switches that are open but normally closed, and the infeeds without voltage.
    pub(crate) fn open(&self) -> Vec<PointId> {
        let abnormal = |equipment: EquipmentId| !self.bound.is_normally_open(equipment);
        let all = self.bound.switches.iter().chain(&self.bound.infeeds);
        let is_abnormal = |point: PointId, equipment: &[EquipmentId]| self.is_open(point) && equipment.iter().any(|of| abnormal(*of));
        let mut open: Vec<PointId> = all.filter(|(point, equipment)| is_abnormal(**point, equipment)).map(|(point, _)| *point).collect();
        open.sort_unstable();
        open
    }

    /// Returns whether a switch is certainly open, or an infeed certainly without voltage.
    pub(crate) fn is_open(&self, switch: PointId) -> bool {
        self.contact(switch) == Contact::Open
    }

    /// Returns whether a switch is certainly closed, or an infeed certainly has voltage.
    pub(crate) fn is_closed(&self, switch: PointId) -> bool {
        self.contact(switch) == Contact::Closed
    }

    fn contact(&self, switch: PointId) -> Contact {
        let contacts = self.bound.equipment(switch).iter().map(|of| self.live.state().contact(*of));
        contacts.reduce(|one, other| if one == other { one } else { Contact::Unknown }).unwrap_or(Contact::Unknown)
    }

    /// Returns the time since which a switch has its position. For an infeed without voltage, returns the time at which it last had voltage.
    pub(crate) fn since(&self, switch: PointId) -> Option<Micros> {
        self.absent.get(&switch).copied().or_else(|| self.readings.get(&switch).map(|reading| reading.source))
    }

    /// Returns the customers of a load that are without supply: those of the network, or else all that were entered.
    fn customers_without_supply(&self, load: &Load) -> i32 {
        match (self.bound.feeders.customers(load.asset), self.bound.feeders.container(load.asset)) {
            (None, _) => load.customers,
            (Some(1..), Some(container)) => limited(self.without_supply.of(container)),
            (Some(_), _) => 0,
        }
    }

    /// Returns the alarm for a switch that was opened by a user or for an infeed without voltage, with the customers of the parts behind it.
    pub(crate) fn opened(&self, switch: PointId, behind: &HashSet<AssetId>) -> Option<Arc<About>> {
        let loads = behind.iter().filter_map(|asset| self.load_of.get(asset)).map(|load| &self.loads[*load]);
        let customers = loads.map(|load| self.customers_without_supply(load)).fold(0, i32::saturating_add);
        let point = self.bound.registry.point(switch)?;
        let about = opened_about(&self.bound.registry, point);
        if !self.bound.is_infeed(switch) {
            return Some(Arc::new(About { customers, ..about }));
        }
        Some(Arc::new(About {
            source: infeed_source(switch),
            kind: AlarmKind::Infeed,
            priority: INFEED_PRIORITY,
            asset: Some(point.asset),
            asset_name: Some(point.asset_name.clone()),
            text: "Infeed without voltage".to_owned(),
            customers,
            ..about
        }))
    }
}

/// Returns the source of the alarm for an infeed without voltage.
pub(crate) fn infeed_source(infeed: PointId) -> String {
    format!("infeed/{infeed}")
}

/// Returns the reading of a point as it is displayed. A position does not become stale, because the next change would have been reported.
fn sight(point: &Point, reading: &Reading, offline: &HashSet<Link>) -> Sight {
    let is_offline = !offline.is_empty()
        && (offline.contains(&Link::Gateway(point.gateway)) || offline.contains(&Link::Device(point.gateway, point.device.clone())));
    let quality = if is_offline { reading.quality.worst(Quality::CommLost) } else { reading.quality };
    let encoding = point.encoding();
    let age_limit_ms = if encoding.is_some() { None } else { point.age_limit_ms() };
    Sight { encoding, age_limit_ms, reading: Some(Reading { quality, ..*reading }) }
}
