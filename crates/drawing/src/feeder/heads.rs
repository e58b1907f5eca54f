//! The feeders of a network: for each the breaker at its head, and the parts that it supplies in the normal state.

use std::collections::{HashMap, HashSet};

use network::EquipmentKind;
use network::description::{ContainerKind, Electrical};

use super::graph::{FAR, Graph};

/// A feeder with the parts that it supplies in the normal state of the network.
#[derive(Debug, Clone, PartialEq)]
pub struct FeederSummary {
    /// The id of its container.
    pub id: String,
    /// Its name; may be empty.
    pub name: String,
    /// The id of the breaker at its head.
    pub head: String,
    /// The id of its substation; `None` if the network does not have it.
    pub station: Option<String>,
    /// The number of customers.
    pub customers: u64,
    /// The connected load, kW.
    pub load_kw: f64,
    /// The number of transformers.
    pub transformers: usize,
}

/// Returns the feeders with the parts that they supply.
pub(super) fn summaries(graph: &Graph<'_>, heads: &Heads) -> Vec<FeederSummary> {
    let network = graph.network;
    let summary = |(container, head): (usize, Head)| {
        let of = &network.containers[container];
        let station = graph.inside(of.parent.as_deref(), ContainerKind::Substation);
        let mut summary = FeederSummary {
            id: of.id.clone(),
            name: of.name.clone(),
            head: graph.equipment(head.breaker).id.clone(),
            station: station.map(|station| network.containers[station].id.clone()),
            customers: 0,
            load_kw: 0.0,
            transformers: 0,
        };
        for equipment in supplied(graph, heads, head) {
            if let Electrical::Consumer(consumed) = &graph.equipment(equipment).electrical {
                summary.customers = summary.customers.saturating_add(consumed.customers);
                summary.load_kw += consumed.kw;
            }
            summary.transformers += usize::from(graph.kind(equipment) == EquipmentKind::PowerTransformer);
        }
        summary
    };
    heads.of_containers.iter().map(|found| summary(*found)).collect()
}

/// Returns the equipment behind a head.
fn supplied(graph: &Graph<'_>, heads: &Heads, head: Head) -> Vec<usize> {
    let (mut found, mut seen, mut ahead) = (Vec::new(), HashSet::from([head.below, head.above]), vec![head.below]);
    let mut is_found: HashSet<usize> = HashSet::new();
    while let Some(node) = ahead.pop() {
        for equipment in &graph.at[node] {
            if *equipment == head.breaker || !is_found.insert(*equipment) {
                continue;
            }
            found.push(*equipment);
            if graph.is_open(*equipment) || heads.by_breaker.contains_key(equipment) {
                continue;
            }
            ahead.extend(graph.others(*equipment, node).into_iter().filter(|next| seen.insert(*next)));
        }
    }
    found
}

/// The breaker at the head of a feeder, with the nodes on both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) breaker: usize,
    /// The node on the side of the source.
    pub(super) above: usize,
    pub(super) below: usize,
}

/// The heads of all feeders.
#[derive(Debug, Default)]
pub(super) struct Heads {
    /// For each feeder, the position of its container, and its head.
    pub(super) of_containers: Vec<(usize, Head)>,
    /// For each breaker at a head, the container of its feeder.
    pub(super) by_breaker: HashMap<usize, usize>,
}

impl Heads {
    pub(super) fn new(graph: &Graph<'_>) -> Self {
        let mut inside: HashMap<usize, Vec<usize>> = HashMap::new();
        for (position, equipment) in graph.network.equipment.iter().enumerate() {
            if let Some(container) = graph.inside(equipment.container.as_deref(), ContainerKind::Feeder) {
                inside.entry(container).or_default().push(position);
            }
        }
        let mut heads = Self::default();
        for container in 0..graph.network.containers.len() {
            let Some(head) = inside.get(&container).and_then(|equipment| head_of(graph, container, equipment)) else { continue };
            heads.of_containers.push((container, head));
            heads.by_breaker.entry(head.breaker).or_insert(container);
        }
        heads
    }
}

/// Returns the head of the feeder that consists of this equipment: the last breaker on the path from its nearest end to the busbar.
fn head_of(graph: &Graph<'_>, container: usize, equipment: &[usize]) -> Option<Head> {
    let nearest = |of: &&usize| graph.ends[**of].iter().map(|node| graph.depth[*node]).min().unwrap_or(FAR);
    let first = *equipment.iter().min_by_key(nearest)?;
    let mut node = graph.ends[first].iter().copied().min_by_key(|node| graph.depth[*node]).filter(|node| graph.depth[*node] != FAR)?;
    let is_own = |of: usize| {
        let found = graph.inside(graph.equipment(of).container.as_deref(), ContainerKind::Feeder);
        found == Some(container)
    };
    let is_at_station = |node: usize| graph.busbar(node).is_some_and(|busbar| !is_own(busbar));
    if is_at_station(node) {
        // The container includes the bay.
        let breakers = equipment.iter().filter(|of| graph.kind(**of) == EquipmentKind::Breaker && !graph.is_open(**of));
        return breakers.min_by_key(nearest).and_then(|breaker| directed(graph, *breaker));
    }
    let mut head = None;
    while let Some((branch, above)) = graph.towards_source(node) {
        match graph.kind(branch) {
            EquipmentKind::Breaker => head = Some(Head { breaker: branch, above, below: node }),
            EquipmentKind::PowerTransformer | EquipmentKind::DirectCurrentLine => break,
            _ => {}
        }
        if is_at_station(above) {
            break;
        }
        node = above;
    }
    head
}

/// Returns a breaker with its node on the side of the source and its node on the side of the feeder.
pub(super) fn directed(graph: &Graph<'_>, breaker: usize) -> Option<Head> {
    match *graph.ends[breaker] {
        [a, b] if graph.depth[b] < graph.depth[a] => Some(Head { breaker, above: b, below: a }),
        [a, b] if a != b => Some(Head { breaker, above: a, below: b }),
        _ => None,
    }
}
