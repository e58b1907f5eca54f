//! Measures the time to plan a day: `scripts/bench dispatch`. `--short` plans a few days without checking the limit.

use std::time::Instant;

use dispatch::{Ending, Error, Parameters, Problem, SLOTS, Site, Tariff, Window};

/// Largest accepted time of a plan, ms.
const LIMIT_MS: f64 = 20.0;
/// Number of measured plans.
const DAYS: usize = 200;
const DAYS_SHORT: usize = 3;
/// Number of measurements of each plan. The fastest counts, so that other work on the machine is not measured.
const TRIES: usize = 5;

/// Returns a day of a site with an evening peak, panels and three prices. `number` shifts the peak, so that the days
/// differ.
fn day(number: usize) -> (Parameters, Site, Tariff) {
    let hour = |slot: usize| slot as f64 / 2.0;
    let bell = |at: f64, middle: f64, width: f64| (-((at - middle) / width).powi(2)).exp();
    let peak = 18.0 + (number % 8) as f64 / 4.0;
    let demand = (0..SLOTS).map(|slot| 30.0 + 8.0 * bell(hour(slot), 9.0, 2.0) + 35.0 * bell(hour(slot), peak, 2.5)).collect();
    let sun = (0..SLOTS).map(|slot| 70.0 * bell(hour(slot), 12.25, 3.0)).collect();
    let price = |slot: usize| match slot {
        0..12 | 44.. => 4.5,
        36..44 => 9.0,
        _ => 6.0,
    };
    let parameters = Parameters { charging: Window::DAY, discharging: Window::DAY, ..Parameters::default() };
    let site = Site { ending: Ending::AsBegun, initial_kwh: Some(40.0), import_limit_kw: Some(75.0), ..Site::new(demand, sun) };
    let tariff = Tariff { import_price: (0..SLOTS).map(price).collect(), export_price: Some(vec![3.0; SLOTS]) };
    (parameters, site, tariff)
}

#[allow(clippy::print_stdout, reason = "the answer of this program")]
fn main() -> Result<(), Error> {
    let is_short = std::env::args().any(|argument| argument == "--short");
    let days = if is_short { DAYS_SHORT } else { DAYS };
    let mut took_ms = Vec::with_capacity(days);
    for number in 0..days {
        let (parameters, site, tariff) = day(number);
        let mut fastest = f64::INFINITY;
        let mut plan = None;
        for _ in 0..TRIES {
            let begun = Instant::now();
            plan = Some(Problem::new(&parameters, &site, &tariff)?.solve()?);
            fastest = fastest.min(begun.elapsed().as_secs_f64() * 1_000.0);
        }
        took_ms.push(fastest);
        assert!(plan.and_then(|plan| plan.saving).is_none_or(|saving| saving > 0.0), "a battery with free windows saves on such a day");
    }
    took_ms.sort_by(f64::total_cmp);
    let worst = took_ms.last().copied().unwrap_or_default();
    println!("= dispatch, {SLOTS} slots, worst of {days} days, ms (median {:.2}) | {worst:.2} | <= {LIMIT_MS}", took_ms[days / 2]);
    Ok(())
}
