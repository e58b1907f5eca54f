//! Where a part of the network is on the diagrams of a substation and on the map.

use std::collections::{BTreeSet, HashSet};

use analysis::diagrams::InNetwork;
use grid::NodeId as LocationId;
use network::{EquipmentId, EquipmentKind, NodeId};
use wire::network_present::{NetworkDrawnPart, NetworkTraceDrawn};

use super::feeders::PointedNetwork;
use super::present::Seen;

/// A part of the network.
#[derive(Debug, Default)]
pub(super) struct Part {
    pub(super) equipment: HashSet<EquipmentId>,
    pub(super) nodes: HashSet<NodeId>,
}

impl Part {
    /// Returns the part with some equipment, without its nodes.
    pub(super) fn of(equipment: &[EquipmentId]) -> Self {
        Self { equipment: equipment.iter().copied().collect(), nodes: HashSet::new() }
    }
}

/// Returns where the path and the fed part of a trace are drawn.
pub(super) fn drawn(
    seen: &Seen,
    described: Option<&PointedNetwork>,
    location: LocationId,
    diagram: Option<InNetwork>,
    [path, feeds]: [&Part; 2],
) -> NetworkTraceDrawn {
    let (view, network) = (seen.view(), seen.network());
    let station = view.field.node(location).map_or("", |node| node.code.as_str());
    let nodes = network.active().nodes_of_station(station);
    let visible: HashSet<&str> = view.field.nodes().filter(|node| view.sees(node)).map(|node| node.code.as_str()).collect();
    // A node between substations is named if the user sees one of them.
    let is_visible =
        |node: &NodeId| network.active().substations_between(*node).is_none_or(|mut codes| codes.any(|code| visible.contains(code)));
    let on = |part: &Part| {
        let model = network.active().model();
        let mut drawn = NetworkDrawnPart::default();
        if let Some(diagram) = &diagram {
            let elements = diagram.elements.iter().filter(|(_, equipment)| part.equipment.contains(equipment));
            drawn.elements = elements.map(|(id, _)| id.clone()).collect();
            drawn.elements.dedup();
            let numbers = diagram.nodes.iter().filter(|(_, node)| part.nodes.contains(node));
            drawn.numbers = numbers.map(|(number, _)| *number).collect();
        }
        drawn.nodes = nodes
            .iter()
            .filter(|node| part.nodes.contains(node) && is_visible(node))
            .map(|node| model.node_name(*node).to_owned())
            .collect();
        let is_here = |of: &&EquipmentId| model.terminals_of(**of).iter().any(|(node, _)| nodes.binary_search(node).is_ok());
        let is_seen = |of: &&EquipmentId| is_here(of) && seen.equipment(**of).is_some();
        drawn.equipment = part.equipment.iter().filter(is_seen).map(|of| model.equipment_name(*of).to_owned()).collect();
        drawn.equipment.sort_unstable();
        (drawn.location_ids, drawn.asset_ids) = on_map(seen, described, part);
        drawn
    };
    let (path, feeds) = (on(path), on(feeds));
    NetworkTraceDrawn { wiring: diagram.map(|diagram| diagram.wiring), path, feeds }
}

/// Returns the substations of a part, and the assets of its lines: those whose points measure at a line, and those whose code the id of a line begins with, as
/// `QUAYSIDE/F1/U3/LINE` is in the feeder `QUAYSIDE/F1`. A breaker at the head of a feeder is no part of the line of the feeder.
fn on_map(seen: &Seen, described: Option<&PointedNetwork>, part: &Part) -> (Vec<i64>, Vec<i64>) {
    let (view, network) = (seen.view(), seen.network());
    let model = network.active().model();
    let (mut locations, mut assets) = (BTreeSet::new(), BTreeSet::new());
    let mut codes: HashSet<(&str, &str)> = HashSet::new();
    let mut stations: HashSet<&str> = HashSet::new();
    for of in &part.equipment {
        let id = model.equipment_name(*of);
        stations.extend(network.active().substation_of(*of).into_iter().flat_map(|id| network.active().codes_of_station(id)));
        let is_line = matches!(model.kind(*of), EquipmentKind::LineSegment | EquipmentKind::DirectCurrentLine);
        let mut words = id.split('/');
        codes.extend(words.next().zip(words.next()).filter(|_| is_line));
        let points = described.into_iter().flat_map(|described| described.points(id)).filter_map(|point| view.field.point(point));
        for point in points.filter(|point| view.field.node(point.location).is_some_and(|node| view.sees(node))) {
            locations.insert(point.location.0);
            if is_line {
                assets.insert(point.asset.0);
            }
        }
    }
    for node in view.field.nodes().filter(|node| node.level == grid::Level::Substation && view.sees(node)) {
        if stations.contains(node.code.as_str()) {
            locations.insert(node.id.0);
        }
        let here = view.field.assets_at(node.id).filter(|asset| codes.contains(&(node.code.as_str(), asset.code.as_str())));
        assets.extend(here.map(|asset| asset.id.0));
    }
    (locations.into_iter().collect(), assets.into_iter().collect())
}
