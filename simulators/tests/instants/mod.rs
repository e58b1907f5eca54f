//! Ten instants of the first utility, with different switch states and loads, and what its meters show.

use std::collections::BTreeMap;

use grid::Micros;
use grid::control::Throw;
use simulators::physics::utility::UtilityPhysics;
use simulators::utility::{self, Client, Substation};

/// Monday, 2 November 2026, 06:00 UTC.
const START: Micros = Micros(1_793_599_200_000_000);
const HOUR_MS: i64 = 3_600_000;

/// A switch that is moved: substation, switch, position.
type Moved = (&'static str, &'static str, Throw);

/// For each instant its name, hours since the instant before, and the switches that are moved.
const INSTANTS: [(&str, i64, &[Moved]); 10] = [
    ("Monday noon", 0, &[]),
    ("evening", 9, &[]),
    ("night", 6, &[]),
    ("two transformers in parallel", 5, &[("QUAYSIDE", "BC", Throw::Closed)]),
    ("two lines in parallel", 1, &[("QUAYSIDE", "INC2IS", Throw::Closed), ("QUAYSIDE", "INC2CB", Throw::Closed)]),
    ("ring of three substations", 3, &[("BAZAAR", "INC2IS", Throw::Closed), ("BAZAAR", "INC2CB", Throw::Closed)]),
    ("line lost", 4, &[("BAZAAR", "INC1CB", Throw::Open)]),
    (
        "without capacitor, a feeder and a transformer",
        6,
        &[
            ("LIGHTHOUSE", "CAP1CB", Throw::Open),
            ("ORCHARD", "F2CB", Throw::Open),
            ("CANAL", "BC", Throw::Closed),
            ("CANAL", "TX2LCB", Throw::Open),
        ],
    ),
    ("substation dead", 2, &[("MILL", "INC1CB", Throw::Open)]),
    (
        "two infeeds and a Sunday",
        130,
        &[("SAMUDRA", "INC2IS", Throw::Closed), ("SAMUDRA", "INC2CB", Throw::Closed), ("SAMUDRA", "BC", Throw::Closed)],
    ),
];

/// Calls a function at each instant with its name.
pub(crate) fn visit(mut at: impl FnMut(&str, &Client, &UtilityPhysics)) {
    let client = utility::demo(33).clients.remove(0);
    let mut physics = simulators::physics(&client, 33, START);
    for (name, hours, moves) in INSTANTS {
        for (station, switch, to) in moves {
            let station = client.substations.iter().position(|substation| substation.code == *station).expect("a substation");
            assert!(physics.throw(station, switch, *to, 60).0, "{name}: {switch}");
        }
        // Steps of five minutes, so that the tap changers follow the load.
        for _ in 0..=hours * 12 {
            physics.step(physics.now().plus_millis(HOUR_MS / 12));
        }
        at(name, &client, &physics);
    }
}

/// Returns the voltages, mean currents and powers at the meters of a substation.
pub(crate) fn metered(substation: &Substation, values: &BTreeMap<String, f64>) -> BTreeMap<String, f64> {
    let plan = &substation.plan;
    let mut found = BTreeMap::new();
    let mut keep = |metric: String| {
        if let Some(value) = values.get(&metric) {
            found.insert(metric, *value);
        }
    };
    for metric in ["BUSH/V", "BUSA/V", "BUSB/V", "CAP1/Q"] {
        keep(metric.to_owned());
    }
    let incomers = (1..=plan.incomers.len()).map(|number| format!("INC{number}"));
    let lines: Vec<String> = incomers.chain((1..=plan.feeders.len()).map(|number| format!("F{number}"))).collect();
    for code in lines.iter().cloned().chain((1..=plan.units.len()).map(|number| format!("TX{number}"))) {
        keep(format!("{code}/P"));
        keep(format!("{code}/Q"));
    }
    (1..=plan.units.len()).for_each(|number| keep(format!("TX{number}/I")));
    for code in lines {
        let mean = ["Ir", "Iy", "Ib"].iter().filter_map(|phase| values.get(&format!("{code}/{phase}"))).sum::<f64>() / 3.0;
        found.insert(format!("{code}/I"), mean);
    }
    found
}
