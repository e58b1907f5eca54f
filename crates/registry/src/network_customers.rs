//! The customers of a network by feeder, and the substation of each feeder.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use network::customers::{CustomersWithoutSupply, ServedCustomers};
use network::description::{Container, ContainerKind, Description, Electrical};
use network::{EquipmentId, EquipmentKind, Model, NetworkState, NodeId, Phase};

/// How deep containers are nested at most.
const DEPTH_MAX: usize = 16;

/// The customers of a network. Containers are known by their positions among those of the network.
#[derive(Debug)]
pub(crate) struct NetworkCustomers {
    served: Arc<[ServedCustomers]>,
    /// The feeder that each line at a node belongs to.
    feeder_at: HashMap<NodeId, u32>,
    /// The containers with customers of each substation.
    of_station: BTreeMap<u32, Vec<u32>>,
    /// The customers of each container.
    totals: Vec<u64>,
    /// The containers of `of_station`, once they were needed.
    in_stations: OnceLock<HashSet<u32>>,
    /// The breakers at the heads of the feeders in the normal state that supply substations and what is in none, once they were needed.
    heads: OnceLock<HashMap<u32, HashSet<EquipmentId>>>,
    /// Those that supply feeders in substations.
    feeder_heads: OnceLock<HashMap<u32, HashSet<EquipmentId>>>,
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
        let mut of_station: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
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
                    if let Some(station) = station {
                        let held = of_station.entry(station).or_default();
                        if !held.contains(&container) {
                            held.push(container);
                        }
                    }
                }
                _ => {}
            }
        }
        served.sort_by_key(|served: &ServedCustomers| served.node);
        Self {
            served: served.into(),
            feeder_at,
            of_station,
            totals,
            in_stations: OnceLock::new(),
            heads: OnceLock::new(),
            feeder_heads: OnceLock::new(),
        }
    }

    pub(crate) fn count(&self, state: &NetworkState) -> CustomersWithoutSupply {
        CustomersWithoutSupply::new(Arc::clone(&self.served), self.totals.len(), state)
    }

    pub(crate) fn feeder_at(&self, node: NodeId) -> Option<u32> {
        self.feeder_at.get(&node).copied()
    }

    pub(crate) fn of(&self, container: u32) -> Option<u64> {
        self.totals.get(container as usize).copied().filter(|customers| *customers > 0)
    }

    /// Returns the breakers at the heads of the feeders that supply the customers of a container in the normal state. They are searched at the first call: once
    /// for substations and containers outside of all substations, and once for feeders in substations, which need them only if the registry does not have their
    /// substation.
    pub(crate) fn heads_of(&self, container: u32, containers: &[Container], normal: &NetworkState) -> impl Iterator<Item = EquipmentId> {
        let is_in_station = |of: u32| containers[of as usize].kind != ContainerKind::Substation && self.in_stations().contains(&of);
        let is_feeder = is_in_station(container);
        let heads = if is_feeder { &self.feeder_heads } else { &self.heads };
        let heads = heads.get_or_init(|| {
            let mut heads: HashMap<u32, HashSet<EquipmentId>> = HashMap::new();
            for served in self.served.iter().filter(|served| is_in_station(served.container) == is_feeder) {
                let head = Phase::ALL.into_iter().find_map(|phase| normal.feeding_breaker(served.node, phase));
                heads.entry(served.container).or_default().extend(head);
            }
            heads
        });
        heads.get(&container).into_iter().flatten().copied()
    }

    /// Returns the containers with customers that are substations or in one.
    fn in_stations(&self) -> &HashSet<u32> {
        self.in_stations.get_or_init(|| self.of_station.values().flatten().copied().collect())
    }

    /// Returns the containers with customers.
    pub(crate) fn containers(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.totals).filter(|(_, customers)| **customers > 0).map(|(container, _)| container)
    }

    /// Returns the nodes with customers, each with its container.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = (NodeId, u32)> + '_ {
        self.served.iter().map(|served| (served.node, served.container))
    }

    /// Returns the containers with customers of a substation.
    pub(crate) fn of_station(&self, station: u32) -> &[u32] {
        self.of_station.get(&station).map_or(&[], Vec::as_slice)
    }
}
