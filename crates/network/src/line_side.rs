//! The line side of the breaker of a bay.

use std::collections::HashSet;

use crate::{EquipmentId, EquipmentKind, Model, NodeId};

/// Maximum number of nodes of a bay; a larger part is not a bay.
const BAY_NODES_MAX: usize = 32;

impl Model {
    /// Returns for each breaker the node at which its line begins. It is on the side that is not connected with a busbar by disconnectors, and behind the
    /// disconnector of the line. `None` if both sides have a busbar, or if neither side has one.
    pub fn line_sides(&self, breakers: &[EquipmentId]) -> Vec<Option<NodeId>> {
        let busbars = self.all_equipment().filter(|equipment| self.kind(*equipment) == EquipmentKind::BusbarSection);
        let busbars: HashSet<NodeId> = busbars.flat_map(|busbar| self.terminals_of(busbar)).map(|(node, _)| *node).collect();
        breakers.iter().map(|breaker| self.line_side(*breaker, &busbars)).collect()
    }

    /// Returns the node at which a line or a transformer begins: a node itself, or the nearest one that disconnectors connect with it, in any position.
    pub fn begin_of_line(&self, node: NodeId) -> Option<NodeId> {
        self.behind_disconnectors(node).into_iter().find(|node| self.has_line(*node))
    }

    fn has_line(&self, node: NodeId) -> bool {
        let mut kinds = self.neighbours(node).iter().map(|next| self.kind(self.branch(next.branch).equipment));
        kinds.any(|kind| matches!(kind, EquipmentKind::LineSegment | EquipmentKind::PowerTransformer))
    }

    fn line_side(&self, breaker: EquipmentId, busbars: &HashSet<NodeId>) -> Option<NodeId> {
        let [(one, _), (other, _)] = self.terminals_of(breaker) else { return None };
        let sides = [self.behind_disconnectors(*one), self.behind_disconnectors(*other)];
        let has_busbar = |side: &&Vec<NodeId>| side.iter().any(|node| busbars.contains(node));
        let mut lines = sides.iter().filter(|side| !has_busbar(side));
        let (Some(line), None) = (lines.next(), lines.next()) else { return None };
        line.iter().find(|node| self.has_line(**node)).or(line.first()).copied()
    }

    /// Returns a node and all nodes that disconnectors in any position connect with it.
    fn behind_disconnectors(&self, node: NodeId) -> Vec<NodeId> {
        let (mut nodes, mut at) = (vec![node], 0);
        while let Some(node) = nodes.get(at).copied().filter(|_| nodes.len() < BAY_NODES_MAX) {
            at += 1;
            for next in self.neighbours(node) {
                let kind = self.kind(self.branch(next.branch).equipment);
                if kind == EquipmentKind::Disconnector && !nodes.contains(&next.node) {
                    nodes.push(next.node);
                }
            }
        }
        nodes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Consumer, Contact, ModelBuilder, NewEquipment, Phases};

    #[test]
    fn line_begins_behind_its_disconnector() {
        use EquipmentKind::{Breaker, BusbarSection, Disconnector, LineSegment};
        let mut builder = ModelBuilder::new();
        let nodes: Vec<NodeId> = ["bus", "b", "c", "d", "end", "bus2"].map(|id| builder.add_node(id, None).unwrap()).to_vec();
        let mut add = |id, kind, ends: &[usize]| {
            let terminals: Vec<_> = ends.iter().map(|node| (nodes[*node], Phases::ABC)).collect();
            builder.add(NewEquipment { id, kind, terminals: &terminals, normal: Contact::Closed, consumer: Consumer::default() }).unwrap()
        };
        add("BUS", BusbarSection, &[0]);
        add("BUS2", BusbarSection, &[5]);
        add("Q1", Disconnector, &[0, 1]);
        let breaker = add("Q0", Breaker, &[2, 1]);
        add("Q9", Disconnector, &[2, 3]);
        add("L", LineSegment, &[3, 4]);
        let coupler = add("QC", Breaker, &[0, 5]);
        let model = builder.build();
        assert_eq!(model.line_sides(&[breaker, coupler]), [Some(nodes[3]), None]);
        assert_eq!([2, 3, 4, 0].map(|node| model.begin_of_line(nodes[node])), [Some(nodes[3]), Some(nodes[3]), Some(nodes[4]), None]);
    }
}
