//! Runs one seed from its first event to its last check.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::tally::Tally;
use crate::world::World;

const SECOND: i64 = 1_000_000;

/// Durations of the faults and of the quiet time after them, µs.
const FAULTS: i64 = 120 * SECOND;
const QUIET: i64 = 90 * SECOND;

/// Time before the end without new values, µs.
const SILENT: i64 = 15 * SECOND;

/// Number of events shown with a failure by default.
const SHOWN: usize = 60;

/// A seed that broke a promise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The seed.
    pub seed: u64,
    /// The step after which the check failed.
    pub step: u64,
    /// The broken promise.
    pub reason: String,
    /// The last events, oldest first.
    pub events: Vec<String>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "seed {} fails at step {}: {}", self.seed, self.step, self.reason)?;
        // The width of the format is the number of events to show.
        let shown = f.width().unwrap_or(SHOWN).min(self.events.len());
        for event in &self.events[self.events.len() - shown..] {
            writeln!(f, "  {event}")?;
        }
        write!(f, "To see it again: cargo run --package simulation -- --first {0} --seeds 1", self.seed)
    }
}

/// Runs a seed. A failing seed is run again to record its last events.
pub fn run(seed: u64) -> Result<Tally, Failure> {
    let mut world = World::new(seed, false);
    let Err(reason) = attempt(&mut world) else { return Ok(world.tally()) };
    let step = world.tally.steps;
    let mut again = World::new(seed, true);
    // If the result differs, the simulation is not deterministic.
    let repeated = attempt(&mut again);
    let reason = if repeated == Err(reason.clone()) { reason } else { format!("{reason}; run again it gives {repeated:?}") };
    Err(Failure { seed, step, reason, events: again.events() })
}

fn attempt(world: &mut World) -> Result<(), String> {
    catch_unwind(AssertUnwindSafe(|| play(world))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        Err(format!("a panic: {}", text.unwrap_or("without a text")))
    })
}

fn play(world: &mut World) -> Result<(), String> {
    until(world, FAULTS)?;
    world.calm();
    until(world, FAULTS + QUIET - SILENT)?;
    world.is_measuring = false;
    until(world, FAULTS + QUIET)?;
    world.check_end();
    checked(world)
}

fn until(world: &mut World, end: i64) -> Result<(), String> {
    while world.now < end {
        world.step();
        checked(world)?;
        if world.tally.steps.is_multiple_of(1_024) {
            world.forget_lines();
        }
    }
    Ok(())
}

fn checked(world: &World) -> Result<(), String> {
    world.truth.failure().map_or(Ok(()), |reason| Err(reason.to_owned()))
}
