//! Feeders: finds the breaker at the head of the feeder that feeds a node.

use crate::{EquipmentId, NetworkState, NodeId, Phase};

impl NetworkState {
    /// Returns the breaker at the head of the feeder that feeds a phase of a node. `None` if no known source feeds the phase, or if there is no breaker on the
    /// path.
    ///
    /// The search follows [`NetworkState::path_to_source`], from the node towards the source. In this list, reclosers are breakers too:
    ///
    /// - The head is the first breaker with a busbar on its source side and no line in between. A recloser with a line on its source side is not the head; the
    ///   next breaker towards the source is.
    /// - If the path reaches a transformer or its end first, the head is the last breaker that it passed.
    /// - If there is no breaker before the first transformer, as for a customer behind a distribution transformer, the search continues on its other side.
    ///   There, a breaker without a line between it and the transformer is ignored, because it protects the transformer.
    ///
    /// So for the busbar of a substation the result is the breaker of its transformer, and for a feeder the breaker of its bay. For a node without supply, call
    /// this on the normal state to find its feeder. The time is proportional to the length of the path.
    pub fn feeding_breaker(&self, node: NodeId, phase: Phase) -> Option<EquipmentId> {
        let mut last = None;
        let mut has_line_between = false;
        let mut protects_transformer = false;
        for step in self.path_to_source(node, phase) {
            let branch = self.model.branch(step.branch);
            let kind = self.model.kind(branch.equipment);
            if branch.is_winding {
                if last.is_some() {
                    break;
                }
                protects_transformer = true;
            } else if kind.is_breaker() {
                if !protects_transformer {
                    last = Some(branch.equipment);
                    has_line_between = false;
                }
            } else if !kind.is_switch() {
                has_line_between = true;
                protects_transformer = false;
            }
            if last.is_some() && !has_line_between && self.model.is_busbar(step.node) {
                break;
            }
        }
        last
    }
}
