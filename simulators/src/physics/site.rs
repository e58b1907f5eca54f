//! A low-carbon site: its demand, solar power with passing clouds, and a battery with a simple schedule.
//!
//! Everything except the battery is a function of time, so that the generated past and the running simulation agree. At every instant the grid power
//! is the demand, minus the solar power, plus the power of the battery.

use grid::Micros;
use grid::solar::{Coordinates, PERFORMANCE, Panels, clear_sky};

use super::load;
use crate::utility::Site;

/// Local hours in which the battery charges.
const CHARGING: std::ops::Range<f64> = 10.0..15.0;
/// Local hours in which the battery does not discharge. At other times the battery supplies the site until it is empty.
const BY_DAY: std::ops::Range<f64> = 6.0..18.0;
/// Charging power as a share of the rated power.
const GENTLE: f64 = 0.9;
/// Share of the solar power that the densest cloud takes.
const SHADE: f64 = 0.72;
/// Step in which the past of a battery is computed, ms.
const STEP_MS: i64 = 300_000;
const HOUR_MS: f64 = 3_600_000.0;

/// Powers at an instant, kW, and the stored energy, kWh.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Flow {
    /// Demand of the site.
    pub site: f64,
    /// Solar power.
    pub solar: f64,
    /// Power of the battery: positive when charging, negative when discharging.
    pub battery: f64,
    /// Power from the grid; negative for export.
    pub grid: f64,
    /// Energy in the battery.
    pub stored: f64,
}

/// A running site.
#[derive(Debug, Clone)]
pub(super) struct Running {
    site: Site,
    seed: u64,
    stored: f64,
}

impl Running {
    /// Creates a site at an instant. The energy in the battery is computed from the last morning, when it was empty after discharging all night.
    pub(super) fn new(site: Site, seed: u64, at: Micros) -> Self {
        let mut running = Self { site, seed, stored: 0.0 };
        let hours = (load::local_hour(at) - BY_DAY.start).rem_euclid(24.0);
        let mut now = at.plus_millis(-(hours * HOUR_MS) as i64);
        while now < at {
            let next = now.plus_millis(STEP_MS).min(at);
            running.step(next, next.millis_since(now) as f64 / HOUR_MS, true);
            now = next;
        }
        running
    }

    /// Advances by some hours to an instant. Without supply from its feeder the site takes no power, and its inverters stop.
    pub(super) fn step(&mut self, at: Micros, hours: f64, fed: bool) -> Flow {
        if !fed {
            return Flow { stored: self.stored, ..Flow::default() };
        }
        let (site, solar) = (self.demand(at), self.sun(at));
        let battery = self.battery(at, hours, (site - solar).max(0.0));
        let moved = if battery > 0.0 { battery * self.site.efficiency } else { battery / self.site.efficiency };
        self.stored = (self.stored + moved * hours).clamp(0.0, self.site.capacity_kwh);
        Flow { site, solar, battery, grid: site - solar + battery, stored: self.stored }
    }

    fn demand(&self, at: Micros) -> f64 {
        let swing = 0.08 * (wave(self.seed ^ 1, at, 420) - 0.5) + 0.06 * (wave(self.seed ^ 2, at, 75) - 0.5);
        self.site.peak_kw * load::shape(self.site.class, at) * (1.0 + swing)
    }

    /// Returns the solar power. Some days have almost no clouds, others are mostly cloudy.
    fn sun(&self, at: Micros) -> f64 {
        let (Ok(place), Ok(panels)) = (Coordinates::new(self.site.lat, self.site.lon), Panels::new(self.site.kwp, PERFORMANCE)) else {
            return 0.0;
        };
        let clear = panels.kw(clear_sky(place.sun(at).zenith_deg));
        let cover = 0.1 + 0.6 * chance(self.seed ^ 3, load::day(at));
        let sky = 0.65 * wave(self.seed ^ 4, at, 1_500) + 0.35 * wave(self.seed ^ 5, at, 240);
        clear * (1.0 - SHADE * ((sky - (1.0 - cover)) / 0.2).clamp(0.0, 1.0))
    }

    /// Returns the power of the battery, limited by its rate, its free capacity and its energy. It never discharges more than the site needs.
    fn battery(&self, at: Micros, hours: f64, needed: f64) -> f64 {
        let Site { battery_kw, capacity_kwh, efficiency, .. } = self.site;
        let hour = load::local_hour(at);
        // The energy must last for at least a second.
        let hours = hours.max(1.0 / 3_600.0);
        if CHARGING.contains(&hour) {
            (GENTLE * battery_kw).min((capacity_kwh - self.stored) / efficiency / hours)
        } else if BY_DAY.contains(&hour) {
            0.0
        } else {
            -needed.min(battery_kw).min(self.stored * efficiency / hours)
        }
    }
}

/// Returns a number from 0 to 1 that changes smoothly between random values every `seconds`.
fn wave(seed: u64, at: Micros, seconds: i64) -> f64 {
    let length = seconds * 1_000;
    let (index, part) = (at.millis().div_euclid(length), at.millis().rem_euclid(length) as f64 / length as f64);
    let smooth = part * part * (3.0 - 2.0 * part);
    chance(seed, index) * (1.0 - smooth) + chance(seed, index + 1) * smooth
}

/// Returns a reproducible random number from 0 to 1 (SplitMix64).
fn chance(seed: u64, index: i64) -> f64 {
    let mixed = seed.wrapping_add(index.cast_unsigned().wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site() -> Site {
        crate::utility::demo(33).clients[0].substations.iter().find_map(|substation| substation.plan.site).expect("a site")
    }

    /// 2026-11-20 00:00 in India, plus some minutes.
    fn at(minute: i64) -> Micros {
        Micros::from_millis(1_795_113_000_000 + minute * 60_000)
    }

    #[test]
    fn a_day_adds_up_and_keeps_every_limit() {
        let site = site();
        let mut running = Running::new(site, 7, at(0));
        let (mut charged, mut given, mut before) = (0.0, 0.0, running.stored);
        let mut suns = Vec::new();
        for minute in 1..=3 * 1_440 {
            let flow = running.step(at(minute), 1.0 / 60.0, true);
            assert!((flow.grid - (flow.site - flow.solar + flow.battery)).abs() < 1e-9, "{flow:?}");
            assert!((0.0..=site.capacity_kwh).contains(&flow.stored) && flow.battery.abs() <= site.battery_kw, "{flow:?}");
            assert!((0.0..=site.kwp).contains(&flow.solar) && flow.site > 0.0, "{flow:?}");
            let moved = if flow.battery > 0.0 { flow.battery * site.efficiency } else { flow.battery / site.efficiency };
            assert!((flow.stored - before - moved / 60.0).abs() < 1e-9, "minute {minute}: {flow:?}");
            before = flow.stored;
            charged += flow.battery.max(0.0) / 60.0;
            given += (-flow.battery).max(0.0) / 60.0;
            if minute % 1_440 == 0 {
                suns.push(charged);
            }
            let hour = load::local_hour(at(minute));
            assert!(flow.solar < 1e-9 || (5.5..18.5).contains(&hour), "{hour}: {flow:?}");
        }
        assert!(charged > 250.0 && suns.len() == 3, "{charged} kWh in three days");
        assert!(
            given < charged * site.efficiency * site.efficiency + site.capacity_kwh && given > charged * 0.7,
            "{given} of {charged} kWh"
        );
        assert!(load::local_hour(at(0)).abs() < 1e-9);
    }

    #[test]
    fn whenever_one_begins_to_look_it_is_the_same_site() {
        let mut running = Running::new(site(), 7, at(0));
        let mut flow = Flow::default();
        for step in 1..=288 {
            flow = running.step(at(step * 5), 5.0 / 60.0, true);
            if step % 36 == 0 {
                let mut other = Running::new(site(), 7, at(step * 5 - 5));
                let seen = other.step(at(step * 5), 5.0 / 60.0, true);
                assert!((seen.site - flow.site).abs() < 1e-9 && (seen.solar - flow.solar).abs() < 1e-9);
                assert!((seen.stored - flow.stored).abs() < 1.0, "{step}: {seen:?} and {flow:?}");
            }
        }
        let dark = running.step(at(1_445), 5.0 / 60.0, false);
        assert_eq!(dark, Flow { stored: flow.stored, ..Flow::default() });
    }

    #[test]
    fn clouds_pass_and_some_days_are_clear() {
        let running = Running::new(site(), 7, at(0));
        let part = |minute: i64| {
            let place = Coordinates::new(running.site.lat, running.site.lon).expect("a place");
            running.sun(at(minute))
                / Panels::new(running.site.kwp, PERFORMANCE).expect("panels").kw(clear_sky(place.sun(at(minute)).zenith_deg))
        };
        let parts: Vec<f64> = (0..30).flat_map(|day| (480..960).map(move |minute| day * 1_440 + minute)).map(part).collect();
        assert!(parts.iter().all(|part| (1.0 - SHADE - 1e-9..=1.0 + 1e-9).contains(part)));
        let clear = parts.iter().filter(|part| **part > 0.999).count();
        assert!(clear > parts.len() / 3 && clear < parts.len() * 49 / 50, "{clear} of {}", parts.len());
    }
}
