//! When a schedule is due, and the days of its report. Pure functions of the clock, the time zone and the stored decisions.
//!
//! The same due time always gives the same instant. If the clocks are put forward past a due time, it is later by the length of the change. If they are put
//! back past it, only the first occurrence is a due time.

use analysis::calendar::Period;
use grid::Micros;
use grid::enum_text;
use jiff::civil::{Date, Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};

/// Maximum number of missed due times that are stored. If there were more, the message of the oldest stored one reports this.
const NOTED_MAX: usize = 100;
/// Time between the end of the days and the report, ms. It can take up to 61 minutes after the end of an hour until the energy of the hour is complete.
const SETTLES_MS: i64 = 65 * 60_000;
/// Maximum of days between two due times: a leap year, and days at its edges that the clock change moves.
const BETWEEN_MAX: usize = 370;

/// The days on which a schedule is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recurrence {
    /// Every day.
    Day,
    /// One day of the week.
    Week(Weekday),
    /// A day of the month, 1 to 28.
    Month(i8),
    /// A day of the first month of each quarter, 1 to 28.
    Quarter(i8),
    /// A day of April, 1 to 28: the financial year begins in April.
    FinancialYear(i8),
}

/// The rhythm of a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rhythm {
    /// The days.
    pub every: Recurrence,
    /// The local time.
    pub at: Time,
}

/// The decision about due times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The due time to run: the newest one.
    pub run: Option<Micros>,
    /// Missed due times, newest first.
    pub missed: Vec<Micros>,
    /// Whether there were more before them.
    pub more: bool,
    /// All due times up to this instant are decided.
    pub settled: Micros,
    /// The next due time.
    pub next: Option<Micros>,
}

impl Rhythm {
    fn is_on(self, day: Date) -> bool {
        match self.every {
            Recurrence::Day => true,
            Recurrence::Week(weekday) => day.weekday() == weekday,
            Recurrence::Month(of) => day.day() == of,
            Recurrence::Quarter(of) => day.day() == of && day.month() % 3 == 1,
            Recurrence::FinancialYear(of) => day.day() == of && day.month() == 4,
        }
    }

    fn on(self, day: Date, zone: &TimeZone) -> Option<Micros> {
        let at = day.to_datetime(self.at).to_zoned(zone.clone()).ok()?;
        Some(Micros(at.timestamp().as_microsecond()))
    }

    /// Returns the newest due time at or before an instant.
    pub fn last(self, until: Micros, zone: &TimeZone) -> Option<Micros> {
        // A time that the clock change skips may be on the following day.
        let mut day = date_of(until, zone)?.tomorrow().ok()?;
        for _ in 0..BETWEEN_MAX {
            if let Some(due) = self.on(day, zone).filter(|due| self.is_on(day) && *due <= until) {
                return Some(due);
            }
            day = day.yesterday().ok()?;
        }
        None
    }

    /// Returns the first due time after an instant.
    pub fn next(self, after: Micros, zone: &TimeZone) -> Option<Micros> {
        let mut day = date_of(after, zone)?.yesterday().ok()?;
        for _ in 0..BETWEEN_MAX {
            if let Some(due) = self.on(day, zone).filter(|due| self.is_on(day) && *due > after) {
                return Some(due);
            }
            day = day.tomorrow().ok()?;
        }
        None
    }

    /// Decides the due times after `settled`, at `now`. The newest one is run; earlier ones are stored as missed.
    ///
    /// If the clock was set back before `settled`, the newest due time is tried again. A due time that was run is stored, so it is not run again, but a missed
    /// one is run. Due times before `since`, the last change of the schedule, are ignored. If `since` is in the future, due times before now are ignored
    /// instead.
    pub fn decide(self, since: Micros, settled: Micros, now: Micros, zone: &TimeZone) -> Decision {
        let newest = self.last(now, zone).filter(|due| *due > since);
        let next = self.next(now, zone);
        if now < settled {
            return Decision { run: newest, missed: Vec::new(), more: false, settled: now, next };
        }
        let run = newest.filter(|due| *due > settled);
        let before = |due: Micros| self.last(Micros(due.0 - 1), zone).filter(|due| *due > settled);
        let mut missed = Vec::new();
        let mut due = run.and_then(before);
        while let Some(at) = due.filter(|_| missed.len() < NOTED_MAX) {
            missed.push(at);
            due = before(at);
        }
        Decision { run, missed, more: due.is_some(), settled: run.unwrap_or(settled), next }
    }
}

/// The days of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Days {
    /// The previous day.
    Day,
    /// The previous week, from Monday.
    Week,
    /// The previous month.
    Month,
    /// The previous quarter.
    Quarter,
    /// The previous financial year, from April.
    FinancialYear,
}

enum_text! {
    /// The text in schedules.
    Days {
        Day = "day",
        Week = "week",
        Month = "month",
        Quarter = "quarter",
        FinancialYear = "financialYear",
    }
}

impl Days {
    /// Returns the last period of this kind that has ended at an instant, in local time.
    pub fn over(self, at: Micros, zone: &TimeZone) -> Option<Period> {
        let today = date_of(at, zone)?;
        let month = Date::new(today.year(), today.month(), 1).ok()?;
        let (end, back) = match self {
            Self::Day => (today, 1.day()),
            Self::Week => (today.checked_sub(i64::from(today.weekday().to_monday_zero_offset()).days()).ok()?, 7.days()),
            Self::Month => (month, 1.month()),
            Self::Quarter => (month.checked_sub(i64::from((today.month() - 1) % 3).months()).ok()?, 3.months()),
            // The financial year begins in April.
            Self::FinancialYear => (month.checked_sub(i64::from((today.month() + 8) % 12).months()).ok()?, 12.months()),
        };
        Some(Period { first: end.checked_sub(back).ok()?, end })
    }

    /// Returns the frequencies and values that request these days, the most specific first.
    pub fn frequencies(self, period: Period) -> Vec<(i64, String)> {
        let Period { first, end } = period;
        let own = match self {
            Self::Day => vec![(1, first.to_string()), (7, first.to_string())],
            Self::Week => {
                let week = first.iso_week_date();
                vec![(9, format!("{:04}-W{:02}", week.year(), week.week()))]
            }
            Self::Month => vec![(2, format!("{:04}-{:02}", first.year(), first.month()))],
            Self::Quarter => vec![(3, format!("{:04}-Q{}", first.year(), (first.month() + 2) / 3))],
            Self::FinancialYear => vec![(4, format!("{:04}-{:04}", first.year(), end.year()))],
        };
        own.into_iter().chain([(6, period_text(period))]).collect()
    }
}

/// Formats the first and the last day, separated by a comma.
pub fn period_text(Period { first, end }: Period) -> String {
    format!("{first},{}", end.yesterday().unwrap_or(first))
}

/// Returns when the figures of the days are complete.
pub fn ready(Period { end, .. }: Period, zone: &TimeZone) -> Option<Micros> {
    let end = end.to_zoned(zone.clone()).ok()?;
    Some(Micros(end.timestamp().as_microsecond()).plus_millis(SETTLES_MS))
}

/// Parses the text of [`told`].
pub fn parse_period(text: &str) -> Option<Period> {
    let (first, last) = text.split_once(',')?;
    Some(Period { first: first.parse().ok()?, end: last.parse::<Date>().ok()?.tomorrow().ok()? })
}

fn date_of(at: Micros, zone: &TimeZone) -> Option<Date> {
    Some(Timestamp::from_microsecond(at.0).ok()?.to_zoned(zone.clone()).date())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use jiff::tz::TimeZoneDatabase;
    use proptest::prelude::*;

    use super::*;

    fn zone(name: &str) -> TimeZone {
        TimeZoneDatabase::bundled().get(name).expect("a zone")
    }

    fn instant(text: &str) -> Micros {
        wire::time::parse_iso(text).unwrap_or_else(|| panic!("{text}"))
    }

    fn rhythm(every: Recurrence, at: &str) -> Rhythm {
        Rhythm { every, at: at.parse().expect("a time") }
    }

    #[test]
    fn a_due_time_follows_the_utilitys_clock() {
        use Recurrence::{Day, FinancialYear, Month, Quarter, Week};
        for (every, at, of, after, expected, why) in [
            (Day, "06:00", "Asia/Kolkata", "2026-11-22T00:29:59Z", "2026-11-22T00:30:00Z", "today"),
            (Quarter(5), "06:00", "Asia/Kolkata", "2026-10-06T00:00:00Z", "2027-01-05T00:30:00Z", "the first month of the next quarter"),
            (Quarter(28), "00:00", "Asia/Kolkata", "2026-01-01T00:00:00Z", "2026-01-27T18:30:00Z", "this quarter"),
            (FinancialYear(1), "06:00", "Asia/Kolkata", "2026-04-01T00:30:00Z", "2027-04-01T00:30:00Z", "a year later"),
            (FinancialYear(28), "06:00", "Asia/Kolkata", "2027-04-28T00:30:00Z", "2028-04-28T00:30:00Z", "with a leap day between"),
            (Day, "06:00", "Asia/Kolkata", "2026-11-22T00:30:00Z", "2026-11-23T00:30:00Z", "not the one that is now"),
            (
                Day,
                "02:30",
                "Europe/London",
                "2026-03-28T12:00:00Z",
                "2026-03-29T01:30:00Z",
                "an hour later where the clock skips none of it",
            ),
            (
                Day,
                "01:30",
                "Europe/London",
                "2026-03-28T12:00:00Z",
                "2026-03-29T01:30:00Z",
                "a time that the clock skips comes an hour later by it",
            ),
            (Day, "01:30", "Europe/London", "2026-10-24T12:00:00Z", "2026-10-25T00:30:00Z", "the first of a time that is there twice"),
            (Day, "01:30", "Europe/London", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z", "and not the second"),
            (Day, "00:10", "America/Santiago", "2026-09-05T12:00:00Z", "2026-09-06T04:10:00Z", "a midnight that the clock skips"),
            (Day, "10:00", "Pacific/Apia", "2011-12-29T21:00:00Z", "2011-12-30T20:00:00Z", "a day that was left out is that after it"),
            (Day, "10:00", "Pacific/Apia", "2011-12-30T20:00:00Z", "2011-12-31T20:00:00Z", "and comes once"),
            (Week(Weekday::Monday), "06:00", "UTC", "2026-11-22T12:00:00Z", "2026-11-23T06:00:00Z", "tomorrow is Monday"),
            (Week(Weekday::Sunday), "06:00", "UTC", "2026-11-22T12:00:00Z", "2026-11-29T06:00:00Z", "today's is over"),
            (Month(28), "23:59", "UTC", "2026-02-28T23:59:00Z", "2026-03-28T23:59:00Z", "the shortest month has it"),
            (Month(1), "00:00", "Asia/Kolkata", "2026-12-01T00:00:00Z", "2026-12-31T18:30:00Z", "over the end of a year"),
            (Month(1), "00:00", "UTC", "2028-02-02T00:00:00Z", "2028-03-01T00:00:00Z", "over a leap day"),
        ] {
            let (rhythm, zone, expected) = (rhythm(every, at), zone(of), instant(expected));
            assert_eq!(rhythm.next(instant(after), &zone), Some(expected), "{why}");
            assert_eq!(rhythm.last(expected, &zone), Some(expected), "{why}");
            assert!(rhythm.last(Micros(expected.0 - 1), &zone).is_some_and(|last| last <= instant(after)), "{why}");
        }
        let last = Micros(i64::MAX);
        assert_eq!((rhythm(Day, "06:00").next(last, &zone("UTC")), rhythm(Day, "06:00").last(last, &zone("UTC"))), (None, None));
    }

    #[test]
    fn the_days_are_the_last_that_are_over() {
        for (days, at, of, expected, expected_frequency) in [
            (Days::Day, "2026-03-01T03:00:00Z", "UTC", "2026-02-28,2026-02-28", "1 2026-02-28"),
            (Days::Day, "2028-03-01T03:00:00Z", "UTC", "2028-02-29,2028-02-29", "1 2028-02-29"),
            (Days::Day, "2026-11-21T19:00:00Z", "Asia/Kolkata", "2026-11-21,2026-11-21", "1 2026-11-21"),
            (Days::Week, "2026-11-22T23:59:00Z", "UTC", "2026-11-09,2026-11-15", "9 2026-W46"),
            (Days::Week, "2026-11-23T00:00:00Z", "UTC", "2026-11-16,2026-11-22", "9 2026-W47"),
            (Days::Week, "2026-01-06T00:00:00Z", "UTC", "2025-12-29,2026-01-04", "9 2026-W01"),
            (Days::Month, "2026-03-31T12:00:00Z", "UTC", "2026-02-01,2026-02-28", "2 2026-02"),
            (Days::Month, "2026-01-01T00:00:00Z", "UTC", "2025-12-01,2025-12-31", "2 2025-12"),
            (Days::Month, "2025-12-31T18:30:00Z", "Asia/Kolkata", "2025-12-01,2025-12-31", "2 2025-12"),
            (Days::Quarter, "2026-03-31T12:00:00Z", "UTC", "2025-10-01,2025-12-31", "3 2025-Q4"),
            (Days::Quarter, "2026-04-01T00:00:00Z", "UTC", "2026-01-01,2026-03-31", "3 2026-Q1"),
            (Days::FinancialYear, "2026-03-31T23:59:00Z", "UTC", "2024-04-01,2025-03-31", "4 2024-2025"),
            (Days::FinancialYear, "2026-04-01T00:00:00Z", "UTC", "2025-04-01,2026-03-31", "4 2025-2026"),
            (Days::FinancialYear, "2026-12-31T23:00:00Z", "UTC", "2025-04-01,2026-03-31", "4 2025-2026"),
        ] {
            let period = days.over(instant(at), &zone(of)).expect("days");
            assert_eq!(period_text(period), expected, "{at}");
            assert_eq!(parse_period(&period_text(period)), Some(period), "{at}");
            let all = days.frequencies(period);
            assert_eq!(all.first().map(|(id, value)| format!("{id} {value}")).as_deref(), Some(expected_frequency), "{at}");
            // Each form of the request has the same days.
            for (id, value) in all {
                let today = "2026-11-22".parse().expect("a day");
                assert_eq!(crate::period::period(id, &value, today).ok(), Some(period), "{id} {value}");
            }
        }
        assert_eq!(parse_period(""), None);
        assert!(Days::ALL.into_iter().all(|days| Days::parse(days.as_str()) == Some(days)) && Days::parse("year").is_none());
    }

    #[test]
    fn the_figures_of_days_are_complete_after_their_last_hour_has_settled() {
        for (days, of, expected) in [
            ("2026-11-21,2026-11-21", "Asia/Kolkata", "2026-11-21T19:35:00Z"),
            ("2026-10-01,2026-10-31", "UTC", "2026-11-01T01:05:00Z"),
            ("2026-09-05,2026-09-05", "America/Santiago", "2026-09-06T05:05:00Z"),
        ] {
            assert_eq!(ready(parse_period(days).expect("days"), &zone(of)), Some(instant(expected)), "{days} in {of}");
        }
    }

    #[test]
    fn after_a_stop_the_newest_is_run_and_the_others_are_noted() {
        let (day, utc, since) = (rhythm(Recurrence::Day, "06:00"), zone("UTC"), instant("2026-11-01T00:00:00Z"));
        let decision = day.decide(since, instant("2026-11-18T06:00:00Z"), instant("2026-11-22T05:00:00Z"), &utc);
        let [newest, middle, oldest] = ["2026-11-21T06:00:00Z", "2026-11-20T06:00:00Z", "2026-11-19T06:00:00Z"].map(instant);
        let next = Some(instant("2026-11-22T06:00:00Z"));
        assert_eq!(decision, Decision { run: Some(newest), missed: vec![middle, oldest], more: false, settled: newest, next });
        let again = day.decide(since, newest, instant("2026-11-22T05:59:59Z"), &utc);
        assert_eq!(again, Decision { run: None, missed: Vec::new(), more: false, settled: newest, next });
        let at = instant("2026-11-20T12:00:00Z");
        let back = day.decide(since, newest, at, &utc);
        assert_eq!((back.run, back.missed.len(), back.settled, back.next), (Some(middle), 0, at, Some(newest)));
        let young = day.decide(newest, newest, at, &utc);
        assert_eq!((young.run, young.settled), (None, at), "nothing is due that lies before it");
        let far = day.decide(since, newest, instant("2127-01-01T00:00:00Z"), &utc);
        assert_eq!((far.missed.len(), far.more), (NOTED_MAX, true));
    }

    fn rhythms() -> impl Strategy<Value = Rhythm> {
        let every = prop_oneof![
            Just(Recurrence::Day),
            (1_i8..=7).prop_map(|day| Recurrence::Week(Weekday::from_monday_one_offset(day).expect("a day"))),
            (1_i8..=28).prop_map(Recurrence::Month),
        ];
        (every, 0_i8..24, 0_i8..60).prop_map(|(every, hour, minute)| Rhythm { every, at: Time::constant(hour, minute, 0, 0) })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        /// However the clock moves: no due time is run twice, all that it has passed are stored, and the newest at each check is run.
        #[test]
        fn no_due_time_is_missed_or_doubled_wherever_the_clock_goes(
            rhythm in rhythms(),
            of in prop_oneof![Just("UTC"), Just("Asia/Kolkata"), Just("Europe/London"), Just("America/New_York"), Just("Pacific/Apia")],
            // From 2011 to 2036; minutes between two checks, in both directions.
            begin in 1_300_000_000_i64..2_100_000_000,
            looks in prop::collection::vec(prop_oneof![1_i64..2_000, -3_000_i64..3_000, -60_000_i64..60_000], 1..40),
        ) {
            let zone = zone(of);
            let mut now = Micros(begin * 1_000_000);
            let (created, mut since, mut settled, mut farthest) = (now, now, now, now);
            // Whether each stored due time was run, as in the database.
            let mut ledger: BTreeMap<Micros, bool> = BTreeMap::new();
            let mut runs = Vec::new();
            let mut has_skipped = false;
            for minutes in looks {
                now = Micros(now.0 + minutes * 60_000_000);
                let decision = rhythm.decide(since, settled, now, &zone);
                prop_assert!(decision.settled <= now && decision.next.is_some_and(|next| next > now));
                if let Some(due) = decision.run {
                    prop_assert!(due > since && due <= now);
                    if !ledger.insert(due, true).unwrap_or(false) {
                        runs.push(due);
                    }
                }
                for due in &decision.missed {
                    prop_assert!(*due > settled && *due < decision.settled);
                    ledger.entry(*due).or_insert(false);
                }
                has_skipped |= decision.more;
                (settled, since) = (decision.settled, since.min(decision.settled));
                farthest = farthest.max(now);
                // The newest due time that the clock has reached is run, now or before.
                if let Some(newest) = rhythm.last(now, &zone).filter(|due| *due > created) {
                    prop_assert_eq!(ledger.get(&newest), Some(&true), "{:?} at {:?}", newest, now);
                }
            }
            let count = runs.len();
            runs.sort_unstable();
            runs.dedup();
            prop_assert_eq!(runs.len(), count);
            // No due time is left out: all up to the latest time of the clock are stored.
            let mut due = rhythm.next(created, &zone).filter(|_| !has_skipped);
            while let Some(at) = due.filter(|at| *at <= farthest) {
                prop_assert!(ledger.contains_key(&at), "{:?} of {:?}", at, ledger);
                due = rhythm.next(at, &zone);
            }
        }
    }
}
