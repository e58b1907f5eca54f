//! Converts the load flow to the values of a substation's meters and instruments.

use rand::RngExt;

use super::super::distortion;
use super::super::electrical::{Electrical, LineEnd};
use super::super::line::{Flow, Volts};
use super::super::site;
use super::{Balance, Conditions, Station};

/// Unbalance of the lower voltages without load, and the addition at full load, per unit.
const LEAN: (f64, f64) = (0.004, 0.014);
/// Unbalance of the higher voltages, as a share of that of the lower voltages.
const STIFFER: f64 = 0.4;

impl Station {
    /// Sets all measured values, and advances registers and temperatures.
    pub(in super::super) fn read_out(&mut self, electrical: Electrical, conditions: &Conditions) {
        self.has_moved = false;
        let flows = self.feeder_flows(&electrical);
        self.balance = Balance {
            incomer: electrical.incoming(),
            feeders: flows.iter().map(|flow| flow.power).sum(),
            capacitor: electrical.capacitor,
            transformers: electrical.units.iter().map(|unit| unit.lost).sum(),
        };
        self.read_incomers(&electrical, &flows, conditions);
        self.read_transformers(&electrical, &flows, conditions);
        self.read_feeders(&electrical, &flows, conditions);
        let mut set = |metric: &str, value: Option<f64>| put(&mut self.values, "", metric, value);
        if self.plan.cap.is_some() {
            set("CAP1/Q", Some(electrical.capacitor.im));
        }
        for (section, kv) in electrical.sections_kv.iter().enumerate() {
            set(if section == 0 { "BUSA/V" } else { "BUSB/V" }, Some(*kv));
        }
        set("BUSH/V", Some(electrical.high_kv));
        set("BUSH/Hz", (electrical.high_kv > 0.0).then_some(conditions.hertz));
        set("STN/AmbT", Some(conditions.ambient));
        let mut near = |middle: f64, width: f64| Some(middle + self.rng.random_range(-width..width));
        set("STN/DcuV", near(13.1, 0.05));
        set("BAT/BatV", near(123.2, 0.2));
        set("BAT/BatA", near(0.4, 0.05));
        self.electrical = electrical;
    }

    /// Returns the flow of each feeder.
    fn feeder_flows(&self, electrical: &Electrical) -> Vec<Flow> {
        let of = |((feeder, plan), end): ((&super::FeederState, &crate::utility::Feeder), &LineEnd)| {
            let share = if plan.peak_mw > 0.0 { end.power.re / plan.peak_mw } else { 0.0 };
            Flow { power: end.power, amperes: end.amperes, lean: feeder.lean, thd: distortion::of_current(plan.class, share) }
        };
        self.feeders.iter().zip(&self.plan.feeders).zip(&electrical.feeders).map(of).collect()
    }

    /// Returns the unbalance of the lower voltages.
    fn unbalance(&self) -> f64 {
        let rated: f64 = self.plan.units.iter().map(|unit| unit.mva).sum();
        LEAN.0 + LEAN.1 * self.balance.incomer.norm() / rated.max(f64::MIN_POSITIVE)
    }

    /// Advances the low-carbon site. Returns its feeder and its powers.
    pub(super) fn read_site(&mut self, hours: f64) -> Option<(usize, site::Flow)> {
        let feeder = self.plan.site?.feeder;
        // At the start there is no load flow yet.
        let fed = self.electrical.feeders.is_empty() || self.is_loaded(feeder);
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
        Some((feeder, flow))
    }

    fn read_incomers(&mut self, electrical: &Electrical, flows: &[Flow], conditions: &Conditions) {
        let all = Together::of(flows.iter());
        let rated: f64 = self.plan.units.iter().map(|unit| unit.mva).sum();
        let thd = distortion::of_voltage(STIFFER * all.distorted_mva, rated);
        let unbalance = STIFFER * self.unbalance();
        for (index, (meter, end)) in self.incomers.iter_mut().zip(&electrical.incomers).enumerate() {
            let code = format!("INC{}", index + 1);
            let flow = Flow { power: end.power, amperes: end.amperes, lean: all.lean(), thd: all.thd() };
            // The meter is on the line side, so a standby line is energised from its remote end.
            let is_live = end.kv > 0.0 && !self.switchgear.closed(&format!("{code}ES"));
            let volts = is_live.then(|| Volts::new(end.kv, unbalance, self.lean, conditions.hertz, thd));
            let mut set = |what: &str, value: Option<f64>| put(&mut self.values, &code, what, value);
            meter.read(&mut set, &mut self.rng, self.now, conditions.hours, volts.as_ref(), flow);
        }
    }

    /// Reads the transformers and advances their temperatures.
    fn read_transformers(&mut self, electrical: &Electrical, flows: &[Flow], conditions: &Conditions) {
        let feeding = self.switchgear.feeding(&self.plan);
        for (unit, (state, flow)) in self.units.iter_mut().zip(&electrical.units).enumerate() {
            let code = format!("TX{}", unit + 1);
            let power = flow.power;
            state.thermal.step(&state.parameters, power.norm() / self.plan.units[unit].mva, conditions.ambient, conditions.minutes);
            let fed = |index: usize| feeding.sections[self.plan.section_of(index)].contains(&unit);
            let behind = Together::of(flows.iter().enumerate().filter(|(index, _)| fed(*index)).map(|(_, flow)| flow));
            let mut set = |what: &str, value: f64| put(&mut self.values, &code, what, Some(value));
            set("P", power.re);
            set("Q", power.im);
            set("S", power.norm());
            set("I", flow.amperes);
            for (phase, share) in ["Ir", "Iy", "Ib"].iter().zip(self.lean.shares(behind.lean())) {
                set(phase, flow.amperes * share);
            }
            // The winding temperature indicator shows a thermal image of the hot spot.
            set("OTI", state.thermal.top_oil());
            set("WTI", state.thermal.hot_spot());
            set("Tap", f64::from(state.tap));
            set("OilLevel", state.oil_percent);
            set("AmbT", conditions.ambient);
        }
    }

    fn read_feeders(&mut self, electrical: &Electrical, flows: &[Flow], conditions: &Conditions) {
        let feeding = self.switchgear.feeding(&self.plan);
        let unbalance = self.unbalance();
        let thd: Vec<f64> = (0..self.plan.sections)
            .map(|section| {
                let units = &feeding.sections[section];
                let rated: f64 = units.iter().map(|unit| self.plan.units[*unit].mva).sum();
                let fed = |index: &usize| feeding.sections[self.plan.section_of(*index)] == *units;
                let load = Together::of((0..flows.len()).filter(fed).map(|index| &flows[index]));
                distortion::of_voltage(load.distorted_mva, rated)
            })
            .collect();
        for (index, (state, end)) in self.feeders.iter_mut().zip(&electrical.feeders).enumerate() {
            let code = format!("F{}", index + 1);
            let thd = thd[self.plan.section_of(index)];
            // The meter is on the line side of the breaker.
            let is_live = end.kv > 0.0 && !self.switchgear.closed(&format!("{code}ES"));
            let volts = is_live.then(|| Volts::new(end.kv, unbalance, self.lean, conditions.hertz, thd));
            let mut set = |what: &str, value: Option<f64>| put(&mut self.values, &code, what, value);
            state.meter.read(&mut set, &mut self.rng, self.now, conditions.hours, volts.as_ref(), flows[index]);
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
