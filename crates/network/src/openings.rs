//! Since when something is open, and since when a node has been without a possible supply.
//!
//! A measured voltage of a node that has lost its supply counts only if it was measured after the loss. That is not the newest opening anywhere: the supply was
//! there as long as one way from a source was closed, so it was lost when the last way was opened.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

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
                self.of_equipment.retain(|of, _| !equipment.contains(of));
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

    /// Returns when some phases of a node have lost their supply, the latest time; `None` if that is not known.
    pub(crate) fn lost_since(&self, state: &NetworkState, node: NodeId, gone: Phases) -> Option<Micros> {
        gone.iter().filter_map(|phase| self.since(state, node, phase)).max()
    }

    /// Returns until when a phase of a node had a way to a source: the time of the earliest opening on that way which stayed closed for the longest time.
    fn since(&self, state: &NetworkState, start: NodeId, phase: Phase) -> Option<Micros> {
        let mut ways = BinaryHeap::from([(CLOSED, false, Reverse(start))]);
        let mut passed: HashSet<NodeId> = HashSet::new();
        while let Some((until, is_source, Reverse(node))) = ways.pop() {
            if is_source || state.possibly_supplied(node).contains(phase) {
                // An opening that nobody has seen may be older than its reading.
                return (until.is_seen && until != CLOSED).then_some(until.at);
            }
            if !passed.insert(node) {
                continue;
            }
            let source = |source| state.model().source_equipment(source);
            let gone = state.model().sources_at(node).filter_map(|of| self.opening(source(of), phase));
            ways.extend(gone.map(|gone| (until.min(gone), true, Reverse(node))));
            for next in state.model().neighbours(node).iter().filter(|next| !passed.contains(&next.node)) {
                let is_closed = state.conduct[next.branch.index()].may_be_closed(phase);
                let opened = || self.opening(state.model().branch(next.branch).equipment, phase);
                ways.extend(if is_closed { Some(CLOSED) } else { opened() }.map(|way| (until.min(way), false, Reverse(next.node))));
            }
        }
        None
    }
}
