//! Since when something is open, and since when a node has been without a possible supply.
//!
//! A measured voltage of a node that has lost its supply counts only if it was measured after the loss. That is not the newest opening anywhere: the supply was
//! there as long as one way from a source was closed, so it was lost when the last way was opened.

use std::collections::{BinaryHeap, HashMap};

use grid::{Micros, PointId};

use crate::{Contact, EquipmentId, NetworkState, NodeId, Phase, Phases};

/// The time of an opening.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Opening {
    at: Micros,
    /// Whether it was closed in the reading before. Otherwise it was opened at that time or earlier.
    is_seen: bool,
}

/// A way that is closed still.
const CLOSED: Opening = Opening { at: Micros(i64::MAX), is_seen: true };

/// The place of a node that no way passes.
const NOWHERE: usize = usize::MAX;

/// The openings of equipment that is open now.
#[derive(Debug, Clone, Default)]
pub(crate) struct Openings {
    /// The last known contact of each point that has been received without interruption since.
    contacts: HashMap<PointId, Contact>,
    of_equipment: HashMap<EquipmentId, Opening>,
    /// The phases whose position a user has entered, whatever points report, with since when they are open; `None` if they are not.
    entered: HashMap<(EquipmentId, Phase), Option<Opening>>,
}

impl Openings {
    /// Takes what a point says about some equipment: a position, or whether a source is present. `is_received`: an unknown contact is that of a switch which
    /// travels, and the point is not silent.
    pub(crate) fn note(&mut self, point: PointId, equipment: &[EquipmentId], says: Contact, is_received: bool, at: Option<Micros>) {
        match (says, at) {
            (Contact::Open, Some(at)) => {
                let before = self.contacts.insert(point, Contact::Open);
                let opening = Opening { at, is_seen: before == Some(Contact::Closed) };
                for of in equipment.iter().filter(|_| before != Some(Contact::Open)) {
                    self.of_equipment.entry(*of).and_modify(|held| *held = (*held).max(opening)).or_insert(opening);
                }
            }
            (Contact::Unknown, _) if is_received => {}
            _ => {
                if says == Contact::Closed {
                    self.contacts.insert(point, says)
                } else {
                    self.contacts.remove(&point)
                };
                for of in equipment {
                    self.of_equipment.remove(of);
                }
            }
        }
    }

    /// Takes the position of a phase that a user has entered, and since when it has it; `None` if no entry counts, so that what points report counts again.
    pub(crate) fn enter(&mut self, equipment: EquipmentId, phase: Phase, entry: Option<(Contact, Micros)>) {
        match entry {
            Some((contact, at)) => {
                let opening = (contact == Contact::Open).then_some(Opening { at, is_seen: true });
                self.entered.insert((equipment, phase), opening);
            }
            None => drop(self.entered.remove(&(equipment, phase))),
        }
    }

    /// Takes over what points have reported in the network that this one replaces. What users have entered is that of this one.
    pub(crate) fn succeed(&mut self, before: &Self) {
        self.contacts.clone_from(&before.contacts);
        self.of_equipment.clone_from(&before.of_equipment);
    }

    fn opening(&self, equipment: EquipmentId, phase: Phase) -> Option<Opening> {
        self.entered.get(&(equipment, phase)).copied().unwrap_or_else(|| self.of_equipment.get(&equipment).copied())
    }

    /// Returns when some phases of nodes have lost their supply, the latest time of each node; `None` if that is not known.
    pub(crate) fn lost_since(&self, state: &NetworkState, lost: &[(NodeId, Phases)]) -> HashMap<NodeId, Option<Micros>> {
        let mut since: HashMap<NodeId, Option<Micros>> = lost.iter().map(|(node, _)| (*node, None)).collect();
        for phase in Phase::ALL {
            let starts: Vec<NodeId> = lost.iter().filter(|(_, gone)| gone.contains(phase)).map(|(node, _)| *node).collect();
            for (node, until) in starts.iter().zip(self.until(state, &starts, phase)) {
                // An opening that nobody has seen may be older than its reading.
                let at = until.filter(|until| until.is_seen && *until != CLOSED).map(|until| until.at);
                since.entry(*node).and_modify(|latest| *latest = (*latest).max(at));
            }
        }
        since
    }

    /// Returns until when a phase of each of some nodes had a way to a source: the time of the earliest opening on that way which stayed closed for the longest
    /// time. All are found in one search from the sources, so that the time does not depend on how many nodes have lost their supply together.
    fn until(&self, state: &NetworkState, starts: &[NodeId], phase: Phase) -> Vec<Option<Opening>> {
        // The nodes that the ways can pass, and where each of them is in this list.
        let (mut nodes, mut at) = (Vec::new(), 0);
        let mut places = vec![NOWHERE; state.model().node_count()];
        let mut add = |node: NodeId, nodes: &mut Vec<NodeId>| {
            if places[node.index()] == NOWHERE {
                places[node.index()] = nodes.len();
                nodes.push(node);
            }
        };
        for node in starts {
            add(*node, &mut nodes);
        }
        let mut ways: BinaryHeap<(Opening, usize)> = BinaryHeap::new();
        while let Some(node) = nodes.get(at).copied() {
            if state.possibly_supplied(node).contains(phase) {
                ways.push((CLOSED, at));
            } else {
                let source = |source| state.model().source_equipment(source);
                ways.extend(state.model().sources_at(node).filter_map(|of| self.opening(source(of), phase)).map(|gone| (gone, at)));
                self.ways_from(state, node, phase).for_each(|(_, next)| add(next, &mut nodes));
            }
            at += 1;
        }
        // The ways that stayed closed for the longest time come first.
        let mut until: Vec<Option<Opening>> = vec![None; nodes.len()];
        while let Some((way, at)) = ways.pop() {
            if until[at].is_some() {
                continue;
            }
            until[at] = Some(way);
            for (next_way, next) in self.ways_from(state, nodes[at], phase) {
                let place = places[next.index()];
                if place != NOWHERE && until[place].is_none() {
                    ways.push((way.min(next_way), place));
                }
            }
        }
        starts.iter().map(|node| until[places[node.index()]]).collect()
    }

    /// Returns the neighbours of a node over branches that are or may be closed, or whose opening is known, and until when they were closed.
    fn ways_from(&self, state: &NetworkState, node: NodeId, phase: Phase) -> impl Iterator<Item = (Opening, NodeId)> {
        state.model().neighbours(node).iter().filter_map(move |next| {
            let is_closed = state.conduct[next.branch.index()].may_be_closed(phase);
            let opened = || self.opening(state.model().branch(next.branch).equipment, phase);
            if is_closed { Some(CLOSED) } else { opened() }.map(|way| (way, next.node))
        })
    }
}
