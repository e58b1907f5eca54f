//! The obstacles to a switching operation: an earth or a source that the switch would be connected to, and the unknown positions on the path.

use std::collections::{HashMap, VecDeque};

use crate::{BranchId, Contact, EquipmentId, NetworkState, NodeId, Phase};

/// An earth or a source that can be reached from a switch without passing through this switch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obstacle {
    /// The earth switch, or the source.
    pub at: EquipmentId,
    /// Whether it is a source that is absent now, and that would feed the equipment if it returned.
    pub is_gone: bool,
    /// The equipment on the path whose state is unknown, the nearest first. It includes the obstacle itself if its state is unknown. Empty if the obstacle is
    /// certain.
    pub unknown: Vec<EquipmentId>,
}

/// The equipment that counts as an obstacle, or as a part of the path to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Counts {
    /// What is certain.
    Certain,
    /// What is possible.
    Possible,
    /// All equipment in service, including sources that are absent now.
    InService,
}

impl NetworkState {
    /// Returns the nearest earth on the metallic sections at the ends of equipment. A certain earth is preferred to a possible one.
    pub fn obstructing_earth(&self, equipment: EquipmentId) -> Option<Obstacle> {
        let mut earths: HashMap<NodeId, Vec<EquipmentId>> = HashMap::new();
        for earth in self.model.earths().filter(|earth| self.model.earth_equipment(*earth) != equipment) {
            let of = self.model.earth_equipment(earth);
            earths.entry(self.model.terminals_of(of)[0].0).or_default().push(of);
        }
        self.obstacle(equipment, &earths, &[Counts::Certain, Counts::Possible], |branch| !self.model.branch(branch).is_winding)
    }

    /// Returns the nearest source that feeds an end of equipment. If there is none, the nearest source that may feed it. If there is none either, the nearest
    /// source that is absent now and would feed it if it returned.
    pub fn obstructing_source(&self, equipment: EquipmentId) -> Option<Obstacle> {
        self.obstacle(equipment, &self.source_places(), &[Counts::Certain, Counts::Possible, Counts::InService], |_| true)
    }

    /// Returns the nearest source that feeds a node; else one that may feed it; else one that is gone and would feed it if it came back.
    pub(crate) fn obstructing_source_at(&self, node: NodeId) -> Option<Obstacle> {
        let counts = [Counts::Certain, Counts::Possible, Counts::InService];
        counts.iter().find_map(|counts| self.nearest(None, &[node], &self.source_places(), &|_| true, *counts))
    }

    fn source_places(&self) -> HashMap<NodeId, Vec<EquipmentId>> {
        let mut sources: HashMap<NodeId, Vec<EquipmentId>> = HashMap::new();
        for source in self.model.sources() {
            let of = self.model.source_equipment(source);
            sources.entry(self.model.terminals_of(of)[0].0).or_default().push(of);
        }
        sources
    }

    fn obstacle(
        &self,
        equipment: EquipmentId,
        places: &HashMap<NodeId, Vec<EquipmentId>>,
        counts: &[Counts],
        passes: impl Fn(BranchId) -> bool,
    ) -> Option<Obstacle> {
        let ends: Vec<NodeId> = self.model.terminals_of(equipment).iter().map(|(node, _)| *node).collect();
        counts.iter().find_map(|counts| self.nearest(Some(equipment), &ends, places, &passes, *counts))
    }

    /// Searches from some nodes, without passing `equipment`.
    fn nearest(
        &self,
        equipment: Option<EquipmentId>,
        ends: &[NodeId],
        places: &HashMap<NodeId, Vec<EquipmentId>>,
        passes: &impl Fn(BranchId) -> bool,
        of: Counts,
    ) -> Option<Obstacle> {
        let counts = |at: EquipmentId| match self.contact(at) {
            Contact::Closed => true,
            Contact::Unknown => of != Counts::Certain,
            Contact::Open => of == Counts::InService && !self.model.is_held_open(at),
        };
        let conducts = |branch: BranchId| {
            Phase::ALL.into_iter().any(|phase| {
                if of == Counts::Certain {
                    self.conduct[branch.index()].is_closed(phase)
                } else {
                    self.conduct[branch.index()].may_be_closed(phase)
                }
            })
        };
        let mut from: HashMap<NodeId, Option<(NodeId, BranchId)>> = HashMap::new();
        let mut ahead: VecDeque<NodeId> = VecDeque::new();
        for node in ends {
            if from.insert(*node, None).is_none() {
                ahead.push_back(*node);
            }
        }
        while let Some(node) = ahead.pop_front() {
            if let Some(at) = places.get(&node).into_iter().flatten().find(|at| counts(**at)) {
                let (mut unknown, mut here) = (Vec::new(), node);
                unknown.extend((self.contact(*at) == Contact::Unknown).then_some(*at));
                while let Some(Some((before, branch))) = from.get(&here) {
                    let passed = self.model.branch(*branch).equipment;
                    unknown.extend((self.contact(passed) == Contact::Unknown).then_some(passed));
                    here = *before;
                }
                unknown.reverse();
                return Some(Obstacle { at: *at, is_gone: self.contact(*at) == Contact::Open, unknown });
            }
            for next in self.model.neighbours(node) {
                let is_own = Some(self.model.branch(next.branch).equipment) == equipment;
                if !is_own && passes(next.branch) && conducts(next.branch) && !from.contains_key(&next.node) {
                    from.insert(next.node, Some((node, next.branch)));
                    ahead.push_back(next.node);
                }
            }
        }
        None
    }
}
