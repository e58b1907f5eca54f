//! Customers without supply, by container. The sums follow the states of the nodes, so they cost as much as what has changed.

use std::sync::Arc;

use crate::{NetworkState, NodeId, State};

/// Customers at a node that belong to a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServedCustomers {
    /// The node.
    pub node: NodeId,
    /// The container, as the caller numbers them.
    pub container: u32,
    /// Their number.
    pub customers: u64,
}

/// The customers of a network that are certainly without supply: those at nodes that are dead or earthed. An unknown state does not count.
#[derive(Debug, Clone)]
pub struct CustomersWithoutSupply {
    /// In the order of the nodes.
    served: Arc<[ServedCustomers]>,
    /// For each entry of `served`, whether it is without supply.
    is_without: Vec<bool>,
    /// The sum of each container.
    sums: Vec<u64>,
}

impl CustomersWithoutSupply {
    /// Counts the customers in the present state. `served` is in the order of the nodes, and its containers are below `containers`.
    pub fn new(served: Arc<[ServedCustomers]>, containers: usize, state: &NetworkState) -> Self {
        let mut counted = Self { is_without: vec![false; served.len()], sums: vec![0; containers], served };
        for index in 0..counted.served.len() {
            counted.count(index, state);
        }
        counted
    }

    /// Follows the nodes that [`NetworkState::settle`] returned. Returns whether a sum has changed.
    pub fn follow(&mut self, state: &NetworkState, changed: &[NodeId]) -> bool {
        let mut has_changed = false;
        for node in changed {
            let first = self.served.partition_point(|served| served.node < *node);
            for index in (first..self.served.len()).take_while(|index| self.served[*index].node == *node).collect::<Vec<_>>() {
                has_changed |= self.count(index, state);
            }
        }
        has_changed
    }

    /// Returns the customers without supply of a container.
    pub fn of(&self, container: u32) -> u64 {
        self.sums.get(container as usize).copied().unwrap_or(0)
    }

    fn count(&mut self, index: usize, state: &NetworkState) -> bool {
        let ServedCustomers { node, container, customers } = self.served[index];
        let is_without = is_without_supply(state, node);
        if std::mem::replace(&mut self.is_without[index], is_without) == is_without {
            return false;
        }
        if let Some(sum) = self.sums.get_mut(container as usize) {
            *sum = if is_without { sum.saturating_add(customers) } else { sum.saturating_sub(customers) };
        }
        true
    }
}

/// Whether a node is certainly without supply.
pub fn is_without_supply(state: &NetworkState, node: NodeId) -> bool {
    matches!(state.state(node), State::Dead | State::Earthed)
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
        let sums = |counted: &CustomersWithoutSupply| [counted.of(0), counted.of(1)];
        assert_eq!(sums(&counted), [0, 0]);
        for (switch, contact, expected) in [
            (second, Contact::Open, [20, 3]),
            (first, Contact::Unknown, [20, 3]),
            (first, Contact::Open, [120, 3]),
            (second, Contact::Closed, [120, 3]),
            (first, Contact::Closed, [0, 0]),
        ] {
            state.set_contact(switch, contact);
            let changed = state.settle();
            counted.follow(&state, &changed);
            assert_eq!(sums(&counted), expected, "{contact:?}");
        }
        assert!(!counted.follow(&state, &nodes), "nothing has changed");
    }
}
