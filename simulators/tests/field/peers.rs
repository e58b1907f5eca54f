//! Compares the values of all meters at ten instants with pandapower's load flow of the exported network (scripts/demo-peers).

use serde::Deserialize;
use std::collections::BTreeMap;

use crate::instants;

/// The greatest difference of a voltage, per unit.
const VOLTAGE_LIMIT_PU: f64 = 1e-4;
/// The greatest relative difference of a current, and the least current that is compared as it is, A.
const CURRENT_LIMIT: (f64, f64) = (1e-3, 1.0);
/// The greatest difference of a power, MW or MVAr.
const POWER_LIMIT: f64 = 1e-4;

#[derive(Debug, Deserialize)]
struct Vectors {
    instants: Vec<Instant>,
}

#[derive(Debug, Deserialize)]
struct Instant {
    name: String,
    values: BTreeMap<String, BTreeMap<String, f64>>,
}

#[test]
fn meters_agree_with_pandapower_at_ten_instants() {
    let vectors: Vectors = serde_json::from_str(include_str!("../vectors/demo_flows.json")).expect("JSON");
    let (mut next, mut compared) = (vectors.instants.iter(), 0);
    instants::visit(|name, client, physics| {
        let peer = next.next().expect("an instant");
        assert_eq!(peer.name, name);
        for (index, substation) in client.substations.iter().enumerate() {
            let shown = instants::metered(substation, physics.station(index).values());
            for (metric, peer) in &peer.values[&substation.code] {
                let (value, place) = (shown[metric], format!("{name}: {}/{metric}", substation.code));
                compared += 1;
                if metric.ends_with("/V") {
                    let nominal = if metric == "BUSH/V" { substation.plan.kv_high } else { substation.plan.kv_low };
                    assert!((value - peer).abs() < VOLTAGE_LIMIT_PU * nominal, "{place}: {value} and {peer} kV");
                } else if metric.ends_with("/I") {
                    let (relative, least) = CURRENT_LIMIT;
                    assert!((value - peer).abs() < relative * peer.max(least), "{place}: {value} and {peer} A");
                } else {
                    assert!((value - peer).abs() < POWER_LIMIT, "{place}: {value} and {peer}");
                }
            }
        }
    });
    assert!(compared > 1_000 && next.next().is_none(), "{compared} values");
}
