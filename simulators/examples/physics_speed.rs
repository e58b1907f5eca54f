//! Measures the cost of the demo's physics: a second of live operation of each utility, and a day of history of the first one.

#![allow(clippy::print_stdout, reason = "a program of a measurement prints its figures")]

use std::time::Instant;

use grid::Micros;
use grid::control::Throw;
use simulators::utility;

/// Monday, 2 November 2026, 06:00 UTC.
const START: Micros = Micros(1_793_599_200_000_000);
const SECONDS: i64 = 600;

fn main() {
    for client in utility::demo(33).clients {
        let began = Instant::now();
        let mut physics = simulators::physics(&client, 33, START);
        println!("{}: start {:.1} ms", client.code, began.elapsed().as_secs_f64() * 1e3);
        for is_ring in [false, true] {
            // A closed ring needs the method of Newton.
            if is_ring && !physics.throw(0, "BC", Throw::Closed, 60).0 {
                continue;
            }
            let (began, from) = (Instant::now(), physics.now());
            for second in 1..=SECONDS {
                physics.step(from.plus_millis(second * 1_000));
            }
            let percent = began.elapsed().as_secs_f64() / SECONDS as f64 * 100.0;
            println!(
                "= {} live, {}: percent of a core | {percent:.2} | <= 10",
                client.code,
                if is_ring { "ring closed" } else { "radial" }
            );
        }
    }
    let client = utility::demo(33).clients.swap_remove(0);
    for (name, step_ms, days) in [("quarters of an hour", 900_000, 4), ("five minutes", 300_000, 1), ("a minute", 60_000, 1)] {
        let began = Instant::now();
        for day in 0..days {
            let from = START.plus_millis(day * 86_400_000);
            let mut physics = simulators::physics(&client, 33, from);
            for step in 1..=86_400_000 / step_ms {
                physics.step(from.plus_millis(step * step_ms));
            }
        }
        println!("a day in steps of {name}: {:.0} ms", began.elapsed().as_secs_f64() * 1e3 / days as f64);
    }
}
