//! The settings of alarms.

use anyhow::bail;
use serde::Deserialize;

/// Alarms.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Alarms {
    /// A gateway or device without a message for this long raises an alarm, s.
    pub silent_s: i32,
    /// Retention of changes of alarms and faults, days; 0 for ever.
    pub keep_days: u32,
}

impl Alarms {
    /// Returns the configuration of the service.
    pub(crate) fn config(self) -> anyhow::Result<alarms::AlarmsConfig> {
        if !(0..=86_400).contains(&self.silent_s) {
            bail!("alarms.silent_s must lie between 0 and 86400, it is {}", self.silent_s);
        }
        if self.keep_days > 36_500 {
            bail!("alarms.keep_days must lie between 0 (for ever) and 36500, it is {}", self.keep_days);
        }
        Ok(alarms::AlarmsConfig { silent_s: self.silent_s, keep_days: self.keep_days, ..alarms::AlarmsConfig::default() })
    }
}
