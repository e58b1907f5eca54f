//! The difference between the present and the normal state of the network.

use std::collections::{BTreeSet, HashMap};

use crate::forest::Parents;
use crate::network_state::Quantity;
use crate::{BranchId, Contact, EquipmentId, EquipmentKind, Model, NetworkState, NodeId, Phase};

/// A piece of equipment that is not in its normal state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abnormal {
    /// The equipment.
    pub equipment: EquipmentId,
    /// Its state in the normal network.
    pub normal: Contact,
    /// Its present state.
    pub present: Contact,
}

impl Model {
    /// Returns the normal state of equipment: the position of a switch or an earth switch, whether a source is present, whether a line or a transformer is in
    /// service. For other equipment, the result is open. A switch that is out of service has a normal position, too: see [`Model::is_in_service`].
    pub fn normal(&self, equipment: EquipmentId) -> Contact {
        if let Some(at) = self.out_of_service_at(equipment).filter(|_| self.kind(equipment).is_switch()) {
            return self.out_of_service[at].1;
        }
        let source = self.source_of(equipment).map(|source| self.sources[source.index()].normal);
        let earth = || self.earth_of(equipment).map(|earth| self.earths[earth.index()].normal);
        let branch = || self.branches_of(equipment).next().map(|branch| self.branch(branch).normal);
        source.or_else(earth).or_else(branch).unwrap_or(Contact::Open)
    }
}

impl NetworkState {
    /// Returns all equipment that is not in its normal state, in order. Switches and sources that are out of service are not included. The time is proportional
    /// to the size of the network.
    pub fn abnormal(&self) -> impl Iterator<Item = Abnormal> {
        self.model.all_equipment().filter(|equipment| !self.model.is_held_open(*equipment)).filter_map(|equipment| {
            let (normal, present) = (self.model.normal(equipment), self.contact(equipment));
            (normal != present).then_some(Abnormal { equipment, normal, present })
        })
    }

    /// Returns the switches and earth switches of [`NetworkState::abnormal`], in order.
    pub fn abnormal_switches(&self) -> impl Iterator<Item = Abnormal> {
        self.abnormal().filter(|found| {
            let kind = self.model.kind(found.equipment);
            kind.is_switch() || kind == EquipmentKind::GroundDisconnector
        })
    }

    /// Returns the customers that each of some switches feeds either in this state or in the normal state of the network, but not in both. For an open switch,
    /// these are the customers that it no longer feeds. For a closed normally-open point, these are those that it feeds instead.
    ///
    /// The time is proportional to the size of the network, however many switches there are: all trees are walked once.
    pub fn customers_fed_differently(&self, normal: &Self, switches: &[EquipmentId]) -> FedDifferently {
        let number_of: HashMap<EquipmentId, u32> = switches.iter().copied().zip(0..).collect();
        let mut ways = Ways { number_of, chain: Vec::new(), steps: 0 };
        let tops: Vec<Vec<u32>> = [self, normal]
            .into_iter()
            .flat_map(|state| Phase::ALL.map(|phase| (state, phase)))
            .map(|(state, phase)| ways.walk(state, phase))
            .collect();
        // Customers with the same switches above them count together.
        let mut together: HashMap<Vec<u32>, u64> = HashMap::new();
        for (node, consumer) in self.model.consumers.iter().filter(|(_, consumer)| consumer.customers > 0) {
            let above: Vec<u32> = tops.iter().map(|tops| tops[node.index()]).collect();
            let sum = together.entry(above).or_default();
            *sum = sum.saturating_add(consumer.customers);
        }
        let mut customers = vec![0_u64; switches.len()];
        for (above, sum) in together {
            let (present, normal) = above.split_at(Phase::ALL.len());
            let [present, normal] = [present, normal].map(|tops| ways.switches_above(tops));
            for number in present.symmetric_difference(&normal) {
                let of = &mut customers[*number as usize];
                *of = of.saturating_add(sum);
            }
        }
        FedDifferently { customers, steps: ways.steps }
    }
}

/// The customers of some switches, see [`NetworkState::customers_fed_differently`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FedDifferently {
    /// The customers of each switch, in the order of the switches.
    pub customers: Vec<u64>,
    /// How many steps it took: from a node to the next one, or from a switch to the one above it.
    pub steps: usize,
}

/// No switch is above.
const NO_SWITCH: u32 = u32::MAX;
/// The node has not been walked over.
const NOT_WALKED: u32 = u32::MAX - 1;

/// Which of some switches are on the ways from the nodes to their sources.
struct Ways {
    number_of: HashMap<EquipmentId, u32>,
    /// The number of a switch on a way, and the position in this list of the next one towards the source.
    chain: Vec<(u32, u32)>,
    steps: usize,
}

impl Ways {
    /// Returns the position in the chain of the nearest switch above each node with a consumer. Each node of the tree is passed once.
    fn walk(&mut self, state: &NetworkState, phase: Phase) -> Vec<u32> {
        let (model, parents) = (&state.model, &state.layer(phase).reach(Quantity::Supply).parents);
        let mut above = vec![NOT_WALKED; model.node_count()];
        let mut passed: Vec<(NodeId, BranchId)> = Vec::new();
        for (start, _) in &model.consumers {
            let mut at = *start;
            while above[at.index()] == NOT_WALKED {
                let Some(branch) = parents.branch(at) else {
                    above[at.index()] = NO_SWITCH;
                    break;
                };
                passed.push((at, branch));
                let [a, b] = model.branch(branch).ends;
                at = if a == at { b } else { a };
                self.steps += 1;
            }
            let mut top = above[at.index()];
            while let Some((node, branch)) = passed.pop() {
                if let Some(number) = self.number_of.get(&model.branch(branch).equipment) {
                    self.chain.push((*number, top));
                    top = self.chain.len() as u32 - 1;
                }
                above[node.index()] = top;
            }
        }
        above
    }

    /// Returns the numbers of the switches from some positions in the chain up to the sources.
    fn switches_above(&mut self, tops: &[u32]) -> BTreeSet<u32> {
        let mut numbers = BTreeSet::new();
        for top in tops {
            let mut at = *top;
            while let Some((number, above)) = self.chain.get(at as usize) {
                numbers.insert(*number);
                at = *above;
                self.steps += 1;
            }
        }
        numbers
    }
}
