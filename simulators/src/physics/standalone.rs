//! A substation without its utility: its incoming lines come from neighbouring networks.

use std::sync::Arc;

use grid::Micros;
use grid::control::Throw;

use super::change::Change;
use super::substation::{Balance, Station};
use super::switching::SwitchState;
use super::utility::UtilityPhysics;
use super::utility_network::UtilityNetwork;
use crate::utility::{Client, Pace, Substation};

/// A running substation with a network of its own.
#[derive(Debug)]
pub struct Standalone(UtilityPhysics);

impl Standalone {
    /// Creates a substation at an instant.
    pub fn new(substation: &Substation, seed: u64, at: Micros, faults: bool) -> Self {
        let physics = Self::physics(substation, seed, at);
        Self(if faults { physics.with_faults() } else { physics })
    }

    /// Creates the physics of a utility with this substation only, without faults.
    pub fn physics(substation: &Substation, seed: u64, at: Micros) -> UtilityPhysics {
        let client = Client {
            code: substation.code.clone(),
            name: substation.name.clone(),
            time_zone: String::new(),
            pace: Pace::Usual,
            config: serde_json::Value::Null,
            nodes: Vec::new(),
            substations: vec![substation.clone()],
        };
        UtilityPhysics::new(Arc::new(UtilityNetwork::new(&client)), |_| seed, at).settled()
    }

    /// Sets the mean time between faults of a feeder, h.
    #[must_use]
    pub fn with_fault_hours(self, hours: f64) -> Self {
        Self(self.0.with_fault_hours(hours))
    }

    /// Returns the substation.
    pub fn station(&self) -> &Station {
        self.0.station(0)
    }

    /// Returns all present values by metric name.
    pub fn values(&self) -> &std::collections::BTreeMap<String, f64> {
        self.station().values()
    }

    /// Returns the balance of the powers of the last step.
    pub fn balance(&self) -> Balance {
        self.station().balance()
    }

    /// Returns the instant of the last step.
    pub fn now(&self) -> Micros {
        self.0.now()
    }

    /// Returns the time of the next switch movement or protection step.
    pub fn next_change(&self) -> Option<Micros> {
        self.0.next_change(0)
    }

    /// Returns the state of a switch; `None` if it does not exist.
    pub fn switch_state(&self, code: &str) -> Option<SwitchState> {
        self.station().switch_state(code)
    }

    /// Advances to `to`. Returns the status changes on the way, in the order of their times.
    pub fn step(&mut self, to: Micros) -> Vec<Change> {
        self.0.step(to).pop().unwrap_or_default()
    }

    /// Starts the movement of a switch at the present instant. Returns whether it moves.
    pub fn throw(&mut self, code: &str, to: Throw, travel_ms: i64) -> (bool, Option<Change>) {
        self.0.throw(0, code, to, travel_ms)
    }

    /// Starts a fault on a feeder.
    pub fn fault(&mut self, feeder: usize) {
        self.0.fault(0, feeder);
    }
}
