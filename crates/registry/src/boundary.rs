//! The nodes between substations, and the substations that they are at.

use std::collections::HashMap;

use network::description::{Container, ContainerKind, Description};
use network::{EquipmentKind, Model, NodeId};

/// The nodes at which equipment of several substations ends, or which their own container places in another substation than their equipment. Each has the
/// ids of the substations that it is at: that of its container. Without one, those of its equipment; a line is only counted where nothing else is.
pub(crate) fn nodes_between(description: &Description, model: &Model) -> HashMap<NodeId, Vec<Box<str>>> {
    let stations = Stations::new(description);
    let mut first: Vec<Option<u32>> = vec![None; model.node_count()];
    let mut between: HashMap<NodeId, Vec<Box<str>>> = HashMap::new();
    for (equipment, of) in model.all_equipment().zip(&description.equipment) {
        let Some(station) = stations.of(of.container.as_deref()) else { continue };
        for (node, _) in model.terminals_of(equipment) {
            if *first[node.index()].get_or_insert(station) != station {
                between.entry(*node).or_default();
            }
        }
    }
    for (node, of) in model.nodes().zip(&description.nodes) {
        let Some(own) = stations.of(of.container.as_deref()) else { continue };
        if first[node.index()].is_some_and(|first| first != own) || between.contains_key(&node) {
            between.insert(node, vec![stations.id(own)]);
        }
    }
    let mut ends: HashMap<NodeId, Vec<(u32, bool)>> =
        between.iter().filter(|(_, stations)| stations.is_empty()).map(|(node, _)| (*node, Vec::new())).collect();
    for (equipment, of) in model.all_equipment().zip(&description.equipment) {
        let is_line = matches!(of.kind, EquipmentKind::LineSegment | EquipmentKind::DirectCurrentLine | EquipmentKind::SeriesCompensator);
        for (node, _) in model.terminals_of(equipment) {
            if let Some(ends) = ends.get_mut(node) {
                ends.extend(stations.of(of.container.as_deref()).map(|station| (station, is_line)));
            }
        }
    }
    for (node, ends) in ends {
        let has_other = ends.iter().any(|(_, is_line)| !is_line);
        let mut at: Vec<u32> = ends.into_iter().filter(|(_, is_line)| !has_other || !is_line).map(|(station, _)| station).collect();
        at.sort_unstable();
        at.dedup();
        between.insert(node, at.into_iter().map(|station| stations.id(station)).collect());
    }
    between
}

/// The substation of each container.
struct Stations<'a> {
    containers: &'a [Container],
    of: HashMap<&'a str, u32>,
}

impl<'a> Stations<'a> {
    fn new(description: &'a Description) -> Self {
        let containers = &description.containers;
        let at: HashMap<&str, u32> = (0..).zip(containers).map(|(at, container)| (container.id.as_str(), at)).collect();
        let parent = |of: u32| at.get(containers[of as usize].parent.as_deref()?).copied();
        let station_of = |of: u32| {
            // A chain of parents that closes on itself ends here.
            let mut around = std::iter::successors(Some(of), |of| parent(*of)).take(containers.len());
            around.find(|of| containers[*of as usize].kind == ContainerKind::Substation)
        };
        let of = at.iter().filter_map(|(id, at)| Some((*id, station_of(*at)?))).collect();
        Self { containers, of }
    }

    fn of(&self, container: Option<&str>) -> Option<u32> {
        self.of.get(container?).copied()
    }

    fn id(&self, station: u32) -> Box<str> {
        self.containers[station as usize].id.as_str().into()
    }
}
