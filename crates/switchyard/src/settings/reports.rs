//! The settings of reports.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use serde::Deserialize;

/// Report files.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reports {
    /// Maximum number of rows of a file.
    pub rows_max: u64,
    /// Maximum size of the kept files of schedules for each utility, MiB.
    pub kept_mib_max: u32,
    /// How long a part of a file waits for the client to read it, s.
    pub reader_patience_s: u64,
}

impl Reports {
    /// Returns the maximum size of the kept files for each utility, bytes.
    pub(crate) fn kept_bytes_max(self) -> anyhow::Result<i64> {
        if !(1..=1_048_576).contains(&self.kept_mib_max) {
            bail!("reports.kept_mib_max must lie between 1 and 1048576, it is {}", self.kept_mib_max);
        }
        Ok(i64::from(self.kept_mib_max) * 1024 * 1024)
    }

    /// Returns the settings of the report engine. Creates the folder for files in the state folder.
    pub(crate) fn of_reports(self, state: &Path, site: PathBuf, public_url: String) -> anyhow::Result<reports::ReportSettings> {
        if !(1..=100_000_000).contains(&self.rows_max) {
            bail!("reports.rows_max must lie between 1 and 100000000, it is {}", self.rows_max);
        }
        if !(1..=3_600).contains(&self.reader_patience_s) {
            bail!("reports.reader_patience_s must lie between 1 and 3600, it is {}", self.reader_patience_s);
        }
        let folder = state.join("reports");
        std::fs::create_dir_all(&folder).with_context(|| format!("the folder {} for reports", folder.display()))?;
        let reader_patience = Duration::from_secs(self.reader_patience_s);
        Ok(reports::ReportSettings { rows_max: self.rows_max, folder, reader_patience, site, public_url })
    }
}
