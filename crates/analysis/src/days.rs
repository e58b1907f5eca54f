//! Days of a utility in the parameters of a request, from local midnight to midnight.

use grid::Micros;
use identity::View;
use jiff::civil::Date;
use jiff::tz::{TimeZone, TimeZoneDatabase};
use jiff::{Timestamp, ToSpan as _};

use crate::error::Error;

/// Limit of days in one request.
pub const DAYS_MAX: usize = 93;

/// A day. Today ends at the current time.
#[derive(Debug, Clone, PartialEq)]
pub struct Day {
    date: Date,
    zone: TimeZone,
    /// The midnight at its begin.
    pub from: Micros,
    /// The midnight at its end; for today the current time.
    pub to: Micros,
    /// Whether the day is today.
    pub is_today: bool,
}

impl Day {
    fn new(date: Date, zone: &TimeZone, now: Micros) -> Option<Self> {
        let midnight = |date: Date| Some(Micros(date.to_zoned(zone.clone()).ok()?.timestamp().as_microsecond()));
        let (from, end) = (midnight(date)?, midnight(date.checked_add(1.day()).ok()?)?);
        (from <= now).then(|| Self { date, zone: zone.clone(), from, to: end.min(now), is_today: now < end })
    }

    /// Formats the day as `YYYY-MM-DD`.
    pub fn name(&self) -> String {
        self.date.to_string()
    }

    /// Returns the start and end of its hours, including the current one: 24 hours, or 23 or 25 when the clocks change.
    pub fn hours(&self) -> Vec<(Micros, Micros)> {
        const HOUR: i64 = 3_600_000_000;
        let end = self.date.checked_add(1.day()).ok().and_then(|next| next.to_zoned(self.zone.clone()).ok());
        let end = end.map_or(self.to, |end| Micros(end.timestamp().as_microsecond()));
        // No day is longer than 36 hours in any zone.
        (0..36)
            .map(|hour| self.from.0 + hour * HOUR)
            .take_while(|from| *from < end.0)
            .map(|from| (Micros(from), Micros(from + HOUR)))
            .collect()
    }
}

/// Parses a day: `YYYY-MM-DD`, or `0` for today.
pub fn day(text: &str, view: &View, now: Micros) -> Result<Day, Error> {
    let zone = zone(view);
    let date = date(text, &zone, now)?;
    Day::new(date, &zone, now).ok_or_else(|| Error::BadRequest(format!("{date} is still to come; today is {}", today(&zone, now))))
}

/// Parses the first and the last day of a range, both included.
pub fn days(from: &str, to: &str, view: &View, now: Micros) -> Result<Vec<Day>, Error> {
    let zone = zone(view);
    let (from, to) = (date(from, &zone, now)?, date(to, &zone, now)?.min(today(&zone, now)));
    let days: Vec<Day> =
        from.series(1.day()).take_while(|date| *date <= to).take(DAYS_MAX + 1).filter_map(|date| Day::new(date, &zone, now)).collect();
    match days.len() {
        0 => Err(Error::BadRequest(format!("from {from} to {to} are no days; the first comes first, and today is {}", today(&zone, now)))),
        1..=DAYS_MAX => Ok(days),
        _ => Err(Error::BadRequest(format!("from {from} to {to} are more than {DAYS_MAX} days, ask for fewer"))),
    }
}

fn zone(view: &View) -> TimeZone {
    let name = view.field.client().map_or("UTC", |client| client.time_zone.as_str());
    TimeZoneDatabase::bundled().get(name).unwrap_or(TimeZone::UTC)
}

fn today(zone: &TimeZone, now: Micros) -> Date {
    let now = Timestamp::from_microsecond(now.0).unwrap_or_default();
    now.to_zoned(zone.clone()).date()
}

fn date(text: &str, zone: &TimeZone, now: Micros) -> Result<Date, Error> {
    if text == "0" {
        return Ok(today(zone, now));
    }
    // The date parser also accepts date and time, and drops the time. The length excludes that.
    let read = (text.len() == 10).then(|| text.parse::<Date>().ok()).flatten().filter(|date| date.year() >= 1970);
    read.ok_or_else(|| Error::BadRequest("a date must be YYYY-MM-DD from 1970 on, or 0 for today".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Micros {
        wire::time::parse_iso(text).expect("a time")
    }

    #[test]
    fn a_day_goes_from_midnight_to_midnight_in_its_own_zone_and_has_the_hours_it_has() {
        let now = at("2026-11-22T07:00:00Z");
        let of = |date: &str, zone: &str| {
            let zone = TimeZoneDatabase::bundled().get(zone).expect("a zone");
            let day = Day::new(date.parse().expect("a date"), &zone, now)?;
            Some((wire::time::iso(day.from), wire::time::iso(day.to), day.is_today, day.hours().len()))
        };
        let told = |from: &str, to: &str, is_today, hours| Some((from.to_owned(), to.to_owned(), is_today, hours));
        assert_eq!(of("2026-11-21", "Asia/Kolkata"), told("2026-11-20T18:30:00.000Z", "2026-11-21T18:30:00.000Z", false, 24));
        assert_eq!(of("2026-11-22", "Asia/Kolkata"), told("2026-11-21T18:30:00.000Z", "2026-11-22T07:00:00.000Z", true, 24));
        assert_eq!(of("2026-03-29", "Europe/Berlin").map(|day| day.3), Some(23), "clocks go forward");
        assert_eq!(of("2026-10-25", "Europe/Berlin").map(|day| day.3), Some(25), "and back");
        assert_eq!(of("2026-11-23", "Asia/Kolkata"), None, "still to come");
    }

    #[test]
    fn what_is_no_date_is_refused() {
        let now = at("2026-11-22T20:00:00Z");
        let zone = TimeZoneDatabase::bundled().get("Asia/Kolkata").expect("a zone");
        assert_eq!(date("0", &zone, now).expect("today").to_string(), "2026-11-23", "there it is after midnight");
        assert_eq!(date("2026-02-28", &zone, now).expect("a date").to_string(), "2026-02-28");
        for wrong in ["", "1", "2026-2-3", "2026-02-30", "22-11-2026", "2026-11-22T00:00:00Z", "1969-12-31", "-00001-1-1"] {
            assert!(date(wrong, &zone, now).is_err(), "{wrong}");
        }
    }
}
