//! The difference between the present and the normal state of the network.

use std::collections::HashSet;

use crate::{Contact, EquipmentId, EquipmentKind, Model, NetworkState, NodeId, Phase};

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

    /// Returns the nodes that a switch feeds either in this state or in the normal state of the network, but not in both, in order. For an open switch, these
    /// are the nodes that it no longer feeds. For a closed normally-open point, these are the nodes that it feeds instead. The time is proportional to the size
    /// of the part behind the switch.
    pub fn fed_differently(&self, normal: &Self, switch: EquipmentId) -> Vec<NodeId> {
        let fed = |state: &Self| {
            let mut nodes = Vec::new();
            for phase in Phase::ALL {
                self.model.branches_of(switch).for_each(|branch| state.downstream(branch, phase, &mut nodes));
            }
            nodes.into_iter().collect::<HashSet<NodeId>>()
        };
        let mut nodes: Vec<NodeId> = fed(self).symmetric_difference(&fed(normal)).copied().collect();
        nodes.sort_unstable();
        nodes
    }
}
