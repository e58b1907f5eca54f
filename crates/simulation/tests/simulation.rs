//! Runs 100,000 steps of the simulated world: every promise is kept, and every kind of fault occurs.

use simulation::{Tally, run};

/// Minimum number of steps.
const STEPS: u64 = 100_000;

#[test]
fn promises_are_kept_under_simulated_faults() {
    let mut total = Tally::default();
    let mut seed = 0;
    while total.steps < STEPS {
        match run(seed) {
            Ok(tally) => total.add(&tally),
            Err(failure) => panic!("{failure}"),
        }
        seed += 1;
    }
    println!("{total}");
    for (name, figure) in total.figures() {
        assert!(figure > 0, "no {name}: the simulation proves nothing about them");
    }
}

/// Seed 609: a connection attempt from before a crash of a gateway reaches the broker after its next one, and takes its session over.
#[test]
fn gateway_whose_session_was_taken_over_connects_again() {
    if let Err(failure) = run(609) {
        panic!("{failure}");
    }
}

#[test]
fn same_seed_gives_same_run() {
    assert_eq!(run(1), run(1));
}
