//! One substation over time: loads, tap changers, temperatures, registers, battery and protection, and the values that its RTU measures. The voltages and
//! powers come from the load flow of the utility.

mod read_out;

use std::collections::{BTreeMap, VecDeque};

use grid::Micros;
use grid::control::Throw;
use grid::thermal;
use num_complex::Complex64;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

pub use super::change::Change;
use super::distortion::Flicker;
use super::electrical::Electrical;
use super::fault_level::FeederImpedance;
use super::line::{Lean, Meter};
use super::load::{self, Noise};
use super::protection::{self, Action};
use super::site;
use super::switching::{SwitchState, Switchgear};
use crate::utility::Plan;

/// The tap with the nominal ratio.
const TAP_NEUTRAL: i32 = 9;
/// Deviation of the lower voltage from its set point at which the tap changer acts, per unit.
const TAP_BAND: f64 = 0.0125;
/// Mean time between faults of a feeder unless [`Station::with_fault_hours`] sets another one, h.
const FAULT_HOURS: f64 = 1.4;
/// Lines between substations have fewer faults than feeders, by this factor: because they are built better, and their routes are kept clear of trees.
pub const SUPPLY_LINE_FAULTS: f64 = 0.1;
/// If a breaker is closed onto a fault, the fault is at this share of the feeder's length.
const NEAR: f64 = 0.1;

/// Seed of a site's clouds and demand. Days of the demo's past are generated one by one from different seeds, but the site must be continuous between
/// them.
const SITE_SEED: u64 = 12_193;

/// Metric of the substation's local/remote switch; 1 is local.
pub const LOCAL: &str = "STN/Loc";

/// The power that the customers of a feeder would take if they had supply.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Demand {
    /// MVA, without that of a site.
    pub(super) load: Complex64,
    /// The powers of a low-carbon site at the feeder.
    pub(super) site: site::Flow,
}

/// The conditions at an instant that are the same for all substations of a utility.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Conditions {
    pub(super) hertz: f64,
    /// Temperature of the air, °C.
    pub(super) ambient: f64,
    /// Time since the last instant.
    pub(super) hours: f64,
    pub(super) minutes: f64,
}

#[derive(Debug, Clone)]
struct FeederState {
    noise: Noise,
    /// Unbalance of its phases, per unit.
    lean: f64,
    meter: Meter,
    operations: f64,
    /// Remaining steps of its protection, with their times.
    steps: VecDeque<(Micros, Action)>,
}

#[derive(Debug, Clone)]
struct UnitState {
    tap: i32,
    parameters: thermal::Parameters,
    thermal: thermal::State,
    oil_percent: f64,
}

/// A running substation.
#[derive(Debug)]
pub struct Station {
    plan: Plan,
    rng: StdRng,
    now: Micros,
    feeders: Vec<FeederState>,
    units: Vec<UnitState>,
    lean: Lean,
    /// The meter of each incoming line.
    incomers: Vec<Meter>,
    /// The low-carbon site at one of its feeders.
    site: Option<site::Running>,
    switchgear: Switchgear,
    /// Whether the substation's local/remote switch is on local.
    local: bool,
    /// Whether faults are generated; false in tests of the steady state.
    faults: bool,
    /// Mean time between faults of a feeder, h.
    fault_hours: f64,
    values: BTreeMap<String, f64>,
    balance: Balance,
    /// The load flow of the last step.
    electrical: Electrical,
    fault_levels: Vec<FeederImpedance>,
    /// Whether a switch has moved since the last step.
    has_moved: bool,
}

/// The balance of the powers of the last step, MVA.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Balance {
    /// Into the substation from its incoming line.
    pub incomer: Complex64,
    /// Out of the substation into the feeders.
    pub feeders: Complex64,
    /// Into the capacitor bank; its reactive part is negative, because the bank delivers reactive power.
    pub capacitor: Complex64,
    /// Losses of the transformers.
    pub transformers: Complex64,
}

impl Station {
    /// Creates a substation at an instant, without random faults, with the temperatures of half of its rated load.
    pub(super) fn new(plan: Plan, seed: u64, at: Micros) -> Self {
        let mut rng = StdRng::seed_from_u64(seed);
        let leaning = Lean::new(&mut rng);
        let feeders = plan
            .feeders
            .iter()
            .map(|feeder| {
                let lean = rng.random_range(-0.06..0.06);
                let total_mwh = (rng.random_range(8_000.0..60_000.0_f64) * 10.0).round() / 10.0;
                FeederState {
                    noise: Noise::default(),
                    lean,
                    meter: Meter::new(total_mwh, leaning.shares(lean), Flicker::new(&mut rng, Some(feeder.class))),
                    operations: f64::from(rng.random_range(40..600)),
                    steps: VecDeque::new(),
                }
            })
            .collect();
        let units = (0..plan.units.len())
            .map(|index| {
                let parameters = thermal::Parameters::typical(plan.cooling(index));
                UnitState {
                    tap: TAP_NEUTRAL,
                    thermal: thermal::State::steady(&parameters, if plan.units[index].in_service { 0.5 } else { 0.0 }, 28.0),
                    parameters,
                    oil_percent: rng.random_range(78.0..94.0_f64).round(),
                }
            })
            .collect();
        let incomers = (0..plan.incomers.len())
            .map(|index| {
                let total_mwh = if index == 0 { rng.random_range(90_000.0..400_000.0_f64).round() } else { 0.0 };
                Meter::new(total_mwh, [1.0; 3], Flicker::new(&mut rng, None))
            })
            .collect();
        let switchgear = Switchgear::new(&plan);
        // The same seed on each day, whatever other random numbers are drawn.
        let site = plan.site.map(|site| site::Running::new(site, SITE_SEED, at));
        let mut station = Self {
            plan,
            rng,
            now: at,
            feeders,
            units,
            lean: leaning,
            incomers,
            site,
            switchgear,
            local: false,
            faults: false,
            fault_hours: FAULT_HOURS,
            values: BTreeMap::new(),
            balance: Balance::default(),
            electrical: Electrical::default(),
            fault_levels: Vec::new(),
            has_moved: false,
        };
        station.positions();
        station
    }

    /// Generates random faults.
    #[must_use]
    pub(super) fn with_faults(mut self) -> Self {
        self.faults = true;
        self
    }

    /// Sets the mean time between faults of a feeder, h.
    #[must_use]
    pub(super) fn with_fault_hours(mut self, hours: f64) -> Self {
        self.fault_hours = hours;
        self
    }

    /// Returns all present values by metric name.
    pub fn values(&self) -> &BTreeMap<String, f64> {
        &self.values
    }

    /// Returns the balance of the powers of the last step.
    pub fn balance(&self) -> Balance {
        self.balance
    }

    /// Returns the instant of the last step.
    pub fn now(&self) -> Micros {
        self.now
    }

    /// Moves switches and protection to `to`. Returns the status changes on the way, in the order of their times.
    pub(super) fn advance(&mut self, to: Micros, hours: f64) -> Vec<Change> {
        let start = self.now;
        self.now = to;
        let mut changes = Vec::new();
        for (code, to, change) in self.switchgear.arrive(to) {
            self.values.insert(change.metric.clone(), change.value);
            changes.push(change.clone());
            self.moved(&code, to, change.at, &mut changes);
        }
        for index in 0..self.feeders.len() {
            self.protect(index, start, hours, &mut changes);
        }
        changes.sort_by_key(|change| change.at);
        changes
    }

    /// Starts the movement of a switch at the present instant. Returns whether it moves.
    pub(super) fn throw(&mut self, code: &str, to: Throw, travel_ms: i64) -> (bool, Option<Change>) {
        let change = self.switchgear.begin(code, to, self.now, travel_ms);
        self.has_moved = true;
        if let Some(change) = &change {
            self.values.insert(change.metric.clone(), change.value);
        }
        (self.switchgear.switch_state(code) == Some(SwitchState::Moving), change)
    }

    /// Returns the state of a switch; `None` if it does not exist.
    pub fn switch_state(&self, code: &str) -> Option<SwitchState> {
        self.switchgear.switch_state(code)
    }

    /// Whether current can flow through a switch.
    pub(super) fn is_closed(&self, code: &str) -> bool {
        self.switchgear.closed(code)
    }

    /// Whether a switch has moved since the last load flow.
    pub(super) fn has_moved(&self) -> bool {
        self.has_moved
    }

    /// Returns the tap of a transformer.
    pub(super) fn tap(&self, unit: usize) -> i32 {
        self.units[unit].tap
    }

    /// Sets the impedances that limit the fault currents of the feeders.
    pub(super) fn set_fault_levels(&mut self, levels: Vec<FeederImpedance>) {
        self.fault_levels = levels;
    }

    /// Whether a feeder carries load.
    fn is_loaded(&self, feeder: usize) -> bool {
        let live = self.electrical.sections_kv.get(self.plan.section_of(feeder)).is_some_and(|kv| *kv > 0.0);
        live && self.switchgear.feeding(&self.plan).feeders[feeder]
    }

    /// Returns the current of a bolted fault at a share of a feeder's length, A.
    fn fault_a(&self, feeder: usize, place: f64) -> f64 {
        self.fault_levels.get(feeder).map_or(0.0, |impedance| impedance.current_a(place))
    }

    /// Returns the time of the next switch movement or protection step, so that it can be reported immediately.
    pub fn next_change(&self) -> Option<Micros> {
        let steps = self.feeders.iter().filter_map(|feeder| feeder.steps.front().map(|(at, _)| *at));
        steps.chain(self.switchgear.next_arrival()).min()
    }

    /// Sets the substation's local/remote switch.
    pub(super) fn set_local(&mut self, local: bool) -> Option<Change> {
        let value = f64::from(u8::from(local));
        let turned = std::mem::replace(&mut self.local, local) != local;
        self.values.insert(LOCAL.to_owned(), value);
        turned.then(|| Change { at: self.now, metric: LOCAL.to_owned(), value })
    }

    /// Whether the substation's local/remote switch is on local.
    pub fn is_local(&self) -> bool {
        self.local
    }

    /// Starts a fault on a feeder and the sequence of its protection. It has no effect on a feeder without load.
    pub(super) fn fault(&mut self, feeder: usize) {
        if self.feeders.get(feeder).is_some_and(|state| state.steps.is_empty()) {
            self.strike(feeder, self.now);
        }
    }

    /// Handles the consequences of a completed movement: the operation is counted, reclosing is cancelled, and a breaker that closed onto a fault or
    /// onto earth trips again.
    fn moved(&mut self, code: &str, to: Throw, at: Micros, changes: &mut Vec<Change>) {
        let Some(index) =
            code.strip_suffix("CB").and_then(|feeder| feeder.strip_prefix('F')).and_then(|number| number.parse::<usize>().ok())
        else {
            return;
        };
        let Some(index) = index.checked_sub(1).filter(|index| *index < self.feeders.len()) else { return };
        if to == Throw::Open {
            self.count_operation(index, at, changes);
        }
        let earthed = self.switchgear.closed(&format!("F{}ES", index + 1));
        let state = &mut self.feeders[index];
        state.steps.retain(|(_, action)| *action == Action::Reset);
        let faulty = !state.steps.is_empty() || earthed;
        if to == Throw::Closed && faulty && self.is_loaded(index) {
            let fault_a = self.fault_a(index, NEAR);
            let steps = [(at.plus_millis(80), Action::Trip([fault_a.round(); 3])), (at.plus_millis(160), Action::Opened)];
            let state = &mut self.feeders[index];
            if state.steps.is_empty() {
                state.steps.push_back((at.plus_millis(400), Action::Reset));
            }
            for step in steps.into_iter().rev() {
                state.steps.push_front(step);
            }
            state.steps.make_contiguous().sort_by_key(|(at, _)| *at);
        }
    }

    fn count_operation(&mut self, index: usize, at: Micros, changes: &mut Vec<Change>) {
        let feeder = &mut self.feeders[index];
        feeder.operations += 1.0;
        let metric = format!("F{}CB/Ops", index + 1);
        self.values.insert(metric.clone(), feeder.operations);
        changes.push(Change { at, metric, value: feeder.operations });
    }

    /// Starts the protection sequence of a fault on a loaded feeder.
    fn strike(&mut self, index: usize, first: Micros) {
        if !self.is_loaded(index) {
            return;
        }
        let load_a = self.values.get(&format!("F{}/Ir", index + 1)).copied().unwrap_or(0.0);
        let place = self.rng.random_range(0.1..1.0);
        let fault_a = self.fault_a(index, place);
        let steps = protection::sequence(&mut self.rng, load_a, fault_a);
        self.feeders[index].steps = steps.into_iter().map(|(ms, action)| (first.plus_millis(ms), action)).collect();
    }

    /// Runs the protection of a feeder: may draw a fault, and executes the steps that are due.
    fn protect(&mut self, index: usize, start: Micros, hours: f64, changes: &mut Vec<Change>) {
        let code = format!("F{}", index + 1);
        let breaker = format!("{code}CB");
        let quiet = self.feeders[index].steps.is_empty() && self.switchgear.closed(&breaker);
        let rate = if self.plan.feeders[index].is_supply_line() { SUPPLY_LINE_FAULTS } else { 1.0 };
        if self.faults && quiet && self.rng.random_range(0.0..1.0) < rate * hours / self.fault_hours {
            let first = start.plus_millis(self.rng.random_range(0..1_000));
            self.strike(index, first);
        }
        while let Some((at, action)) = self.feeders[index].steps.front().copied().filter(|(at, _)| *at <= self.now) {
            self.feeders[index].steps.pop_front();
            if let Action::Trip(currents) = action {
                self.shake(index, currents);
            }
            let mut set = |asset: &str, what: &str, value: f64| {
                let metric = format!("{code}{asset}/{what}");
                if self.values.insert(metric.clone(), value) != Some(value) {
                    changes.push(Change { at, metric, value });
                }
            };
            let snapped = match action {
                Action::Trip(currents) => {
                    set("R", "Op", 1.0);
                    for (phase, current) in ["FIr", "FIy", "FIb"].iter().zip(currents) {
                        set("", phase, current);
                    }
                    None
                }
                Action::Reset => {
                    set("R", "Op", 0.0);
                    None
                }
                Action::Opened => self.switchgear.snap(&breaker, Throw::Open, at),
                Action::Closed => self.switchgear.snap(&breaker, Throw::Closed, at),
            };
            if let Some(change) = snapped {
                self.values.insert(change.metric.clone(), change.value);
                changes.push(change);
                if action == Action::Opened {
                    self.count_operation(index, at, changes);
                }
            }
        }
    }

    /// Records a fault in the meters of all feeders of the same section. It is a fault from one phase to earth if only one of the currents is a fault current.
    fn shake(&mut self, index: usize, currents: [f64; 3]) {
        let highest = currents.iter().copied().fold(0.0, f64::max);
        let to_earth = currents.iter().filter(|current| **current > highest / 2.0).count() == 1;
        for other in (0..self.feeders.len()).filter(|other| self.plan.section_of(*other) == self.plan.section_of(index)) {
            if self.is_loaded(other) {
                self.feeders[other].meter.shaken(to_earth);
            }
        }
    }

    /// Sets the values that only change by switching or protection.
    fn positions(&mut self) {
        self.values.extend(self.switchgear.values());
        self.values.insert(LOCAL.to_owned(), 0.0);
        for (index, feeder) in self.feeders.iter().enumerate() {
            let code = format!("F{}", index + 1);
            self.values.insert(format!("{code}R/Op"), 0.0);
            self.values.insert(format!("{code}CB/Ops"), feeder.operations);
            for phase in ["FIr", "FIy", "FIb"] {
                self.values.insert(format!("{code}/{phase}"), 0.0);
            }
        }
    }

    /// Returns the power that the feeders' customers would take now, with noise, and advances the site.
    pub(super) fn demand(&mut self, hours: f64, minutes: f64) -> Vec<Demand> {
        let site = self.read_site(hours);
        (0..self.feeders.len())
            .map(|index| {
                let noise = self.feeders[index].noise.step(&mut self.rng, minutes);
                let expected = self.expected(index, self.now);
                let site = site.filter(|(of, _)| *of == index).map(|(_, flow)| flow).unwrap_or_default();
                Demand { load: expected * (1.0 + noise), site }
            })
            .collect()
    }

    /// Returns the mean power that the feeders' customers take at an instant, without the site.
    pub(super) fn expected_demand(&self, at: Micros) -> Vec<Demand> {
        (0..self.feeders.len()).map(|index| Demand { load: self.expected(index, at), ..Demand::default() }).collect()
    }

    fn expected(&self, feeder: usize, at: Micros) -> Complex64 {
        let plan = &self.plan.feeders[feeder];
        let mw = plan.peak_mw * load::shape(plan.class, at);
        Complex64::new(mw, mw * load::power_factor(plan.class).acos().tan())
    }

    /// Advances the temperatures by some minutes at a load.
    pub(super) fn settle(&mut self, electrical: &Electrical, ambient: f64, minutes: f64) {
        for ((state, unit), flow) in self.units.iter_mut().zip(&self.plan.units).zip(&electrical.units) {
            state.thermal.step(&state.parameters, flow.power.norm() / unit.mva, ambient, minutes);
        }
    }

    /// Moves the tap changer of each loaded transformer by one step if the voltage of its section is out of band; transformers in parallel follow the first
    /// one.
    pub(super) fn regulate(&mut self, sections_kv: &[f64]) {
        if self.plan.is_distribution() {
            return;
        }
        let groups = self.switchgear.feeding(&self.plan).sections;
        for (section, group) in groups.iter().enumerate() {
            let Some(lead) = group.first().copied() else { continue };
            let volts = sections_kv[section] / self.plan.kv_low;
            if volts <= 0.0 {
                continue;
            }
            let step = i32::from(volts < 1.0 - TAP_BAND) - i32::from(volts > 1.0 + TAP_BAND);
            let tap = (self.units[lead].tap + step).clamp(1, 17);
            for unit in group {
                self.units[*unit].tap = tap;
            }
            // Coupled sections have the same group, which steps only once.
            if groups.iter().all(|other| other == group) {
                return;
            }
        }
    }
}
