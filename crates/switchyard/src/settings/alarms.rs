//! The settings of alarms.

use anyhow::bail;
use serde::Deserialize;

/// From what the field reports to alarms.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Alarms {
    /// A gateway or device that is not heard for so long is an alarm, s.
    pub silent_s: i32,
}

impl Alarms {
    /// What the service takes.
    pub(crate) fn config(self) -> anyhow::Result<alarms::AlarmsConfig> {
        if !(0..=86_400).contains(&self.silent_s) {
            bail!("alarms.silent_s must lie between 0 and 86400, it is {}", self.silent_s);
        }
        Ok(alarms::AlarmsConfig { silent_s: self.silent_s, ..alarms::AlarmsConfig::default() })
    }
}
