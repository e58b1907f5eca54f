//! The switches of a substation: their positions, their movements, and the supply through them.

use std::collections::BTreeMap;

use grid::Micros;
use grid::control::Throw;

use super::change::Change;
use crate::utility::Plan;

/// A movement in progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Travel {
    to: Throw,
    arrives: Micros,
}

/// One breaker, isolator or earth switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Switch {
    /// Its position, or the start of its movement.
    stands: Throw,
    travel: Option<Travel>,
    /// Whether two contacts report it (0 intermediate, 1 open, 2 closed) or one (0 open, 1 closed).
    double: bool,
}

impl Switch {
    fn value(&self) -> f64 {
        match (self.double, self.travel) {
            (true, Some(_)) => 0.0,
            (true, None) => f64::from(self.stands.code()),
            // A single contact has no intermediate state: it reports the old position until the new one is reached.
            (false, _) => f64::from(self.stands.code() - 1),
        }
    }
}

/// The state of a switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SwitchState {
    /// At a position.
    At(Throw),
    /// Moving.
    Moving,
}

/// All switches, by asset code.
#[derive(Debug, Clone, PartialEq)]
pub struct Switchgear {
    switches: BTreeMap<String, Switch>,
}

impl Switchgear {
    /// Creates the switches with the normal positions of a plan: closed unless the plan specifies otherwise, earth switches
    /// open.
    pub fn new(plan: &Plan) -> Self {
        let mut switches = BTreeMap::new();
        let mut put = |code: String, closed: bool, double: bool| {
            let stands = if closed { Throw::Closed } else { Throw::Open };
            switches.insert(code, Switch { stands, travel: None, double });
        };
        for index in 0..plan.incomers.len() {
            let code = format!("INC{}", index + 1);
            put(format!("{code}CB"), index == 0, true);
            put(format!("{code}IS"), index == 0, false);
            put(format!("{code}ES"), false, false);
        }
        for (index, unit) in plan.units.iter().enumerate() {
            put(format!("TX{}HCB", index + 1), true, true);
            put(format!("TX{}LCB", index + 1), unit.in_service, true);
        }
        if plan.sections > 1 {
            put("BC".into(), plan.coupler_closed(), true);
        }
        if plan.cap.is_some() {
            put("CAP1CB".into(), true, true);
        }
        for (index, feeder) in plan.feeders.iter().enumerate() {
            let code = format!("F{}", index + 1);
            put(format!("{code}CB"), feeder.in_service, true);
            put(format!("{code}IS"), feeder.in_service, false);
            put(format!("{code}ES"), !feeder.in_service, false);
        }
        Self { switches }
    }

    /// Returns the positions as values, by metric name.
    pub fn values(&self) -> impl Iterator<Item = (String, f64)> {
        self.switches.iter().map(|(code, switch)| (format!("{code}/Pos"), switch.value()))
    }

    /// Returns the state of a switch; `None` if it does not exist.
    pub fn switch_state(&self, code: &str) -> Option<SwitchState> {
        self.switches.get(code).map(|switch| if switch.travel.is_some() { SwitchState::Moving } else { SwitchState::At(switch.stands) })
    }

    /// Whether current can flow. Moving contacts count as open.
    pub fn closed(&self, code: &str) -> bool {
        self.switch_state(code) == Some(SwitchState::At(Throw::Closed))
    }

    /// Starts a movement. Returns the change to report; `None` if nothing is to be reported. A switch that is moving, or is in
    /// that position already, does not change.
    pub fn begin(&mut self, code: &str, to: Throw, at: Micros, travel_ms: i64) -> Option<Change> {
        let switch = self.switches.get_mut(code)?;
        if switch.travel.is_some() || switch.stands == to {
            return None;
        }
        switch.travel = Some(Travel { to, arrives: at.plus_millis(travel_ms) });
        switch.double.then(|| Change { at, metric: format!("{code}/Pos"), value: switch.value() })
    }

    /// Moves a switch immediately, as the trip coil of a protection does, and ends a movement in progress. Returns the change,
    /// if any.
    pub fn snap(&mut self, code: &str, to: Throw, at: Micros) -> Option<Change> {
        let switch = self.switches.get_mut(code)?;
        let changed = switch.travel.is_some() || switch.stands != to;
        (switch.stands, switch.travel) = (to, None);
        changed.then(|| Change { at, metric: format!("{code}/Pos"), value: switch.value() })
    }

    /// Completes the movements that are due. Returns the switch, its new position and the change to report, in the order of
    /// their times.
    pub fn arrive(&mut self, now: Micros) -> Vec<(String, Throw, Change)> {
        let mut arrived = Vec::new();
        for (code, switch) in &mut self.switches {
            if let Some(travel) = switch.travel.filter(|travel| travel.arrives <= now) {
                (switch.stands, switch.travel) = (travel.to, None);
                arrived.push((
                    code.clone(),
                    travel.to,
                    Change { at: travel.arrives, metric: format!("{code}/Pos"), value: switch.value() },
                ));
            }
        }
        arrived.sort_by_key(|(_, _, change)| change.at);
        arrived
    }

    /// Returns the time at which the next movement ends.
    pub fn next_arrival(&self) -> Option<Micros> {
        self.switches.values().filter_map(|switch| switch.travel.map(|travel| travel.arrives)).min()
    }

    /// Returns what the switches connect.
    pub fn feeding(&self, plan: &Plan) -> Feeding {
        let coupled = self.closed("BC");
        let connected: Vec<bool> =
            (1..=plan.units.len()).map(|unit| self.closed(&format!("TX{unit}HCB")) && self.closed(&format!("TX{unit}LCB"))).collect();
        let island = |section: usize| if coupled { 0 } else { section };
        let sections = (0..plan.sections)
            .map(|section| {
                let feeds = |unit: &usize| connected[*unit] && island(plan.section_of_unit(*unit)) == island(section);
                (0..plan.units.len()).filter(feeds).collect()
            })
            .collect();
        let through = |index: usize| {
            let code = format!("F{}", index + 1);
            self.closed(&format!("{code}CB")) && self.closed(&format!("{code}IS"))
        };
        Feeding { sections, feeders: (0..plan.feeders.len()).map(through).collect() }
    }
}

/// The connections that the switches of a substation make, whether or not it has voltage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feeding {
    /// For each section of the lower-voltage bus the transformers that are connected with it on both sides, directly or through the coupler.
    pub sections: Vec<Vec<usize>>,
    /// For each feeder whether it is connected to its section.
    pub feeders: Vec<bool>,
}
