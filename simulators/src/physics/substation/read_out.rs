//! Converts the solved load flow to the values of a substation's meters and instruments.

use num_complex::Complex64;
use rand::RngExt;

use super::super::distortion;
use super::super::line::{Flow, Volts};
use super::super::network::Network;
use super::super::sweep::Solution;
use super::{Balance, Station};

/// Unbalance of the lower voltages without load, and the addition at full load, per unit.
const LEAN: (f64, f64) = (0.004, 0.014);
/// Unbalance of the higher voltages, as a share of that of the lower voltages.
const STIFFER: f64 = 0.4;

impl Station {
    pub(super) fn read_out(&mut self, solution: &Solution, network: &Network<'_>, source_kv: f64, hours: f64, ambient: f64, minutes: f64) {
        let flows = self.feeder_flows(solution, network);
        let hertz = 50.0 + self.rng.random_range(-0.03..0.03);
        let mut balance = Balance {
            incomer: solution.sent[0],
            feeders: flows.iter().map(|flow| flow.power).sum(),
            transformers: network.fed_back_power(solution),
            ..Balance::default()
        };
        self.read_incomers(solution, network, &flows, (source_kv, hertz), hours);
        balance.transformers += self.read_transformers(solution, network, &flows, ambient, minutes);
        self.read_feeders(solution, network, &flows, hertz, hours);
        let feeding = &network.feeding;
        let mut set = |metric: &str, value: Option<f64>| put(&mut self.values, "", metric, value);
        if let Some(cap) = &self.plan.cap {
            let kv = if feeding.capacitor { network.section_kv(solution, 0) } else { 0.0 };
            let delivered = cap.mvar * (kv / self.plan.kv_low).powi(2);
            balance.capacitor = Complex64::new(0.0, -delivered);
            set("CAP1/Q", Some(-delivered));
        }
        for section in 0..self.plan.sections {
            set(if section == 0 { "BUSA/V" } else { "BUSB/V" }, Some(network.section_kv(solution, section)));
        }
        set("BUSH/V", Some(if feeding.high { source_kv } else { 0.0 }));
        set("BUSH/Hz", feeding.high.then_some(hertz));
        set("STN/AmbT", Some(ambient));
        let mut near = |middle: f64, width: f64| Some(middle + self.rng.random_range(-width..width));
        set("STN/DcuV", near(13.1, 0.05));
        set("BAT/BatV", near(123.2, 0.2));
        set("BAT/BatA", near(0.4, 0.05));
        self.balance = balance;
    }

    /// Returns the flow of each feeder.
    fn feeder_flows(&self, solution: &Solution, network: &Network<'_>) -> Vec<Flow> {
        let of = |(index, plan): (usize, &crate::utility::Feeder)| {
            let branch = network.feeder_branch[index];
            let power = solution.sent[branch];
            let share = if plan.peak_mw > 0.0 { power.re / plan.peak_mw } else { 0.0 };
            Flow {
                power,
                amperes: solution.line_current_ka(branch) * 1_000.0,
                lean: self.feeders[index].lean,
                thd: distortion::of_current(plan.class, share),
            }
        };
        self.plan.feeders.iter().enumerate().map(of).collect()
    }

    /// Returns the unbalance of the lower voltages.
    fn unbalance(&self, solution: &Solution) -> f64 {
        let rated: f64 = self.plan.units.iter().map(|unit| unit.mva).sum();
        LEAN.0 + LEAN.1 * solution.sent[0].norm() / rated.max(f64::MIN_POSITIVE)
    }

    /// Advances the low-carbon site. Returns its feeder, and its power from the grid, MW.
    pub(super) fn read_site(&mut self, hours: f64) -> Option<(usize, f64)> {
        let feeder = self.plan.site?.feeder;
        let fed = self.switchgear.feeding(&self.plan).loaded(&self.plan, feeder);
        let flow = self.site.as_mut()?.step(self.now, hours, fed);
        for (code, what, value) in [
            ("SITE1", "P", flow.site),
            ("SITE1PV", "P", flow.solar),
            ("SITE1BAT", "P", flow.battery),
            ("SITE1BAT", "EBat", flow.stored),
            ("SITE1GRID", "P", flow.grid),
        ] {
            put(&mut self.values, code, what, Some(value));
        }
        Some((feeder, flow.grid / 1_000.0))
    }

    fn read_incomers(&mut self, solution: &Solution, network: &Network<'_>, flows: &[Flow], source: (f64, f64), hours: f64) {
        let (source_kv, hertz) = source;
        let sharing = network.feeding.incomers.iter().filter(|feeds| **feeds).count().max(1) as f64;
        let all = Together::of(flows.iter());
        let rated: f64 = self.plan.units.iter().map(|unit| unit.mva).sum();
        let thd = distortion::of_voltage(STIFFER * all.distorted_mva, rated);
        let volts = Volts::new(source_kv, STIFFER * self.unbalance(solution), self.lean, hertz, thd);
        for (index, meter) in self.incomers.iter_mut().enumerate() {
            let code = format!("INC{}", index + 1);
            let flow = if network.feeding.incomers[index] {
                let power = solution.sent[0] / sharing;
                Flow { power, amperes: solution.line_current_ka(0) * 1_000.0 / sharing, lean: all.lean(), thd: all.thd() }
            } else {
                Flow::default()
            };
            // The meter is on the line side, so a standby line is energised from its remote end.
            let volts = (!self.switchgear.closed(&format!("{code}ES"))).then_some(&volts);
            let mut set = |what: &str, value: Option<f64>| put(&mut self.values, &code, what, value);
            meter.read(&mut set, &mut self.rng, self.now, hours, volts, flow);
        }
    }

    /// Reads the transformers and advances their temperatures. Returns their losses, MVA.
    fn read_transformers(&mut self, solution: &Solution, network: &Network<'_>, flows: &[Flow], ambient: f64, minutes: f64) -> Complex64 {
        let mut lost = Complex64::ZERO;
        for (unit, state) in self.units.iter_mut().enumerate() {
            let code = format!("TX{}", unit + 1);
            let branch = network.unit_branch[unit];
            let own = solution.sent[branch];
            lost += own - solution.received[branch + 1];
            // The branch of the first transformer of a parallel group has the load of the group; the others have only
            // the power of their own iron.
            let lead = network.group(unit)[0];
            let share = network.share(unit);
            let power = solution.sent[network.unit_branch[lead]] * share + if lead == unit { Complex64::ZERO } else { own };
            let current = solution.line_current_ka(network.unit_branch[lead] + 1) * 1_000.0 * share;
            state.thermal.step(&state.parameters, power.norm() / self.plan.units[unit].mva, ambient, minutes);
            let fed = |index: usize| network.feeding.sections[self.plan.section_of(index)].contains(&unit);
            let behind = Together::of(flows.iter().enumerate().filter(|(index, _)| fed(*index)).map(|(_, flow)| flow));
            let mut set = |what: &str, value: f64| put(&mut self.values, &code, what, Some(value));
            set("P", power.re);
            set("Q", power.im);
            set("S", power.norm());
            set("I", current);
            for (phase, share) in ["Ir", "Iy", "Ib"].iter().zip(self.lean.shares(behind.lean())) {
                set(phase, current * share);
            }
            // The winding temperature indicator shows a thermal image of the hot spot.
            set("OTI", state.thermal.top_oil());
            set("WTI", state.thermal.hot_spot());
            set("Tap", f64::from(state.tap));
            set("OilLevel", state.oil_percent);
            set("AmbT", ambient);
        }
        lost
    }

    fn read_feeders(&mut self, solution: &Solution, network: &Network<'_>, flows: &[Flow], hertz: f64, hours: f64) {
        let unbalance = self.unbalance(solution);
        let sections: Vec<Option<Volts>> = (0..self.plan.sections)
            .map(|section| {
                let units = &network.feeding.sections[section];
                let rated: f64 = units.iter().map(|unit| self.plan.units[*unit].mva).sum();
                let fed = |index: &usize| network.feeding.sections[self.plan.section_of(*index)] == *units;
                let load = Together::of((0..flows.len()).filter(fed).map(|index| &flows[index]));
                let kv = network.section_kv(solution, section);
                (kv > 0.0).then(|| Volts::new(kv, unbalance, self.lean, hertz, distortion::of_voltage(load.distorted_mva, rated)))
            })
            .collect();
        for (index, state) in self.feeders.iter_mut().enumerate() {
            let code = format!("F{}", index + 1);
            // The meter is on the line side of the breaker.
            let volts = sections[self.plan.section_of(index)].as_ref().filter(|_| network.feeding.feeders[index]);
            let mut set = |what: &str, value: Option<f64>| put(&mut self.values, &code, what, value);
            state.meter.read(&mut set, &mut self.rng, self.now, hours, volts, flows[index]);
        }
    }
}

/// Sums over several feeders.
#[derive(Debug, Clone, Copy, Default)]
struct Together {
    mva: f64,
    leaning_mva: f64,
    /// Sum of each power times its distortion in percent.
    distorted_mva: f64,
}

impl Together {
    fn of<'a>(flows: impl Iterator<Item = &'a Flow>) -> Self {
        flows.fold(Self::default(), |sum, flow| {
            let mva = flow.power.norm();
            Self { mva: sum.mva + mva, leaning_mva: sum.leaning_mva + mva * flow.lean, distorted_mva: sum.distorted_mva + mva * flow.thd }
        })
    }

    fn lean(self) -> f64 {
        if self.mva > 1e-9 { self.leaning_mva / self.mva } else { 0.0 }
    }

    fn thd(self) -> f64 {
        distortion::of_sum(self.distorted_mva, self.mva)
    }
}

/// Sets a value by the name of its metric. A value that cannot be measured is removed, so that no old value remains.
fn put(values: &mut std::collections::BTreeMap<String, f64>, code: &str, what: &str, value: Option<f64>) {
    let metric = if code.is_empty() { what.to_owned() } else { format!("{code}/{what}") };
    match value {
        Some(value) => values.insert(metric, value),
        None => values.remove(&metric),
    };
}
