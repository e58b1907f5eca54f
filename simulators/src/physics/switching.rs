//! The switches of a substation: where their contacts stand, how they move, and what is fed through them.

use std::collections::BTreeMap;

use grid::Micros;
use grid::control::Throw;

use super::change::Change;
use crate::utility::Plan;

/// A contact on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Travel {
    to: Throw,
    arrives: Micros,
}

/// One breaker, isolator or earth switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Switch {
    /// Where it stands, or from where it is moving.
    stands: Throw,
    travel: Option<Travel>,
    /// Two contacts report it (0 intermediate, 1 open, 2 closed); otherwise one (0 open, 1 closed).
    double: bool,
}

impl Switch {
    fn value(&self) -> f64 {
        match (self.double, self.travel) {
            (true, Some(_)) => 0.0,
            (true, None) => f64::from(self.stands.code()),
            // One contact knows nothing between: it reports the old position until the new one is reached.
            (false, _) => f64::from(self.stands.code() - 1),
        }
    }
}

/// Whether a switch can be asked to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It stands.
    At(Throw),
    /// It is moving.
    Moving,
}

/// All switches, by asset code.
#[derive(Debug, Clone, PartialEq)]
pub struct Switchgear {
    switches: BTreeMap<String, Switch>,
}

impl Switchgear {
    /// The normal positions of a plan: closed unless it says otherwise, earth switches open.
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

    /// The positions as values, by metric name.
    pub fn values(&self) -> impl Iterator<Item = (String, f64)> {
        self.switches.iter().map(|(code, switch)| (format!("{code}/Pos"), switch.value()))
    }

    /// Where a switch stands; `None` when there is no such switch.
    pub fn standing(&self, code: &str) -> Option<Standing> {
        self.switches.get(code).map(|switch| if switch.travel.is_some() { Standing::Moving } else { Standing::At(switch.stands) })
    }

    /// Whether current can pass. Contacts on their way have parted.
    pub fn closed(&self, code: &str) -> bool {
        self.standing(code) == Some(Standing::At(Throw::Closed))
    }

    /// Sends a switch on its way. One that is moving already, or stands there, stays as it is.
    pub fn begin(&mut self, code: &str, to: Throw, at: Micros, travel_ms: i64) -> Option<Change> {
        let switch = self.switches.get_mut(code)?;
        if switch.travel.is_some() || switch.stands == to {
            return None;
        }
        switch.travel = Some(Travel { to, arrives: at.plus_millis(travel_ms) });
        switch.double.then(|| Change { at, metric: format!("{code}/Pos"), value: switch.value() })
    }

    /// Brings a switch there at once, as a protection's trip coil does; a movement under way ends.
    pub fn snap(&mut self, code: &str, to: Throw, at: Micros) -> Option<Change> {
        let switch = self.switches.get_mut(code)?;
        let changed = switch.travel.is_some() || switch.stands != to;
        (switch.stands, switch.travel) = (to, None);
        changed.then(|| Change { at, metric: format!("{code}/Pos"), value: switch.value() })
    }

    /// Ends the movements that have arrived: the switch, its new position and the change to report, in the order of their times.
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

    /// When the next movement ends.
    pub fn next_arrival(&self) -> Option<Micros> {
        self.switches.values().filter_map(|switch| switch.travel.map(|travel| travel.arrives)).min()
    }

    /// What is fed from where.
    pub fn feeding(&self, plan: &Plan) -> Feeding {
        let incomers: Vec<bool> = (1..=plan.incomers.len())
            .map(|index| {
                self.closed(&format!("INC{index}CB")) && self.closed(&format!("INC{index}IS")) && !self.closed(&format!("INC{index}ES"))
            })
            .collect();
        let high = incomers.contains(&true);
        let coupled = self.closed("BC");
        let excited: Vec<bool> = (1..=plan.units.len()).map(|unit| high && self.closed(&format!("TX{unit}HCB"))).collect();
        let connected: Vec<bool> = (1..=plan.units.len()).map(|unit| self.closed(&format!("TX{unit}LCB"))).collect();
        let island = |section: usize| if coupled { 0 } else { section };
        let sections = (0..plan.sections)
            .map(|section| {
                let feeds = |unit: &usize| excited[*unit] && connected[*unit] && island(plan.section_of_unit(*unit)) == island(section);
                (0..plan.units.len()).filter(feeds).collect()
            })
            .collect();
        let through = |index: usize| {
            let code = format!("F{}", index + 1);
            self.closed(&format!("{code}CB")) && self.closed(&format!("{code}IS"))
        };
        let feeders = (0..plan.feeders.len()).map(through).collect();
        Feeding { incomers, high, excited, connected, sections, feeders, capacitor: self.closed("CAP1CB") }
    }
}

/// What is fed from where, by the positions of the switches alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feeding {
    /// The incoming lines that feed the higher bus; several share the load.
    pub incomers: Vec<bool>,
    /// The higher bus is live.
    pub high: bool,
    /// The transformers with voltage from the higher bus.
    pub excited: Vec<bool>,
    /// The transformers connected to their section of the lower bus.
    pub connected: Vec<bool>,
    /// For each section of the lower bus the transformers that feed it, itself or through the coupler. None: it is dead.
    pub sections: Vec<Vec<usize>>,
    /// The feeders that are connected to their section.
    pub feeders: Vec<bool>,
    /// The capacitor bank is connected to section A.
    pub capacitor: bool,
}

impl Feeding {
    /// Whether a feeder carries load.
    pub fn loaded(&self, plan: &Plan, feeder: usize) -> bool {
        self.feeders[feeder] && !self.sections[plan.section_of(feeder)].is_empty()
    }
}
