//! Tests a whole utility: one load flow gives the values of all substations.

use std::collections::BTreeMap;
use std::sync::Arc;

use grid::Micros;
use grid::control::Throw;
use simulators::physics::utility::UtilityPhysics;
use simulators::physics::utility_network::UtilityNetwork;
use simulators::utility::{self, Client};

/// Monday, 2 November 2026, 06:00 UTC.
const START: Micros = Micros(1_793_599_200_000_000);

fn first() -> Client {
    utility::demo(33).clients.remove(0)
}

struct Utility {
    client: Client,
    physics: UtilityPhysics,
}

impl Utility {
    fn start() -> Self {
        let client = first();
        let physics = simulators::physics(&client, 33, START);
        Self { client, physics }
    }

    fn index(&self, code: &str) -> usize {
        self.client.substations.iter().position(|substation| substation.code == code).expect("a substation")
    }

    fn values(&self, code: &str) -> &BTreeMap<String, f64> {
        self.physics.station(self.index(code)).values()
    }

    fn value(&self, code: &str, metric: &str) -> f64 {
        *self.values(code).get(metric).unwrap_or_else(|| panic!("no {metric} of {code}"))
    }

    /// Moves a switch, and lets it arrive.
    fn throw(&mut self, code: &str, switch: &str, to: Throw) {
        let station = self.index(code);
        assert!(self.physics.throw(station, switch, to, 60).0, "{code}/{switch} does not move");
        self.physics.step(self.physics.now().plus_millis(60));
    }

    /// Returns the voltages of all busbars and feeders with customers.
    fn voltages(&self) -> Vec<(String, f64)> {
        let mut found = Vec::new();
        for substation in &self.client.substations {
            let feeders = (1..).zip(&substation.plan.feeders).filter(|(_, feeder)| feeder.in_service);
            let metrics = ["BUSH/V".to_owned(), "BUSA/V".to_owned()].into_iter().chain(feeders.map(|(number, _)| format!("F{number}/Vr")));
            found.extend(metrics.map(|metric| (format!("{} {metric}", substation.code), self.value(&substation.code, &metric))));
        }
        found
    }
}

#[test]
fn trip_of_the_infeed_takes_the_voltage_from_everything_at_once() {
    let mut utility = Utility::start();
    let before = utility.voltages();
    assert!(before.len() > 50 && before.iter().all(|(_, kv)| *kv > 0.2), "{before:?}");
    utility.throw("SAMUDRA", "INC1CB", Throw::Open);
    let dark = utility.voltages();
    assert!(dark.iter().all(|(_, kv)| *kv == 0.0), "{dark:?}");
    assert!(utility.value("SAMUDRA", "INC1/Vr") > 70.0, "the line itself is live");
    assert!(utility.value("MILL", "F1/P").abs() < 1e-12);
    utility.throw("SAMUDRA", "INC1CB", Throw::Closed);
    let after = utility.voltages();
    for ((name, before), (_, after)) in before.iter().zip(&after) {
        assert!((after / before - 1.0).abs() < 0.03, "{name}: {before} and {after} kV");
    }
}

#[test]
fn substations_agree_about_the_lines_between_them() {
    let utility = Utility::start();
    for (from, feeder, to) in [("SAMUDRA", "F2", "LIGHTHOUSE"), ("SAMUDRA", "F3", "BAZAAR"), ("SAMUDRA", "F5", "CANAL")] {
        let (sent, received) = (utility.value(from, &format!("{feeder}/P")), utility.value(to, "INC1/P"));
        assert!(received > 1.0 && sent > received && sent < received * 1.05, "{to}: {sent} MW sent and {received} MW received");
        let (start, end) = (utility.value(from, &format!("{feeder}/Vr")), utility.value(to, "INC1/Vr"));
        assert!(end < start && end > start * 0.93, "{to}: {start} kV and {end} kV");
    }
    // Mill is supplied over the busbar of Canal.
    let canal = utility.value("CANAL", "INC1/P");
    let own: f64 = ["TX1/P", "TX2/P"].iter().map(|metric| utility.value("CANAL", metric)).sum();
    assert!(canal - own > utility.value("MILL", "INC1/P") && utility.value("MILL", "INC1/P") > 1.0, "{canal} and {own} MW");
    let hertz: Vec<f64> = ["SAMUDRA", "MILL", "CEDAR"].iter().map(|code| utility.value(code, "BUSH/Hz")).collect();
    assert!(hertz.windows(2).all(|pair| (pair[0] - pair[1]).abs() < 1e-12), "one frequency: {hertz:?}");
}

#[test]
fn ring_between_two_substations_carries_the_load_of_a_lost_line() {
    let mut utility = Utility::start();
    // Bazaar's second line comes from Lighthouse.
    utility.throw("BAZAAR", "INC2IS", Throw::Closed);
    utility.throw("BAZAAR", "INC2CB", Throw::Closed);
    let (one, other) = (utility.value("BAZAAR", "INC1/P"), utility.value("BAZAAR", "INC2/P"));
    let load: f64 = (1..=6).map(|feeder| utility.value("BAZAAR", &format!("F{feeder}/P"))).sum();
    assert!((one + other - load).abs() < 0.1 * load && one.abs() > 0.1, "{one} and {other} MW for {load} MW");
    utility.throw("BAZAAR", "INC1CB", Throw::Open);
    assert!((utility.value("BAZAAR", "INC2/P") - load).abs() < 0.1 * load, "the other line carries all");
    assert!(utility.value("BAZAAR", "F1/Ir") > 0.0);
}

#[test]
fn all_values_of_a_utility_need_one_load_flow() {
    let mut physics = UtilityPhysics::new(Arc::new(UtilityNetwork::new(&first())), |index| index as u64, START).settled();
    let before = physics.flows();
    for second in 1..=10 {
        physics.step(START.plus_millis(second * 1_000));
    }
    assert!(physics.flows() - before <= 10, "{}", physics.flows() - before);
}

#[test]
fn temperatures_do_not_depend_on_when_the_simulation_started() {
    let client = first();
    let hour = 3_600_000;
    let mut earlier = simulators::physics(&client, 33, START.plus_millis(-24 * hour));
    for quarter in 1..=96 {
        earlier.step(START.plus_millis(-24 * hour + quarter * hour / 4));
    }
    let now = simulators::physics(&client, 33, START);
    for (index, substation) in client.substations.iter().enumerate() {
        for unit in 1..=substation.plan.units.len() {
            for what in ["OTI", "WTI"] {
                let metric = format!("TX{unit}/{what}");
                let [one, other] = [&earlier, &now].map(|physics| physics.station(index).values()[&metric]);
                assert!(
                    (one - other).abs() < 2.0,
                    "{} {metric}: {one} °C at the end of the past, {other} °C at the start",
                    substation.code
                );
            }
        }
    }
}
