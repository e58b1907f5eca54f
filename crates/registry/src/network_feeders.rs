//! The feeders of a utility in its network: which container of the network each feeder asset is, and where its customers count.

use std::collections::{BTreeMap, HashMap, HashSet};

use grid::table::overview::SubstationRow;
use grid::{AssetId, Level, NodeId, PointId};
use network::customers::CustomersWithoutSupply;
use network::description::ContainerKind;
use network::{Contact, EquipmentId, Phase};

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
///
/// The customers of a container belong to one asset. An asset at the far end of its line, such as a tie to another substation, has none.
#[derive(Debug, Default)]
pub struct NetworkFeeders {
    /// The container of each asset. No container is that of two.
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
    location: NodeId,
    /// The breakers of its bay, each with the node at which its line begins: several if one point reports them together.
    breakers: Vec<(EquipmentId, Option<network::NodeId>)>,
    /// The feeder with the id `STATION/ASSET`.
    named: Option<u32>,
    /// The feeder of the line that begins at its breaker; of several breakers, at the first with a line.
    on_line: Option<u32>,
}

/// Why the feeder of a line is that of the asset at an end of it. The first reason is the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Claim {
    /// A breaker of its bay is the head of the feeder in the normal state.
    Head,
    /// It is in the substation of the feeder.
    Station,
    /// Its breakers are normally closed.
    Closed,
}

impl NetworkFeeders {
    /// Finds the feeders of a network. `equipment_of` returns the equipment whose position a point reports.
    ///
    /// An asset is the feeder with the id `STATION/ASSET`. If there is none with customers, it is the feeder of the line that begins at the breaker of its
    /// bay, unless that is another asset. Temporary changes move no feeder.
    pub fn new<'a>(active: &ActiveNetwork, utility: &Utility, equipment_of: impl Fn(PointId) -> &'a [EquipmentId]) -> Self {
        let active = active.stored();
        let candidates = candidates(active, utility, equipment_of);
        let has_customers = |container: u32| active.customers_of(container).is_some();
        let mut containers: HashMap<AssetId, u32> = HashMap::new();
        let mut holders: HashMap<u32, AssetId> = HashMap::new();
        let mut claims: BTreeMap<u32, Vec<&Candidate>> = BTreeMap::new();
        for of in &candidates {
            match (of.named, of.on_line) {
                (Some(named), on_line) if has_customers(named) || on_line.is_none_or(|line| line == named || !has_customers(line)) => {
                    containers.insert(of.asset, named);
                    holders.insert(named, of.asset);
                }
                (_, Some(line)) => claims.entry(line).or_default().push(of),
                (_, None) => {}
            }
        }
        for (container, of) in claims {
            let holder = holders.get(&container).copied().or_else(|| holder(active, utility, container, &of));
            holders.extend(holder.map(|holder| (container, holder)));
            for of in of {
                let own = if holder == Some(of.asset) { Some(container) } else { of.named };
                containers.extend(own.map(|own| (of.asset, own)));
            }
        }
        let mut customers: HashMap<AssetId, u64> = HashMap::new();
        let is_feeder = |container: u32| active.containers()[container as usize].kind == ContainerKind::Feeder;
        let in_feeders = active.customers().nodes().filter(|(_, container)| is_feeder(*container)).map(|(node, _)| node).collect();
        for of in &candidates {
            let own = containers.get(&of.asset).and_then(|own| active.customers_of(*own));
            // The customers of its line are those of another asset.
            let of_line = || of.on_line.filter(|line| has_customers(*line)).map(|_| 0);
            // So are those that it supplies over another substation.
            let of_others =
                || of.breakers.iter().filter_map(|(_, line)| *line).any(|line| supplies(active, line, &in_feeders)).then_some(0);
            customers.extend(own.or_else(of_line).or_else(of_others).map(|number| (of.asset, number)));
        }
        let (of_station, elsewhere) = of_stations(active, utility, &candidates, &holders);
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

/// Returns whether a line supplies one of some nodes in the normal state.
fn supplies(active: &ActiveNetwork, line: network::NodeId, nodes: &HashSet<network::NodeId>) -> bool {
    !nodes.is_empty()
        && Phase::ALL.into_iter().any(|phase| {
            let mut fed = Vec::new();
            active.normal().fed_over(line, phase, &mut fed);
            fed.iter().any(|node| nodes.contains(node))
        })
}

fn candidates<'a>(active: &ActiveNetwork, utility: &Utility, equipment_of: impl Fn(PointId) -> &'a [EquipmentId]) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    for station in utility.nodes().filter(|node| node.level == Level::Substation) {
        let breakers = utility.breakers_at(station.id);
        for asset in utility.assets_at(station.id).filter(|asset| asset.type_id == FEEDER) {
            let named = active.container(&format!("{}/{}", station.code, asset.code), ContainerKind::Feeder);
            let breakers = breakers.get(asset.device.as_str()).map_or(&[][..], |point| equipment_of(*point));
            let breakers = breakers.iter().map(|breaker| (*breaker, None)).collect();
            candidates.push(Candidate { asset: asset.id, location: station.id, breakers, named, on_line: None });
        }
    }
    let breakers: Vec<EquipmentId> = candidates.iter().flat_map(|of| &of.breakers).map(|(breaker, _)| *breaker).collect();
    let mut lines = active.model().line_sides(&breakers).into_iter();
    for of in &mut candidates {
        of.breakers.iter_mut().zip(&mut lines).for_each(|((_, line), found)| *line = found);
        of.on_line = of.breakers.iter().find_map(|(_, line)| active.feeder_at((*line)?));
    }
    candidates
}

/// Returns the asset that the feeder of a line is; `None` if all of those at its ends are normally open ties to it from other substations.
fn holder(active: &ActiveNetwork, utility: &Utility, container: u32, candidates: &[&Candidate]) -> Option<AssetId> {
    let station = active.around(container, ContainerKind::Substation).map(|at| active.containers()[at as usize].id.as_str());
    let claim = |of: &Candidate| {
        let at_line: Vec<(EquipmentId, network::NodeId)> = of
            .breakers
            .iter()
            .filter_map(|(breaker, line)| Some((*breaker, (*line)?)))
            .filter(|(_, line)| active.feeder_at(*line) == Some(container))
            .collect();
        if at_line.is_empty() {
            return None;
        }
        // The normal state of a large network takes long; it decides only between several.
        let is_head = |(breaker, line): &(EquipmentId, network::NodeId)| {
            Phase::ALL.into_iter().any(|phase| active.normal().feeding_breaker(*line, phase) == Some(*breaker))
        };
        let is_at_station = || {
            let own = utility.node(of.location)?;
            Some(active.codes_of_station(station?).any(|code| code == own.code))
        };
        let is_closed = |(breaker, _): &(EquipmentId, network::NodeId)| {
            active.model().branches_of(*breaker).all(|branch| active.model().branch(branch).normal == Contact::Closed)
        };
        if candidates.len() > 1 && at_line.iter().any(is_head) {
            Some(Claim::Head)
        } else if is_at_station() == Some(true) {
            Some(Claim::Station)
        } else {
            at_line.iter().all(is_closed).then_some(Claim::Closed)
        }
    };
    candidates.iter().filter_map(|of| Some((claim(of)?, of.asset))).min().map(|(_, asset)| asset)
}

/// Returns the containers whose customers each substation counts, and the feeder assets that supply customers who are in a substation and in no feeder.
///
/// A container outside of the substations of the utility counts at that of its asset, or else at that of the breaker which supplies it in the normal state. So do
/// the customers of a substation that the utility does not have, such as one at the end of a branch of a feeder.
fn of_stations(
    active: &ActiveNetwork,
    utility: &Utility,
    candidates: &[Candidate],
    holders: &HashMap<u32, AssetId>,
) -> (HashMap<NodeId, Vec<u32>>, Vec<AssetId>) {
    let stations: HashMap<&str, NodeId> =
        utility.nodes().filter(|node| node.level == Level::Substation).map(|node| (node.code.as_str(), node.id)).collect();
    let mut of_station: HashMap<NodeId, Vec<u32>> = HashMap::new();
    for (code, station) in &stations {
        of_station.insert(*station, active.containers_with_customers_at(code).to_vec());
    }
    let is_counted: HashSet<u32> = of_station.values().flatten().copied().collect();
    // Counts a container outside of the substations of the utility. Returns whether there is a substation for it.
    let mut count_elsewhere = |container: u32| {
        let asset = holders.get(&container).and_then(|holder| Some(utility.asset(*holder)?.location));
        let at_head = |head: EquipmentId| {
            let station = active.substation_of(head)?;
            active.codes_of_station(station).find_map(|code| stations.get(code).copied())
        };
        let heads = || active.customers().heads_of(container, active.containers(), active.normal());
        let station = asset.or_else(|| heads().filter_map(at_head).min());
        station.map(|station| of_station.entry(station).or_default().push(container)).is_some()
    };
    let mut elsewhere = Vec::new();
    for container in active.customers().containers() {
        let heads = || active.customers().heads_of(container, active.containers(), active.normal());
        let is_counted = is_counted.contains(&container) || count_elsewhere(container);
        if is_counted && active.containers()[container as usize].kind == ContainerKind::Substation {
            let heads: HashSet<EquipmentId> = heads().collect();
            let is_head = |of: &&Candidate| of.breakers.iter().any(|(breaker, _)| heads.contains(breaker));
            elsewhere.extend(candidates.iter().filter(is_head).map(|of| of.asset));
        }
    }
    (of_station, elsewhere)
}

#[cfg(test)]
mod tests;
