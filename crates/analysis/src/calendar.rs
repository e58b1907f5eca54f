//! Days, months, years and hours in the time zone of a utility.

use grid::Micros;
use identity::View;
use jiff::civil::Date;
use jiff::tz::{TimeZone, TimeZoneDatabase};
use jiff::{Span, Timestamp, ToSpan as _, Zoned};

use crate::error::Error;

/// Years for which figures can be requested.
const YEARS: std::ops::RangeInclusive<i16> = 2000..=2199;
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// A utility's time zone, and the current time.
#[derive(Debug, Clone, PartialEq)]
pub struct Calendar {
    zone: TimeZone,
    /// The IANA name of the zone, as the utility configures it.
    pub name: String,
    /// The time of the request.
    pub now: Micros,
}

/// Consecutive days, from `first` to the day before `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    /// The first day.
    pub first: Date,
    /// The day after the last day.
    pub end: Date,
}

impl Calendar {
    /// Creates the calendar of the user's utility.
    pub fn of(view: &View, now: Micros) -> Self {
        Self::named(&view.field.client().time_zone, now)
    }

    /// Creates the calendar of a zone. An unknown zone counts as UTC.
    pub fn named(name: &str, now: Micros) -> Self {
        Self { zone: TimeZoneDatabase::bundled().get(name).unwrap_or(TimeZone::UTC), name: name.to_owned(), now }
    }

    /// Returns the time zone.
    pub fn zone(&self) -> &TimeZone {
        &self.zone
    }

    fn at(&self, at: Micros) -> Zoned {
        Timestamp::from_microsecond(at.0).unwrap_or(Timestamp::MAX).to_zoned(self.zone.clone())
    }

    /// Returns the day of an instant.
    pub fn day(&self, at: Micros) -> Date {
        self.at(at).date()
    }

    /// Returns the local hour of the day, 0 to 23.
    pub fn hour(&self, at: Micros) -> u8 {
        u8::try_from(self.at(at).hour()).unwrap_or(0)
    }

    /// Formats a day as `DD/MM`.
    pub fn short_day(&self, at: Micros) -> String {
        let day = self.day(at);
        format!("{:02}/{:02}", day.day(), day.month())
    }

    /// Formats the local time as `HH:MM`.
    pub fn clock(&self, at: Micros) -> String {
        let at = self.at(at);
        format!("{:02}:{:02}", at.hour(), at.minute())
    }

    /// Returns the time by which the clock is ahead of UTC, ms.
    pub fn offset_ms(&self, at: Micros) -> i64 {
        i64::from(self.zone.to_offset(Timestamp::from_microsecond(at.0).unwrap_or_default()).seconds()) * 1_000
    }

    /// Returns the instant that is earlier by a span and has the same local time.
    pub fn before(&self, at: Micros, span: Span) -> Micros {
        Micros(self.at(at).saturating_sub(span).timestamp().as_microsecond())
    }

    /// Returns the current day.
    pub fn today(&self) -> Date {
        self.day(self.now)
    }

    /// Returns the midnight at which a day begins.
    pub fn midnight(&self, day: Date) -> Result<Micros, Error> {
        let at = day.to_zoned(self.zone.clone()).map_err(|_| Error::BadRequest(format!("{day} is no day of a calendar")))?;
        Ok(Micros(at.timestamp().as_microsecond()))
    }

    /// Returns the midnight at the start of the day of an instant, moved by a number of days.
    pub fn midnight_of(&self, at: Micros, days: i64) -> Micros {
        let day = self.day(at).checked_add(Span::new().days(days)).unwrap_or(self.day(at));
        self.midnight(day).unwrap_or(at)
    }

    /// Whether all local hours of a span begin at full hours of UTC. It relies on the fact that clocks are not changed
    /// twice within four weeks.
    pub fn has_whole_hours(&self, from: Micros, to: Micros) -> bool {
        const STEP: i64 = 28 * 24 * 3_600_000_000;
        let steps = (from.0..to.0).step_by(STEP as usize).chain([to.0]);
        steps.into_iter().all(|at| self.zone.to_offset(Timestamp::from_microsecond(at).unwrap_or_default()).seconds() % 3_600 == 0)
    }

    /// Returns the midnights at the begin and at the end of a period.
    pub fn span(&self, period: Period) -> Result<(Micros, Micros), Error> {
        Ok((self.midnight(period.first)?, self.midnight(period.end)?))
    }
}

impl Period {
    /// Parses a month from `YYYYMM`.
    pub fn month_of(text: &str) -> Result<Self, Error> {
        let wrong = || Error::BadRequest("a month must be YYYYMM, such as 202611, of the years 2000 to 2199".to_owned());
        let digits = text.len() == 6 && text.bytes().all(|byte| byte.is_ascii_digit());
        let (year, month) = digits.then(|| text.split_at(4)).ok_or_else(wrong)?;
        Self::month(year.parse().map_err(|_| wrong())?, month.parse().map_err(|_| wrong())?).ok_or_else(wrong)
    }

    /// Returns a month, 1 to 12, of a year; `None` if there is no such month.
    pub fn month(year: i16, month: i8) -> Option<Self> {
        let first = Date::new(year, month, 1).ok().filter(|_| YEARS.contains(&year))?;
        Some(Self { first, end: first.checked_add(1.month()).ok()? })
    }

    /// Returns the days of the period.
    pub fn days(self) -> impl Iterator<Item = Date> {
        self.first.series(1.day()).take_while(move |day| *day < self.end)
    }

    /// Returns whether the period contains a day.
    pub fn has(self, day: Date) -> bool {
        (self.first..self.end).contains(&day)
    }

    /// Returns the short name of the first month, such as `Nov`.
    pub fn month_name(self) -> &'static str {
        month_name(self.first)
    }

    /// Formats the month as `YYYYMM`.
    pub fn yyyymm(self) -> String {
        format!("{:04}{:02}", self.first.year(), self.first.month())
    }
}

/// Returns the short name of a month, such as `Nov`.
pub fn month_name(day: Date) -> &'static str {
    usize::try_from(day.month() - 1).ok().and_then(|month| MONTHS.get(month)).copied().unwrap_or_default()
}

/// Returns the days from one day to the day before another one.
pub fn days_between(from: Date, to: Date) -> impl Iterator<Item = Date> {
    from.series(1.day()).take_while(move |day| *day < to)
}

/// Returns the date that is a number of days earlier.
pub fn days_before(date: Date, days: i64) -> Date {
    date.saturating_sub(Span::new().days(days))
}

/// Checks that figures of a year can be requested.
pub fn year(year: i16) -> Result<i16, Error> {
    if YEARS.contains(&year) { Ok(year) } else { Err(Error::BadRequest("year must lie between 2000 and 2199".to_owned())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_are_six_digits_and_days_begin_where_the_utility_is() {
        let calendar = Calendar::named("Asia/Kolkata", Micros(0));
        let month = Period::month_of("202602").expect("a month");
        let (from, to) = calendar.span(month).expect("days");
        assert_eq!(
            (wire::time::iso(from), wire::time::iso(to)),
            ("2026-01-31T18:30:00.000Z".to_owned(), "2026-02-28T18:30:00.000Z".to_owned())
        );
        assert_eq!((month.days().count(), month.month_name(), month.yyyymm()), (28, "Feb", "202602".to_owned()));
        for wrong in ["", "2026", "202600", "202613", "2026-2", "199912", "220001", "+20261", "20261１"] {
            assert!(Period::month_of(wrong).is_err(), "{wrong}");
        }
        assert_eq!(calendar.day(Micros::from_millis(18 * 3_600_000 + 1_800_000)).to_string(), "1970-01-02");
    }

    #[test]
    fn midnights_and_whole_hours_are_those_of_the_zone() {
        let at = |text: &str| wire::time::parse_iso(text).expect("a time");
        let of = |zone: &str| Calendar::named(zone, Micros(0));
        assert_eq!(of("Asia/Kolkata").midnight_of(at("2026-11-22T07:00:00Z"), -1), at("2026-11-20T18:30:00Z"));
        let span = (at("2026-01-01T00:00:00Z"), at("2026-12-31T00:00:00Z"));
        let whole = ["Asia/Kolkata", "Asia/Kathmandu", "Europe/Berlin", "UTC", "Australia/Lord_Howe"]
            .map(|zone| of(zone).has_whole_hours(span.0, span.1));
        assert_eq!(whole, [false, false, true, true, false], "on Lord Howe summer time is half an hour");
        let berlin = of("Europe/Berlin");
        assert_eq!(berlin.midnight_of(at("2026-03-29T12:00:00Z"), 0), at("2026-03-28T23:00:00Z"), "the day on which the clocks go forward");
        assert_eq!(berlin.midnight_of(at("2026-03-29T12:00:00Z"), 1), at("2026-03-29T22:00:00Z"));
    }
}
