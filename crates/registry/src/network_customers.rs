//! The customers of a network by feeder, and the substation of each feeder.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use network::customers::{CustomersWithoutSupply, ServedCustomers};
use network::description::{Container, ContainerKind, Description, Electrical};
use network::{EquipmentKind, Model, NetworkState, NodeId};

/// How deep containers are nested at most.
const DEPTH_MAX: usize = 16;

/// The customers of a network. Containers are known by their positions among those of the network.
#[derive(Debug)]
pub(crate) struct NetworkCustomers {
    served: Arc<[ServedCustomers]>,
    /// The feeder that each line at a node belongs to.
    feeder_at: HashMap<NodeId, u32>,
    /// The containers with customers of each substation, by its code. Empty if the network has no customers.
    of_station: BTreeMap<Box<str>, Vec<u32>>,
    /// The customers of each container.
    totals: Vec<u64>,
}

impl NetworkCustomers {
    pub(crate) fn new(description: &Description, model: &Model) -> Self {
        let containers = &description.containers;
        let ids: HashMap<&str, u32> = containers.iter().enumerate().map(|(at, container)| (&*container.id, at as u32)).collect();
        let above = |id: Option<&str>, kind: ContainerKind| {
            let mut next = id.and_then(|id| ids.get(id).copied());
            for _ in 0..DEPTH_MAX {
                let container = &containers[next? as usize];
                if container.kind == kind {
                    return next;
                }
                next = container.parent.as_deref().and_then(|id| ids.get(id).copied());
            }
            None
        };
        let (mut served, mut feeder_at) = (Vec::new(), HashMap::new());
        let mut totals = vec![0_u64; containers.len()];
        let mut of_station: BTreeMap<Box<str>, Vec<u32>> = BTreeMap::new();
        for station in containers.iter().filter(|container| container.kind == ContainerKind::Substation) {
            of_station.extend(names(station).map(|name| (name.into(), Vec::new())));
        }
        for (equipment, of) in model.all_equipment().zip(&description.equipment).filter(|(_, of)| of.is_in_service) {
            let feeder = above(of.container.as_deref(), ContainerKind::Feeder);
            match (of.kind, &of.electrical, feeder) {
                (EquipmentKind::LineSegment, _, Some(feeder)) => {
                    for (node, _) in model.terminals_of(equipment) {
                        feeder_at.entry(*node).or_insert(feeder);
                    }
                }
                (EquipmentKind::EnergyConsumer, Electrical::Consumer(consumed), _) if consumed.customers > 0 => {
                    let station = above(of.container.as_deref(), ContainerKind::Substation);
                    let Some(container) = feeder.or(station) else { continue };
                    let node = model.terminals_of(equipment)[0].0;
                    served.push(ServedCustomers { node, container, customers: consumed.customers });
                    totals[container as usize] = totals[container as usize].saturating_add(consumed.customers);
                    for name in station.map(|station| &containers[station as usize]).into_iter().flat_map(names) {
                        let held = of_station.entry(name.into()).or_default();
                        if !held.contains(&container) {
                            held.push(container);
                        }
                    }
                }
                _ => {}
            }
        }
        if served.is_empty() {
            of_station.clear();
        }
        served.sort_by_key(|served: &ServedCustomers| served.node);
        Self { served: served.into(), feeder_at, of_station, totals }
    }

    pub(crate) fn count(&self, state: &NetworkState) -> CustomersWithoutSupply {
        CustomersWithoutSupply::new(Arc::clone(&self.served), self.totals.len(), state)
    }

    pub(crate) fn feeder_at(&self, node: NodeId) -> Option<u32> {
        self.feeder_at.get(&node).copied()
    }

    pub(crate) fn of(&self, container: u32) -> Option<u64> {
        let has_customers = !self.served.is_empty();
        has_customers.then(|| self.totals.get(container as usize).copied()).flatten()
    }

    /// Returns the nodes with customers, each with its container.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = (NodeId, u32)> + '_ {
        self.served.iter().map(|served| (served.node, served.container))
    }

    pub(crate) fn of_station(&self, station: &str) -> Option<&[u32]> {
        self.of_station.get(station).map(Vec::as_slice)
    }
}

/// Returns the id and the name of a substation, either of which can be its code.
fn names(container: &Container) -> impl Iterator<Item = &str> {
    let name = (container.name != container.id && !container.name.is_empty()).then_some(container.name.as_str());
    std::iter::once(container.id.as_str()).chain(name)
}
