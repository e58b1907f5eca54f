//! The diagram of a feeder, laid out from the network: from its busbar over its breaker to its normally-open points, with what is beyond them.
//!
//! The diagram has everything between them in the normal state. A network of low voltage behind a distribution transformer is one symbol, and so is
//! everything behind a third winding. The feeder ends at substations with feeders of their own. Equipment out of service is not drawn.

mod block;
mod error;
mod graph;
mod heads;
mod names;
mod row;
mod shape;
mod sheet;
#[cfg(test)]
mod tests;
mod tree;

use network::Description;

pub use error::Error;
pub use heads::FeederSummary;

use crate::schema::File;
use graph::{Connections, Graph};
use heads::{Head, Heads, directed};
use row::Rows;
use shape::Shape;
use sheet::{MeasurementOrder, Points};
use tree::Tree;

/// The diagram of a feeder.
#[derive(Debug, Clone, PartialEq)]
pub struct FeederDiagram {
    /// The drawing.
    pub file: File,
    /// For each element of the drawing the id of a node of the network that it is at. A line connects several nodes of the network; it has the first.
    pub nodes: Vec<String>,
    /// For each element the id of the substation that it belongs to; for an end, that of what it names. `None` if the network does not say.
    pub stations: Vec<Option<String>>,
    /// The id of the breaker at its head.
    pub head: String,
}

/// The feeders of a network. Finding them costs as much as the network is large; a diagram costs as much as its feeder.
#[derive(Debug)]
pub struct Feeders {
    connections: Connections,
    heads: Heads,
    measurements: MeasurementOrder,
}

impl Feeders {
    /// Finds the feeders of a network.
    pub fn new(network: &Description) -> Self {
        let connections = Connections::new(network);
        let heads = Heads::new(&Graph::new(network, &connections));
        Self { connections, heads, measurements: MeasurementOrder::new(network) }
    }

    /// Returns the feeders that a breaker feeds in the normal state, in the order of their containers. `network` is the one in which they were found.
    pub fn summaries(&self, network: &Description) -> Vec<FeederSummary> {
        heads::summaries(&Graph::new(network, &self.connections), &self.heads)
    }

    /// Returns the diagram of a feeder. `feeder` is the id of its container, or of the breaker at its head, and `network` the one in which it was found.
    pub fn diagram(&self, network: &Description, feeder: &str) -> Result<FeederDiagram, Error> {
        let (graph, heads) = (Graph::new(network, &self.connections), &self.heads);
        let (head, container) = find(&graph, heads, feeder).ok_or_else(|| Error::NoFeeder(feeder.to_owned()))?;
        let tree = Tree::new(&graph, heads, head)?;
        let shape = Shape::new(&graph, &tree);
        let points = Points::new(network, &self.measurements);
        let has_values = |equipment: usize| points.has_values(&graph.equipment(equipment).id);
        let block = Rows { graph: &graph, tree: &tree, shape: &shape, has_values: &has_values }.all();
        let name = match container {
            Some(container) => {
                let (name, label) = names::feeder_name(&graph, container);
                [name, label].join(" ").trim().to_owned()
            }
            None => names::name_of(&graph, graph.equipment(head.breaker)),
        };
        let (file, nodes) = sheet::write(&graph, &points, &block, &name);
        let stations = sheet::stations(&graph, &block);
        Ok(FeederDiagram { file, nodes, stations, head: graph.equipment(head.breaker).id.clone() })
    }
}

/// Finds the head of a feeder, and its container.
fn find(graph: &Graph<'_>, heads: &Heads, feeder: &str) -> Option<(Head, Option<usize>)> {
    let of_container = heads.of_containers.iter().find(|(container, _)| graph.network.containers[*container].id == feeder);
    if let Some((container, head)) = of_container {
        return Some((*head, Some(*container)));
    }
    let breaker = graph.network.equipment.iter().position(|equipment| equipment.id == feeder && equipment.kind.is_switch())?;
    Some((directed(graph, breaker)?, heads.by_breaker.get(&breaker).copied()))
}
