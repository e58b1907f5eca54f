//! The state of diagrams other than values: the states of nodes, and the flashing points.

mod network;
mod reader;
mod substation_set;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use drawing::picture::{Drawn, Picture};
use grid::table::overview;
use grid::{ClientId, Micros, NodeId, PointId, flash};
use registry::{UnavailableNetworks, Utility};
use store::flash::FlashRecord;
use wire::live::{Delta, Flash, FlashKind, NodeState};

pub(crate) use ::network::live::Sight;
pub(crate) use network::{UtilityEntries, UtilityNetwork, key_of};
pub(crate) use reader::Watch;
pub(crate) use substation_set::SubstationSet;

/// All diagrams. One takes a few hundred bytes for each symbol; bounded by the number of drawings.
#[derive(Debug, Default)]
pub(crate) struct Diagrams {
    pictures: HashMap<NodeId, Picture>,
    /// The network of each utility that has one; `None` before the networks were read. Until then the states of all nodes are unknown.
    networks: Option<HashMap<ClientId, UtilityNetwork>>,
    /// Utilities whose active network is not in memory. They may have their former network here; the states of their nodes are unknown.
    unavailable: Arc<UnavailableNetworks>,
    /// The utility whose network depends on the point.
    network_of: HashMap<PointId, ClientId>,
    /// The utility of each diagram.
    client_of: HashMap<NodeId, ClientId>,
    /// For each point, the substation whose diagram depends on it and is not part of a utility's network.
    inputs: HashMap<PointId, NodeId>,
    /// Substations whose diagram may have changed.
    touched: HashSet<NodeId>,
    /// Flashing points by substation. Bounded by the number of status points.
    flashes: HashMap<NodeId, BTreeMap<PointId, (flash::FlashKind, Micros)>>,
}

/// The data of a substation that its diagram needs.
#[derive(Debug)]
pub(crate) struct Substation {
    pub(crate) client: ClientId,
    pub(crate) code: String,
    /// The points with a position, by `device/metric`.
    pub(crate) points: HashMap<String, PointId>,
}

/// The changes of a diagram that have not been sent.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    /// The drawing has changed.
    drawing: bool,
    nodes: BTreeSet<usize>,
    flashes: bool,
}

impl Marks {
    pub(crate) fn nodes(&mut self, nodes: impl IntoIterator<Item = usize>) {
        self.nodes.extend(nodes);
    }

    pub(crate) fn drawing(&mut self) {
        self.drawing = true;
    }

    pub(crate) fn flashes(&mut self) {
        self.flashes = true;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.is_empty() && !self.flashes && !self.drawing
    }

    /// Adds the marked changes to a delta: the current states of the nodes, and the flashing points if they changed.
    pub(crate) fn leave<T>(&mut self, diagrams: &Diagrams, location: NodeId, delta: &mut Delta<T>) {
        let nodes = std::mem::take(&mut self.nodes);
        let whole = std::mem::take(&mut self.drawing);
        if whole || !nodes.is_empty() {
            let states = diagrams.nodes(location).into_iter();
            delta.nodes = Some(states.filter(|state| whole || nodes.contains(&state.0)).collect());
            delta.wiring = diagrams.wiring(location);
        }
        delta.flashes = std::mem::take(&mut self.flashes).then(|| diagrams.flashes(location));
    }
}

impl Diagrams {
    /// Returns when the known drawing of a substation was stored.
    pub(crate) fn stored(&self, location: NodeId) -> Option<Micros> {
        self.pictures.get(&location).map(Picture::updated)
    }

    /// Replaces drawings, in the order in which they were read. Returns the substations whose drawing changed.
    pub(crate) fn draw(&mut self, drawn: Vec<Drawn>) -> Vec<NodeId> {
        let mut taken = Vec::new();
        for drawn in drawn {
            if self.pictures.get(&drawn.location).is_none_or(|held| held.updated() != drawn.updated) {
                taken.push(drawn.location);
                self.pictures.insert(drawn.location, Picture::new(drawn));
            }
        }
        taken
    }

    /// Replaces the networks of all utilities, and finds the nodes of all diagrams in them. Returns the utilities whose networks have different nodes than
    /// before.
    pub(crate) fn set_networks(
        &mut self,
        mut networks: Vec<UtilityNetwork>,
        unavailable: Arc<UnavailableNetworks>,
        substation: impl Fn(NodeId) -> Option<Substation>,
    ) -> HashSet<ClientId> {
        let before = self.networks.take().unwrap_or_default();
        let mut others: HashSet<ClientId> = before.keys().copied().chain(networks.iter().map(|network| network.active.client())).collect();
        for network in &mut networks {
            let same = before.get(&network.active.client()).filter(|before| Arc::ptr_eq(&before.active, &network.active));
            if let Some(before) = same {
                network.continue_from(before);
                others.remove(&network.active.client());
            }
        }
        self.network_of.clear();
        for network in &networks {
            self.network_of.extend(network.points().map(|point| (point, network.active.client())));
        }
        self.networks = Some(networks.into_iter().map(|network| (network.active.client(), network)).collect());
        others.extend(self.unavailable.symmetric_difference(&unavailable));
        self.unavailable = unavailable;
        self.bind(None, substation);
        others
    }

    /// Replaces the utilities whose active network is not in memory. Returns those that were added or removed.
    pub(crate) fn set_unavailable(
        &mut self,
        unavailable: Arc<UnavailableNetworks>,
        substation: impl Fn(NodeId) -> Option<Substation>,
    ) -> HashSet<ClientId> {
        let others: HashSet<ClientId> = self.unavailable.symmetric_difference(&unavailable).copied().collect();
        self.unavailable = unavailable;
        if !others.is_empty() {
            self.bind(None, substation);
        }
        others
    }

    /// Returns whether the active network of a utility is not in memory, or the networks have not been read.
    pub(crate) fn is_network_unavailable(&self, client: ClientId) -> bool {
        self.networks.is_none() || self.unavailable.contains(&client)
    }

    /// Replaces what users have entered for the equipment of these networks. A network that is held no longer is left out.
    pub(crate) fn enter(&mut self, changed: &[UtilityEntries]) {
        for UtilityEntries { active, entries } in changed {
            let held = self.networks.as_mut().and_then(|networks| networks.get_mut(&active.client()));
            if let Some(network) = held.filter(|held| Arc::ptr_eq(&held.active, active)) {
                network.enter(entries);
            }
        }
    }

    /// Returns the network of a utility with its states; `None` also if its active network is not in memory.
    pub(crate) fn network(&self, client: ClientId) -> Option<&UtilityNetwork> {
        self.networks.as_ref()?.get(&client).filter(|_| !self.unavailable.contains(&client))
    }

    /// Finds the points and the nodes of diagrams again: for some substations, or for all.
    pub(crate) fn bind(&mut self, only: Option<&[NodeId]>, substation: impl Fn(NodeId) -> Option<Substation>) {
        let Some(networks) = &mut self.networks else { return };
        let locations: Vec<NodeId> = only.map_or_else(|| self.pictures.keys().copied().collect(), <[NodeId]>::to_vec);
        if only.is_none() {
            self.inputs.clear();
        } else {
            // Points of the previous drawing.
            let again: HashSet<NodeId> = locations.iter().copied().collect();
            self.inputs.retain(|_, location| !again.contains(location));
        }
        for location in locations {
            let Some(picture) = self.pictures.get_mut(&location) else { continue };
            let Some(Substation { client, code, points }) = substation(location) else { continue };
            self.client_of.insert(location, client);
            let network = networks.get_mut(&client);
            let places = network.as_ref().and_then(|network| network.places(picture.drawn(), &code, &points));
            match places {
                _ if self.unavailable.contains(&client) => picture.forget(),
                Some(places) => picture.join(places),
                None => picture.bind(&points),
            }
            if let Some(network) = network {
                network.show(location, picture.places().map(|(_, node)| node));
            }
            self.inputs.extend(picture.points().map(|point| (point, location)));
            self.touched.insert(location);
        }
    }

    /// Marks a point whose value may have changed.
    pub(crate) fn touch(&mut self, point: PointId) {
        self.touched.extend(self.inputs.get(&point));
        let network = self.network_of.get(&point).and_then(|client| self.networks.as_mut()?.get_mut(client));
        if let Some(network) = network {
            network.touch(point);
        }
    }

    /// Recomputes the networks and diagrams that have a changed or stale position. Returns the changed nodes of diagrams, and those substations without changed
    /// nodes whose number of customers without supply has changed.
    ///
    /// All effects of one change are computed together. So if a switch of one substation interrupts the supply of other substations, all their diagrams change
    /// at the same time.
    pub(crate) fn settle(&mut self, now: Micros, sight: impl Fn(PointId) -> Option<Sight>) -> Vec<(NodeId, Vec<usize>)> {
        let mut recounted = HashSet::new();
        for network in self.networks.iter_mut().flat_map(HashMap::values_mut) {
            let concerned = network.settle(now, &sight);
            self.touched.extend(concerned.diagrams);
            recounted.extend(concerned.customers);
        }
        let mut changed = Vec::new();
        for location in std::mem::take(&mut self.touched) {
            let Some(picture) = self.pictures.get_mut(&location) else { continue };
            let network = self.client_of.get(&location).and_then(|client| self.networks.as_ref()?.get(client));
            let nodes = picture.settle(now, &sight, network.map(UtilityNetwork::state));
            if !nodes.is_empty() {
                recounted.remove(&location);
                changed.push((location, nodes));
            }
        }
        changed.extend(recounted.into_iter().map(|location| (location, Vec::new())));
        changed
    }

    /// Returns the nodes of networks whose state has changed since the last call, by utility.
    pub(crate) fn take_changed(&mut self) -> Vec<(ClientId, Vec<::network::NodeId>)> {
        let networks = self.networks.iter_mut().flatten();
        networks.map(|(client, network)| (*client, network.take_changed())).filter(|(_, changed)| !changed.is_empty()).collect()
    }

    /// Finds the feeders of all networks in the registry, so that their customers without supply count at their substations.
    pub(crate) fn find_feeders(&mut self, utility: impl Fn(ClientId) -> Option<Utility>) {
        for (client, network) in self.networks.iter_mut().flatten() {
            if let Some(utility) = utility(*client) {
                network.find_feeders(&utility);
            }
        }
    }

    /// Marks the diagrams that depend on a position that has become stale.
    pub(crate) fn age(&mut self, now: Micros) {
        let old = self.pictures.iter().filter(|(_, picture)| picture.has_aged(now)).map(|(location, _)| *location);
        self.touched.extend(old);
        self.networks.iter_mut().flat_map(HashMap::values_mut).for_each(|network| network.age(now));
    }

    /// Returns the identifier of the wiring to which the node numbers belong.
    pub(crate) fn wiring(&self, location: NodeId) -> Option<String> {
        self.pictures.get(&location).map(|picture| picture.mark().to_owned())
    }

    /// Returns the feeders and busbars of a drawing.
    pub(crate) fn lines(&self, location: NodeId) -> Option<overview::Drawn<'_>> {
        self.pictures.get(&location).map(Picture::lines)
    }

    /// Adds the complete state of a diagram.
    pub(crate) fn whole<T>(&self, location: NodeId, delta: &mut Delta<T>) {
        delta.nodes = Some(self.nodes(location));
        delta.wiring = self.wiring(location);
        delta.flashes = Some(self.flashes(location));
    }

    /// Returns every node of a diagram with its state.
    pub(crate) fn nodes(&self, location: NodeId) -> Vec<NodeState> {
        let states = self.pictures.get(&location).map(Picture::states).unwrap_or_default();
        states.iter().enumerate().map(|(node, state)| NodeState(node, state.code())).collect()
    }

    /// Sets the flashing points of some substations, or of all. Returns the substations where they changed.
    pub(crate) fn flash(&mut self, of: &SubstationSet, records: &[FlashRecord]) -> Vec<NodeId> {
        let mut now: HashMap<NodeId, BTreeMap<PointId, (flash::FlashKind, Micros)>> = HashMap::new();
        for record in records {
            now.entry(record.location).or_default().insert(record.point, (record.kind, record.at));
        }
        let locations: HashSet<NodeId> = match of {
            SubstationSet::All => self.flashes.keys().chain(now.keys()).copied().collect(),
            SubstationSet::Of(locations) => locations.iter().copied().collect(),
        };
        let mut changed = Vec::new();
        for location in locations {
            let now = now.remove(&location).unwrap_or_default();
            let before = if now.is_empty() { self.flashes.remove(&location) } else { self.flashes.insert(location, now.clone()) };
            if before.unwrap_or_default() != now {
                changed.push(location);
            }
        }
        changed
    }

    /// Returns the flashing points of a diagram.
    pub(crate) fn flashes(&self, location: NodeId) -> Vec<Flash> {
        let word = |kind| match kind {
            flash::FlashKind::Change => FlashKind::Change,
            flash::FlashKind::Trip => FlashKind::Trip,
        };
        let flashing = self.flashes.get(&location).into_iter().flatten();
        flashing.map(|(point, (kind, at))| Flash(point.0, word(*kind), at.millis())).collect()
    }
}
