//! Rules about connections: nodes without terminals, and parts of the network without a source.

use super::index::Index;
use super::list::{Findings, PartKind, Rule};
use crate::Description;

/// Disjoint sets of nodes that can be merged (union by size, with path halving).
struct Sets {
    parents: Vec<u32>,
    sizes: Vec<u32>,
}

impl Sets {
    fn new(count: usize) -> Self {
        Self { parents: (0..count as u32).collect(), sizes: vec![1; count] }
    }

    fn root(&mut self, mut at: usize) -> usize {
        while self.parents[at] as usize != at {
            self.parents[at] = self.parents[self.parents[at] as usize];
            at = self.parents[at] as usize;
        }
        at
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        if one == other {
            return;
        }
        let (large, small) = if self.sizes[one] < self.sizes[other] { (other, one) } else { (one, other) };
        self.parents[small] = large as u32;
        self.sizes[large] += self.sizes[small];
    }
}

pub(super) fn check(description: &Description, index: &Index<'_>, findings: &mut Findings) {
    let count = description.nodes.len();
    let (mut sets, mut has_terminals) = (Sets::new(count), vec![false; count]);
    for equipment in &description.equipment {
        let nodes = equipment.terminals.iter().filter_map(|terminal| index.nodes.get(terminal.node.as_str()).copied());
        let mut first = None;
        for node in nodes {
            has_terminals[node] = true;
            // In whatever position: a normally open switch can be closed.
            if equipment.is_in_service {
                sets.join(*first.get_or_insert(node), node);
            }
        }
    }
    let mut has_source = vec![false; count];
    for equipment in description.equipment.iter().filter(|equipment| equipment.is_in_service && equipment.kind.may_feed()) {
        for node in equipment.terminals.iter().filter_map(|terminal| index.nodes.get(terminal.node.as_str()).copied()) {
            has_source[sets.root(node)] = true;
        }
    }
    for (position, node) in description.nodes.iter().enumerate() {
        if !has_terminals[position] {
            findings.add(Rule::NodeWithoutTerminals, PartKind::Node, &node.id, || "no equipment is connected with it".to_owned());
            continue;
        }
        let root = sets.root(position);
        // A part is reported once, at its first node with terminals.
        if !std::mem::replace(&mut has_source[root], true) {
            let nodes = sets.sizes[root];
            let problem = || format!("the part with this node ({nodes} nodes) has no source, whatever the positions of its switches");
            findings.add(Rule::PartWithoutSource, PartKind::Node, &node.id, problem);
        }
    }
}
