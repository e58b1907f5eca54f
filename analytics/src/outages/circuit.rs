//! Converts a stored drawing to the circuit that determines the supply of feeders. Earth switches are left out: an earthed feeder has no
//! supply either, and an unknown earth switch must not make everything behind an open breaker unknown.

use std::collections::HashMap;

use drawing::wiring::{Inputs, Wiring};
use grid::topology::Network;
use serde_json::Value;

/// The circuit of a substation.
#[derive(Debug, Clone)]
pub(super) struct Circuit {
    pub(super) network: Network,
    /// The index of the input of each switch, by `device/metric`.
    pub(super) inputs: HashMap<String, usize>,
    /// The index of a further input: whether the sources count as known.
    pub(super) sources: usize,
    /// The node on the line side of each feeder in the drawing, by its code.
    pub(super) feeders: HashMap<String, usize>,
}

impl Circuit {
    /// Builds the circuit of a stored drawing. May take milliseconds.
    pub(super) fn of(body: &Value) -> Self {
        let mut wiring = Wiring::of_value(body);
        wiring.earths.clear();
        let mut feeders = HashMap::new();
        let elements = body.get("elements").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        for (element, wired) in elements.iter().zip(&wiring.elements) {
            let text = |key: &str| element.get(key).and_then(Value::as_str);
            if let (Some("feeder"), Some(code), Some(node)) = (text("class"), text("asset"), wired.nodes.first()) {
                feeders.entry(code.to_owned()).or_insert(*node);
            }
        }
        let Inputs { network, points, sources } = wiring.network();
        Self { network, inputs: points.into_iter().enumerate().map(|(input, point)| (point, input)).collect(), sources, feeders }
    }
}
