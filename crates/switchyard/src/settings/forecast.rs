//! The settings of forecasts.

use anyhow::ensure;
use serde::Deserialize;

/// Forecasts and their retention.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Forecast {
    /// Hours between two issues; 0: no forecasts.
    pub every_h: u32,
    /// Days for which missing backcasts are computed.
    pub backcast_days: u32,
    /// Retention of forecasts, days; 0: for ever.
    pub keep_days: u32,
}

impl Forecast {
    /// Returns the configuration of the service.
    pub(crate) fn config(self) -> analytics::forecast::ForecastConfig {
        let Self { every_h, backcast_days, keep_days } = self;
        analytics::forecast::ForecastConfig { every_h, backcast_days, keep_days }
    }

    /// Rejects contradicting settings.
    pub(crate) fn check(self) -> anyhow::Result<()> {
        ensure!(self.every_h <= 24, "forecast.every_h must lie between 0 and 24, it is {}", self.every_h);
        ensure!(self.backcast_days <= 365, "forecast.backcast_days must lie between 0 and 365, it is {}", self.backcast_days);
        // Otherwise each run would compute backcasts that the previous one has deleted.
        ensure!(
            self.keep_days == 0 || self.keep_days > self.backcast_days,
            "forecast.keep_days must be 0 or more than forecast.backcast_days, it is {}",
            self.keep_days
        );
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_made_up_only_to_go() {
        let good = Forecast { every_h: 1, backcast_days: 35, keep_days: 190 };
        for (settings, refusal) in [
            (good, ""),
            (Forecast { keep_days: 0, ..good }, ""),
            (Forecast { every_h: 25, ..good }, "forecast.every_h"),
            (Forecast { backcast_days: 366, keep_days: 0, ..good }, "forecast.backcast_days"),
            (Forecast { keep_days: 35, ..good }, "forecast.keep_days"),
        ] {
            match settings.check() {
                Ok(()) => assert_eq!(refusal, ""),
                Err(error) => assert!(!refusal.is_empty() && error.to_string().contains(refusal), "{error}"),
            }
        }
    }
}
