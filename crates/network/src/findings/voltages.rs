//! The rule that nodes have the same nominal voltage if they are connected without a transformer. The connection can pass through nodes whose voltage is not
//! given.

use super::index::Index;
use super::list::{Findings, PartKind, Rule};
use super::numbers::{KV_MAX, Range};
use super::places::differ;
use crate::adjacency::Adjacency;
use crate::shown::shown;
use crate::{Description, NodeId};

/// The nominal voltage of a node.
#[derive(Debug, Clone, Copy)]
struct Voltage {
    kv: f64,
    /// The node for which the voltage is given.
    given_at: NodeId,
}

pub(super) fn check(description: &Description, index: &Index<'_>, findings: &mut Findings) {
    let (joining, ends) = joining(description, index);
    let mut voltages: Vec<Option<Voltage>> = given(description, index);
    if voltages.iter().any(Option::is_none) {
        spread(&mut voltages, &Adjacency::new(description.nodes.len(), &ends));
    }
    for (equipment, [one, other]) in joining.into_iter().zip(ends) {
        let (Some(one_has), Some(other_has)) = (voltages[one.index()], voltages[other.index()]) else { continue };
        if !differ(one_has.kv, other_has.kv) {
            continue;
        }
        let text = |node: NodeId, Voltage { kv, given_at }: Voltage| {
            let id = |node: NodeId| shown(&description.nodes[node.index()].id);
            let source = if given_at == node { String::new() } else { format!(" (that of node {})", id(given_at)) };
            format!("node {} of {kv} kV{source}", id(node))
        };
        findings.add(Rule::TwoVoltages, PartKind::Equipment, &description.equipment[equipment].id, || {
            format!("it joins {} with {} without a transformer", text(one, one_has), text(other, other_has))
        });
    }
}

/// Returns the positions of the equipment that connects two nodes by metal, with these nodes.
fn joining(description: &Description, index: &Index<'_>) -> (Vec<usize>, Vec<[NodeId; 2]>) {
    let node = |id: &str| index.nodes.get(id).map(|position| NodeId(*position as u32));
    let metallic = description.equipment.iter().enumerate().filter(|(_, equipment)| !equipment.kind.isolates());
    let ends = metallic.filter_map(|(position, equipment)| match equipment.terminals.as_slice() {
        [one, other] => Some((position, [node(&one.node)?, node(&other.node)?])),
        _ => None,
    });
    ends.unzip()
}

/// Returns the given voltages that are possible, each given for a node or for its voltage level.
fn given(description: &Description, index: &Index<'_>) -> Vec<Option<Voltage>> {
    let of_node = |(position, node): (usize, &crate::description::Node)| {
        let of_level = || index.voltage_level(description, node.container.as_deref()).map(|(_, kv)| kv);
        let kv = node.nominal_kv.or_else(of_level).filter(|kv| Range::UpTo(KV_MAX).has(*kv))?;
        Some(Voltage { kv, given_at: NodeId(position as u32) })
    };
    description.nodes.iter().enumerate().map(of_node).collect()
}

/// Assigns to each node without a voltage the voltage of the nearest connected node that has one.
fn spread(voltages: &mut [Option<Voltage>], joined: &Adjacency) {
    let mut ahead: Vec<NodeId> = (0..voltages.len() as u32).map(NodeId).filter(|node| voltages[node.index()].is_some()).collect();
    let mut at = 0;
    while let Some(node) = ahead.get(at).copied() {
        at += 1;
        let voltage = voltages[node.index()];
        for next in joined.of(node) {
            if voltages[next.node.index()].is_none() {
                voltages[next.node.index()] = voltage;
                ahead.push(next.node);
            }
        }
    }
}
