//! Compares the connections of a drawing with the connections of the model.

use std::collections::{BTreeSet, HashMap};

use network::Description;
use network::description::{Equipment, POSITION};

/// The differences between a drawing and the model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Comparison {
    /// The differences, each with the state in the drawing and the state in the model.
    pub differences: Vec<String>,
    /// The number of pieces of equipment that are in both.
    pub compared: usize,
}

/// Compares the network that was derived from a drawing with the model.
///
/// Equipment of the drawing and of the model is the same if it has the same id, or if the same point reports its position. If two pieces of equipment share a
/// node in one of the two networks, they must share a node in the other one too. The order of terminals is ignored. Equipment that is only in the model may be
/// between nodes.
pub fn compare(derived: &Description, model: &Description) -> Comparison {
    let pairs = pairs(derived, model);
    let mut comparison = Comparison { differences: Vec::new(), compared: pairs.len() };
    let drawn_neighbours = Neighbours::new(derived, pairs.keys().copied());
    let model_neighbours = Neighbours::new(model, pairs.values().copied());
    let names: HashMap<usize, usize> = pairs.iter().map(|(drawn, modelled)| (*modelled, *drawn)).collect();
    let id = |drawn: usize| derived.equipment[drawn].id.as_str();
    for (position, equipment) in derived.equipment.iter().enumerate() {
        let Some(modelled) = pairs.get(&position).copied() else {
            comparison.differences.push(format!("{} ({}) is drawn, but not in the model", equipment.id, equipment.kind.as_str()));
            continue;
        };
        let other = &model.equipment[modelled];
        if equipment.kind != other.kind {
            let (drawn, kind) = (equipment.kind.as_str(), other.kind.as_str());
            comparison.differences.push(format!("{} is drawn as {drawn}, but in the model it is {kind}", equipment.id));
        }
        let drawn = drawn_neighbours.of(equipment);
        let in_model: BTreeSet<usize> =
            model_neighbours.of(other).into_iter().filter_map(|neighbour| names.get(&neighbour).copied()).collect();
        // Each pair is reported once.
        for neighbour in drawn.difference(&in_model).filter(|neighbour| **neighbour > position) {
            let (one, other) = (id(position), id(*neighbour));
            comparison.differences.push(format!("the drawing connects {one} with {other}, the model does not"));
        }
        for neighbour in in_model.difference(&drawn).filter(|neighbour| **neighbour > position) {
            let (one, other) = (id(position), id(*neighbour));
            comparison.differences.push(format!("the model connects {one} with {other}, the drawing does not"));
        }
    }
    let containers: BTreeSet<&str> = derived.containers.iter().map(|container| container.id.as_str()).collect();
    for (position, equipment) in model.equipment.iter().enumerate() {
        let is_here = equipment.container.as_deref().is_some_and(|container| containers.contains(container));
        if is_here && !names.contains_key(&position) {
            comparison.differences.push(format!("{} ({}) is in the model, but not drawn", equipment.id, equipment.kind.as_str()));
        }
    }
    comparison
}

/// Returns, for each drawn piece of equipment, the same equipment in the model.
fn pairs(derived: &Description, model: &Description) -> HashMap<usize, usize> {
    let by_id: HashMap<&str, usize> = model.equipment.iter().enumerate().map(|(position, equipment)| (&*equipment.id, position)).collect();
    let positions = |of: &Description| -> HashMap<String, String> {
        let bound = of.measurements.iter().filter(|measurement| measurement.quantity == POSITION);
        bound.filter_map(|measurement| Some((measurement.point.clone()?, measurement.equipment.clone()))).collect()
    };
    let (drawn_points, model_points) = (positions(derived), positions(model));
    let by_point: HashMap<&str, usize> =
        drawn_points.iter().filter_map(|(point, drawn)| Some((drawn.as_str(), *by_id.get(model_points.get(point)?.as_str())?))).collect();
    let same = |id: &str| by_id.get(id).or_else(|| by_point.get(id)).copied();
    derived.equipment.iter().enumerate().filter_map(|(position, equipment)| Some((position, same(&equipment.id)?))).collect()
}

/// The compared equipment at each node.
struct Neighbours<'a> {
    at: HashMap<&'a str, BTreeSet<usize>>,
    own: HashMap<&'a str, usize>,
}

impl<'a> Neighbours<'a> {
    fn new(description: &'a Description, compared: impl Iterator<Item = usize>) -> Self {
        let (mut at, mut own): (HashMap<&str, BTreeSet<usize>>, _) = (HashMap::new(), HashMap::new());
        for position in compared {
            let equipment = &description.equipment[position];
            own.insert(equipment.id.as_str(), position);
            for terminal in &equipment.terminals {
                at.entry(&terminal.node).or_default().insert(position);
            }
        }
        Self { at, own }
    }

    fn of(&self, equipment: &Equipment) -> BTreeSet<usize> {
        let shared = equipment.terminals.iter().filter_map(|terminal| self.at.get(terminal.node.as_str())).flatten().copied();
        let own = self.own.get(equipment.id.as_str()).copied();
        shared.filter(|neighbour| Some(*neighbour) != own).collect()
    }
}
