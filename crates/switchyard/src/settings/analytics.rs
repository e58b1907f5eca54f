//! The settings of the analytics.

use std::time::Duration;

use anyhow::bail;
use serde::Deserialize;

/// Outages of feeders.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Analytics {
    /// Interval at which it checks for new events, s.
    pub poll_s: u64,
}

impl Analytics {
    /// Returns the configuration of the service.
    pub(crate) fn config(self) -> anyhow::Result<::analytics::AnalyticsConfig> {
        if !(1..=3_600).contains(&self.poll_s) {
            bail!("analytics.poll_s must lie between 1 and 3600, it is {}", self.poll_s);
        }
        Ok(::analytics::AnalyticsConfig { poll: Duration::from_secs(self.poll_s), ..::analytics::AnalyticsConfig::default() })
    }
}
