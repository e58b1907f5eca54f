//! Customers without supply, by container. The sums are updated when states of nodes change, so the time depends on the number of changes.

use std::sync::Arc;

use crate::{NetworkState, NodeId, State};

/// Customers at a node that belong to a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServedCustomers {
    /// The node.
    pub node: NodeId,
    /// The number that the caller uses for the container.
    pub container: u32,
    /// Their number.
    pub customers: u64,
}

/// What is known about the supply of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    Supplied,
    Without,
    Unknown,
}

/// The customers of a network that are certainly without supply: those at nodes that are dead or earthed. An unknown state does not count.
#[derive(Debug, Clone)]
pub struct CustomersWithoutSupply {
    /// In the order of the nodes.
    served: Arc<[ServedCustomers]>,
    /// For each entry of `served`, what is known about its supply.
    known: Vec<Known>,
    /// The sums of each container.
    sums: Vec<Sums>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    without: u64,
    unknown: u64,
}

impl CustomersWithoutSupply {
    /// Counts the customers in the present state. `served` is in the order of the nodes. The numbers of its containers are less than `containers`.
    pub fn new(served: Arc<[ServedCustomers]>, containers: usize, state: &NetworkState) -> Self {
        let (known, sums) = (vec![Known::Supplied; served.len()], vec![Sums::default(); containers]);
        let mut counted = Self { served, known, sums };
        for index in 0..counted.served.len() {
            counted.count(index, state);
        }
        counted
    }

    /// Updates the sums for the nodes that [`NetworkState::settle`] returned. Returns whether a sum has changed.
    pub fn follow(&mut self, state: &NetworkState, changed: &[NodeId]) -> bool {
        let mut has_changed = false;
        for node in changed {
            let first = self.served.partition_point(|served| served.node < *node);
            let mut index = first;
            while self.served.get(index).is_some_and(|served| served.node == *node) {
                has_changed |= self.count(index, state);
                index += 1;
            }
        }
        has_changed
    }

    /// Returns the customers without supply of a container.
    pub fn of(&self, container: u32) -> u64 {
        self.sums.get(container as usize).map_or(0, |sums| sums.without)
    }

    /// Returns the customers of a container whose supply is not known.
    pub fn unknown_of(&self, container: u32) -> u64 {
        self.sums.get(container as usize).map_or(0, |sums| sums.unknown)
    }

    fn count(&mut self, index: usize, state: &NetworkState) -> bool {
        let ServedCustomers { node, container, customers } = self.served[index];
        let known = match state.state(node) {
            State::Dead | State::Earthed => Known::Without,
            State::Unknown => Known::Unknown,
            State::Energised | State::Conflict => Known::Supplied,
        };
        let before = std::mem::replace(&mut self.known[index], known);
        let Some(sums) = self.sums.get_mut(container as usize).filter(|_| before != known) else { return false };
        match before {
            Known::Without => sums.without = sums.without.saturating_sub(customers),
            Known::Unknown => sums.unknown = sums.unknown.saturating_sub(customers),
            Known::Supplied => {}
        }
        match known {
            Known::Without => sums.without = sums.without.saturating_add(customers),
            Known::Unknown => sums.unknown = sums.unknown.saturating_add(customers),
            Known::Supplied => {}
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Consumer, Contact, EquipmentKind, ModelBuilder, NewEquipment, Phases};

    #[test]
    fn sums_follow_the_states_and_unknown_does_not_count() {
        let mut builder = ModelBuilder::new();
        let nodes: Vec<NodeId> = ["a", "b", "c"].map(|id| builder.add_node(id, None).unwrap()).to_vec();
        let mut add = |id, kind, nodes: &[NodeId]| {
            let terminals: Vec<_> = nodes.iter().map(|node| (*node, Phases::ABC)).collect();
            builder.add(NewEquipment { id, kind, terminals: &terminals, normal: Contact::Closed, consumer: Consumer::default() }).unwrap()
        };
        add("source", EquipmentKind::EnergySource, &nodes[..1]);
        let first = add("first", EquipmentKind::Breaker, &nodes[..2]);
        let second = add("second", EquipmentKind::Breaker, &nodes[1..]);
        let mut state = NetworkState::new(Arc::new(builder.build()));
        let served = |node: usize, container, customers| ServedCustomers { node: nodes[node], container, customers };
        let served = Arc::from([served(1, 0, 100), served(2, 0, 20), served(2, 1, 3)]);
        let mut counted = CustomersWithoutSupply::new(served, 2, &state);
        let sums = |counted: &CustomersWithoutSupply| [counted.of(0), counted.of(1), counted.unknown_of(0)];
        assert_eq!(sums(&counted), [0, 0, 0]);
        for (switch, contact, expected) in [
            (second, Contact::Open, [20, 3, 0]),
            (first, Contact::Unknown, [20, 3, 100]),
            (first, Contact::Open, [120, 3, 0]),
            (second, Contact::Closed, [120, 3, 0]),
            (first, Contact::Closed, [0, 0, 0]),
        ] {
            state.set_contact(switch, contact);
            let changed = state.settle();
            counted.follow(&state, &changed);
            assert_eq!(sums(&counted), expected, "{contact:?}");
        }
        assert!(!counted.follow(&state, &nodes), "nothing has changed");
    }
}
