//! The local hour of the day for many instants in chronological order.

use grid::Micros;
use identity::View;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::{TimeZone, TimeZoneDatabase};

/// Converts instants to local hours and days of a utility.
#[derive(Debug, Clone)]
pub struct Clocks {
    /// The IANA name of the time zone.
    pub name: String,
    zone: TimeZone,
    /// The latest quarter of an hour that was converted, and its hour of the day.
    last: Option<(i64, u8)>,
}

impl Clocks {
    /// Creates the clocks of the caller's utility.
    pub fn of(view: &View) -> Self {
        Self::named(view.field.client().map_or("UTC", |client| client.time_zone.as_str()))
    }

    fn named(name: &str) -> Self {
        Self { zone: TimeZoneDatabase::bundled().get(name).unwrap_or(TimeZone::UTC), name: name.to_owned(), last: None }
    }

    /// Returns the local day of an instant.
    pub fn day(&self, at: Micros) -> Date {
        Timestamp::from_microsecond(at.0).unwrap_or_default().to_zoned(self.zone.clone()).date()
    }

    /// Returns the midnight at the begin of the day of an instant, shifted by a number of days.
    pub fn midnight(&self, at: Micros, days: i64) -> Micros {
        let day = self.day(at).checked_add(jiff::Span::new().days(days)).unwrap_or(self.day(at));
        day.to_zoned(self.zone.clone()).map_or(at, |midnight| Micros(midnight.timestamp().as_microsecond()))
    }

    /// Returns whether local hours begin at full hours of UTC throughout a span. It is checked every four weeks, because no zone changes
    /// its clocks twice in that time.
    pub fn has_whole_hours(&self, from: Micros, to: Micros) -> bool {
        const STEP: i64 = 28 * 24 * 3_600_000_000;
        let steps = (from.0..to.0).step_by(STEP as usize).chain([to.0]);
        steps.into_iter().all(|at| self.zone.to_offset(Timestamp::from_microsecond(at).unwrap_or_default()).seconds() % 3_600 == 0)
    }

    /// Returns the local hour of the day of an instant, 0 to 23. The hour is cached per quarter of an hour, because the offsets of all
    /// zones are multiples of it; instants in chronological order are therefore cheap.
    pub fn hour(&mut self, at: Micros) -> u8 {
        const QUARTER: i64 = 900_000_000;
        let quarter = at.0.div_euclid(QUARTER);
        if let Some((known, hour)) = self.last
            && known == quarter
        {
            return hour;
        }
        let local = Timestamp::from_microsecond(at.0).unwrap_or_default().to_zoned(self.zone.clone());
        let hour = u8::try_from(local.hour()).unwrap_or(0);
        self.last = Some((quarter, hour));
        hour
    }
}

#[cfg(test)]
mod tests {
    use wire::time::parse_iso;

    use super::*;

    fn at(text: &str) -> Micros {
        parse_iso(text).expect("a time")
    }

    #[test]
    fn days_and_hours_are_those_of_the_utility() {
        let mut clocks = Clocks::named("Asia/Kolkata");
        for (text, day, hour) in [
            ("2026-11-21T18:29:59Z", "2026-11-21", 23),
            ("2026-11-21T18:30:00Z", "2026-11-22", 0),
            ("2026-11-21T19:29:59Z", "2026-11-22", 0),
            ("2026-11-21T19:30:00Z", "2026-11-22", 1),
        ] {
            assert_eq!((clocks.day(at(text)).to_string(), clocks.hour(at(text))), (day.to_owned(), hour), "{text}");
        }
        assert_eq!(clocks.midnight(at("2026-11-22T07:00:00Z"), -1), at("2026-11-20T18:30:00Z"));
        let span = (at("2026-01-01T00:00:00Z"), at("2026-12-31T00:00:00Z"));
        let whole = ["Asia/Kolkata", "Asia/Kathmandu", "Europe/Berlin", "UTC", "Australia/Lord_Howe"]
            .map(|zone| Clocks::named(zone).has_whole_hours(span.0, span.1));
        assert_eq!(whole, [false, false, true, true, false], "on Lord Howe summer time is half an hour");
        let berlin = Clocks::named("Europe/Berlin");
        assert_eq!(berlin.midnight(at("2026-03-29T12:00:00Z"), 0), at("2026-03-28T23:00:00Z"), "the day on which the clocks go forward");
        assert_eq!(berlin.midnight(at("2026-03-29T12:00:00Z"), 1), at("2026-03-29T22:00:00Z"));
    }
}
