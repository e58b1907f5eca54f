//! A stored drawing as the circuit that says which feeders have supply. Earth switches are left out of it: what is earthed has no supply either, and one of
//! which nobody knows must not make everything behind an open breaker unknown.

use std::collections::HashMap;

use drawing::wiring::{Inputs, Wiring};
use grid::topology::Network;
use serde_json::Value;

/// How a substation is wired.
#[derive(Debug, Clone)]
pub(super) struct Circuit {
    pub(super) network: Network,
    /// The switches that it rests on, by `device/metric`: the input of each.
    pub(super) inputs: HashMap<String, usize>,
    /// One more input: whether the sources may be taken for known.
    pub(super) sources: usize,
    /// The node on the line side of each feeder that is drawn, by its code.
    pub(super) feeders: HashMap<String, usize>,
}

impl Circuit {
    /// Of a drawing as it is stored. May take milliseconds.
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
