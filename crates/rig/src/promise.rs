//! The promises by name: what is done, for how long, and what must hold. The numbers are those of trust.md, section 1b.

mod clients;
mod clocks;
mod crashes;
mod input;
mod outages;

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::bail;

use crate::check::Findings;
use crate::gateways::Late;
use crate::run::Run;
use crate::site::Shape;

/// How a promise is tried.
#[derive(Debug, Clone)]
pub struct Trial {
    /// The executable.
    pub switchyard: PathBuf,
    /// Decides when and what.
    pub seed: u64,
    /// Seconds instead of minutes, and a small load.
    pub short: bool,
}

/// The promises that the rig can try.
pub const NAMES: [(&str, &str); 16] = [
    ("P1", "a crash of ingest loses and doubles nothing"),
    ("P2", "a crash of the database loses nothing, and the picture lives on"),
    ("P3", "a crash of the broker loses nothing that a gateway with an outbox sent"),
    ("P4", "everything stopped at once comes back by itself"),
    ("P5", "what is sent again and again is stored once"),
    ("P6", "the event log is complete under an avalanche, with ingest and hub killed"),
    ("P7", "late values go to history and never to the picture; wrong clocks do no harm"),
    ("P8", "full disks lose nothing"),
    ("P9", "a disturbed link heals"),
    ("P10", "a database that does not answer is bridged within bounded memory"),
    ("P11", "poisoned input is set aside with its reason"),
    ("P12", "clients resume without a gap when they or the hub are cut"),
    ("P13", "a client that does not read hurts only itself"),
    ("P14", "values are on the screen in time"),
    ("P16", "clocks that jump do no harm"),
    ("P17", "a reconnect storm is over soon"),
];

/// What came of a trial.
#[derive(Debug)]
pub struct Report {
    pub(crate) name: String,
    pub(crate) seed: u64,
    pub(crate) short: bool,
    pub(crate) findings: Findings,
    /// What must hold besides, with what was found and whether it holds.
    pub(crate) checks: Vec<(String, bool)>,
}

impl Report {
    /// Whether the promise was kept.
    pub fn is_kept(&self) -> bool {
        self.findings.is_clean() && self.checks.iter().all(|(_, holds)| *holds)
    }

    pub(crate) fn check(&mut self, what: impl Into<String>, holds: bool) {
        self.checks.push((what.into(), holds));
    }

    /// Of a duration or a size, which count in the long form alone: a short one runs beside other tests, on any machine.
    pub(crate) fn figure(&mut self, what: impl Into<String>, holds: bool) {
        let short = self.short;
        self.check(what, holds || short);
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} seed {}: {}", self.name, self.seed, if self.is_kept() { "kept" } else { "BROKEN" })?;
        write!(f, "{}", self.findings)?;
        for (what, holds) in &self.checks {
            writeln!(f, "  {} {what}", if *holds { "holds " } else { "BROKEN" })?;
        }
        Ok(())
    }
}

/// Tries a promise by its name.
pub async fn try_promise(name: &str, trial: Trial) -> anyhow::Result<Report> {
    let short = trial.short;
    let seconds = |quick: u64, long: u64| Duration::from_secs(if short { quick } else { long });
    let shape = |ingests, hubs| Shape { switchyard: trial.switchyard.clone(), ingests, hubs, clocks: false, disks: None };
    let observers = if short { 2 } else { 50 };
    match name {
        "P1" | "P2" | "P3" => {
            let (part, times) = match name {
                "P1" => ("ingest1", if short { 2 } else { 30 }),
                "P2" => ("postgres", if short { 1 } else { 10 }),
                _ => ("broker", if short { 1 } else { 10 }),
            };
            let mut run = Run::start(name, trial.clone(), shape(1, 1), observers).await?;
            run.kill_again_and_again(part, times).await?;
            if name == "P1" {
                run.crash_at_places(if short { 1 } else { 5 }).await?;
            }
            run.end().await
        }
        "P4" => {
            let mut run = Run::start(name, trial.clone(), shape(1, 1), observers).await?;
            run.kill_everything(if short { 1 } else { 10 }).await?;
            run.end().await
        }
        "P6" => {
            let mut run = Run::start(name, trial.clone(), shape(1, 1), observers).await?;
            run.avalanche(if short { 1_000 } else { 10_000 }).await?;
            run.end().await
        }
        "P5" => {
            let mut run = Run::start(name, trial.clone(), shape(2, 1), observers).await?;
            run.repeat_everything(seconds(5, 60)).await?;
            run.end().await
        }
        "P7" => {
            let mut run = Run::start(name, trial.clone(), shape(1, 1), observers).await?;
            let late = Late { since: Duration::from_hours(6), step: seconds(600, 10), per_s: 20 };
            run.bring_late(late, if short { 3 } else { 30 }, if short { 2 } else { 5 }).await?;
            run.end().await
        }
        "P8" => {
            let disks = Some((if short { 512 } else { 1_024 }, 96));
            let mut run = Run::start(name, trial.clone(), Shape { disks, ..shape(1, 1) }, observers).await?;
            run.fill_disks(seconds(6, 60)).await?;
            run.end().await
        }
        "P9" => {
            let mut run = Run::start(name, trial.clone(), shape(1, 1), observers).await?;
            run.disturb_links().await?;
            run.end().await
        }
        "P10" => {
            let mut run = Run::start(name, trial.clone(), shape(1, 1), observers).await?;
            run.stop_database(seconds(15, 600)).await?;
            run.end().await
        }
        "P11" => {
            let mut run = Run::start(name, trial.clone(), shape(1, 1), observers).await?;
            run.poison(seconds(5, 120)).await?;
            run.end().await
        }
        "P12" => {
            let mut run = Run::start(name, trial.clone(), shape(2, 2), observers).await?;
            run.cut_clients(if short { (10, 2) } else { (200, 20) }).await?;
            run.end().await
        }
        "P13" => {
            let mut run = Run::start(name, trial.clone(), shape(1, 1), if short { 6 } else { 50 }).await?;
            run.freeze_some(if short { (1, 600, 14) } else { (5, 10_000, 60) }).await?;
            run.end().await
        }
        "P14" => {
            let mut run = Run::start(name, trial.clone(), shape(1, 1), observers).await?;
            run.watch_delays(seconds(5, 600), if short { 600 } else { 10_000 }).await?;
            run.end().await
        }
        "P16" => {
            let mut run = Run::start(name, trial.clone(), Shape { clocks: true, ..shape(1, 1) }, observers).await?;
            run.set_clocks(seconds(3, 20)).await?;
            run.end().await
        }
        "P17" => {
            let mut run = Run::start(name, trial.clone(), shape(1, 1), if short { 20 } else { 500 }).await?;
            run.storm().await?;
            run.end().await
        }
        other => bail!("{other} is none of {}", NAMES.map(|(name, _)| name).join(", ")),
    }
}
