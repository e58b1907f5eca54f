//! The diagram of a feeder, laid out from the network: from its busbar through its breaker to its normally-open points, with the names of the parts beyond
//! them.
//!
//! The diagram contains all equipment of the feeder in the normal state. A low-voltage network behind a distribution transformer is drawn as one symbol.
//! Everything behind a third winding is also drawn as one symbol. The feeder ends at substations with feeders of their own. Equipment that is out of service is
//! not drawn.

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
    /// For each element of the drawing, the id of its node in the network. A line connects several nodes of the network; for a line, it is the first one.
    pub nodes: Vec<String>,
    /// For each element, the id of its substation. For an end, it is the substation of the part that the end names. `None` if the network does not have it.
    pub stations: Vec<Option<String>>,
    /// The id of the breaker at its head.
    pub head: String,
}

/// The feeders of a network. The time to find them is proportional to the size of the network; the time for a diagram is proportional to the size of its
/// feeder.
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

    /// Returns the feeders that a breaker feeds in the normal state, in the order of their containers. `network` must be the network in which they were found.
    pub fn summaries(&self, network: &Description) -> Vec<FeederSummary> {
        heads::summaries(&Graph::new(network, &self.connections), &self.heads)
    }

    /// Returns the diagram of a feeder. `feeder` is the id of its container, or of the breaker at its head, and `network` must be the network in which it was
    /// found.
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
