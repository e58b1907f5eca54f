//! Days, months, years and hours of a utility, in its own zone.

use grid::Micros;
use identity::View;
use jiff::civil::Date;
use jiff::tz::{TimeZone, TimeZoneDatabase};
use jiff::{Span, Timestamp, ToSpan as _, Zoned};

use crate::error::Error;

/// Years that can be asked for.
const YEARS: std::ops::RangeInclusive<i16> = 2000..=2199;
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// A utility's zone and the time.
#[derive(Debug, Clone)]
pub struct Calendar {
    zone: TimeZone,
    /// The IANA name of the zone, as the utility has it.
    pub name: String,
    /// The time at which somebody asks.
    pub now: Micros,
}

/// Days from the first to the one before the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    /// The first day.
    pub first: Date,
    /// The day behind the last.
    pub end: Date,
}

impl Calendar {
    /// That of the user's utility.
    pub fn of(view: &View, now: Micros) -> Self {
        Self::named(view.field.client().map_or("UTC", |client| client.time_zone.as_str()), now)
    }

    /// Of a zone; one that nobody knows is UTC.
    pub fn named(name: &str, now: Micros) -> Self {
        Self { zone: TimeZoneDatabase::bundled().get(name).unwrap_or(TimeZone::UTC), name: name.to_owned(), now }
    }

    /// The zone itself.
    pub fn zone(&self) -> &TimeZone {
        &self.zone
    }

    fn at(&self, at: Micros) -> Zoned {
        Timestamp::from_microsecond(at.0).unwrap_or(Timestamp::MAX).to_zoned(self.zone.clone())
    }

    /// The day of an instant.
    pub fn day(&self, at: Micros) -> Date {
        self.at(at).date()
    }

    /// The hour that the clock shows, 0 to 23.
    pub fn hour(&self, at: Micros) -> u8 {
        u8::try_from(self.at(at).hour()).unwrap_or(0)
    }

    /// `DD/MM`.
    pub fn short_day(&self, at: Micros) -> String {
        let day = self.day(at);
        format!("{:02}/{:02}", day.day(), day.month())
    }

    /// `HH:MM`.
    pub fn clock(&self, at: Micros) -> String {
        let at = self.at(at);
        format!("{:02}:{:02}", at.hour(), at.minute())
    }

    /// The same time by the clock, so much before.
    pub fn before(&self, at: Micros, span: Span) -> Micros {
        Micros(self.at(at).saturating_sub(span).timestamp().as_microsecond())
    }

    /// Today.
    pub fn today(&self) -> Date {
        self.day(self.now)
    }

    /// The midnight at which a day begins.
    pub fn midnight(&self, day: Date) -> Result<Micros, Error> {
        let at = day.to_zoned(self.zone.clone()).map_err(|_| Error::BadRequest(format!("{day} is no day of a calendar")))?;
        Ok(Micros(at.timestamp().as_microsecond()))
    }

    /// From its first midnight to the one at its end.
    pub fn span(&self, period: Period) -> Result<(Micros, Micros), Error> {
        Ok((self.midnight(period.first)?, self.midnight(period.end)?))
    }
}

impl Period {
    /// A month, from `YYYYMM`.
    pub fn month_of(text: &str) -> Result<Self, Error> {
        let wrong = || Error::BadRequest("a month must be YYYYMM, such as 202611, of the years 2000 to 2199".to_owned());
        let digits = text.len() == 6 && text.bytes().all(|byte| byte.is_ascii_digit());
        let (year, month) = digits.then(|| text.split_at(4)).ok_or_else(wrong)?;
        Self::month(year.parse().map_err(|_| wrong())?, month.parse().map_err(|_| wrong())?).ok_or_else(wrong)
    }

    /// A month, by its number from 1 on.
    pub fn month(year: i16, month: i8) -> Option<Self> {
        let first = Date::new(year, month, 1).ok().filter(|_| YEARS.contains(&year))?;
        Some(Self { first, end: first.checked_add(1.month()).ok()? })
    }

    /// Days that both have.
    pub fn days(self) -> impl Iterator<Item = Date> {
        self.first.series(1.day()).take_while(move |day| *day < self.end)
    }

    /// Whether it has a day.
    pub fn has(self, day: Date) -> bool {
        (self.first..self.end).contains(&day)
    }

    /// `Nov`.
    pub fn month_name(self) -> &'static str {
        month_name(self.first)
    }

    /// `YYYYMM`.
    pub fn yyyymm(self) -> String {
        format!("{:04}{:02}", self.first.year(), self.first.month())
    }
}

/// `Nov`.
pub fn month_name(day: Date) -> &'static str {
    usize::try_from(day.month() - 1).ok().and_then(|month| MONTHS.get(month)).copied().unwrap_or_default()
}

/// The day so many days before another.
pub fn days_before(date: Date, days: i64) -> Date {
    date.saturating_sub(Span::new().days(days))
}

/// A year of those that can be asked for.
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
}
