//! Connections: the side of a symbol at which each wire ends, and the wires that form one node.

use std::collections::HashMap;

use super::metadata::Metadata;
use super::picture::Picture;
use super::placed::{Placed, Spot, What};
use crate::fault::{Fault, shown};
use crate::schema::Orientation;

/// All wires with their connections.
#[derive(Debug)]
pub(super) struct Wires {
    pub paths: Vec<Wire>,
    /// For each node of the metadata its nets, top before bottom, left before right.
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

/// Determines the connections of all wires.
pub(super) fn follow(placed: &[Placed], metadata: &Metadata, picture: &Picture) -> Result<Wires, Fault> {
    let known: HashMap<&str, usize> = placed.iter().enumerate().map(|(at, placed)| (placed.id.as_str(), at)).collect();
    // Two slots for each node; both are the same for a node with a single net.
    let mut nets: Vec<usize> =
        (0..placed.len() * 2).map(|slot| if placed[slot / 2].what == What::Through { slot } else { slot / 2 * 2 }).collect();
    let mut taken = vec![false; nets.len()];
    let mut found = Vec::new();
    for wire in &metadata.wires {
        let node = |id: &str| {
            known
                .get(id)
                .copied()
                .ok_or_else(|| Fault::whole(format!("metadata: wire {} goes to {}, which is no node", shown(&wire.id), shown(id))))
        };
        let (from, to) = (node(&wire.from)?, node(&wire.to)?);
        let drawn = picture.wire(&wire.id)?;
        let mut corners = drawn.clone().unwrap_or_else(|| vec![placed[from].at, placed[to].at]);
        // Wires are drawn from the first node to the second; a wire drawn the other way is reversed.
        if let [first, .., last] = corners[..]
            && away(first, &placed[from]) + away(last, &placed[to]) > away(last, &placed[from]) + away(first, &placed[to])
        {
            corners.reverse();
        }
        let ends = [(from, side(&placed[from], corners.iter().copied())), (to, side(&placed[to], corners.iter().rev().copied()))];
        for (node, side) in ends {
            if let Some(side) = side {
                taken[node * 2 + side] = true;
            }
        }
        found.push((corners, ends, drawn.is_some()));
    }
    let mut paths = Vec::new();
    for (corners, ends, is_drawn) in found {
        // The side is not visible if a symbol touches a busbar directly. Then it is the side without another wire.
        let ends = ends.map(|(node, side)| {
            let side = side.unwrap_or(usize::from(taken[node * 2]));
            taken[node * 2 + side] = true;
            (node, side)
        });
        join(&mut nets, ends[0].0 * 2 + ends[0].1, ends[1].0 * 2 + ends[1].1);
        if is_drawn {
            paths.push((corners, ends));
        }
    }
    let slots = |at: usize| if placed[at].what == What::Through { vec![at * 2, at * 2 + 1] } else { vec![at * 2] };
    let of_slot: Vec<usize> = (0..nets.len()).map(|slot| root(&nets, slot)).collect();
    let paths = paths.into_iter().map(|(corners, ends)| Wire { net: of_slot[ends[0].0 * 2 + ends[0].1], corners, ends }).collect();
    Ok(Wires { paths, nets: (0..placed.len()).map(|at| slots(at).into_iter().map(|slot| of_slot[slot]).collect()).collect() })
}

fn away(spot: Spot, placed: &Placed) -> f64 {
    match placed.what {
        // A wire can end anywhere on a busbar.
        What::Bar([x, y]) => (f64::midpoint(x, placed.at[0]) - spot[0]).hypot(f64::midpoint(y, placed.at[1]) - spot[1]),
        _ => (placed.at[0] - spot[0]).hypot(placed.at[1] - spot[1]),
    }
}

/// Returns the side of a symbol on which a path starts: 0 is top or left. `None` if it is not visible.
fn side(placed: &Placed, mut path: impl Iterator<Item = Spot>) -> Option<usize> {
    if placed.what != What::Through {
        return Some(0);
    }
    let axis = usize::from(placed.lies == Orientation::Vertical);
    path.find(|spot| (spot[axis] - placed.at[axis]).abs() > 1.0).map(|spot| usize::from(spot[axis] > placed.at[axis]))
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
