//! Days, months and hours of a utility, by its own clock.

use grid::Micros;
use jiff::civil::Date;
use jiff::tz::{TimeZone, TimeZoneDatabase};
use jiff::{Span, Timestamp, Zoned};

use crate::extract::View;

/// The calendar of a utility.
#[derive(Debug, Clone)]
pub(crate) struct Calendar {
    zone: TimeZone,
    /// Its IANA name.
    pub(crate) name: String,
}

impl Calendar {
    /// That of the caller's utility; a zone that nobody knows is UTC.
    pub(crate) fn of(view: &View) -> Self {
        let name = view.field.client().map_or("UTC", |client| client.time_zone.as_str());
        Self { zone: TimeZoneDatabase::bundled().get(name).unwrap_or(TimeZone::UTC), name: name.to_owned() }
    }

    fn at(&self, at: Micros) -> Zoned {
        Timestamp::from_microsecond(at.0).unwrap_or(Timestamp::MAX).to_zoned(self.zone.clone())
    }

    /// The day of an instant.
    pub(crate) fn date(&self, at: Micros) -> Date {
        self.at(at).date()
    }

    /// The hour that the clock shows, 0 to 23.
    pub(crate) fn hour(&self, at: Micros) -> u8 {
        u8::try_from(self.at(at).hour()).unwrap_or(0)
    }

    /// `YYYY-MM-DD`.
    pub(crate) fn day_text(&self, at: Micros) -> String {
        self.date(at).to_string()
    }

    /// `DD/MM`.
    pub(crate) fn short_day(&self, at: Micros) -> String {
        let date = self.date(at);
        format!("{:02}/{:02}", date.day(), date.month())
    }

    /// `HH:MM`.
    pub(crate) fn clock(&self, at: Micros) -> String {
        let at = self.at(at);
        format!("{:02}:{:02}", at.hour(), at.minute())
    }

    /// When a day begins.
    pub(crate) fn midnight(&self, date: Date) -> Micros {
        date.to_zoned(self.zone.clone()).map_or(Micros(i64::MAX), |begin| Micros(begin.timestamp().as_microsecond()))
    }

    /// The same time by the clock, so much before.
    pub(crate) fn before(&self, at: Micros, span: Span) -> Micros {
        Micros(self.at(at).saturating_sub(span).timestamp().as_microsecond())
    }
}

/// The day so many days before another.
pub(crate) fn days_before(date: Date, days: i64) -> Date {
    date.saturating_sub(Span::new().days(days))
}
