//! Transformers with three windings: assigns the wires to the windings of the symbol.

use std::collections::HashMap;

use super::placed::{Placed, Spot, What};
use crate::schema::Orientation;

/// The wires of a transformer with three windings.
#[derive(Debug)]
pub(super) struct Terminals {
    pub(super) lies: Orientation,
    /// The beginning of each wire with its winding.
    sides: Vec<([Spot; 2], usize)>,
}

impl Terminals {
    /// Returns the winding of a wire by its first two points.
    pub(super) fn side(&self, begin: [Spot; 2]) -> usize {
        self.sides.iter().find(|(wire, _)| *wire == begin).map_or(0, |(_, side)| *side)
    }
}

/// The directions of the windings, in the order of their nodes.
fn directions(lies: Orientation) -> [Spot; 3] {
    match lies {
        Orientation::Vertical => [[0.0, -1.0], [0.0, 1.0], [-1.0, 0.0]],
        Orientation::Horizontal => [[-1.0, 0.0], [1.0, 0.0], [0.0, 1.0]],
    }
}

/// Chooses for each transformer with three windings the orientation and the windings at which its wires cross the symbol least.
pub(super) fn terminals(placed: &[Placed], wires: impl Iterator<Item = (usize, [Spot; 2])>) -> HashMap<usize, Terminals> {
    let mut begins: HashMap<usize, Vec<[Spot; 2]>> = HashMap::new();
    for (node, begin) in wires {
        let known = if placed[node].what == What::ThreeWindings { begins.entry(node).or_default() } else { continue };
        if !known.contains(&begin) {
            known.push(begin);
        }
    }
    begins.into_iter().map(|(node, begins)| (node, choose(placed[node].at, &begins))).collect()
}

fn choose(middle: Spot, begins: &[[Spot; 2]]) -> Terminals {
    // A wire leaves the middle towards its first point, or, if it starts there, towards its second one.
    let heading = |[first, second]: &[Spot; 2]| {
        let [near, far] = [first, second].map(|spot| [spot[0] - middle[0], spot[1] - middle[1]]);
        let towards = if near[0].hypot(near[1]) > 0.5 { near } else { far };
        let length = towards[0].hypot(towards[1]).max(1e-9);
        [towards[0] / length, towards[1] / length]
    };
    let headings: Vec<Spot> = begins.iter().map(heading).collect();
    let fit = |lies: Orientation, wire: usize, side: usize| {
        let direction = directions(lies)[side];
        direction[0] * headings[wire][0] + direction[1] * headings[wire][1]
    };
    let mut best = (f64::MIN, Orientation::Vertical, [0, 1, 2]);
    for lies in [Orientation::Horizontal, Orientation::Vertical] {
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let sum = order.iter().take(headings.len()).enumerate().map(|(wire, side)| fit(lies, wire, *side)).sum::<f64>();
            if sum > best.0 {
                best = (sum, lies, order);
            }
        }
    }
    let (_, lies, order) = best;
    let nearest = |wire: usize| {
        let by_fit = |a: &usize, b: &usize| fit(lies, wire, *a).total_cmp(&fit(lies, wire, *b));
        (0..order.len()).max_by(by_fit).unwrap_or_default()
    };
    let side = |wire: usize| if headings.len() <= order.len() { order[wire] } else { nearest(wire) };
    Terminals { lies, sides: begins.iter().enumerate().map(|(wire, begin)| (*begin, side(wire))).collect() }
}

/// Returns the distance of a winding's terminal from the middle of the symbol, and the direction in which it points.
pub(super) fn terminal(lies: Orientation, side: usize, windings: [f64; 3]) -> (Spot, Spot) {
    let direction = directions(lies)[side];
    (direction.map(|part| part * windings[side]), direction)
}
