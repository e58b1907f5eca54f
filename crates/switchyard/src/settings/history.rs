//! The settings of the history: retention, interval of the rollups, and generated days of the demo.

use anyhow::ensure;
use serde::Deserialize;
use store::retention::KeepDays;

/// Late values are accepted for this many days, so nothing younger may be deleted.
const LATE_DAYS: u32 = 7;
/// The longest retention other than for ever, days.
const KEEP_MAX_DAYS: u32 = 36_500;
/// The longest history that is generated for the demo, days.
pub(crate) const DEMO_DAYS_MAX: u32 = 730;

/// Retention of the history.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(clippy::struct_field_names, reason = "the names of the settings")]
pub(crate) struct History {
    /// Retention of single values, days; 0 for ever.
    pub raw_days: u32,
    /// Retention of rollups of one minute, days; 0 for ever, here and below.
    pub minute_days: u32,
    /// Retention of rollups of ten minutes, days.
    pub ten_minute_days: u32,
    /// Retention of rollups of one hour, days.
    pub hour_days: u32,
    /// Retention of rollups of one day, days.
    pub day_days: u32,
    /// Retention of events, days.
    pub event_days: u32,
    /// Retention of faults that have ended, days.
    pub fault_days: u32,
    /// Age at which single values are compressed, days; 0: never.
    pub compress_days: u32,
    /// Interval at which rollups are computed, s.
    pub refresh_s: u64,
    /// History that is generated for the demo, days.
    pub demo_days: u32,
}

impl History {
    /// Returns the retention of the resolutions, the finest first. A coarser one is computed from a finer one.
    fn resolutions(&self) -> [u32; 5] {
        [self.raw_days, self.minute_days, self.ten_minute_days, self.hour_days, self.day_days]
    }

    /// Returns the retention of all levels.
    pub(crate) fn keep_days(&self) -> KeepDays {
        let [raw, minutes, ten_minutes, hours, days] = self.resolutions();
        KeepDays([raw, minutes, ten_minutes, hours, days, self.event_days, self.fault_days])
    }

    /// Rejects a retention that would delete rollups before late values arrive, or before coarser rollups are computed
    /// from them.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        const NAMES: [&str; 7] = ["raw_days", "minute_days", "ten_minute_days", "hour_days", "day_days", "event_days", "fault_days"];
        for (name, days) in NAMES.iter().zip(self.keep_days().0) {
            ensure!(
                days == 0 || (LATE_DAYS..=KEEP_MAX_DAYS).contains(&days),
                "history.{name} must be 0 (for ever) or lie between {LATE_DAYS} and {KEEP_MAX_DAYS}, it is {days}"
            );
        }
        let days = self.resolutions();
        let longest = days.map(|days| if days == 0 { u32::MAX } else { days });
        for at in 1..days.len() {
            ensure!(
                longest[at] >= longest[at - 1],
                "history.{} must be 0 (for ever) or not less than history.{}, which is {}; it is {}",
                NAMES[at],
                NAMES[at - 1],
                if days[at - 1] == 0 { "0 (for ever)".to_owned() } else { days[at - 1].to_string() },
                days[at]
            );
        }
        ensure!(
            self.compress_days == 0 || self.compress_days > LATE_DAYS,
            "history.compress_days must be 0 or at least {}, it is {}",
            LATE_DAYS + 1,
            self.compress_days
        );
        ensure!((5..=600).contains(&self.refresh_s), "history.refresh_s must lie between 5 and 600, it is {}", self.refresh_s);
        ensure!(self.demo_days <= DEMO_DAYS_MAX, "history.demo_days must lie between 0 and {DEMO_DAYS_MAX}, it is {}", self.demo_days);
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
            event_days: 0,
            fault_days: 0,
            compress_days: 8,
            refresh_s: 60,
            demo_days: 180,
        };
        let cases = [
            (good, ""),
            (History { raw_days: 90, minute_days: 365, ..good }, ""),
            (History { raw_days: 6, ..good }, "history.raw_days must be 0 (for ever) or lie between 7 and 36500, it is 6"),
            (
                History { minute_days: 30, ..good },
                "history.minute_days must be 0 (for ever) or not less than history.raw_days, which is 0 (for ever); it is 30",
            ),
            (
                History { raw_days: 90, minute_days: 30, ..good },
                "history.minute_days must be 0 (for ever) or not less than history.raw_days, which is 90; it is 30",
            ),
            (History { day_days: 36_501, ..good }, "history.day_days must be 0"),
            (History { event_days: 6, ..good }, "history.event_days must be 0"),
            (History { event_days: 7, fault_days: 400, ..good }, ""),
            (History { fault_days: 40_000, ..good }, "history.fault_days must be 0 (for ever) or lie between 7 and 36500, it is 40000"),
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
