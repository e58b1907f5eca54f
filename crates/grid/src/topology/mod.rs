//! Which parts of a substation are energised, as far as the positions of its switches tell.
//!
//! The picture is a search from the sources. It claims no more than it knows: a switch whose position is not known never makes anything dead, and dead means
//! "not connected to a known source", which is no proof for work safety.

mod live;
#[cfg(test)]
mod tests;

use crate::position::Position;
use crate::{Micros, Quality, Reading, freshness, position::Encoding, reading};

pub use live::Live;

/// What is known of a switch, an earth switch or a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Contact {
    /// It conducts. A source: it is there.
    Closed,
    /// It does not conduct. A source: it is not there.
    Open,
    /// It may conduct or not.
    Unknown,
}

/// The state of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum State {
    /// Nothing can be said.
    Unknown = 0,
    /// Connected to a source.
    Energised = 1,
    /// Connected to no source that is known, and not earthed here.
    Dead = 2,
    /// Dead, and the earth switch that hangs on it is closed.
    Earthed = 3,
    /// Energised and earthed at the same time: one of the positions is wrong, or something is on fire.
    Conflict = 4,
}

impl State {
    /// The number sent to clients.
    pub fn code(self) -> u8 {
        self as u8
    }
}

/// A connection between two nodes: a switch, or what always conducts, such as a transformer. It conducts both ways: a transformer feeds back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Branch {
    /// One end.
    pub a: usize,
    /// The other end.
    pub b: usize,
    /// The input that says whether it conducts; `None` for what always does.
    pub switch: Option<usize>,
}

/// Something at one node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct At {
    /// The node.
    pub node: usize,
    /// The input that says whether it is there, or closed; `None` for what always is.
    pub switch: Option<usize>,
}

/// How a substation is connected. Inputs are numbered from 0; several parts may hang on the same one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Network {
    nodes: usize,
    sources: Vec<At>,
    earths: Vec<At>,
    /// For each node where its neighbours begin in `neighbours`, and the end.
    first: Vec<usize>,
    /// The other end of each branch, and its input.
    neighbours: Vec<(usize, Option<usize>)>,
}

impl Network {
    /// Of so many nodes. What speaks of a node that is not among them is left out.
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

    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// The state of each node. An input that is missing is unknown.
    pub fn states(&self, inputs: &[Contact]) -> Vec<State> {
        let contact =
            |switch: Option<usize>| switch.map_or(Contact::Closed, |input| inputs.get(input).copied().unwrap_or(Contact::Unknown));
        let certain = self.reached(|switch| contact(switch) == Contact::Closed);
        let possible = self.reached(|switch| contact(switch) != Contact::Open);
        let mut earths = vec![Contact::Open; self.nodes];
        for earth in &self.earths {
            let held = &mut earths[earth.node];
            // One that is closed earths, whatever another one says; one that is not known may.
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

    /// The nodes that the sources reach over what conducts.
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

/// What a reading says of a switch, and until when it says so. 0 (intermediate) and 3 (bad), a value that is not good, an old one and none at all say
/// nothing. A position entered by hand counts: that is how a switch without contacts is kept up.
pub fn contact(encoding: Encoding, reading: Option<&Reading>, now: Micros, age_limit_ms: Option<i64>) -> (Contact, Option<Micros>) {
    let Some(reading) = reading else { return (Contact::Unknown, None) };
    let quality = freshness::shown_quality(reading.quality, reading.source, now, age_limit_ms, true);
    if quality > Quality::Substituted {
        // A reading of the future may say something when its time has come.
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
