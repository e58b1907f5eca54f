//! The radial network for the load flow, built from the plan and the positions of the switches.

use num_complex::Complex64;

use super::sweep::{self, Branch, Load, Solution};
use super::switching::Feeding;
use crate::utility::Plan;

/// Line impedance of an outgoing feeder, Ω/km; half of its length is used for the load's current.
pub(super) const FEEDER_OHM_KM: Complex64 = Complex64::new(0.272, 0.35);
const TAP_STEP: f64 = 0.0125;
/// The tap with the nominal ratio.
pub(super) const TAP_NEUTRAL: i32 = 9;

/// Returns the series impedance of a transformer, Ω on its low-voltage side: 8 percent reactance, and a twentieth of that as resistance.
fn series_ohm(plan: &Plan, unit: usize) -> Complex64 {
    Complex64::new(0.004, 0.08) * plan.kv_low.powi(2) / plan.units[unit].mva
}

/// Returns the admittance of iron losses (0.1 percent) and magnetising current (0.4 percent) of a transformer, S on its low-voltage side.
fn iron_admittance(plan: &Plan, unit: usize) -> Complex64 {
    Complex64::new(0.001, -0.004) * plan.units[unit].mva / plan.kv_low.powi(2)
}

/// The buses and branches of the network. Branch 0 is the incoming line; each transformer has two halves with its iron between them.
pub(super) struct Network<'a> {
    plan: &'a Plan,
    pub(super) feeding: Feeding,
    buses: usize,
    branches: Vec<Branch>,
    iron: Vec<usize>,
    pub(super) low_of_unit: Vec<usize>,
    pub(super) unit_branch: Vec<usize>,
    /// The bus of each section; for a dead section any bus, because it has no load.
    pub(super) section: Vec<usize>,
    pub(super) feeder_branch: Vec<usize>,
    feeder_end: Vec<usize>,
}

impl<'a> Network<'a> {
    /// Builds the network with these taps. Transformers in parallel are one branch with their joint impedance, that of the first one: it controls the
    /// voltage, and the taps of the others follow it.
    pub(super) fn new(plan: &'a Plan, feeding: Feeding, taps: &[i32]) -> Self {
        // Bus 0 is the start of the incoming line, where it is metered; bus 1 is the higher-voltage bus.
        let line = |from, to, impedance| Branch { from, to, impedance, ratio: 1.0 };
        let mut network = Self {
            plan,
            feeding,
            buses: 2,
            branches: vec![line(0, 1, Complex64::new(1e-6, 1e-6))],
            iron: Vec::new(),
            low_of_unit: Vec::new(),
            unit_branch: Vec::new(),
            section: Vec::new(),
            feeder_branch: Vec::new(),
            feeder_end: Vec::new(),
        };
        for (unit, tap) in taps.iter().enumerate() {
            let admittance: Complex64 = network.group(unit).iter().map(|unit| series_ohm(plan, *unit).inv()).sum();
            let half = admittance.inv() / 2.0;
            let ratio = plan.kv_high * (1.0 - TAP_STEP * f64::from(tap - TAP_NEUTRAL)) / plan.kv_low;
            let (middle, low) = (network.buses, network.buses + 1);
            network.buses += 2;
            network.unit_branch.push(network.branches.len());
            network.branches.push(Branch { from: 1, to: middle, impedance: half, ratio });
            network.branches.push(line(middle, low, half));
            network.iron.push(middle);
            network.low_of_unit.push(low);
        }
        for section in 0..plan.sections {
            let lead = network.feeding.sections[section].first().copied().unwrap_or(0);
            network.section.push(network.low_of_unit[lead]);
        }
        for (index, feeder) in plan.feeders.iter().enumerate() {
            let bus = network.section[plan.section_of(index)];
            // 0.44 kV circuits are short and have a low impedance.
            let scale = if plan.is_distribution() { 0.02 } else { 0.5 };
            network.feeder_branch.push(network.branches.len());
            network.feeder_end.push(network.buses);
            network.branches.push(line(bus, network.buses, FEEDER_OHM_KM * feeder.km * scale));
            network.buses += 1;
        }
        network
    }

    /// Returns the transformers in parallel with `unit`, including itself; it is its own group if it is alone.
    pub(super) fn group(&self, unit: usize) -> Vec<usize> {
        self.feeding.sections.iter().find(|units| units.contains(&unit)).cloned().unwrap_or_else(|| vec![unit])
    }

    /// Returns the share of its group's load that a transformer carries.
    pub(super) fn share(&self, unit: usize) -> f64 {
        let group = self.group(unit);
        self.plan.units[unit].mva / group.iter().map(|unit| self.plan.units[*unit].mva).sum::<f64>()
    }

    /// Returns the iron admittance of the transformers that have voltage from the low-voltage side only, as an admittance of the section.
    fn fed_back(&self, section: usize) -> Complex64 {
        let back =
            |unit: &usize| !self.feeding.excited[*unit] && self.feeding.connected[*unit] && self.plan.section_of_unit(*unit) == section;
        (0..self.plan.units.len()).filter(back).map(|unit| iron_admittance(self.plan, unit)).sum()
    }

    fn is_live(&self, section: usize) -> bool {
        !self.feeding.sections[section].is_empty()
    }

    /// Returns the power of the iron of transformers with voltage from the low-voltage side only, MVA.
    pub(super) fn fed_back_power(&self, solution: &Solution) -> Complex64 {
        let live = (0..self.plan.sections).filter(|section| self.is_live(*section));
        live.map(|section| self.fed_back(section).conj() * solution.voltage[self.section[section]].norm_sqr()).sum()
    }

    /// Returns the voltage of a section, kV; 0 if it is dead.
    pub(super) fn section_kv(&self, solution: &Solution, section: usize) -> f64 {
        if self.is_live(section) { solution.voltage[self.section[section]].norm() } else { 0.0 }
    }

    /// Solves the network for the powers of the feeders, MVA. Dead feeders take no power.
    pub(super) fn flow(&self, source_kv: f64, powers: &[Complex64]) -> Result<Solution, sweep::Infeasible> {
        let mut loads = vec![Load::default(); self.buses];
        for (unit, iron) in self.iron.iter().enumerate().filter(|(unit, _)| self.feeding.excited[*unit]) {
            loads[*iron].admittance = iron_admittance(self.plan, unit);
        }
        for (index, power) in powers.iter().enumerate().filter(|(index, _)| self.feeding.loaded(self.plan, *index)) {
            loads[self.feeder_end[index]].power = *power;
        }
        for section in (0..self.plan.sections).filter(|section| self.is_live(*section)) {
            loads[self.section[section]].admittance += self.fed_back(section);
        }
        if let Some(cap) = self.plan.cap.as_ref().filter(|_| self.feeding.capacitor && self.is_live(0)) {
            loads[self.section[0]].admittance += Complex64::new(0.0, cap.mvar / self.plan.kv_low.powi(2));
        }
        sweep::solve(Complex64::new(source_kv, 0.0), &self.branches, &loads, 1e-10)
    }
}
