//! The obstacles to a switching operation: an earth or a source that the switch would be connected to, and the unknown positions on the path.

use crate::hazards::{is_certainly_live, may_be_live};
use crate::network_state::Layer;
use crate::{BranchId, Contact, EquipmentId, NetworkState, NodeId, Phase, Phases};

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
    /// Sources that are absent now and can return, over what is certainly connected.
    Returning,
    /// Sources that are absent now and can return, over what is possibly connected.
    PossiblyReturning,
}

impl NetworkState {
    /// Returns an earth that forbids the closing of a switch: on the metallic sections at its ends, or behind a transformer that this would energise. A certain one is
    /// preferred to a possible one.
    pub fn earth_against_closing(&self, equipment: EquipmentId) -> Option<Obstacle> {
        let is_certain = |found: &Obstacle| found.unknown.is_empty();
        let metallic = self.obstructing_earth(equipment);
        if metallic.as_ref().is_some_and(is_certain) {
            return metallic;
        }
        let behind = self.earth_to_energise(equipment);
        if behind.as_ref().is_some_and(is_certain) { behind } else { metallic.or(behind) }
    }

    /// Returns an earth that the closing of a switch would energise, or would when a source returns, and that is or may be closed. Earths behind transformers are
    /// found too: [`NetworkState::obstructing_earth`] has only those on the metallic sections of the switch.
    pub fn earth_to_energise(&self, equipment: EquipmentId) -> Option<Obstacle> {
        self.nearest_behind(self.connections(equipment), Some(equipment))
    }

    /// The same for a conductor between two nodes in some phases.
    pub(crate) fn earth_to_energise_by_jumper(&self, ends: [NodeId; 2], phases: Phases) -> Option<Obstacle> {
        let layers = self.layers.iter().filter(|layer| !phases.intersection(layer.phases).is_empty());
        self.nearest_behind(layers.map(|layer| (layer, ends)), None)
    }

    fn nearest_behind<'a>(
        &'a self,
        connections: impl Iterator<Item = (&'a Layer, [NodeId; 2])>,
        equipment: Option<EquipmentId>,
    ) -> Option<Obstacle> {
        let may_be_closed = |of: &EquipmentId| Some(*of) != equipment && self.contact(*of) != Contact::Open;
        let earths: Vec<EquipmentId> = self.model.earths().map(|earth| self.model.earth_equipment(earth)).filter(may_be_closed).collect();
        if earths.is_empty() {
            return None;
        }
        let mut possible = None;
        for (layer, [a, b]) in connections {
            for (near, far) in [(a, b), (b, a)] {
                let Some(found) = self.earth_behind(layer, equipment, [near, far], &earths) else { continue };
                if found.unknown.is_empty() {
                    return Some(found);
                }
                possible = possible.or(Some(found));
            }
        }
        possible
    }

    /// Returns an earth that would be energised over the far end of a connection from its near end.
    fn earth_behind(
        &self,
        layer: &Layer,
        equipment: Option<EquipmentId>,
        [near, far]: [NodeId; 2],
        earths: &[EquipmentId],
    ) -> Option<Obstacle> {
        let is_source = |node: &NodeId| self.model.sources_at(*node).any(|source| self.can_return(source));
        let mut is_behind = vec![false; self.model.node_count()];
        for node in self.side(layer, equipment, far, |node| is_certainly_live(layer, node)) {
            is_behind[node.index()] = true;
        }
        let places = Places::new(self, earths.iter().copied().filter(|of| is_behind[self.model.terminals_of(*of)[0].0.index()]));
        // Only with an earth there does it matter what feeds it.
        if places.list.is_empty() {
            return None;
        }
        if !may_be_live(layer, near) && !self.side(layer, equipment, near, |_| false).iter().any(is_source) {
            return None;
        }
        let passes = |branch: BranchId| self.model.branch(branch).ends.iter().all(|node| is_behind[node.index()]);
        let joined = self.certain_side(layer, equipment, near);
        if joined.contains(&far) {
            // They are joined already, so nothing more is energised.
            return None;
        }
        let is_fed = is_certainly_live(layer, near) || joined.iter().any(is_source);
        if is_fed && !may_be_live(layer, far) && !is_behind[near.index()] {
            let certain = self.nearest(equipment, &[far], &places, &passes, Counts::Certain);
            if certain.is_some() {
                return certain;
            }
        }
        let mut found = self.nearest(equipment, &[far], &places, &passes, Counts::Possible)?;
        // What is unknown on the way from the sources of both ends decides as well whether the earth is energised.
        let sources = self.source_places();
        let feeds = [near, far].map(|end| self.nearest(equipment, &[end], &sources, &|_| true, Counts::InService));
        for of in feeds.into_iter().flatten().flat_map(|feed| feed.unknown) {
            if !found.unknown.contains(&of) {
                found.unknown.push(of);
            }
        }
        Some(found)
    }

    /// Returns the nearest earth on the metallic sections at the ends of equipment. A certain earth is preferred to a possible one.
    pub fn obstructing_earth(&self, equipment: EquipmentId) -> Option<Obstacle> {
        let earths = self.model.earths().map(|earth| self.model.earth_equipment(earth)).filter(|earth| *earth != equipment);
        let places = Places::new(self, earths);
        self.obstacle(equipment, &places, &[Counts::Certain, Counts::Possible], |branch| !self.model.branch(branch).is_winding)
    }

    /// Returns the nearest source that feeds an end of equipment. If there is none, the nearest source that may feed it. If there is none either, the nearest
    /// source that is absent now and would feed it if it returned.
    pub fn obstructing_source(&self, equipment: EquipmentId) -> Option<Obstacle> {
        self.obstacle(equipment, &self.source_places(), &[Counts::Certain, Counts::Possible, Counts::InService], |_| true)
    }

    /// Returns the nearest source that certainly feeds a node, else one that may feed it, and whether it is certain.
    pub(crate) fn source_feeding(&self, node: NodeId) -> Option<(EquipmentId, bool)> {
        self.nearest_source(node, [Counts::Certain, Counts::Possible])
    }

    /// Returns the nearest source that is gone and would certainly feed a node if it came back, else one that might, and whether it is certain.
    pub(crate) fn source_returning_to(&self, node: NodeId) -> Option<(EquipmentId, bool)> {
        self.nearest_source(node, [Counts::Returning, Counts::PossiblyReturning])
    }

    fn nearest_source(&self, node: NodeId, [certain, possible]: [Counts; 2]) -> Option<(EquipmentId, bool)> {
        let places = self.source_places();
        let search = |counts: Counts| self.nearest(None, &[node], &places, &|_| true, counts).map(|found| found.at);
        search(certain).map(|at| (at, true)).or_else(|| search(possible).map(|at| (at, false)))
    }

    fn source_places(&self) -> Places {
        Places::new(self, self.model.sources().map(|source| self.model.source_equipment(source)))
    }

    fn obstacle(&self, equipment: EquipmentId, places: &Places, counts: &[Counts], passes: impl Fn(BranchId) -> bool) -> Option<Obstacle> {
        let ends: Vec<NodeId> = self.model.terminals_of(equipment).iter().map(|(node, _)| *node).collect();
        counts.iter().find_map(|counts| self.nearest(Some(equipment), &ends, places, &passes, *counts))
    }

    /// Searches from some nodes, without passing `equipment`.
    fn nearest(
        &self,
        equipment: Option<EquipmentId>,
        ends: &[NodeId],
        places: &Places,
        passes: &impl Fn(BranchId) -> bool,
        of: Counts,
    ) -> Option<Obstacle> {
        let counts = |at: EquipmentId| match self.contact(at) {
            Contact::Closed => matches!(of, Counts::Certain | Counts::Possible | Counts::InService),
            Contact::Unknown => matches!(of, Counts::Possible | Counts::InService),
            Contact::Open => !matches!(of, Counts::Certain | Counts::Possible) && !self.model.is_held_open(at),
        };
        let is_certain = matches!(of, Counts::Certain | Counts::Returning);
        let conducts = |branch: BranchId| {
            let conduct = self.conduct[branch.index()];
            Phase::ALL.into_iter().any(|phase| if is_certain { conduct.is_closed(phase) } else { conduct.may_be_closed(phase) })
        };
        let mut from = vec![Reached::No; self.model.node_count()];
        let (mut nodes, mut at) = (Vec::new(), 0);
        for node in ends {
            if std::mem::replace(&mut from[node.index()], Reached::Start) == Reached::No {
                nodes.push(*node);
            }
        }
        while let Some(node) = nodes.get(at).copied() {
            at += 1;
            if let Some(found) = places.of(node).iter().map(|(_, of)| *of).find(|of| counts(*of)) {
                return Some(Obstacle {
                    at: found,
                    is_gone: self.contact(found) == Contact::Open,
                    unknown: self.unknown_to(found, node, &from),
                });
            }
            for next in self.model.neighbours(node) {
                let is_own = Some(self.model.branch(next.branch).equipment) == equipment;
                let is_new = from[next.node.index()] == Reached::No;
                if is_new && !is_own && passes(next.branch) && conducts(next.branch) {
                    from[next.node.index()] = Reached::Over(next.branch);
                    nodes.push(next.node);
                }
            }
        }
        None
    }

    /// Returns the equipment of unknown state on the way to an obstacle at a node, the nearest to the start first.
    fn unknown_to(&self, obstacle: EquipmentId, node: NodeId, from: &[Reached]) -> Vec<EquipmentId> {
        let (mut unknown, mut here) = (Vec::new(), node);
        unknown.extend((self.contact(obstacle) == Contact::Unknown).then_some(obstacle));
        while let Reached::Over(branch) = from[here.index()] {
            let passed = self.model.branch(branch);
            unknown.extend((self.contact(passed.equipment) == Contact::Unknown).then_some(passed.equipment));
            let [one, other] = passed.ends;
            here = if one == here { other } else { one };
        }
        unknown.reverse();
        unknown
    }
}

/// How a node was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reached {
    No,
    Start,
    Over(BranchId),
}

/// Equipment by the node of its first terminal.
struct Places {
    /// Ordered by node; the equipment of a node in its given order.
    list: Vec<(NodeId, EquipmentId)>,
    is_one: Vec<bool>,
}

impl Places {
    fn new(network: &NetworkState, equipment: impl Iterator<Item = EquipmentId>) -> Self {
        let mut list: Vec<(NodeId, EquipmentId)> = equipment.map(|of| (network.model.terminals_of(of)[0].0, of)).collect();
        list.sort_by_key(|(node, _)| *node);
        let mut is_one = vec![false; network.model.node_count()];
        for (node, _) in &list {
            is_one[node.index()] = true;
        }
        Self { list, is_one }
    }

    /// Returns the equipment at a node.
    fn of(&self, node: NodeId) -> &[(NodeId, EquipmentId)] {
        if !self.is_one[node.index()] {
            return &[];
        }
        let first = self.list.partition_point(|(at, _)| *at < node);
        let count = self.list[first..].iter().take_while(|(at, _)| *at == node).count();
        &self.list[first..first + count]
    }
}
