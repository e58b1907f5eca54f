//! Divides a feeder into rows (the trunk and its laterals) and short branches with a transformer at their end, which hang from a row.

use network::EquipmentKind;

use super::graph::Graph;
use super::tree::{Attached, Below, Child, Tree};

/// Maximum number of pieces of equipment of a branch that hangs from a row.
const HANGING_MAX: usize = 4;

/// How a tree is divided into rows.
pub(super) struct Shape {
    /// For each node the child that continues its row.
    next: Vec<Option<usize>>,
    /// For each node, the number of pieces of equipment that follow below it in one line; `None` if there is a branch.
    in_line: Vec<Option<usize>>,
    /// For each node the number of rows that begin at it or below it.
    rows: Vec<usize>,
}

/// The value by which paths away from the busbar are compared: whether the path ends at an open point, then the number of transformers that hang from it, then
/// its length.
type Worth = (bool, usize, usize);

impl Shape {
    pub(super) fn new(graph: &Graph<'_>, tree: &Tree) -> Self {
        let count = tree.nodes.len();
        let mut shape = Self { next: vec![None; count], in_line: vec![None; count], rows: vec![0; count] };
        let mut worths: Vec<Worth> = vec![Worth::default(); count];
        for at in (0..count).rev() {
            let node = &tree.nodes[at];
            shape.in_line[at] = match node.children.as_slice() {
                [] => Some(0),
                [child] => shape.length(child),
                _ => None,
            };
            let hanging = |child: &&Child| shape.hangs(child) && has_transformer(graph, tree, child);
            let transformers = node.children.iter().filter(hanging).count();
            let mut best: Option<(usize, Worth)> = None;
            for (position, child) in node.children.iter().enumerate() {
                let is_open = graph.is_open(child.equipment);
                let worth = child.to.iter().map(|to| match to {
                    Below::Node(below) => worths[*below],
                    Below::Beyond(_) => (is_open, 0, 0),
                });
                let Some((ends_open, passed, length)) = worth.max() else { continue };
                let has_end = ends_open || child.to.iter().any(|to| matches!(to, Below::Beyond(_)));
                if shape.hangs(child) && !has_end {
                    continue;
                }
                let worth = (ends_open, passed + transformers, length + 1);
                if best.is_none_or(|(_, before)| worth > before) {
                    best = Some((position, worth));
                }
            }
            worths[at] = best.map_or((false, transformers, 0), |(_, worth)| worth);
            shape.next[at] = best.map(|(position, _)| position);
            let to = node.children.iter().flat_map(|child| &child.to);
            let rows: usize = to.map(|to| if let Below::Node(below) = to { shape.rows[*below] } else { 0 }).sum();
            let started =
                node.children.iter().enumerate().filter(|(position, child)| Some(*position) != shape.next[at] && !shape.hangs(child));
            shape.rows[at] = rows + started.count();
        }
        shape
    }

    /// Returns the child that continues the row of a node.
    pub(super) fn next(&self, at: usize) -> Option<usize> {
        self.next[at]
    }

    /// Whether a child hangs from the row: it is short and does not branch.
    pub(super) fn hangs(&self, child: &Child) -> bool {
        self.length(child).is_some_and(|length| length <= HANGING_MAX)
    }

    /// Returns the number of rows of a lateral.
    pub(super) fn rows(&self, child: &Child) -> usize {
        1 + child.to.iter().map(|to| if let Below::Node(below) = to { self.rows[*below] } else { 0 }).sum::<usize>()
    }

    fn length(&self, child: &Child) -> Option<usize> {
        match child.to.as_slice() {
            [Below::Beyond(_)] => Some(1),
            [Below::Node(below)] => self.in_line[*below].map(|length| length + 1),
            // A third winding hangs beside the second one.
            [Below::Node(one), Below::Node(other)] if self.in_line[*one] == Some(0) && self.in_line[*other] == Some(0) => Some(1),
            _ => None,
        }
    }
}

fn has_transformer(graph: &Graph<'_>, tree: &Tree, child: &Child) -> bool {
    if graph.kind(child.equipment) == EquipmentKind::PowerTransformer {
        return true;
    }
    match child.to.as_slice() {
        [Below::Node(below)] => tree.nodes[*below].children.first().is_some_and(|child| has_transformer(graph, tree, child)),
        _ => false,
    }
}

/// Returns the customers that hang from a node and below it.
pub(super) fn customers(graph: &Graph<'_>, tree: &Tree, at: usize) -> u64 {
    use network::description::Electrical;
    let (mut sum, mut ahead) = (0_u64, vec![at]);
    while let Some(at) = ahead.pop() {
        for attached in &tree.nodes[at].attached {
            sum = sum.saturating_add(match attached {
                Attached::LowVoltage(of) => of.customers,
                Attached::Equipment(equipment) => match &graph.equipment(*equipment).electrical {
                    Electrical::Consumer(consumed) => consumed.customers,
                    _ => 0,
                },
                Attached::Elsewhere(_) => 0,
            });
        }
        let children = tree.nodes[at].children.iter().flat_map(|child| &child.to);
        ahead.extend(children.filter_map(|to| if let Below::Node(below) = to { Some(*below) } else { None }));
    }
    sum
}
