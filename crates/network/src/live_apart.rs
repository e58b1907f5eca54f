//! Whether both sides of a switch could be live independently of each other, in some combination of the unknown positions.
//!
//! The network is divided into parts that are certainly joined: what is live in one part has one frequency and phase. In one combination both sides are live and not
//! joined if a way leads from each side to a part with a voltage of its own, over switches of unknown position, and the two ways have no part in common. They are
//! searched one after the other, as a flow of two units from the sides to the voltages. The second search may redirect the first way.

use std::collections::{HashMap, HashSet};

use crate::hazards::may_be_live;
use crate::network_state::Layer;
use crate::{BranchId, Contact, EquipmentId, NetworkState, NodeId, SourceId};

/// A node that is in no part yet.
const NONE: usize = usize::MAX;

/// Why a side of a switch may be live.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LiveBy {
    /// A source feeds or may feed it, or a line with direct current.
    Equipment(EquipmentId),
    /// A voltage is measured, and nothing known feeds it.
    Measurement,
}

/// Nodes that are certainly joined, by their numbers.
struct Parts {
    /// The number of the part of each node.
    of: Vec<usize>,
    /// The voltage that each part has of its own.
    voltage: Vec<Option<LiveBy>>,
    /// The parts that switches of unknown position may join with each part, with repetitions.
    next: Vec<Vec<usize>>,
}

/// A place of the second search: where it enters or leaves a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    Enters(usize),
    Leaves(usize),
}

impl NetworkState {
    /// Returns the voltages of both sides of a switch if in some combination of the unknown positions and sources both are live and not joined, so that closing it
    /// joins them. Sources that are certainly joined are no two voltages, whatever the way from them to the switch.
    pub fn live_apart(&self, equipment: EquipmentId) -> Option<[LiveBy; 2]> {
        self.connections(equipment).find_map(|(layer, ends)| self.ends_live_apart(layer, ends, Some(equipment)))
    }

    /// Returns the same voltages for a connection between two nodes in one layer. `equipment` is the switch that makes it; `None` for a new conductor.
    pub(crate) fn ends_live_apart(&self, layer: &Layer, ends: [NodeId; 2], equipment: Option<EquipmentId>) -> Option<[LiveBy; 2]> {
        let is_dead = |node: NodeId| !self.layers.iter().any(|layer| may_be_live(layer, node));
        if ends.into_iter().any(is_dead) {
            return None;
        }
        let parts = self.parts(layer, equipment, ends);
        parts.live_apart(ends.map(|node| parts.of[node.index()]))
    }

    /// Returns the parts that are or may be joined with two nodes, without passing a switch. The ends of a line with direct current are not joined.
    fn parts(&self, layer: &Layer, equipment: Option<EquipmentId>, ends: [NodeId; 2]) -> Parts {
        let mut parts = Parts { of: vec![NONE; self.model.node_count()], voltage: Vec::new(), next: Vec::new() };
        let (mut starts, mut at, mut switches) = (ends.to_vec(), 0, Vec::new());
        while let Some(start) = starts.get(at).copied() {
            at += 1;
            if parts.of[start.index()] != NONE {
                continue;
            }
            let number = parts.voltage.len();
            let (mut nodes, mut here, mut voltage) = (vec![start], 0, None);
            parts.of[start.index()] = number;
            while let Some(node) = nodes.get(here).copied() {
                here += 1;
                if !matches!(voltage, Some(LiveBy::Equipment(_))) {
                    voltage = self.voltage_at(layer, node).or(voltage);
                }
                for next in self.model.neighbours(node) {
                    let conduct = self.conduct[next.branch.index()];
                    let is_own = Some(self.model.branch(next.branch).equipment) == equipment;
                    if is_own || conduct.is_asynchronous() || !conduct.may_be_closed(layer.phase()) {
                        continue;
                    }
                    if !conduct.is_closed(layer.phase()) {
                        switches.push((node, next.node));
                        starts.push(next.node);
                    } else if parts.of[next.node.index()] == NONE {
                        parts.of[next.node.index()] = number;
                        nodes.push(next.node);
                    }
                }
            }
            parts.voltage.push(voltage);
        }
        parts.next = vec![Vec::new(); parts.voltage.len()];
        for (from, to) in switches {
            let [from, to] = [from, to].map(|node| parts.of[node.index()]);
            if from != to {
                parts.next[from].push(to);
            }
        }
        parts
    }

    /// Returns the voltage that a node has of its own: that of a source that is not certainly gone, of a line with direct current whose other end may be live, or a
    /// measured one. Often one phase only is measured; the others are live too.
    fn voltage_at(&self, layer: &Layer, node: NodeId) -> Option<LiveBy> {
        let may_feed =
            |source: &SourceId| self.source(*source) != Contact::Open && self.model.sources[source.index()].phases.contains(layer.phase());
        let source = self.model.sources_at(node).find(may_feed).map(|source| self.model.source_equipment(source));
        let converter = || {
            let conducts = |branch: BranchId| {
                let conduct = self.conduct[branch.index()];
                conduct.is_asynchronous() && conduct.may_be_closed(layer.phase())
            };
            let mut lines = self.model.neighbours(node).iter().filter(|next| conducts(next.branch) && may_be_live(layer, next.node));
            lines.next().map(|line| self.model.branch(line.branch).equipment)
        };
        let fed_by = source.or_else(converter).map(LiveBy::Equipment);
        fed_by.or_else(|| (!self.measured(node).is_empty()).then_some(LiveBy::Measurement))
    }
}

impl Parts {
    /// Returns the voltages at the ends of two ways that have no part in common, one from each of two parts; `None` if there are no such ways.
    fn live_apart(&self, [a, b]: [usize; 2]) -> Option<[LiveBy; 2]> {
        if a == b {
            return None;
        }
        let first = self.way_to_live(a, b)?;
        let before: HashMap<usize, usize> = first.windows(2).map(|pair| (pair[1], pair[0])).collect();
        let after: HashMap<usize, usize> = first.windows(2).map(|pair| (pair[0], pair[1])).collect();
        let (end, is_on_first) = (first[first.len() - 1], |part: usize| part == a || before.contains_key(&part));
        let (mut places, mut at) = (vec![Place::Leaves(b)], 0);
        let mut found: HashSet<Place> = places.iter().copied().collect();
        while let Some(place) = places.get(at).copied() {
            at += 1;
            let mut ahead: Vec<Place> = Vec::new();
            match place {
                Place::Leaves(part) => {
                    if let Some(voltage) = self.voltage[part].filter(|_| part != end) {
                        return self.voltage[end].map(|first| [first, voltage]);
                    }
                    ahead.extend(self.next[part].iter().filter(|next| after.get(&part) != Some(*next)).map(|next| Place::Enters(*next)));
                    ahead.extend(is_on_first(part).then_some(Place::Enters(part)));
                }
                // The first way leaves this part to the second one and goes on from the part before it.
                Place::Enters(part) if is_on_first(part) => ahead.extend(before.get(&part).map(|before| Place::Leaves(*before))),
                Place::Enters(part) => ahead.push(Place::Leaves(part)),
            }
            places.extend(ahead.into_iter().filter(|place| found.insert(*place)));
        }
        None
    }

    /// Returns the parts on a shortest way from a part to a live one, without passing another part.
    fn way_to_live(&self, start: usize, without: usize) -> Option<Vec<usize>> {
        let mut before: HashMap<usize, Option<usize>> = HashMap::from([(start, None)]);
        let (mut parts, mut at) = (vec![start], 0);
        while let Some(part) = parts.get(at).copied() {
            at += 1;
            if self.voltage[part].is_some() {
                let mut way: Vec<usize> = std::iter::successors(Some(part), |part| before.get(part).copied().flatten()).collect();
                way.reverse();
                return Some(way);
            }
            for next in self.next[part].iter().copied().filter(|next| *next != without) {
                before.entry(next).or_insert_with(|| {
                    parts.push(next);
                    Some(part)
                });
            }
        }
        None
    }
}
