//! The names that a feeder's diagram shows: names of its equipment, and of the parts beyond its ends.

use network::description::{ContainerKind, Equipment};

use super::graph::Graph;
use super::heads::Heads;

/// Longer names are cut on the sheet.
const LETTERS_MAX: usize = 24;
/// Maximum length of the end of an id that is shown as a name. Longer ends mean nothing to a user.
const SHORT_CODE_MAX: usize = 8;

/// The part beyond an end of the feeder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Beyond {
    /// Its name; may be empty.
    pub(super) name: String,
    /// A second line; may be empty.
    pub(super) label: String,
    /// The node there.
    pub(super) node: usize,
    /// Whether the node is drawn elsewhere on the sheet.
    pub(super) is_inside: bool,
    /// The substation of the named part.
    pub(super) station: Option<usize>,
}

/// Returns the name of equipment. If it has no name, returns its id without the ids of its containers at the beginning.
pub(super) fn name_of(graph: &Graph<'_>, equipment: &Equipment) -> String {
    if !equipment.name.is_empty() {
        return shortened(&equipment.name);
    }
    let around = graph.containers_of(equipment.container.as_deref()).map(|container| graph.network.containers[container].id.as_str());
    let inside = around.filter_map(|container| equipment.id.strip_prefix(container)?.strip_prefix('/')).min_by_key(|rest| rest.len());
    shortened(&inside.unwrap_or(&equipment.id).replace('/', " "))
}

fn shortened(name: &str) -> String {
    if name.chars().count() <= LETTERS_MAX {
        return name.to_owned();
    }
    name.chars().take(LETTERS_MAX - 1).chain(['…']).collect()
}

/// Returns the name of a feeder with its station, such as "Islampeta F5", and the name of the feeder.
pub(super) fn feeder_name(graph: &Graph<'_>, container: usize) -> (String, String) {
    let of = &graph.network.containers[container];
    let code = of.id.rsplit('/').next().filter(|code| code.chars().count() <= SHORT_CODE_MAX);
    let station = graph.inside(of.parent.as_deref(), ContainerKind::Substation).map(|station| station_name(graph, station));
    let own = code.unwrap_or(&of.name);
    let name = station.map_or_else(|| own.to_owned(), |station| format!("{station} {own}"));
    (name, if code.is_some() { of.name.clone() } else { String::new() })
}

/// Returns the name of a substation without the voltages that many names begin with, such as "33/11 kV".
pub(super) fn station_name(graph: &Graph<'_>, container: usize) -> String {
    let station = &graph.network.containers[container];
    let is_voltage = |text: &str| !text.is_empty() && text.chars().all(|letter| letter.is_ascii_digit() || "/. ".contains(letter));
    let name = station.name.split_once("kV ").filter(|(before, _)| is_voltage(before)).map_or(station.name.as_str(), |(_, name)| name);
    if name.is_empty() { station.id.clone() } else { name.to_owned() }
}

/// Returns the name of a busbar: its station, its voltage and its own name.
pub(super) fn busbar_name(graph: &Graph<'_>, node: usize) -> String {
    let busbar = graph.busbar(node).map(|busbar| graph.equipment(busbar));
    let container = busbar.map_or_else(|| graph.container_of_node(node), |busbar| busbar.container.as_deref());
    let station = graph.inside(container, ContainerKind::Substation).map(|station| station_name(graph, station));
    let kv = graph.kv(node).map(|kv| format!("{kv} kV"));
    [station, kv, busbar.map(|busbar| name_of(graph, busbar))].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// Names the part that the feeder supplies beyond its end: another feeder, through its breaker, or a substation.
pub(super) fn supplied(graph: &Graph<'_>, heads: &Heads, equipment: usize, node: usize) -> Beyond {
    let station = graph.inside(graph.container_of_node(node), ContainerKind::Substation);
    match (heads.by_breaker.get(&equipment), station) {
        (Some(container), _) => feeder_beyond(graph, *container, node),
        (None, Some(of)) => Beyond { name: station_name(graph, of), node, station, ..Beyond::default() },
        (None, None) => Beyond { node, ..Beyond::default() },
    }
}

/// Names a feeder that begins at a node.
fn feeder_beyond(graph: &Graph<'_>, container: usize, node: usize) -> Beyond {
    let (name, label) = feeder_name(graph, container);
    let station = graph.inside(graph.network.containers[container].parent.as_deref(), ContainerKind::Substation);
    Beyond { name, label, node, is_inside: false, station }
}

/// Names the part at a node outside of the feeder: the feeder that supplies the node, or its busbar or substation.
pub(super) fn beyond(graph: &Graph<'_>, heads: &Heads, node: usize) -> Beyond {
    let mut at = node;
    while graph.busbar(at).is_none_or(|_| at == node) {
        let Some((branch, above)) = graph.towards_source(at) else { break };
        if let Some(container) = heads.by_breaker.get(&branch) {
            return feeder_beyond(graph, *container, node);
        }
        at = above;
    }
    let container = graph.container_of_node(node);
    if let Some(feeder) = graph.inside(container, ContainerKind::Feeder) {
        return feeder_beyond(graph, feeder, node);
    }
    let busbar = graph.busbar(node).map(|busbar| graph.equipment(busbar).container.as_deref());
    let station = graph.inside(busbar.unwrap_or(container), ContainerKind::Substation);
    let name = match station {
        _ if busbar.is_some() => busbar_name(graph, node),
        Some(station) => station_name(graph, station),
        None => String::new(),
    };
    Beyond { name, node, station, ..Beyond::default() }
}
