//! The day of a plan, in local time.

use dispatch::{CivilDay, SLOTS, Slots};
use grid::Micros;
use identity::View;
use jiff::civil::Date;
use jiff::{Timestamp, ToSpan as _};

use crate::calendar::Calendar;
use crate::low_carbon::PlanError;

const HALF_HOUR_MS: i64 = 30 * 60_000;
const HOUR_MS: i64 = 2 * HALF_HOUR_MS;
/// Maximum age of a past day that can be planned, days. The plan of a past day is computed as if the day were in the future.
const BACK_DAYS: i64 = 400;

/// A day in a time zone.
#[derive(Debug, Clone, PartialEq)]
pub struct Day {
    pub(super) date: Date,
    pub(super) calendar: Calendar,
}

impl Day {
    /// Returns the current day of the caller's utility.
    pub fn today(view: &View, now: Micros) -> Self {
        Self::of(Calendar::of(view, now))
    }

    fn of(calendar: Calendar) -> Self {
        Self { date: calendar.today(), calendar }
    }

    /// Returns the day a number of days later, or earlier if negative.
    #[must_use]
    pub fn plus(&self, days: i64) -> Self {
        Self { date: self.date.saturating_add(days.days()), ..self.clone() }
    }

    /// Parses a day of a request; default: today.
    pub(super) fn parse(&self, text: Option<&str>) -> Result<Self, PlanError> {
        let text = text.map(str::trim).filter(|text| !text.is_empty()).unwrap_or("today");
        match text {
            "today" => Ok(self.clone()),
            "tomorrow" => Ok(self.plus(1)),
            text => {
                let (first, last) = (self.plus(-BACK_DAYS).date, self.plus(1).date);
                let is_plain = text.len() == 10 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
                let date = text.parse().ok().filter(|date| is_plain && (first..=last).contains(date));
                date.map(|date| Self { date, ..self.clone() }).ok_or_else(|| {
                    PlanError::Invalid(format!("day: today, tomorrow, or a day such as {} from {first} to {last}", self.date))
                })
            }
        }
    }

    /// Returns the first instant of the day.
    pub(super) fn begin(&self) -> Micros {
        self.midnight(self.date)
    }

    /// Returns the first instant of the next day.
    pub(super) fn end(&self) -> Micros {
        self.midnight(self.plus(1).date)
    }

    /// Returns the start of a date. If the clock change skips midnight, the day starts at the end of the gap.
    fn midnight(&self, date: Date) -> Micros {
        self.calendar.midnight(date).unwrap_or(Micros(i64::MAX))
    }

    /// Returns the spans of each half hour: none if the clock change skips it, two if it occurs twice.
    pub(super) fn times(&self) -> [Vec<Time>; SLOTS] {
        let mut times: [Vec<Time>; SLOTS] = std::array::from_fn(|_| Vec::new());
        let (mut at, end) = (self.begin(), self.end());
        while at < end {
            let Ok(instant) = Timestamp::from_microsecond(at.0) else { break };
            let clock = instant.to_zoned(self.calendar.zone().clone());
            let slot = usize::from(clock.hour().unsigned_abs()) * 2 + usize::from(clock.minute() >= 30);
            let into = i64::from(clock.minute() % 30) * 60_000 + i64::from(clock.second()) * 1_000 + i64::from(clock.millisecond());
            let change = self.calendar.zone().following(instant).next().map_or(i64::MAX, |change| change.timestamp().as_microsecond());
            let next = at.plus_millis(HALF_HOUR_MS - into).min(Micros(change)).min(end);
            match times[slot].last_mut().filter(|time| time.to == at) {
                Some(time) => time.to = next,
                None => times[slot].push(Time { from: at, to: next }),
            }
            at = next;
        }
        times
    }

    /// Returns the duration of each half hour, h.
    pub(super) fn hours(&self) -> Slots {
        self.times().map(|times| times.iter().map(|time| time.ms() as f64).sum::<f64>() / HOUR_MS as f64)
    }

    /// Returns the durations for another day in the zone.
    pub fn hours_of(&self, (year, month, day): CivilDay) -> Slots {
        // A date that does not exist counts as a day without a clock change. Callers take dates from a calendar.
        let date = Date::new(year as i16, month as i8, day as i8);
        date.map_or(dispatch::USUAL_HOURS, |date| Self { date, ..self.clone() }.hours())
    }
}

/// A span from one instant (inclusive) to another (exclusive).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Time {
    pub(super) from: Micros,
    pub(super) to: Micros,
}

impl Time {
    /// Returns the duration, ms.
    pub(super) fn ms(self) -> i64 {
        self.to.millis_since(self.from)
    }

    /// Returns the middle.
    pub(super) fn middle(self) -> Micros {
        self.from.plus_millis(self.ms() / 2)
    }
}

/// Returns the mean over the spans of a half hour, weighted by duration. `None` if the half hour does not exist or nothing is known.
pub(super) fn mean_of(times: &[Time], figure: impl Fn(Time) -> Option<f64>) -> Option<f64> {
    let known = times.iter().filter_map(|time| Some((figure(*time)?, time.ms() as f64)));
    let (sum, ms) = known.fold((0.0, 0.0), |(sum, whole), (figure, ms)| (sum + figure * ms, whole + ms));
    (ms > 0.0).then(|| sum / ms)
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "half hours are exact")]
mod tests {
    use super::*;

    fn at(text: &str) -> Micros {
        wire::time::parse_iso(text).expect("a time")
    }

    #[test]
    fn half_hours_are_those_of_the_utilitys_clock() {
        let today = Day::of(Calendar::named("Asia/Kolkata", at("2026-11-22T19:00:00Z")));
        assert_eq!(today.date.to_string(), "2026-11-23");
        assert_eq!((today.begin(), today.end()), (at("2026-11-22T18:30:00Z"), at("2026-11-23T18:30:00Z")));
        let times = today.times();
        assert_eq!(times[1], [Time { from: at("2026-11-22T19:00:00Z"), to: at("2026-11-22T19:30:00Z") }]);
        assert_eq!(times[47][0].middle(), at("2026-11-23T18:15:00Z"));
        assert_eq!(today.hours(), dispatch::USUAL_HOURS);
    }

    /// Cases with the half hours that do not occur exactly once, their durations, and the duration of the day.
    #[test]
    fn where_the_clocks_change_half_hours_are_left_out_or_there_twice() {
        for (zone, noon, unusual, day_h) in [
            ("Europe/Berlin", "2026-03-29T12:00:00Z", vec![(4, 0.0), (5, 0.0)], 23.0),
            ("Europe/Berlin", "2026-10-25T12:00:00Z", vec![(4, 1.0), (5, 1.0)], 25.0),
            ("Europe/Berlin", "2026-10-24T12:00:00Z", vec![], 24.0),
            ("America/New_York", "2026-03-08T16:00:00Z", vec![(4, 0.0), (5, 0.0)], 23.0),
            // The clocks change by half an hour only.
            ("Australia/Lord_Howe", "2026-10-04T00:00:00Z", vec![(4, 0.0)], 23.5),
            ("Australia/Lord_Howe", "2026-04-05T00:00:00Z", vec![(3, 1.0)], 24.5),
            // At midnight: the day starts at 01:00, or its last hour occurs twice.
            ("Africa/Cairo", "2026-04-24T12:00:00Z", vec![(0, 0.0), (1, 0.0)], 23.0),
            ("Africa/Cairo", "2026-10-29T12:00:00Z", vec![(46, 1.0), (47, 1.0)], 25.0),
            ("Asia/Kolkata", "2026-03-29T12:00:00Z", vec![], 24.0),
        ] {
            let day = Day::of(Calendar::named(zone, at(noon)));
            let hours = day.hours();
            let found: Vec<(usize, f64)> = hours.into_iter().enumerate().filter(|(_, hours)| *hours != 0.5).collect();
            assert_eq!((found, hours.iter().sum::<f64>()), (unusual, day_h), "{zone} {noon}");
            let lasts = day.end().millis_since(day.begin()) as f64 / HOUR_MS as f64;
            assert_eq!(lasts, day_h, "{zone} {noon}");
            let civil = (day.date.year().unsigned_abs(), day.date.month().unsigned_abs(), day.date.day().unsigned_abs());
            assert_eq!(Day::of(Calendar::named(zone, at("2026-01-01T12:00:00Z"))).hours_of(civil), hours);
        }
    }

    #[test]
    fn what_the_clock_shows_twice_is_the_mean_of_both() {
        let autumn = Day::of(Calendar::named("Europe/Berlin", at("2026-10-25T12:00:00Z"))).times();
        let first = |time: Time| Some(if time.from < at("2026-10-25T01:00:00Z") { 10.0 } else { 20.0 });
        assert_eq!(autumn[4].iter().map(|time| time.from).collect::<Vec<_>>(), [at("2026-10-25T00:00:00Z"), at("2026-10-25T01:00:00Z")]);
        assert_eq!([3, 4, 5, 6].map(|slot| mean_of(&autumn[slot], first)), [Some(10.0), Some(15.0), Some(15.0), Some(20.0)]);
        assert_eq!(mean_of(&autumn[4], |time| first(time).filter(|kw| *kw > 10.0)), Some(20.0), "of what is known");
        let spring = Day::of(Calendar::named("Europe/Berlin", at("2026-03-29T12:00:00Z"))).times();
        assert_eq!([4, 5, 6].map(|slot| mean_of(&spring[slot], |_| Some(1.0))), [None, None, Some(1.0)]);
    }

    #[test]
    fn a_day_is_asked_for_by_word_or_date() {
        let today = Day::of(Calendar::named("UTC", at("2026-11-22T12:00:00Z")));
        let parse = |text: Option<&str>| today.parse(text).map(|day| day.date.to_string()).ok();
        for (text, expected) in [
            (None, "2026-11-22"),
            (Some(""), "2026-11-22"),
            (Some("tomorrow"), "2026-11-23"),
            (Some("2026-11-23"), "2026-11-23"),
            (Some("2025-10-18"), "2025-10-18"),
        ] {
            assert_eq!(parse(text).as_deref(), Some(expected), "{text:?}");
        }
        for wrong in ["2026-11-24", "2025-10-17", "2026-02-30", "20261122", "yesterday", "2026-11-22T00:00", "+02026-11-22"] {
            assert_eq!(parse(Some(wrong)), None, "{wrong}");
        }
    }
}
