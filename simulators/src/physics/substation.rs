//! One substation over time: loads, load flow, tap changers, temperatures, registers, battery and protection, and what its RTU measures of it.

use std::collections::{BTreeMap, VecDeque};

use grid::Micros;
use num_complex::Complex64;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::load::{self, Noise};
use super::protection::{self, Action};
use super::sweep::{self, Branch, Load, Solution};
use super::thermal::Thermal;
use crate::utility::Plan;

/// Line impedance of an outgoing feeder, Ω/km; half of its length carries the load's current.
const FEEDER_OHM_KM: Complex64 = Complex64::new(0.272, 0.35);
/// Impedance of the network behind the higher bus, Ω at its voltage.
const SOURCE_OHM: Complex64 = Complex64::new(0.35, 1.6);
/// The tap changer acts when the lower voltage is this far from its set point, per unit.
const TAP_BAND: f64 = 0.0125;
const TAP_STEP: f64 = 0.0125;
const TAP_NEUTRAL: i32 = 9;
/// A feeder has a fault every so many hours on average; the demo's weather is bad so that something is to be seen.
const FAULT_HOURS: f64 = 1.4;

/// A change of a status at an exact time.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// When, by the RTU's clock.
    pub at: Micros,
    /// Metric name, `asset/code`.
    pub metric: String,
    /// The new value.
    pub value: f64,
}

#[derive(Debug, Clone)]
struct FeederState {
    noise: Noise,
    balance: [f64; 3],
    imported_mwh: f64,
    operations: f64,
    closed: bool,
    /// Load comes back to less than before after an outage.
    steps: VecDeque<(Micros, Action)>,
}

#[derive(Debug, Clone)]
struct UnitState {
    tap: i32,
    thermal: Thermal,
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
    source_noise: Noise,
    incomer_mwh: f64,
    /// Whether faults happen; off for tests of the steady state.
    faults: bool,
    values: BTreeMap<String, f64>,
    balance: Balance,
}

/// How the power of the last step adds up, MVA.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Balance {
    /// Into the station from its incoming line.
    pub incomer: Complex64,
    /// Out of it at the heads of the feeders.
    pub feeders: Complex64,
    /// Into the capacitor bank (its reactive part is negative: it delivers).
    pub capacitor: Complex64,
    /// Lost in the transformers.
    pub transformers: Complex64,
}

impl Station {
    /// A substation at an instant, in balance with its load.
    pub fn new(plan: Plan, seed: u64, at: Micros, faults: bool) -> Self {
        let mut rng = StdRng::seed_from_u64(seed);
        let feeders = plan
            .feeders
            .iter()
            .map(|feeder| {
                let tilt: [f64; 2] = [rng.random_range(-0.03..0.03), rng.random_range(-0.03..0.03)];
                FeederState {
                    noise: Noise::default(),
                    balance: [1.0 + tilt[0], 1.0 + tilt[1], 1.0 - tilt[0] - tilt[1]],
                    imported_mwh: (rng.random_range(8_000.0..60_000.0_f64) * 10.0).round() / 10.0,
                    operations: f64::from(rng.random_range(40..600)),
                    closed: feeder.in_service,
                    steps: VecDeque::new(),
                }
            })
            .collect();
        let units = plan
            .units
            .iter()
            .map(|unit| UnitState {
                tap: TAP_NEUTRAL,
                thermal: Thermal::steady(if unit.in_service { 0.5 } else { 0.0 }, 28.0),
                oil_percent: rng.random_range(78.0..94.0_f64).round(),
            })
            .collect();
        let incomer_mwh = rng.random_range(90_000.0..400_000.0_f64).round();
        let mut station = Self {
            plan,
            rng,
            now: at,
            feeders,
            units,
            source_noise: Noise::default(),
            incomer_mwh,
            faults,
            values: BTreeMap::new(),
            balance: Balance::default(),
        };
        station.positions();
        station.measure(0.0);
        station
    }

    /// All values now, by metric name.
    pub fn values(&self) -> &BTreeMap<String, f64> {
        &self.values
    }

    /// How the power of the last step adds up.
    pub fn balance(&self) -> Balance {
        self.balance
    }

    /// The instant it stands at.
    pub fn now(&self) -> Micros {
        self.now
    }

    /// Goes on to `to`; answers the status changes on the way, in the order of their times.
    pub fn step(&mut self, to: Micros) -> Vec<Change> {
        let hours = to.millis_since(self.now) as f64 / 3_600_000.0;
        if hours <= 0.0 {
            return Vec::new();
        }
        let start = self.now;
        self.now = to;
        let mut changes = Vec::new();
        for index in 0..self.feeders.len() {
            self.protect(index, start, hours, &mut changes);
        }
        self.measure(hours);
        changes.sort_by_key(|change| change.at);
        changes
    }

    /// Runs the protection of a feeder: draws a fault, plays its steps that are due.
    fn protect(&mut self, index: usize, start: Micros, hours: f64, changes: &mut Vec<Change>) {
        let code = format!("F{}", index + 1);
        let feeder = &mut self.feeders[index];
        if self.faults && feeder.closed && feeder.steps.is_empty() && self.rng.random_range(0.0..1.0) < hours / FAULT_HOURS {
            let first = start.plus_millis(self.rng.random_range(0..1_000));
            let load_a = self.values.get(&format!("{code}/Ir")).copied().unwrap_or(0.0);
            let ohm = SOURCE_OHM.norm() * (self.plan.kv_low / self.plan.kv_high).powi(2)
                + FEEDER_OHM_KM.norm() * self.plan.feeders[index].km * self.rng.random_range(0.1..1.0);
            let fault_a = self.plan.kv_low * 1_000.0 / 3f64.sqrt() / ohm.max(0.3);
            feeder.steps = protection::sequence(&mut self.rng, load_a, fault_a)
                .into_iter()
                .map(|(ms, action)| (first.plus_millis(ms), action))
                .collect();
        }
        while let Some((at, action)) = feeder.steps.front().copied().filter(|(at, _)| *at <= self.now) {
            feeder.steps.pop_front();
            let mut set = |asset: &str, what: &str, value: f64| {
                let metric = format!("{code}{asset}/{what}");
                if self.values.insert(metric.clone(), value) != Some(value) {
                    changes.push(Change { at, metric, value });
                }
            };
            match action {
                Action::Trip(currents) => {
                    set("R", "Op", 1.0);
                    for (phase, current) in ["FIr", "FIy", "FIb"].iter().zip(currents) {
                        set("", phase, current);
                    }
                }
                Action::Opened => {
                    feeder.closed = false;
                    feeder.operations += 1.0;
                    set("CB", "Pos", 1.0);
                    set("CB", "Ops", feeder.operations);
                }
                Action::Closed => {
                    feeder.closed = true;
                    set("CB", "Pos", 2.0);
                }
                Action::Reset => set("R", "Op", 0.0),
            }
        }
    }

    /// The normal positions: closed unless the plan says otherwise; earth switches open.
    fn positions(&mut self) {
        let mut set = |metric: String, value: f64| {
            self.values.insert(metric, value);
        };
        for index in 0..self.plan.incomers.len() {
            let closed = index == 0;
            set(format!("INC{}CB/Pos", index + 1), if closed { 2.0 } else { 1.0 });
            set(format!("INC{}IS/Pos", index + 1), f64::from(u8::from(closed)));
            set(format!("INC{}ES/Pos", index + 1), 0.0);
        }
        for (index, unit) in self.plan.units.iter().enumerate() {
            set(format!("TX{}HCB/Pos", index + 1), 2.0);
            set(format!("TX{}LCB/Pos", index + 1), if unit.in_service { 2.0 } else { 1.0 });
        }
        if self.plan.sections > 1 {
            set("BC/Pos".into(), if self.plan.coupler_closed() { 2.0 } else { 1.0 });
        }
        if self.plan.cap.is_some() {
            set("CAP1CB/Pos".into(), 2.0);
        }
        for (index, feeder) in self.feeders.iter().enumerate() {
            let code = format!("F{}", index + 1);
            set(format!("{code}CB/Pos"), if feeder.closed { 2.0 } else { 1.0 });
            set(format!("{code}IS/Pos"), f64::from(u8::from(feeder.closed)));
            set(format!("{code}ES/Pos"), f64::from(u8::from(!feeder.closed)));
            set(format!("{code}R/Op"), 0.0);
            set(format!("{code}CB/Ops"), feeder.operations);
            for phase in ["FIr", "FIy", "FIb"] {
                set(format!("{code}/{phase}"), 0.0);
            }
        }
    }

    /// The transformer that feeds a bus section.
    fn unit_of(&self, section: usize) -> usize {
        if self.plan.coupler_closed() {
            0
        } else {
            (0..self.plan.units.len()).find(|unit| self.plan.section_of_unit(*unit) == section).unwrap_or(0)
        }
    }

    fn measure(&mut self, hours: f64) {
        let ambient = 28.0 + 6.0 * ((load::local_hour(self.now) - 14.5) / 24.0 * std::f64::consts::TAU).cos();
        let minutes = (hours * 60.0).max(1e-6);
        let swing = self.source_noise.step(&mut self.rng, minutes);
        let source_kv = self.plan.kv_high * (1.0 + swing / 4.0);
        let powers: Vec<Complex64> = (0..self.feeders.len())
            .map(|index| {
                let (feeder, plan) = (&mut self.feeders[index], &self.plan.feeders[index]);
                let noise = feeder.noise.step(&mut self.rng, minutes);
                let mw = if feeder.closed { plan.peak_mw * load::shape(plan.class, self.now) * (1.0 + noise) } else { 0.0 };
                Complex64::new(mw, mw * load::power_factor(plan.class).acos().tan())
            })
            .collect();
        let Ok((solution, layout)) = self.flow(source_kv, &powers) else {
            tracing::warn!("the load flow does not converge; the last values stay");
            return;
        };
        self.regulate(&solution, &layout);
        self.read_out(&solution, &layout, source_kv, hours, ambient, minutes);
    }

    fn flow(&self, source_kv: f64, powers: &[Complex64]) -> Result<(Solution, Layout), sweep::Infeasible> {
        let layout = Layout::of(self);
        let mut loads = vec![Load::default(); layout.buses];
        for (unit, iron) in layout.iron.iter().enumerate() {
            loads[*iron].admittance = iron_admittance(&self.plan, unit);
        }
        for (index, power) in powers.iter().enumerate() {
            loads[layout.feeder_end[index]].power = *power;
        }
        if let Some(cap) = &self.plan.cap {
            loads[layout.section[0]].admittance += Complex64::new(0.0, cap.mvar / self.plan.kv_low.powi(2));
        }
        Ok((sweep::solve(Complex64::new(source_kv, 0.0), &layout.branches, &loads, 1e-10)?, layout))
    }

    /// Moves each tap changer by one step when its voltage is out of band.
    fn regulate(&mut self, solution: &Solution, layout: &Layout) {
        for (unit, state) in self.units.iter_mut().enumerate() {
            let volts = solution.voltage[layout.low_of_unit[unit]].norm() / self.plan.kv_low;
            if self.plan.units[unit].in_service && !self.plan.is_distribution() {
                let step = i32::from(volts < 1.0 - TAP_BAND) - i32::from(volts > 1.0 + TAP_BAND);
                state.tap = (state.tap + step).clamp(1, 17);
            }
        }
    }

    fn read_out(&mut self, solution: &Solution, layout: &Layout, source_kv: f64, hours: f64, ambient: f64, minutes: f64) {
        let values = &mut self.values;
        // Without power there is no power factor: what was measured before must not stay.
        values.retain(|metric, _| !metric.ends_with("/Pf"));
        let mut set = |metric: String, value: f64| {
            values.insert(metric, value);
        };
        let incomer = solution.sent[0];
        self.incomer_mwh += incomer.re.max(0.0) * hours;
        for index in 0..self.plan.incomers.len() {
            let power = if index == 0 { incomer } else { Complex64::ZERO };
            let code = format!("INC{}", index + 1);
            line_values(&mut set, &code, power, solution.line_current_ka(0) * 1_000.0 * f64::from(u8::from(index == 0)), [1.0; 3]);
            set(format!("{code}/EImp"), if index == 0 { self.incomer_mwh } else { 0.0 });
        }
        let mut balance = Balance { incomer, ..Balance::default() };
        for (unit, state) in self.units.iter_mut().enumerate() {
            let plan = self.plan.units[unit];
            let code = format!("TX{}", unit + 1);
            let branch = layout.unit_branch[unit];
            balance.transformers += solution.sent[branch] - solution.received[branch + 1];
            let (power, current) = if plan.in_service {
                (solution.sent[branch], solution.line_current_ka(branch + 1) * 1_000.0)
            } else {
                (Complex64::ZERO, 0.0)
            };
            state.thermal.step(power.norm() / plan.mva, ambient, minutes);
            set(format!("{code}/P"), power.re);
            set(format!("{code}/Q"), power.im);
            set(format!("{code}/I"), current);
            set(format!("{code}/OTI"), state.thermal.oti());
            set(format!("{code}/WTI"), state.thermal.wti());
            set(format!("{code}/Tap"), f64::from(state.tap));
            set(format!("{code}/OilLevel"), state.oil_percent);
        }
        for (index, state) in self.feeders.iter_mut().enumerate() {
            let branch = layout.feeder_branch[index];
            let power = solution.sent[branch];
            balance.feeders += power;
            state.imported_mwh += power.re.max(0.0) * hours;
            let code = format!("F{}", index + 1);
            line_values(&mut set, &code, power, solution.line_current_ka(branch) * 1_000.0, state.balance);
            set(format!("{code}/EImp"), state.imported_mwh);
        }
        if let Some(cap) = &self.plan.cap {
            let kv = solution.voltage[layout.section[0]].norm();
            let delivered = cap.mvar * (kv / self.plan.kv_low).powi(2);
            balance.capacitor = Complex64::new(0.0, -delivered);
            set("CAP1/Q".into(), -delivered);
        }
        for (section, bus) in layout.section.iter().enumerate() {
            set(format!("BUS{}/V", if section == 0 { 'A' } else { 'B' }), solution.voltage[*bus].norm());
        }
        set("BUSH/V".into(), source_kv);
        set("BUSH/Hz".into(), 50.0 + self.rng.random_range(-0.03..0.03));
        set("STN/AmbT".into(), ambient);
        set("STN/DcuV".into(), 13.1 + self.rng.random_range(-0.05..0.05));
        set("BAT/BatV".into(), 123.2 + self.rng.random_range(-0.2..0.2));
        set("BAT/BatA".into(), 0.4 + self.rng.random_range(-0.05..0.05));
        self.balance = balance;
    }
}

/// P, Q, power factor and phase currents of a line; the phases share the mean current by `balance`.
fn line_values(set: &mut impl FnMut(String, f64), code: &str, power: Complex64, amperes: f64, balance: [f64; 3]) {
    set(format!("{code}/P"), power.re);
    set(format!("{code}/Q"), power.im);
    if power.norm() > 1e-9 {
        set(format!("{code}/Pf"), power.re / power.norm());
    }
    for (phase, share) in ["Ir", "Iy", "Ib"].iter().zip(balance) {
        set(format!("{code}/{phase}"), amperes * share);
    }
}

/// Series impedance of a transformer, Ω on its low side: 8 percent, a fortieth of it resistive.
fn series_ohm(plan: &Plan, unit: usize) -> Complex64 {
    Complex64::new(0.004, 0.08) * plan.kv_low.powi(2) / plan.units[unit].mva
}

/// Iron losses (0.1 percent) and magnetising current (0.4 percent) of a transformer, S on its low side.
fn iron_admittance(plan: &Plan, unit: usize) -> Complex64 {
    Complex64::new(0.001, -0.004) * plan.units[unit].mva / plan.kv_low.powi(2)
}

/// Which bus and branch is what. Branch 0 is the incoming line; each transformer is two halves with its iron between them.
struct Layout {
    buses: usize,
    branches: Vec<Branch>,
    iron: Vec<usize>,
    low_of_unit: Vec<usize>,
    unit_branch: Vec<usize>,
    section: Vec<usize>,
    feeder_branch: Vec<usize>,
    feeder_end: Vec<usize>,
}

impl Layout {
    fn of(station: &Station) -> Self {
        let plan = &station.plan;
        // Bus 0 is the head of the incoming line, where it is measured; bus 1 is the higher bus.
        let line = |from, to, impedance| Branch { from, to, impedance, ratio: 1.0 };
        let mut layout = Self {
            buses: 2,
            branches: vec![line(0, 1, Complex64::new(1e-6, 1e-6))],
            iron: Vec::new(),
            low_of_unit: Vec::new(),
            unit_branch: Vec::new(),
            section: Vec::new(),
            feeder_branch: Vec::new(),
            feeder_end: Vec::new(),
        };
        for (unit, state) in station.units.iter().enumerate() {
            let half = series_ohm(plan, unit) / 2.0;
            let ratio = plan.kv_high * (1.0 - TAP_STEP * f64::from(state.tap - TAP_NEUTRAL)) / plan.kv_low;
            let (middle, low) = (layout.buses, layout.buses + 1);
            layout.buses += 2;
            layout.unit_branch.push(layout.branches.len());
            layout.branches.push(Branch { from: 1, to: middle, impedance: half, ratio });
            layout.branches.push(line(middle, low, half));
            layout.iron.push(middle);
            layout.low_of_unit.push(low);
        }
        for section in 0..plan.sections {
            layout.section.push(layout.low_of_unit[station.unit_of(section)]);
        }
        for (index, feeder) in plan.feeders.iter().enumerate() {
            let bus = layout.section[plan.section_of(index)];
            // 0.44 kV circuits are short and thick.
            let scale = if plan.is_distribution() { 0.02 } else { 0.5 };
            layout.feeder_branch.push(layout.branches.len());
            layout.feeder_end.push(layout.buses);
            layout.branches.push(line(bus, layout.buses, FEEDER_OHM_KM * feeder.km * scale));
            layout.buses += 1;
        }
        layout
    }
}
