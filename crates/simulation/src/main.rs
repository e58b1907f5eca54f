//! Runs seeds of the simulation one after the other. Ends with the first seed that breaks a promise.

use std::process::ExitCode;

use clap::Parser;
use simulation::{Tally, run};

/// Runs the simulation of leadership, acknowledgement and freshness.
#[derive(Parser)]
struct Arguments {
    /// The first seed.
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// Number of seeds to run; if absent, as many as needed for the steps.
    #[arg(long)]
    seeds: Option<u64>,
    /// Minimum number of steps.
    #[arg(long, default_value_t = 100_000)]
    steps: u64,
    /// Fail unless each of leader changes, commits, clock steps and partitions has happened at least this often.
    #[arg(long, default_value_t = 0)]
    at_least: u64,
    /// Number of events to show before a failure.
    #[arg(long, default_value_t = 60)]
    events: u16,
}

#[allow(clippy::print_stdout, reason = "the result of a program that is run by hand and by scripts/soak")]
fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mut total = Tally::default();
    loop {
        let is_over = arguments.seeds.map_or(total.steps >= arguments.steps, |seeds| total.seeds >= seeds);
        if is_over {
            println!("{total}");
            let least = total.leader_changes.min(total.commits).min(total.clock_steps).min(total.partitions);
            return if least >= arguments.at_least { ExitCode::SUCCESS } else { ExitCode::FAILURE };
        }
        match run(arguments.first + total.seeds) {
            Ok(tally) => total.add(&tally),
            Err(failure) => {
                println!("{total}\n{failure:0$}", usize::from(arguments.events));
                return ExitCode::FAILURE;
            }
        }
    }
}
