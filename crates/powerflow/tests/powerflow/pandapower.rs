//! Networks whose load flow pandapower has calculated: the IEEE case with 14 buses, and the CIGRE network of medium voltage with its generators.
//!
//! `scripts/flow-peers` compares more of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use network::{Description, NetworkState};
use powerflow::{Case, Complex64, Method, Options};
use serde::Deserialize;

#[derive(Deserialize)]
struct Flow {
    description: Description,
    /// Per unit and degrees.
    buses: BTreeMap<String, [f64; 2]>,
    /// Equipment, terminal, and current in kA.
    currents: Vec<(String, u8, f64)>,
}

fn check(text: &str) {
    let flow: Flow = serde_json::from_str(text).expect("a network");
    let state = NetworkState::new(Arc::new(flow.description.to_model().expect("a model")));
    let case = Case::new(&flow.description, &state).expect("a case");
    for method in [Method::Auto, Method::Newton] {
        let solution = case.solve(&Options { method, ..Options::default() });
        for (id, [magnitude, degrees]) in &flow.buses {
            let voltage = solution.voltage_pu(state.model().node(id).expect("there")).expect("a voltage");
            let expected = Complex64::from_polar(*magnitude, degrees.to_radians());
            assert!((voltage - expected).norm() < 1e-8, "{id}: {voltage}, expected {expected}");
        }
        for (id, terminal, expected) in &flow.currents {
            let current = solution.current_a(state.model().equipment(id).expect("there"), *terminal).expect("a current").norm() / 1_000.0;
            assert!((current - expected).abs() < 1e-7 * expected.max(1e-5), "{id}, terminal {terminal}: {current} kA, expected {expected}");
        }
    }
}

#[test]
fn case14_agrees_with_pandapower() {
    check(include_str!("../vectors/case14.json"));
}

#[test]
fn cigre_mv_agrees_with_pandapower() {
    check(include_str!("../vectors/cigre_mv.json"));
}
