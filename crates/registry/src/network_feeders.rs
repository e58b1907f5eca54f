//! The feeders of a utility in its network: which container of the network each feeder asset is, and where its customers count.

use std::collections::{HashMap, HashSet};

use grid::table::overview::SubstationRow;
use grid::{AssetId, Level, NodeId, PointId};
use network::EquipmentId;
use network::customers::CustomersWithoutSupply;
use network::description::ContainerKind;

use crate::{ActiveNetwork, Utility};

/// Asset types (specification 2, section 9).
const FEEDER: i32 = 1;
const BREAKER: i32 = 3;

impl Utility {
    /// Returns the position point of the breaker of each bay of a substation, by the device of the bay.
    pub fn breakers_at(&self, location: NodeId) -> HashMap<&str, PointId> {
        let mut breakers: HashMap<&str, PointId> = HashMap::new();
        for asset in self.assets_at(location).filter(|asset| asset.type_id == BREAKER) {
            let positions = self.points_of(asset.id).filter(|point| point.code == "Pos" && point.encoding().is_some());
            if let Some(point) = positions.min_by_key(|point| point.id) {
                breakers.entry(&asset.device).or_insert(point.id);
            }
        }
        breakers
    }
}

/// The feeder assets of a utility (type 1) in a network, and which substation counts which customers.
#[derive(Debug, Default)]
pub struct NetworkFeeders {
    /// The container of each asset.
    containers: HashMap<AssetId, u32>,
    customers: HashMap<AssetId, u64>,
    /// The assets whose customers the network has, at the feeder or elsewhere in its substation.
    counted: HashSet<AssetId>,
    /// The containers whose customers each substation counts.
    of_station: HashMap<NodeId, Vec<u32>>,
}

/// A feeder asset.
struct Candidate {
    asset: AssetId,
    /// The breakers of its bay: several if one point reports them together.
    breakers: Vec<EquipmentId>,
    /// The feeder with the id `STATION/ASSET`.
    named: Option<u32>,
    /// The feeder of the line that begins at its breaker; of several breakers, at the first with a line.
    on_line: Option<u32>,
}

impl NetworkFeeders {
    /// Finds the feeders of a network. `equipment_of` returns the equipment whose position a point reports.
    ///
    /// An asset is the feeder of the line that begins at the breaker of its bay, or else the feeder with the id `STATION/ASSET`.
    /// Temporary changes move no feeder.
    pub fn new<'a>(active: &ActiveNetwork, utility: &Utility, equipment_of: impl Fn(PointId) -> &'a [EquipmentId]) -> Self {
        let active = active.stored();
        let candidates = candidates(active, utility, equipment_of);
        let mut containers: HashMap<AssetId, u32> = HashMap::new();
        containers.extend(candidates.iter().filter_map(|of| Some((of.asset, of.on_line.or(of.named)?))));
        let mut customers: HashMap<AssetId, u64> = HashMap::new();
        customers.extend(containers.iter().filter_map(|(asset, container)| Some((*asset, active.customers_of(*container)?))));
        let (of_station, elsewhere) = of_stations(active, utility, &candidates);
        let counted = customers.keys().copied().chain(elsewhere).collect();
        Self { containers, customers, counted, of_station }
    }

    /// Returns the position in [`ActiveNetwork::containers`] of the container of a feeder asset.
    pub fn container(&self, asset: AssetId) -> Option<u32> {
        self.containers.get(&asset).copied()
    }

    /// Returns each feeder asset with its container.
    pub fn containers(&self) -> impl Iterator<Item = (AssetId, u32)> {
        self.containers.iter().map(|(asset, container)| (*asset, *container))
    }

    /// Returns the customers of a feeder asset; `None` if the network does not have them.
    pub fn customers(&self, asset: AssetId) -> Option<u64> {
        self.customers.get(&asset).copied()
    }

    /// Returns the row of a substation with its customers without supply: those of its consumers in the network, and the entered numbers of its dead feeders
    /// whose customers the network does not have.
    #[must_use]
    pub fn count(&self, row: SubstationRow, station: NodeId, counted: &CustomersWithoutSupply) -> SubstationRow {
        let of_network = self.of_station.get(&station).into_iter().flatten().map(|container| counted.of(*container)).sum();
        row.with_customers(of_network, |asset| self.counted.contains(&asset))
    }

    /// Returns which substations count the customers of each node.
    pub fn counting_stations(&self, active: &ActiveNetwork) -> HashMap<network::NodeId, Vec<NodeId>> {
        let mut of_container: HashMap<u32, Vec<NodeId>> = HashMap::new();
        for (station, containers) in &self.of_station {
            for container in containers {
                of_container.entry(*container).or_default().push(*station);
            }
        }
        let mut counting: HashMap<network::NodeId, Vec<NodeId>> = HashMap::new();
        for (node, container) in active.customers().nodes() {
            let at = counting.entry(node).or_default();
            for station in of_container.get(&container).into_iter().flatten() {
                if !at.contains(station) {
                    at.push(*station);
                }
            }
        }
        counting
    }
}

fn candidates<'a>(active: &ActiveNetwork, utility: &Utility, equipment_of: impl Fn(PointId) -> &'a [EquipmentId]) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    for station in utility.nodes().filter(|node| node.level == Level::Substation) {
        let breakers = utility.breakers_at(station.id);
        for asset in utility.assets_at(station.id).filter(|asset| asset.type_id == FEEDER) {
            let named = active.container(&format!("{}/{}", station.code, asset.code), ContainerKind::Feeder);
            let breakers = breakers.get(asset.device.as_str()).map_or_else(Vec::new, |point| equipment_of(*point).to_vec());
            candidates.push(Candidate { asset: asset.id, breakers, named, on_line: None });
        }
    }
    let breakers: Vec<EquipmentId> = candidates.iter().flat_map(|of| &of.breakers).copied().collect();
    let mut lines = active.model().line_sides(&breakers).into_iter();
    for of in &mut candidates {
        let lines: Vec<_> = lines.by_ref().take(of.breakers.len()).collect();
        of.on_line = lines.into_iter().find_map(|line| active.feeder_at(line?));
    }
    candidates
}

/// Returns the containers whose customers each substation counts, and the feeder assets that supply customers who are in a substation and in no feeder.
fn of_stations(active: &ActiveNetwork, utility: &Utility, candidates: &[Candidate]) -> (HashMap<NodeId, Vec<u32>>, Vec<AssetId>) {
    let mut of_station: HashMap<NodeId, Vec<u32>> = HashMap::new();
    for station in utility.nodes().filter(|node| node.level == Level::Substation) {
        of_station.insert(station.id, active.containers_with_customers_at(&station.code).to_vec());
    }
    let mut elsewhere = Vec::new();
    for container in active.customers().containers() {
        if active.containers()[container as usize].kind == ContainerKind::Substation {
            let heads: HashSet<EquipmentId> = active.customers().heads_of(container, active.containers(), active.normal()).collect();
            let is_head = |of: &&Candidate| of.breakers.iter().any(|breaker| heads.contains(breaker));
            elsewhere.extend(candidates.iter().filter(is_head).map(|of| of.asset));
        }
    }
    (of_station, elsewhere)
}

#[cfg(test)]
mod tests;
