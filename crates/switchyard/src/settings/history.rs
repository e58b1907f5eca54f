//! The settings of the history: how long it is kept, how often it is worked out, and how much of it the demo makes up.

use anyhow::ensure;
use serde::Deserialize;
use store::rollup::Retention;

/// Late values are taken for so many days; nothing younger may go.
const LATE_DAYS: u32 = 7;

/// How the history is kept.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(clippy::struct_field_names, reason = "the names of the settings")]
pub(crate) struct History {
    /// Single values, days; 0 for ever.
    pub raw_days: u32,
    /// Buckets of a minute.
    pub minute_days: u32,
    /// Of ten minutes.
    pub ten_minute_days: u32,
    /// Of an hour.
    pub hour_days: u32,
    /// Of a day.
    pub day_days: u32,
    /// Age at which single values are compressed, days; 0 never.
    pub compress_days: u32,
    /// How often buckets are worked out, s.
    pub refresh_s: u64,
    /// What the demo makes up, days.
    pub demo_days: u32,
}

impl History {
    /// How long everything is kept.
    pub(crate) fn retention(&self) -> Retention {
        let days = [self.raw_days, self.minute_days, self.ten_minute_days, self.hour_days, self.day_days];
        Retention { days, compress_days: self.compress_days }
    }

    /// Refuses what would lose what is still to come, or what coarser buckets are made of.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        let names = ["raw_days", "minute_days", "ten_minute_days", "hour_days", "day_days"];
        let days = self.retention().days.map(|days| if days == 0 { u32::MAX } else { days });
        for (name, days) in names.iter().zip(days) {
            ensure!(days >= LATE_DAYS, "history.{name} must be 0 or at least {LATE_DAYS}, it is {days}");
        }
        for at in 1..names.len() {
            ensure!(days[at] >= days[at - 1], "history.{} must not be less than history.{}", names[at], names[at - 1]);
        }
        ensure!(
            self.compress_days == 0 || self.compress_days > LATE_DAYS,
            "history.compress_days must be 0 or at least {}, it is {}",
            LATE_DAYS + 1,
            self.compress_days
        );
        ensure!((5..=600).contains(&self.refresh_s), "history.refresh_s must lie between 5 and 600, it is {}", self.refresh_s);
        ensure!(self.demo_days <= 730, "history.demo_days must lie between 0 and 730, it is {}", self.demo_days);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_kept_for_less_than_what_it_is_made_into_or_what_is_late() {
        let good = History {
            raw_days: 0,
            minute_days: 0,
            ten_minute_days: 0,
            hour_days: 0,
            day_days: 0,
            compress_days: 8,
            refresh_s: 60,
            demo_days: 180,
        };
        let cases = [
            (good, ""),
            (History { raw_days: 90, minute_days: 365, ..good }, ""),
            (History { raw_days: 6, ..good }, "history.raw_days must be 0 or at least 7"),
            (History { minute_days: 30, ..good }, "history.minute_days must not be less than history.raw_days"),
            (History { raw_days: 90, minute_days: 30, ..good }, "must not be less"),
            (History { compress_days: 7, ..good }, "history.compress_days"),
            (History { refresh_s: 0, ..good }, "history.refresh_s"),
            (History { demo_days: 731, ..good }, "history.demo_days"),
        ];
        for (history, refusal) in cases {
            match history.check() {
                Ok(()) => assert_eq!(refusal, ""),
                Err(error) => assert!(!refusal.is_empty() && error.to_string().contains(refusal), "{error}"),
            }
        }
    }
}
