//! Solves a thousand days with two independent methods: the simplex of microlp and the interior-point method of clarabel.

use good_lp::solvers::clarabel::clarabel;

use super::*;
use crate::error::Error;
use crate::impossible::Impossible;
use crate::plan::Plan;
use crate::{Objective, Parameters, Site, Tariff, Window};

/// Reproducible random numbers (SplitMix64).
struct Seeded(u64);

impl Seeded {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn within(&mut self, least: f64, most: f64) -> f64 {
        least + (most - least) * (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, count: u64) -> u64 {
        self.next() % count
    }

    fn window(&mut self) -> Window {
        let start = self.below(48) as u32;
        Window { start, end: (start + 1 + self.below(47) as u32) % 49 }
    }

    fn row(&mut self, least: f64, most: f64) -> Vec<f64> {
        (0..SLOTS).map(|_| self.within(least, most)).collect()
    }
}

/// Returns a random day. With `tight` the limit may be below the demand, and the final energy may be out of reach.
fn day(seed: u64, tight: bool) -> Option<Problem> {
    let mut random = Seeded(seed);
    let capacity = random.within(0.0, 500.0);
    let least = capacity * random.within(0.0, 0.5);
    let parameters = Parameters {
        capacity_max_kwh: capacity,
        capacity_min_kwh: least,
        charge_rate_kw: random.within(0.0, 100.0),
        discharge_rate_kw: random.within(0.0, 100.0),
        charging: random.window(),
        discharging: random.window(),
        objective: Objective::ALL[random.below(2) as usize],
        ..Parameters::default()
    };
    let demand = random.row(0.0, 120.0);
    let sun = random.row(-60.0, 120.0).into_iter().map(|kw| kw.max(0.0)).collect();
    let most = demand.iter().copied().fold(0.0, f64::max);
    let initial = random.within(least, capacity);
    let site = Site {
        charge_efficiency: random.within(0.7, 1.0),
        discharge_efficiency: random.within(0.7, 1.0),
        initial_kwh: Some(initial),
        ending: match random.below(3) {
            0 => Ending::Free,
            1 => Ending::AsBegun,
            _ => Ending::AtLeast(if tight { random.within(initial, capacity) } else { random.within(least, initial) }),
        },
        import_limit_kw: (random.below(2) == 0).then(|| most * random.within(if tight { 0.9 } else { 1.0 }, 1.5)),
        wear_per_kwh: random.within(1e-4, 0.5),
        ..Site::new(demand, sun)
    };
    let import_price = random.row(1.0, 12.0);
    let export_price = (random.below(2) == 0).then(|| import_price.iter().map(|price| price * random.within(0.0, 1.0)).collect());
    Problem::new(&parameters, &site, &Tariff { import_price, export_price }).ok()
}

#[test]
fn two_solvers_agree_on_a_thousand_days() {
    let mut solved = 0;
    for seed in 0.. {
        let Some(problem) = day(seed, false) else { continue };
        let one = solve(&problem, Relaxed::Nothing, simplex).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let other = solve(&problem, Relaxed::Nothing, clarabel).unwrap_or_else(|error| panic!("seed {seed}, clarabel: {error}"));
        let apart = (one.objective - other.objective).abs() / one.objective.abs().max(1.0);
        assert!(apart <= 1e-6, "seed {seed}: {} and {}", one.objective, other.objective);
        let plan = Plan::of(&problem, &one);
        assert!((plan.objective - one.objective).abs() <= 1e-6 * one.objective.abs().max(1.0), "seed {seed}: {plan:?}");
        assert!((0..SLOTS).all(|slot| one.charge[slot].min(one.discharge[slot]) < 1e-6), "seed {seed} charges and discharges at once");
        // Including wear, the battery costs no more than an idle one, if idling is feasible.
        assert!(plan.cost_without_battery.is_none_or(|without| plan.objective <= without + 1e-6), "seed {seed}: {plan:?}");
        solved += 1;
        if solved == 1_000 {
            return;
        }
    }
}

#[test]
fn what_has_no_plan_has_a_reason_and_both_solvers_find_none() {
    let (mut limits, mut ends, mut plans) = (0, 0, 0);
    for seed in 0..500 {
        let Some(problem) = day(seed, true) else { continue };
        let other = solve(&problem, Relaxed::Nothing, clarabel);
        match problem.solve() {
            Ok(plan) => {
                let other = other.unwrap_or_else(|error| panic!("seed {seed}: {error}, and yet a plan")).objective;
                assert!((plan.objective - other).abs() <= 1e-6 * other.abs().max(1.0), "seed {seed}: {} and {other}", plan.objective);
                plans += 1;
            }
            Err(Error::Impossible(why)) => {
                assert!(other.is_err(), "seed {seed}: {why}, and yet {other:?}");
                match why {
                    Impossible::ImportLimit { slot, needed_kw, limit_kw, missing_kw, .. } => {
                        assert!(needed_kw > limit_kw && missing_kw > 0.0 && missing_kw <= needed_kw - limit_kw + 1e-6, "slot {slot}");
                        limits += 1;
                    }
                    Impossible::EndEnergy { required_kwh, reachable_kwh, .. } => {
                        assert!(reachable_kwh < required_kwh);
                        ends += 1;
                    }
                }
            }
            Err(error) => panic!("seed {seed}: {error}"),
        }
    }
    assert!(limits > 10 && ends > 10 && plans > 10, "{limits} for the limit, {ends} for the end, {plans} plans");
}
