//! The live network of a utility, and its nodes that the diagrams show.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use drawing::Places;
use drawing::picture::Drawn;
use grid::table::overview::SubstationRow;
use grid::{Micros, NodeId, PointId};
use network::customers::CustomersWithoutSupply;
use network::live::{LiveNetwork, Sight};
use network::{EquipmentId, State};
use registry::{ActiveNetwork, Image, NetworkFeeders, Utility};
use store::manual_entry::ManualEntry;

use crate::table::RowKey;

/// What users have entered for the equipment of a network.
#[derive(Debug)]
pub(crate) struct UtilityEntries {
    pub(crate) active: Arc<ActiveNetwork>,
    pub(crate) entries: Arc<Vec<ManualEntry>>,
}

/// The active network of a utility with its points.
#[derive(Debug)]
pub(crate) struct UtilityNetwork {
    pub(crate) active: Arc<ActiveNetwork>,
    live: LiveNetwork,
    /// The equipment whose position a point reports.
    equipment: HashMap<PointId, Vec<EquipmentId>>,
    /// The substations that show a node.
    shown_at: HashMap<network::NodeId, Vec<NodeId>>,
    /// The nodes that each substation shows.
    shown: HashMap<NodeId, Vec<network::NodeId>>,
    /// The nodes whose state has changed and has not been taken by [`UtilityNetwork::take_changed`].
    changed: Vec<network::NodeId>,
    /// The substations that count the customers of a node.
    counted_at: HashMap<network::NodeId, Vec<NodeId>>,
    without_supply: CustomersWithoutSupply,
    feeders: NetworkFeeders,
    /// Points that may have changed.
    touched: HashSet<PointId>,
    /// Whether what users have entered has changed.
    has_other_entries: bool,
    /// The states that were shown before the points of the network were found again; `None` after they have been compared with the new states.
    before: Option<Vec<State>>,
}

/// The substations that a change of the network affects.
#[derive(Debug, Default)]
pub(crate) struct Concerned {
    /// The substations whose diagrams show a node with a changed state.
    pub(crate) diagrams: HashSet<NodeId>,
    /// Those whose customers without supply changed.
    pub(crate) customers: HashSet<NodeId>,
}

impl UtilityNetwork {
    /// Finds the points of a network. May take a second for a large one.
    pub(crate) fn new(active: Arc<ActiveNetwork>, image: &Arc<Image>, entries: &[ManualEntry]) -> Self {
        let bindings = active.bind(image);
        let equipment = bindings.equipment_by_point();
        let mut live = LiveNetwork::new(Arc::clone(active.model()), Arc::new(bindings));
        live.enter(&active.entered(entries, |point| live.reported_by(point)));
        live.settle();
        let touched = live.points().collect();
        let without_supply = active.customers_without_supply(live.state());
        let (shown_at, shown, counted_at, feeders) = <_>::default();
        let (changed, has_other_entries, before) = (Vec::new(), false, None);
        let mut network = Self {
            active,
            live,
            equipment,
            shown_at,
            shown,
            changed,
            counted_at,
            without_supply,
            feeders,
            touched,
            has_other_entries,
            before,
        };
        if let Some(utility) = image.utility(network.active.client()) {
            network.find_feeders(&utility);
        }
        network
    }

    /// Replaces what users have entered.
    pub(crate) fn enter(&mut self, entries: &[ManualEntry]) {
        let entered = self.active.entered(entries, |point| self.live.reported_by(point));
        self.live.enter(&entered);
        self.has_other_entries = true;
    }

    /// Continues the same network: its first states are compared with the states that were shown.
    pub(crate) fn continue_from(&mut self, before: &Self) {
        self.live.succeed(&before.live);
        self.changed.extend(&before.changed);
        let shown = before.live.state();
        self.before = before.before.clone().or_else(|| Some(shown.model().nodes().map(|node| shown.state(node)).collect()));
    }

    /// Returns the points that its states depend on.
    pub(crate) fn points(&self) -> impl Iterator<Item = PointId> + '_ {
        self.live.points()
    }

    /// Returns the network with its states.
    pub(crate) fn state(&self) -> &network::NetworkState {
        self.live.state()
    }

    /// Returns the row of a substation with its customers without supply.
    pub(crate) fn count(&self, row: SubstationRow, station: NodeId) -> SubstationRow {
        self.feeders.count(row, station, &self.without_supply)
    }

    /// Finds the feeders in the registry, and which substation counts which customers.
    pub(crate) fn find_feeders(&mut self, utility: &Utility) {
        self.feeders = NetworkFeeders::new(&self.active, utility, |point| self.equipment.get(&point).map_or(&[][..], Vec::as_slice));
        self.counted_at = self.feeders.counting_stations(&self.active);
    }

    /// Finds the nodes of a drawing; `None` if the substation is not part of the network. `points` are the points of the substation by their addresses.
    pub(crate) fn places(&self, drawn: &Drawn, station: &str, points: &HashMap<String, PointId>) -> Option<Places> {
        let equipment_of = |address: &str| points.get(address).and_then(|point| self.equipment.get(point)).map_or(&[][..], Vec::as_slice);
        drawn.places(station, self.active.stored().model(), equipment_of)
    }

    /// Replaces the nodes that a substation shows.
    pub(crate) fn show(&mut self, location: NodeId, nodes: impl Iterator<Item = network::NodeId>) {
        for node in self.shown.remove(&location).unwrap_or_default() {
            if let Entry::Occupied(mut shown) = self.shown_at.entry(node) {
                shown.get_mut().retain(|at| *at != location);
                if shown.get().is_empty() {
                    shown.remove();
                }
            }
        }
        let mut shown = Vec::new();
        for node in nodes {
            let at = self.shown_at.entry(node).or_default();
            if !at.contains(&location) {
                at.push(location);
                shown.push(node);
            }
        }
        self.shown.insert(location, shown);
    }

    pub(crate) fn touch(&mut self, point: PointId) {
        self.touched.insert(point);
    }

    /// Marks points whose reading has become stale or valid.
    pub(crate) fn age(&mut self, now: Micros) {
        self.touched.extend(self.live.due(now));
    }

    /// Reads the touched points and updates the states.
    pub(crate) fn settle(&mut self, now: Micros, sight: impl Fn(PointId) -> Option<Sight>) -> Concerned {
        let has_other_entries = std::mem::take(&mut self.has_other_entries);
        if self.touched.is_empty() && self.before.is_none() && !has_other_entries {
            return Concerned::default();
        }
        for point in std::mem::take(&mut self.touched) {
            self.live.see(point, now, sight(point));
        }
        let mut changed = self.live.settle();
        let mut has_customers = self.without_supply.follow(self.live.state(), &changed);
        if let Some(before) = self.before.take() {
            let state = self.live.state();
            changed = state.model().nodes().filter(|node| before[node.index()] != state.state(*node)).collect();
            has_customers = true;
        }
        let at = |places: &HashMap<network::NodeId, Vec<NodeId>>| -> HashSet<NodeId> {
            changed.iter().filter_map(|node| places.get(node)).flatten().copied().collect()
        };
        let customers = if has_customers { at(&self.counted_at) } else { HashSet::new() };
        let concerned = Concerned { diagrams: at(&self.shown_at), customers };
        self.changed.extend(changed);
        concerned
    }

    /// Returns the nodes whose state has changed since the last call.
    pub(crate) fn take_changed(&mut self) -> Vec<network::NodeId> {
        std::mem::take(&mut self.changed)
    }

    /// Returns the keys of the nodes of a substation and of its feeders. A node between substations is included if one of its substations is visible.
    pub(crate) fn keys_of_station(&self, station: &str, is_visible: impl Fn(&str) -> bool) -> Vec<RowKey> {
        let is_shown = |node: &network::NodeId| self.active.substations_between(*node).is_none_or(|mut stations| stations.any(&is_visible));
        self.active.nodes_of_station(station).iter().copied().filter(is_shown).map(key_of).collect()
    }

    /// Returns the id and the state of the node with a key.
    pub(crate) fn node(&self, key: RowKey) -> Option<(&str, State)> {
        let node = self.active.model().node_at(usize::try_from(key).ok()?)?;
        Some((self.active.model().node_name(node), self.live.state().state(node)))
    }
}

/// Returns the key of a node among the rows of a stream.
pub(crate) fn key_of(node: network::NodeId) -> RowKey {
    node.index() as RowKey
}
