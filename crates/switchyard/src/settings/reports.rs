//! The settings of reports.

use std::path::Path;

use anyhow::{Context, bail};
use serde::Deserialize;

/// Reports as files.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reports {
    /// Rows of a file.
    pub rows_max: u64,
}

impl Reports {
    /// What the api takes. Files grow in the folder of the state, which is there from now on.
    pub(crate) fn of_api(self, state: &Path) -> anyhow::Result<api::ReportSettings> {
        if !(1..=100_000_000).contains(&self.rows_max) {
            bail!("reports.rows_max must lie between 1 and 100000000, it is {}", self.rows_max);
        }
        let folder = state.join("reports");
        std::fs::create_dir_all(&folder).with_context(|| format!("the folder {} for reports", folder.display()))?;
        Ok(api::ReportSettings { rows_max: self.rows_max, folder })
    }
}
