//! Runs promises by name: `rig P1 P9 --seed 7`, `--short` for seconds instead of minutes, `all` for all of them.
#![allow(clippy::print_stdout, reason = "a report is printed")]

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use rig::promise::{NAMES, Trial, try_promise};

/// Tests the product's promises under faults.
#[derive(Debug, Parser)]
struct Arguments {
    /// The promises to test, or `all`; without any, they are listed.
    promises: Vec<String>,
    /// Seed of the schedule of faults.
    #[arg(long, default_value_t = 7)]
    seed: u64,
    /// Seconds instead of minutes, and a small load.
    #[arg(long)]
    short: bool,
    /// The executable to test.
    #[arg(long, default_value = "target/release/switchyard")]
    switchyard: PathBuf,
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if arguments.promises.is_empty() {
        for (name, what) in NAMES {
            println!("{name:4} {what}");
        }
        return ExitCode::SUCCESS;
    }
    let all = arguments.promises.iter().any(|name| name == "all");
    let names: Vec<String> = if all { NAMES.map(|(name, _)| name.to_owned()).to_vec() } else { arguments.promises };
    let mut kept = true;
    for name in names {
        let trial = Trial { switchyard: arguments.switchyard.clone(), seed: arguments.seed, short: arguments.short };
        let began = std::time::Instant::now();
        match Box::pin(try_promise(&name, trial)).await {
            Ok(report) => {
                kept &= report.is_kept();
                println!("{report}  took {:.0?}\n", began.elapsed());
            }
            Err(error) => {
                kept = false;
                println!("{name} seed {}: BROKEN\n  {error:#}\n", arguments.seed);
            }
        }
    }
    if kept { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
