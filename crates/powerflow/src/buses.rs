//! Buses, and their nominal voltages. A bus is a set of nodes that are connected without impedance.

use std::collections::VecDeque;

use network::description::{Description, Electrical};

use crate::CaseError;
use crate::joined::Joined;
use crate::number;
use crate::terminals::Terminals;

/// The buses of a network.
#[derive(Debug, Clone)]
pub(crate) struct Buses {
    pub(crate) of_node: Vec<u32>,
    /// The nominal voltage, kV; `None` if neither a node nor a neighbour gives it.
    pub(crate) kv: Vec<Option<f64>>,
}

impl Buses {
    pub(crate) fn new(
        description: &Description,
        terminals: &Terminals,
        is_closed: &[bool],
        joined: &mut Joined,
    ) -> Result<Self, CaseError> {
        let (of_node, count) = joined.numbers();
        let mut kv = vec![None; count];
        // A node that an import added has a derived voltage only.
        for is_internal in [false, true] {
            for (node, bus) in description.nodes.iter().zip(&of_node).filter(|(node, _)| node.is_internal == is_internal) {
                if let Some(nominal) = node.nominal_kv {
                    kv[*bus as usize].get_or_insert(number::voltage(&node.id, "nominal_kv", nominal)?);
                }
            }
        }
        let mut lines: Vec<[u32; 2]> = Vec::new();
        for (index, equipment) in description.equipment.iter().enumerate().filter(|(index, _)| is_closed[*index]) {
            let nodes = terminals.of(index);
            match &equipment.electrical {
                Electrical::Transformer(transformer) => {
                    for (node, end) in nodes.iter().zip(&transformer.ends) {
                        kv[of_node[*node as usize] as usize].get_or_insert(number::voltage(&equipment.id, "rated_kv", end.rated_kv)?);
                    }
                }
                Electrical::Line(_) | Electrical::Series(_) => {
                    lines.push([of_node[nodes[0] as usize], of_node[nodes[1] as usize]]);
                }
                _ => {}
            }
        }
        spread(&mut kv, &lines);
        Ok(Self { of_node, kv })
    }
}

/// Assigns to the buses without a nominal voltage the voltage of the buses to which lines connect them.
fn spread(kv: &mut [Option<f64>], lines: &[[u32; 2]]) {
    if kv.iter().all(Option::is_some) {
        return;
    }
    let mut neighbours: Vec<Vec<u32>> = vec![Vec::new(); kv.len()];
    for [from, to] in lines {
        neighbours[*from as usize].push(*to);
        neighbours[*to as usize].push(*from);
    }
    let mut known: VecDeque<u32> = (0..kv.len() as u32).filter(|bus| kv[*bus as usize].is_some()).collect();
    while let Some(bus) = known.pop_front() {
        for next in &neighbours[bus as usize] {
            if kv[*next as usize].is_none() {
                kv[*next as usize] = kv[bus as usize];
                known.push_back(*next);
            }
        }
    }
}
