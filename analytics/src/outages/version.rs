//! A version of a utility's network in the past, with the positions that its points reported. A source without a measurement is treated as present if any
//! switch of the network has reported, so that outages are also found in a network without measured sources. Earth switches stay in their normal position: an
//! earthed feeder has no supply either, and an unknown earth switch must not make everything behind an open breaker unknown. Jumpers and cuts change what is
//! connected with what; feeders and their customers stay those of the version.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use grid::outage::Supply;
use grid::topology::Contact;
use grid::{AssetId, NodeId, PointId, Reading};
use network::customers::CustomersWithoutSupply;
use network::description::ContainerKind;
use network::live::{Bindings, LiveNetwork, Presence};
use network::{EquipmentId, EquipmentKind, Model, Phase};
use registry::{ActiveNetwork, Image, NetworkFeeders, Utility};
use store::manual_entry::ManualEntry;
use store::registry::{AssetRecord, NodeRecord};
use store::temporary_change::TemporaryRecord;

use super::station::Station;

/// The points of a version.
#[derive(Debug)]
pub(super) struct VersionPoints {
    pub(super) active: Arc<ActiveNetwork>,
    /// The connectivity with jumpers and cuts. Nodes and equipment of the version have the same ids in it.
    model: Arc<Model>,
    of: Arc<FoundPoints>,
}

/// What was found in the registry for a version.
#[derive(Debug)]
struct FoundPoints {
    bindings: Arc<Bindings>,
    /// The voltages of sources that each asset measures.
    voltages: HashMap<AssetId, Vec<PointId>>,
    equipment: HashMap<PointId, Vec<EquipmentId>>,
    feeders: NetworkFeeders,
    /// The feeders with an entered number of customers other than 0.
    entered: HashSet<AssetId>,
}

impl VersionPoints {
    pub(super) fn new(active: Arc<ActiveNetwork>, image: &Arc<Image>) -> Self {
        let mut bindings = active.bind(image);
        bindings.positions.retain(|(_, equipment, _)| active.model().kind(*equipment) != EquipmentKind::GroundDisconnector);
        let mut voltages: HashMap<AssetId, Vec<PointId>> = HashMap::new();
        for (_, presence) in &mut bindings.sources {
            match presence {
                Presence::Measured(of) => {
                    for point in of.iter().filter_map(|voltage| image.point(voltage.point)) {
                        voltages.entry(point.asset).or_default().push(point.id);
                    }
                }
                Presence::Unknown => *presence = Presence::WhileReceived,
                Presence::WhileReceived => {}
            }
        }
        let equipment = bindings.equipment_by_point();
        let equipment_of = |point: PointId| equipment.get(&point).map_or(&[][..], Vec::as_slice);
        let utility = image.utility(active.client());
        let feeders = utility.as_ref().map(|utility| NetworkFeeders::new(&active, utility, equipment_of)).unwrap_or_default();
        let with_number = |asset: &AssetRecord| asset.known_customers().is_some_and(|customers| customers > 0);
        let entered = utility.iter().flat_map(Utility::assets).filter(|asset| with_number(asset)).map(|asset| asset.id).collect();
        let model = Arc::clone(active.model());
        Self { active, model, of: Arc::new(FoundPoints { bindings: Arc::new(bindings), voltages, equipment, feeders, entered }) }
    }

    /// Returns the version with jumpers and cuts. Those that do not fit it have no effect. May take seconds.
    pub(super) fn with_temporary(&self, changes: &[TemporaryRecord]) -> Self {
        let (description, misfits) = self.active.description().with_fitting(changes.iter().map(TemporaryRecord::placed_change));
        let (client, version) = (self.active.client(), self.active.version().0);
        for misfit in misfits {
            tracing::warn!(%client, version, %misfit, "outages do not follow a temporary change that does not fit the version of its time");
        }
        let model = description.to_model().map_or_else(
            |error| {
                tracing::error!(%client, version, %error, "outages follow no temporary changes: the network cannot be built with them");
                Arc::clone(&self.model)
            },
            Arc::new,
        );
        Self { active: Arc::clone(&self.active), model, of: Arc::clone(&self.of) }
    }

    /// Returns the points of the position of equipment, and of what moves together with it.
    pub(super) fn points_beside(&self, equipment: &str) -> Vec<PointId> {
        let Some(equipment) = self.model.equipment(equipment) else { return Vec::new() };
        let points =
            |sought: EquipmentId| self.of.bindings.positions.iter().filter(move |(_, of, _)| *of == sought).map(|(point, ..)| *point);
        let together: BTreeSet<EquipmentId> = points(equipment).flat_map(|point| self.equipment_of(point)).copied().collect();
        together.into_iter().flat_map(points).collect()
    }

    fn equipment_of(&self, point: PointId) -> &[EquipmentId] {
        self.of.equipment.get(&point).map_or(&[], Vec::as_slice)
    }

    /// Returns the substations in the network: those with a point or the code of one.
    pub(super) fn locations(&self, utility: &Utility) -> BTreeSet<NodeId> {
        let containers = self.active.containers().iter().filter(|container| container.kind == ContainerKind::Substation);
        let names: HashSet<&str> = containers.flat_map(|container| [container.id.as_str(), container.name.as_str()]).collect();
        let is_named = |node: &&NodeRecord| names.contains(node.code.as_str()) && utility.assets_at(node.id).next().is_some();
        let named = utility.nodes().filter(is_named).map(|node| node.id);
        let of_points = self.of.equipment.keys().filter_map(|point| Some(utility.point(*point)?.location));
        let of_lines = self.lines().filter_map(|line| Some(utility.asset(line)?.location));
        named.chain(of_points).chain(of_lines).collect()
    }

    /// Returns the assets that measure its sources.
    pub(super) fn lines(&self) -> impl Iterator<Item = AssetId> + '_ {
        self.of.voltages.keys().copied()
    }
}

/// A feeder in the network.
#[derive(Debug, Default)]
struct Place {
    /// The node on its line side.
    node: Option<network::NodeId>,
    /// Its container.
    container: Option<u32>,
    /// Whether the network has the feeder, and nobody behind it in the normal state, and no number of customers is entered for it.
    supplies_nobody: bool,
}

/// The state of a version at an instant.
#[derive(Debug)]
pub(super) struct Version {
    points: Arc<VersionPoints>,
    live: LiveNetwork,
    without_supply: CustomersWithoutSupply,
    feeders: HashMap<AssetId, Place>,
    /// The current entries for its equipment, by their numbers.
    entered: Vec<ManualEntry>,
}

impl Version {
    /// Finds the feeders of substations in a version. `code` returns the code of a substation, and `point` the point with an address in a substation.
    pub(super) fn new(
        points: Arc<VersionPoints>,
        stations: &[Station],
        code: impl Fn(&Station) -> Option<String>,
        point: impl Fn(&Station, &str) -> Option<PointId>,
    ) -> Self {
        let model = points.active.model();
        let mut nodes: Vec<(AssetId, network::NodeId)> = Vec::new();
        let mut rest: Vec<(AssetId, EquipmentId)> = Vec::new();
        for station in stations {
            let of_point = |address: &str| point(station, address).map_or(&[][..], |point| points.equipment_of(point));
            let drawn = station.circuit().map(|circuit| &circuit.drawn);
            let places = code(station).zip(drawn).and_then(|(code, drawn)| drawn.places(&code, model, of_point));
            for feeder in &station.feeders {
                let node = drawn.and_then(|drawn| drawn.feeders().get(&feeder.code)).zip(places.as_ref());
                let node = node.and_then(|(node, places)| places.all().get(*node).copied().flatten());
                match (node, feeder.breaker) {
                    (Some(node), _) => nodes.push((feeder.asset, node)),
                    (None, Some(breaker)) => rest.extend(points.equipment_of(breaker).iter().map(|breaker| (feeder.asset, *breaker))),
                    (None, None) => {}
                }
            }
        }
        let breakers: Vec<EquipmentId> = rest.iter().map(|(_, breaker)| *breaker).collect();
        let sides = model.line_sides(&breakers).into_iter();
        nodes.extend(rest.iter().zip(sides).filter_map(|((asset, _), node)| Some((*asset, node?))));
        let mut feeders: HashMap<AssetId, Place> = HashMap::new();
        let mut taken = HashSet::new();
        for (asset, container) in points.of.feeders.containers() {
            feeders.entry(asset).or_default().container = Some(container);
            taken.insert(container);
        }
        for (asset, node) in nodes {
            let place = feeders.entry(asset).or_default();
            // Of several breakers with one point, the first with a line counts.
            place.node.get_or_insert(node);
            // Customers belong to one feeder.
            let free = || points.active.feeder_at(node).filter(|container| taken.insert(*container));
            place.container = place.container.or_else(free);
        }
        for (asset, place) in &mut feeders {
            // A feeder with an entered number can still be without its consumers in the network.
            place.supplies_nobody = !points.of.entered.contains(asset) && supplies_nobody(&points.active, place);
        }
        let mut live = LiveNetwork::new(Arc::clone(&points.model), Arc::clone(&points.of.bindings));
        // A line that was never measured dead is live.
        for voltage in points.of.voltages.values().flatten() {
            live.set_voltage(*voltage, Contact::Closed);
        }
        let without_supply = points.active.customers_without_supply(live.state());
        Self { points, live, without_supply, feeders, entered: Vec::new() }
    }

    /// Sets the position of a point. `report`: what reported it; `None` if it is assumed.
    pub(super) fn set(&mut self, point: PointId, contact: Contact, report: Option<Reading>) {
        self.live.set_position(point, contact, report);
    }

    /// Takes entries that were made or withdrawn. Those for what this version does not have do not count.
    pub(super) fn enter(&mut self, entered: &[ManualEntry], withdrawn: &[i64]) {
        self.entered.retain(|entry| !withdrawn.contains(&entry.id));
        self.entered.extend_from_slice(entered);
        let positions = self.points.active.entered(&self.entered, |point| self.live.reported_by(point));
        self.live.enter(&positions);
    }

    pub(super) fn set_line(&mut self, asset: AssetId, is_live: bool) {
        for voltage in self.points.of.voltages.get(&asset).into_iter().flatten() {
            self.live.set_voltage(*voltage, if is_live { Contact::Closed } else { Contact::Open });
        }
    }

    /// Updates the states. Returns whether one has changed.
    pub(super) fn settle(&mut self) -> bool {
        let changed = self.live.settle();
        self.without_supply.follow(self.live.state(), &changed);
        !changed.is_empty()
    }

    /// Whether a switch has the position of a point.
    pub(super) fn depends_on(&self, point: PointId) -> bool {
        self.points.of.equipment.contains_key(&point)
    }

    /// Whether the switch with the position of a point is on a feeder, outside of its substation.
    pub(super) fn is_on_feeder(&self, point: PointId, feeder: AssetId) -> bool {
        let container = self.feeders.get(&feeder).and_then(|place| place.container);
        let mut switches = self.points.equipment_of(point).iter().map(|equipment| self.points.active.feeder_of(*equipment));
        container.is_some() && switches.any(|switch| container == switch)
    }

    /// Returns the supply of a feeder; `None` if the version does not have it. A feeder with customers has no supply if more than `others` of its customers are
    /// without supply. It has supply if all of its customers have supply, even if the line side of its breaker is dead, because then another feeder supplies
    /// them.
    pub(super) fn supply(&self, feeder: AssetId, others: u64) -> Option<Supply> {
        let place = self.feeders.get(&feeder)?;
        let line = place.node.map(|node| Supply::from(self.live.state().state(node)));
        let Some(container) = self.counted(place) else { return line };
        if self.without_supply.of(container) > others {
            return Some(Supply::Off);
        }
        let is_known = line == Some(Supply::On) || self.without_supply.unknown_of(container) == 0;
        Some(if is_known { Supply::On } else { Supply::Unknown })
    }

    /// Returns the customers of a feeder that are without supply: 0 for one that supplies nobody, such as a spare one. `None` if the version does not have them,
    /// as for a feeder that supplies another substation, or one whose customers are only entered.
    pub(super) fn without_supply(&self, feeder: AssetId) -> Option<u64> {
        let place = self.feeders.get(&feeder)?;
        let counted = self.counted(place).map(|container| self.without_supply.of(container));
        counted.or_else(|| place.supplies_nobody.then_some(0))
    }

    /// Returns the container of a feeder with customers.
    fn counted(&self, place: &Place) -> Option<u32> {
        place.container.filter(|container| self.points.active.customers_of(*container).is_some())
    }
}

/// Returns whether a version has a feeder, with its line, and nobody behind it in the normal state.
fn supplies_nobody(active: &ActiveNetwork, place: &Place) -> bool {
    let has_none = |container: u32| active.has_customers() && active.customers_of(container).is_none();
    let Some(node) = place.node.filter(|_| place.container.is_some_and(has_none)) else { return false };
    let normal = active.normal();
    Phase::ALL.into_iter().all(|phase| {
        let mut fed = Vec::new();
        normal.fed_over(node, phase, &mut fed);
        normal.consumers(&fed).customers == 0
    })
}
