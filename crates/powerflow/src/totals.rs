//! The sums of the loads that are connected to each bus.

use num_complex::Complex64;

use crate::case::{Case, Draw};

/// The loads of each bus: powers that do not depend on the voltage, powers that are proportional to the voltage (at nominal voltage), and admittances.
#[derive(Debug)]
pub(crate) struct Totals {
    pub(crate) power: Vec<Complex64>,
    pub(crate) current: Vec<Complex64>,
    pub(crate) admittance: Vec<Complex64>,
}

impl Totals {
    pub(crate) fn new(case: &Case) -> Self {
        let zeros = vec![Complex64::ZERO; case.kv.len()];
        let mut totals = Self { power: zeros.clone(), current: zeros.clone(), admittance: zeros };
        for injection in &case.injections {
            let bus = injection.bus as usize;
            match injection.draw {
                Draw::Load(load) => {
                    totals.power[bus] += load.constant_power();
                    totals.current[bus] += load.constant_current();
                    totals.admittance[bus] += load.admittance();
                }
                Draw::Shunt(admittance) => totals.admittance[bus] += admittance,
                Draw::Held { power, .. } => totals.power[bus] -= power,
                Draw::Source(_) => {}
            }
        }
        totals
    }

    /// Returns the power that a bus draws, without its admittance.
    pub(crate) fn power_at(&self, bus: usize, voltage: f64) -> Complex64 {
        self.power[bus] + self.current[bus] * voltage
    }
}
