//! Connections: the side of a symbol at which each wire ends, and the wires that form one node.

use std::collections::HashMap;

use super::metadata::Metadata;
use super::picture::Picture;
use super::placed::{Placed, Spot, What};
use super::three::{self, Terminals};
use crate::fault::{Fault, shown};
use crate::schema::Orientation;

/// Slots for the nets of a symbol.
const SLOTS: usize = 3;
/// Distance within which a junction is on a busbar, units of the SVG.
const ON_BUSBAR: f64 = 1.0;

/// All wires with their connections.
#[derive(Debug)]
pub(super) struct Wires {
    pub paths: Vec<Wire>,
    /// For each node of the metadata its nets: top before bottom, left before right, a third winding last.
    pub nets: Vec<Vec<usize>>,
}

/// A drawn wire.
#[derive(Debug)]
pub(super) struct Wire {
    pub corners: Vec<Spot>,
    /// Node and side at the first and the last corner point.
    pub ends: [(usize, usize); 2],
    pub net: usize,
}

/// A wire whose sides are not known yet.
struct Run {
    corners: Vec<Spot>,
    nodes: [usize; 2],
    is_drawn: bool,
}

/// Determines the connections of all wires, and the orientation of transformers with three windings.
pub(super) fn follow(placed: &mut [Placed], metadata: &Metadata, picture: &Picture) -> Result<Wires, Fault> {
    let runs = runs(placed, metadata, picture)?;
    turn(placed, &runs);
    let thirds = three::terminals(placed, runs.iter().flat_map(|run| [0, 1].map(|end| (run.nodes[end], leaves(run, end)))));
    for (node, terminals) in &thirds {
        placed[*node].lies = terminals.lies;
    }
    let mut nets: Vec<usize> =
        (0..placed.len() * SLOTS).map(|slot| slot.min(slot / SLOTS * SLOTS + placed[slot / SLOTS].slots() - 1)).collect();
    let mut taken = vec![false; nets.len()];
    let mut found = Vec::new();
    for run in runs {
        let ends = [0, 1].map(|end| (run.nodes[end], side(&placed[run.nodes[end]], thirds.get(&run.nodes[end]), &run, end)));
        for (node, side) in ends {
            if let Some(side) = side {
                taken[node * SLOTS + side] = true;
            }
        }
        found.push((run, ends));
    }
    let mut paths = Vec::new();
    for (run, ends) in found {
        // The side is not visible if a symbol touches a busbar directly. Then it is the side without another wire.
        let ends = ends.map(|(node, side)| {
            let side = side.unwrap_or(usize::from(taken[node * SLOTS]));
            taken[node * SLOTS + side] = true;
            (node, side)
        });
        join(&mut nets, ends[0].0 * SLOTS + ends[0].1, ends[1].0 * SLOTS + ends[1].1);
        if run.is_drawn {
            paths.push((run.corners, ends));
        }
    }
    let of_slot: Vec<usize> = (0..nets.len()).map(|slot| root(&nets, slot)).collect();
    let paths = paths.into_iter().map(|(corners, ends)| Wire { net: of_slot[ends[0].0 * SLOTS + ends[0].1], corners, ends }).collect();
    let nets_of = |(at, placed): (usize, &Placed)| (0..placed.slots()).map(|side| of_slot[at * SLOTS + side]).collect();
    Ok(Wires { paths, nets: placed.iter().enumerate().map(nets_of).collect() })
}

/// Rotates a symbol so that it is along its wires. This is necessary because PowSyBl rotates the parts of a symbol, and the metadata do not contain the
/// rotation.
fn turn(placed: &mut [Placed], runs: &[Run]) {
    let mut level = vec![[0_usize; 2]; placed.len()];
    for run in runs.iter().filter(|run| run.is_drawn) {
        for end in [0, 1] {
            let at = placed[run.nodes[end]].at;
            let far = from_end(run, end).find(|spot| (spot[0] - at[0]).abs().max((spot[1] - at[1]).abs()) > 1.0);
            if let Some([x, y]) = far {
                level[run.nodes[end]][usize::from((x - at[0]).abs() < (y - at[1]).abs())] += 1;
            }
        }
    }
    for (placed, [horizontal, vertical]) in placed.iter_mut().zip(level).filter(|(placed, _)| placed.what == What::Through) {
        match (horizontal, vertical) {
            (1.., 0) => placed.lies = Orientation::Horizontal,
            (0, 1..) => placed.lies = Orientation::Vertical,
            _ => {}
        }
    }
}

/// Returns each wire with the nodes at its ends. Several elements can have the id of a node; the wire goes to the nearest one.
fn runs(placed: &[Placed], metadata: &Metadata, picture: &Picture) -> Result<Vec<Run>, Fault> {
    let mut known: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, placed) in placed.iter().enumerate() {
        known.entry(placed.id.as_str()).or_default().push(at);
    }
    let mut runs = Vec::new();
    for wire in &metadata.wires {
        let nodes = |id: &str| {
            known.get(id).ok_or_else(|| {
                Fault::whole(format!(
                    "metadata: wire {} goes to {}, which is no node: export the diagram again",
                    shown(&wire.id),
                    shown(id)
                ))
            })
        };
        let (from, to) = (nodes(&wire.from)?, nodes(&wire.to)?);
        let drawn = picture.wires(&wire.id)?;
        if drawn.is_empty() {
            runs.extend(undrawn(placed, from, to));
        }
        for mut corners in drawn {
            let [first, .., last] = corners[..] else { continue };
            let (a, straight) = nearest(placed, from, first);
            let (b, straight_end) = nearest(placed, to, last);
            let (c, reverse) = nearest(placed, from, last);
            let (d, reverse_end) = nearest(placed, to, first);
            // Wires are drawn from the first node to the second; a wire drawn the other way is reversed.
            let nodes = if straight + straight_end > reverse + reverse_end {
                corners.reverse();
                [c, d]
            } else {
                [a, b]
            };
            runs.push(Run { corners, nodes, is_drawn: true });
        }
    }
    Ok(runs)
}

/// Returns the connections of a wire that is not drawn: one between the nearest elements, and one for each junction that is on the busbar.
fn undrawn(placed: &[Placed], from: &[usize], to: &[usize]) -> Vec<Run> {
    let mut pairs: Vec<(f64, usize, usize)> =
        from.iter().flat_map(|a| to.iter().map(move |b| (between(&placed[*a], &placed[*b]), *a, *b))).collect();
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let is_on = |pair: &(f64, usize, usize)| pair.0 <= ON_BUSBAR;
    let count = pairs.iter().filter(|pair| is_on(pair)).count().max(1);
    let run = |(_, a, b): (f64, usize, usize)| Run { corners: vec![placed[a].at, placed[b].at], nodes: [a, b], is_drawn: false };
    pairs.into_iter().take(count).map(run).collect()
}

fn nearest(placed: &[Placed], nodes: &[usize], spot: Spot) -> (usize, f64) {
    let away = nodes.iter().map(|node| (*node, away(spot, &placed[*node])));
    away.min_by(|a, b| a.1.total_cmp(&b.1)).expect("a node has an element")
}

fn between(a: &Placed, b: &Placed) -> f64 {
    if matches!(a.what, What::Bar(_)) { away(b.at, a) } else { away(a.at, b) }
}

fn away(spot: Spot, placed: &Placed) -> f64 {
    let [from, to] = match placed.what {
        // A wire can end anywhere on a busbar.
        What::Bar(to) => [placed.at, to],
        _ => [placed.at, placed.at],
    };
    let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
    let square = dx * dx + dy * dy;
    let along = if square > 0.0 { (((spot[0] - from[0]) * dx + (spot[1] - from[1]) * dy) / square).clamp(0.0, 1.0) } else { 0.0 };
    (from[0] + along * dx - spot[0]).hypot(from[1] + along * dy - spot[1])
}

/// Returns the corner points of a wire, starting at one of its ends.
fn from_end(run: &Run, end: usize) -> impl Iterator<Item = Spot> {
    let corners = &run.corners;
    (0..corners.len()).map(move |at| corners[if end == 0 { at } else { corners.len() - 1 - at }])
}

/// Returns the first point of a wire, and the second one, which gives its direction.
fn leaves(run: &Run, end: usize) -> [Spot; 2] {
    let mut path = from_end(run, end);
    let first = path.next().unwrap_or_default();
    [first, path.next().unwrap_or(first)]
}

/// Returns the side of a symbol on which a wire starts: 0 is top or left, 2 is a third winding. `None` if it is not visible.
fn side(placed: &Placed, three: Option<&Terminals>, run: &Run, end: usize) -> Option<usize> {
    match placed.what {
        What::Joint | What::Bar(_) | What::End => Some(0),
        What::ThreeWindings => Some(three.map_or(0, |three| three.side(leaves(run, end)))),
        What::Through => {
            let axis = usize::from(placed.lies == Orientation::Vertical);
            from_end(run, end).find(|spot| (spot[axis] - placed.at[axis]).abs() > 1.0).map(|spot| usize::from(spot[axis] > placed.at[axis]))
        }
    }
}

fn root(nets: &[usize], mut slot: usize) -> usize {
    while nets[slot] != slot {
        slot = nets[slot];
    }
    slot
}

fn join(nets: &mut [usize], a: usize, b: usize) {
    let (a, b) = (root(nets, a), root(nets, b));
    nets[a.max(b)] = a.min(b);
    // Shortens the path to the root for later searches.
    for slot in [a, b] {
        nets[slot] = root(nets, slot);
    }
}
