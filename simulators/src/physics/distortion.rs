//! Effects of loads on power quality: harmonics by class of load, and flicker.

use std::collections::VecDeque;

use grid::Micros;
use grid::power_quality::flicker::{SHORT_TERMS, plt};
use rand::RngExt;
use rand::rngs::StdRng;

use super::load::Class;

/// Distortion of the voltage of the incoming line, percent.
const BACKGROUND: f64 = 0.8;
/// Reactance of a transformer, per unit, at the fifth harmonic, which is the largest.
const REACTANCE: f64 = 0.08 * 5.0;
/// Share of the harmonics that remains in the sum of many loads. The rest cancels out, because the phases of the harmonics differ.
const DIVERSITY: f64 = 0.6;

/// Returns the distortion of a feeder's current, percent, at a share of its peak load. Electronics are in shops and homes, converters in factories;
/// pump motors cause little distortion. At light load most of the load is electronics.
pub(super) fn of_current(class: Class, share: f64) -> f64 {
    let at_peak = match class {
        Class::Residential => 9.0,
        Class::Commercial => 12.5,
        Class::Agriculture => 4.0,
        Class::Industry => 8.0,
    };
    at_peak * (1.3 - 0.4 * share.clamp(0.0, 1.0))
}

/// Returns the distortion of a bus voltage, percent: the background, plus the voltage drop of the harmonics in the transformers. `distorted_mva` is
/// the sum of each load times its distortion in percent.
pub(super) fn of_voltage(distorted_mva: f64, rated_mva: f64) -> f64 {
    BACKGROUND + if rated_mva > 0.0 { DIVERSITY * REACTANCE * distorted_mva / rated_mva } else { 0.0 }
}

/// Returns the distortion of the total current of many loads, percent.
pub(super) fn of_sum(distorted_mva: f64, mva: f64) -> f64 {
    if mva > 1e-9 { DIVERSITY * distorted_mva / mva } else { 0.0 }
}

/// Period of a short-term severity (Pst), ms.
const SHORT_TERM_MS: i64 = 600_000;

/// The flicker meter of a line.
#[derive(Debug, Clone)]
pub(super) struct Flicker {
    usual: f64,
    /// The current ten-minute period, counted from 1970.
    slot: i64,
    /// Short-term severities, the newest last. Filled at the start, so that there is a long-term severity to report.
    past: VecDeque<f64>,
    plt: Option<f64>,
    shaken: bool,
    live: bool,
}

impl Flicker {
    /// Creates a meter for a place with loads of this class; `None` is the higher-voltage side, where flicker is lower.
    pub(super) fn new(rng: &mut StdRng, class: Option<Class>) -> Self {
        let usual = match class {
            Some(Class::Residential) => 0.3,
            Some(Class::Commercial) => 0.35,
            Some(Class::Agriculture) => 0.45,
            Some(Class::Industry) => 0.7,
            None => 0.2,
        };
        let past = (0..SHORT_TERMS).map(|_| severity(rng, usual, false)).collect();
        let mut flicker = Self { usual, slot: i64::MIN, past, plt: None, shaken: false, live: true };
        flicker.long_term();
        flicker
    }

    /// Records a dip in the current ten-minute period.
    pub(super) fn shaken(&mut self) {
        self.shaken = true;
    }

    pub(super) fn step(&mut self, rng: &mut StdRng, now: Micros, live: bool) {
        self.live = live;
        let slot = now.millis().div_euclid(SHORT_TERM_MS);
        // At the first step, and after a jump in time, at most one long-term period is filled in.
        let first = if self.slot == i64::MIN { slot } else { self.slot.max(slot - SHORT_TERMS as i64) };
        for ended in first..slot {
            self.past.pop_front();
            self.past.push_back(severity(rng, self.usual, std::mem::take(&mut self.shaken)));
            if (ended + 1) % SHORT_TERMS as i64 == 0 {
                self.long_term();
            }
        }
        self.slot = slot;
    }

    fn long_term(&mut self) {
        self.plt = <[f64; SHORT_TERMS]>::try_from(Vec::from(self.past.clone())).ok().map(|past| plt(&past));
    }

    /// Returns the severity of the last complete ten minutes; `None` without voltage.
    pub(super) fn pst(&self) -> Option<f64> {
        self.past.back().copied().filter(|_| self.live)
    }

    /// Returns the severity of the last complete two hours; `None` without voltage.
    pub(super) fn plt(&self) -> Option<f64> {
        self.plt.filter(|_| self.live)
    }
}

fn severity(rng: &mut StdRng, usual: f64, shaken: bool) -> f64 {
    usual * rng.random_range(0.75..1.3) + if shaken { rng.random_range(0.6..1.4) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn a_dip_shows_in_its_ten_minutes_and_in_the_two_hours_around() {
        let mut rng = StdRng::seed_from_u64(3);
        let mut flicker = Flicker::new(&mut rng, Some(Class::Residential));
        let at = |slot: i64| Micros::from_millis(slot * SHORT_TERM_MS);
        flicker.step(&mut rng, at(1_200), true);
        let (calm, quiet) = (flicker.pst().unwrap(), flicker.plt().unwrap());
        assert!(calm < 0.5 && quiet < 0.5);
        flicker.shaken();
        flicker.step(&mut rng, at(1_201), true);
        assert!(flicker.pst().unwrap() > calm + 0.2);
        assert_eq!(flicker.plt(), Some(quiet), "its two hours are not over");
        flicker.step(&mut rng, at(1_212), true);
        assert!(flicker.pst().unwrap() < 0.5 && flicker.plt().unwrap() > quiet);
        flicker.step(&mut rng, at(1_213), false);
        assert_eq!((flicker.pst(), flicker.plt()), (None, None));
    }

    #[test]
    fn shops_distort_more_than_pumps_and_light_load_more_than_full() {
        assert!(of_current(Class::Commercial, 0.5) > 2.0 * of_current(Class::Agriculture, 0.5));
        assert!(of_current(Class::Residential, 0.2) > of_current(Class::Residential, 1.0));
        assert!((of_voltage(0.0, 0.0) - BACKGROUND).abs() < 1e-12);
        assert!((2.0..3.0).contains(&of_voltage(6.0 * 9.0, 8.0)), "6 MVA at 9 percent behind 8 MVA");
    }
}
