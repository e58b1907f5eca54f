//! The settings and the result of a trial.

use std::fmt;
use std::path::PathBuf;

use crate::check::Findings;

/// The settings of a trial.
#[derive(Debug, Clone)]
pub struct Trial {
    /// The executable.
    pub switchyard: PathBuf,
    /// Seed of the schedule of faults.
    pub seed: u64,
    /// Seconds instead of minutes, and a small load.
    pub short: bool,
}

/// The result of a trial.
#[derive(Debug)]
pub struct Report {
    pub(crate) name: String,
    pub(crate) seed: u64,
    pub(crate) short: bool,
    pub(crate) findings: Findings,
    /// Further requirements: a text with the result, and whether it is fulfilled.
    pub(crate) checks: Vec<(String, bool)>,
}

impl Report {
    /// Returns whether the promise was kept.
    pub fn is_kept(&self) -> bool {
        self.findings.is_clean() && self.checks.iter().all(|(_, holds)| *holds)
    }

    pub(crate) fn check(&mut self, what: impl Into<String>, holds: bool) {
        self.checks.push((what.into(), holds));
    }

    /// Adds a requirement for a duration or a size. It counts only in the long form, because a short trial runs beside other tests on any machine.
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
