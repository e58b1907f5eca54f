//! Determines which parts of a substation are energised, from the positions of its switches.
//!
//! The states come from a search that starts at the sources. An unknown position never makes anything dead. Dead means "not connected to a known
//! source", which does not prove that work is safe.

mod live;
#[cfg(test)]
mod tests;

use crate::position::Position;
use crate::{Micros, Quality, Reading, freshness, position::Encoding, reading};

pub use live::Live;

/// The state of a switch, an earth switch or a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Contact {
    /// A switch conducts; a source is present.
    Closed,
    /// A switch does not conduct; a source is absent.
    Open,
    /// Not known.
    Unknown,
}

/// The state of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum State {
    /// Not known.
    Unknown = 0,
    /// Connected to a source.
    Energised = 1,
    /// Connected to no known source, and not earthed at this node.
    Dead = 2,
    /// Dead, with a closed earth switch at this node.
    Earthed = 3,
    /// Energised and earthed at the same time: one of the positions is wrong, or there is a short circuit.
    Conflict = 4,
}

impl State {
    /// Returns the number used in the API.
    pub fn code(self) -> u8 {
        self as u8
    }
}

/// A connection between two nodes: a switch, or a permanent connection such as a transformer. It conducts in both directions, because a transformer
/// can feed back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Branch {
    /// One end.
    pub a: usize,
    /// The other end.
    pub b: usize,
    /// The input with its position; `None` for a permanent connection.
    pub switch: Option<usize>,
}

/// A source or an earth switch at one node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct At {
    /// The node.
    pub node: usize,
    /// The input with its state; `None` if it is always present.
    pub switch: Option<usize>,
}

/// The connections of a substation. Inputs are numbered from 0; several parts can have the same input.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Network {
    nodes: usize,
    sources: Vec<At>,
    earths: Vec<At>,
    /// For each node the index of its first entry in `neighbours`, and the end index.
    first: Vec<usize>,
    /// The other node of each branch, and its input.
    neighbours: Vec<(usize, Option<usize>)>,
}

impl Network {
    /// Creates a network with a number of nodes. Branches, sources and earths at other nodes are ignored.
    pub fn new(nodes: usize, branches: &[Branch], sources: &[At], earths: &[At]) -> Self {
        let within = |at: &&At| at.node < nodes;
        let branches = || branches.iter().filter(|branch| branch.a < nodes && branch.b < nodes && branch.a != branch.b);
        let mut first = vec![0; nodes + 1];
        for branch in branches() {
            first[branch.a + 1] += 1;
            first[branch.b + 1] += 1;
        }
        for node in 0..nodes {
            first[node + 1] += first[node];
        }
        let mut free = first.clone();
        let mut neighbours = vec![(0, None); first[nodes]];
        for branch in branches() {
            for (from, to) in [(branch.a, branch.b), (branch.b, branch.a)] {
                neighbours[free[from]] = (to, branch.switch);
                free[from] += 1;
            }
        }
        let (sources, earths) = (sources.iter().filter(within).copied().collect(), earths.iter().filter(within).copied().collect());
        Self { nodes, sources, earths, first, neighbours }
    }

    /// Returns the number of nodes.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// Returns the state of each node. A missing input counts as unknown.
    pub fn states(&self, inputs: &[Contact]) -> Vec<State> {
        let contact =
            |switch: Option<usize>| switch.map_or(Contact::Closed, |input| inputs.get(input).copied().unwrap_or(Contact::Unknown));
        let certain = self.reached(|switch| contact(switch) == Contact::Closed);
        let possible = self.reached(|switch| contact(switch) != Contact::Open);
        let mut earths = vec![Contact::Open; self.nodes];
        for earth in &self.earths {
            let held = &mut earths[earth.node];
            // A closed earth switch earths the node regardless of others; an unknown one may earth it.
            *held = match (*held, contact(earth.switch)) {
                (Contact::Closed, _) | (_, Contact::Closed) => Contact::Closed,
                (Contact::Unknown, _) | (_, Contact::Unknown) => Contact::Unknown,
                _ => Contact::Open,
            };
        }
        let state = |node: usize| match (certain[node], possible[node], earths[node]) {
            (true, _, Contact::Closed) => State::Conflict,
            (true, _, _) => State::Energised,
            (false, true, _) | (false, false, Contact::Unknown) => State::Unknown,
            (false, false, Contact::Closed) => State::Earthed,
            (false, false, Contact::Open) => State::Dead,
        };
        (0..self.nodes).map(state).collect()
    }

    /// Returns which nodes are reachable from the sources through conducting branches.
    fn reached(&self, conducts: impl Fn(Option<usize>) -> bool) -> Vec<bool> {
        let mut reached = vec![false; self.nodes];
        let mut ahead = Vec::new();
        for source in self.sources.iter().filter(|source| conducts(source.switch)) {
            if !std::mem::replace(&mut reached[source.node], true) {
                ahead.push(source.node);
            }
        }
        while let Some(node) = ahead.pop() {
            for (next, switch) in &self.neighbours[self.first[node]..self.first[node + 1]] {
                if !reached[*next] && conducts(*switch) {
                    reached[*next] = true;
                    ahead.push(*next);
                }
            }
        }
        reached
    }
}

/// Returns the state of a switch from a reading, and until when it is valid. Intermediate (0), bad (3), a value that is not good, a stale value and
/// no value give `Unknown`. A substituted position counts, because positions of switches without contacts are entered manually.
pub fn contact(encoding: Encoding, reading: Option<&Reading>, now: Micros, age_limit_ms: Option<i64>) -> (Contact, Option<Micros>) {
    let Some(reading) = reading else { return (Contact::Unknown, None) };
    let quality = freshness::shown_quality(reading.quality, reading.source, now, age_limit_ms, true);
    if quality > Quality::Substituted {
        // A reading from the future can become valid at its source time.
        let is_ahead = reading::is_ahead(reading.source, now) && reading.quality <= Quality::Substituted;
        return (Contact::Unknown, is_ahead.then(|| reading.source.plus_millis(-reading::AHEAD_LIMIT_MS)));
    }
    let contact = match reading.value.map(|raw| Position::decode(encoding, raw)) {
        Some(Position::Closed) => Contact::Closed,
        Some(Position::Open) => Contact::Open,
        _ => return (Contact::Unknown, None),
    };
    (contact, age_limit_ms.map(|limit| reading.source.plus_millis(limit)))
}
