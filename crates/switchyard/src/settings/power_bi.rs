//! The settings of an embedded Power BI report.

use std::path::PathBuf;

use anyhow::{Context, bail};
use serde::Deserialize;

/// Maximum length of an id.
const ID_MAX: usize = 100;

/// A Power BI report: set all required values or none.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(clippy::struct_field_names, reason = "the names of the settings")]
pub(crate) struct PowerBi {
    /// The organisation.
    pub tenant_id: String,
    /// The application.
    pub app_id: String,
    /// File with the secret of the application.
    pub app_secret_file: PathBuf,
    /// The workspace.
    pub workspace_id: String,
    /// The report.
    pub report_id: String,
    /// The data set; empty: the one that the service reports.
    pub dataset_id: String,
    /// The role that filters rows.
    pub role: String,
    /// Table and column of the displayed filter; empty: no filter.
    pub filter_table: String,
    pub filter_column: String,
}

impl PowerBi {
    /// Rejects invalid settings early, for example a report without a row filter for each utility.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        let ids = [
            ("tenant_id", &self.tenant_id),
            ("app_id", &self.app_id),
            ("workspace_id", &self.workspace_id),
            ("report_id", &self.report_id),
            ("dataset_id", &self.dataset_id),
        ];
        let is_id = |id: &str| {
            id.len() <= ID_MAX && !id.contains("..") && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte))
        };
        if let Some((key, id)) = ids.iter().find(|(_, id)| !is_id(id)) {
            bail!("powerbi.{key} must be an id of letters, digits, `-` and `.`, it is {id:?}");
        }
        if self.filter_table.is_empty() != self.filter_column.is_empty() {
            bail!("powerbi.filter_table and powerbi.filter_column are set together, or neither");
        }
        let missing = self.missing();
        if (1..embed::POWER_BI_SETTINGS.len()).contains(&missing.len()) {
            bail!("Power BI is configured in part: set {} too, or nothing of it", missing.join(", "));
        }
        Ok(())
    }

    /// Returns the required settings that are missing.
    fn missing(&self) -> Vec<&'static str> {
        let file = self.app_secret_file.as_os_str();
        let empty = [
            self.tenant_id.is_empty(),
            self.app_id.is_empty(),
            file.is_empty(),
            self.workspace_id.is_empty(),
            self.report_id.is_empty(),
            self.role.is_empty(),
        ];
        embed::POWER_BI_SETTINGS.into_iter().zip(empty).filter(|(_, is_empty)| *is_empty).map(|(key, _)| key).collect()
    }

    /// Returns the settings for the api; `None` if nothing is set.
    pub(crate) fn of_api(&self) -> anyhow::Result<Option<embed::PowerBiSettings>> {
        if !self.missing().is_empty() {
            return Ok(None);
        }
        let name = || format!("powerbi.app_secret_file: {}", self.app_secret_file.display());
        let secret = std::fs::read_to_string(&self.app_secret_file).with_context(name)?;
        let app_secret = secret.trim().to_owned();
        if app_secret.is_empty() {
            return Err(anyhow::anyhow!("holds no secret")).with_context(name);
        }
        Ok(Some(embed::PowerBiSettings {
            tenant_id: self.tenant_id.clone(),
            app_id: self.app_id.clone(),
            app_secret,
            workspace_id: self.workspace_id.clone(),
            report_id: self.report_id.clone(),
            dataset_id: Some(self.dataset_id.clone()).filter(|id| !id.is_empty()),
            role: self.role.clone(),
            filter: (!self.filter_table.is_empty()).then(|| (self.filter_table.clone(), self.filter_column.clone())),
            hosts: embed::PowerBiHosts::default(),
        }))
    }
}
