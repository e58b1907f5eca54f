//! The currents of closed switches within a bus, computed from the currents that the nodes behind them draw.

use num_complex::Complex64;

use crate::joined::Joined;
use crate::sparse::factorise_sum;

/// A closed switch between two nodes.
pub(crate) struct Edge {
    pub(crate) nodes: [u32; 2],
    /// The positions of its terminals among the currents.
    pub(crate) slots: [usize; 2],
}

/// Adds the currents of the switches. `drawn` is the current that other equipment draws at each node.
pub(crate) fn add(edges: &[Edge], mut drawn: Vec<Complex64>, currents: &mut [Complex64]) {
    for edge in edges {
        for slot in edge.slots {
            currents[slot] = Complex64::ZERO;
        }
    }
    let edges: Vec<&Edge> = edges.iter().filter(|edge| edge.nodes[0] != edge.nodes[1]).collect();
    let mut flow = |edge: &Edge, into: u32, current: Complex64| {
        let away = usize::from(edge.nodes[0] == into);
        currents[edge.slots[away]] = current;
        currents[edge.slots[1 - away]] = -current;
    };
    // The switches at each node: their number, and the exclusive or of their positions, which is the last one when one is left.
    let mut left = vec![(0_u32, 0_usize); drawn.len()];
    for (position, edge) in edges.iter().enumerate() {
        for node in edge.nodes {
            let (count, positions) = &mut left[node as usize];
            *count += 1;
            *positions ^= position;
        }
    }
    // A node with one switch is fed over that switch.
    let mut is_done = vec![false; edges.len()];
    let mut ends: Vec<u32> = edges.iter().flat_map(|edge| edge.nodes).filter(|node| left[*node as usize].0 == 1).collect();
    while let Some(node) = ends.pop() {
        let (count, position) = left[node as usize];
        if count != 1 {
            continue;
        }
        let edge = edges[position];
        let other = if edge.nodes[0] == node { edge.nodes[1] } else { edge.nodes[0] };
        let current = drawn[node as usize];
        flow(edge, node, current);
        is_done[position] = true;
        drawn[other as usize] += current;
        left[node as usize].0 = 0;
        let (count, positions) = &mut left[other as usize];
        *count -= 1;
        *positions ^= position;
        if *count == 1 {
            ends.push(other);
        }
    }
    let rings: Vec<&Edge> = edges.iter().zip(&is_done).filter(|(_, is_done)| !**is_done).map(|(edge, _)| *edge).collect();
    for (edge, current) in rings.iter().zip(share(&rings, &drawn)) {
        flow(edge, edge.nodes[1], current);
    }
}

/// Returns the current of each switch of a ring, from its first to its second node, as if all switches had the same resistance.
fn share(rings: &[&Edge], drawn: &[Complex64]) -> Vec<Complex64> {
    let mut nodes: Vec<u32> = rings.iter().flat_map(|edge| edge.nodes).collect();
    nodes.sort_unstable();
    nodes.dedup();
    if nodes.is_empty() {
        return Vec::new();
    }
    let position = |node: u32| nodes.binary_search(&node).expect("all nodes of the rings are listed") as u32;
    let ends: Vec<[u32; 2]> = rings.iter().map(|edge| edge.nodes.map(position)).collect();
    let mut joined = Joined::new(nodes.len());
    let mut entries: Vec<(u32, u32, f64)> = Vec::new();
    for [one, other] in &ends {
        joined.join(*one, *other);
        entries.extend([(*one, *one, 1.0), (*other, *other, 1.0), (*one, *other, -1.0), (*other, *one, -1.0)]);
    }
    // One node of each ring is the reference.
    entries.extend((0..nodes.len() as u32).filter(|node| joined.set_of(*node) == *node).map(|node| (node, node, 1.0)));
    let mut real: Vec<f64> = nodes.iter().map(|node| -drawn[*node as usize].re).collect();
    let mut imaginary: Vec<f64> = nodes.iter().map(|node| -drawn[*node as usize].im).collect();
    let Some(factors) = factorise_sum(nodes.len(), entries) else { return vec![Complex64::new(f64::NAN, f64::NAN); rings.len()] };
    factors.solve(&mut real);
    factors.solve(&mut imaginary);
    let potential = |node: u32| Complex64::new(real[node as usize], imaginary[node as usize]);
    ends.iter().map(|[one, other]| potential(*one) - potential(*other)).collect()
}
