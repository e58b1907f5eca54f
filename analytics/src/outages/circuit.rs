//! Converts a stored drawing to the circuit that determines the supply of feeders. Earth switches are left out: an earthed feeder has no
//! supply either, and an unknown earth switch must not make everything behind an open breaker unknown.

use std::collections::HashMap;

use drawing::picture::Drawn;
use drawing::wiring::{Connections, Switch, Wiring};
use grid::{Micros, NodeId};
use network::EquipmentId;
use serde_json::Value;

/// The first character of the key of an incoming line among the addresses of points. The address of a point never contains this character.
const INFEED: &str = "\u{0}";

/// The circuit of a substation.
#[derive(Debug, Clone)]
pub(super) struct Circuit {
    pub(super) connections: Connections,
    /// The switches of each point, by `device/metric`.
    pub(super) switches: HashMap<String, Vec<EquipmentId>>,
    /// The node on the line side of each feeder in the drawing, by its code.
    pub(super) feeders: HashMap<String, usize>,
    /// The sources of each incoming line that is a source in the drawing, by its code.
    pub(super) infeeds: HashMap<String, Vec<EquipmentId>>,
    /// The equipment of the drawing, by which the substation is found in the network of the utility.
    pub(super) drawn: Drawn,
}

impl Circuit {
    /// Builds the circuit of a stored drawing. This can take some milliseconds.
    pub(super) fn of(location: NodeId, updated: Micros, body: &Value) -> Self {
        let mut wiring = Wiring::of_value(body);
        wiring.earths.clear();
        let (mut feeders, mut lines) = (HashMap::new(), Vec::new());
        let elements = body.get("elements").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        for (element, wired) in elements.iter().zip(&wiring.elements) {
            let text = |key: &str| element.get(key).and_then(Value::as_str);
            let (Some(code), Some(node)) = (text("asset"), wired.nodes.first()) else { continue };
            match text("class") {
                Some("feeder") => drop(feeders.entry(code.to_owned()).or_insert(*node)),
                Some("source") => lines.push((code.to_owned(), *node)),
                _ => {}
            }
        }
        // A source that is an incoming line is present while the line has voltage, so it has a point of its own.
        for (code, node) in &lines {
            if let Some(source) = wiring.sources.iter_mut().find(|source| **source == (*node, Switch::Always)) {
                source.1 = Switch::Point(format!("{INFEED}{code}"));
            }
        }
        let connections = wiring.connections();
        let (mut switches, mut infeeds): (HashMap<String, Vec<EquipmentId>>, HashMap<String, Vec<EquipmentId>>) = Default::default();
        for (equipment, point) in &connections.positions {
            match point.strip_prefix(INFEED) {
                Some(code) => infeeds.entry(code.to_owned()).or_default().push(*equipment),
                None => switches.entry(point.clone()).or_default().push(*equipment),
            }
        }
        Self { connections, switches, feeders, infeeds, drawn: Drawn::new(location, updated, body) }
    }
}
