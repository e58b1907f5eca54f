//! Days of a utility in the parameters of a request, from local midnight to midnight.

use grid::Micros;
use identity::View;
use jiff::ToSpan as _;
use jiff::civil::Date;

use crate::calendar::Calendar;
use crate::error::Error;

/// Maximum number of days in one request.
pub const DAYS_MAX: usize = 93;

/// A day. Today ends at the current time.
#[derive(Debug, Clone, PartialEq)]
pub struct Day {
    date: Date,
    /// The midnight at its begin.
    pub from: Micros,
    /// The next midnight.
    end: Micros,
    /// The midnight at its end; for today the current time.
    pub to: Micros,
    /// Whether the day is today.
    pub is_today: bool,
}

impl Day {
    fn new(date: Date, calendar: &Calendar) -> Option<Self> {
        let (from, end) = (calendar.midnight(date).ok()?, calendar.midnight(date.checked_add(1.day()).ok()?).ok()?);
        (from <= calendar.now).then(|| Self { date, from, end, to: end.min(calendar.now), is_today: calendar.now < end })
    }

    /// Formats the day as `YYYY-MM-DD`.
    pub fn name(&self) -> String {
        self.date.to_string()
    }

    /// Returns the start and end of its hours, including the current one: 24 hours, or 23 or 25 when the clocks change.
    pub fn hours(&self) -> Vec<(Micros, Micros)> {
        const HOUR: i64 = 3_600_000_000;
        // No day is longer than 36 hours in any zone.
        (0..36)
            .map(|hour| self.from.0 + hour * HOUR)
            .take_while(|from| *from < self.end.0)
            .map(|from| (Micros(from), Micros(from + HOUR)))
            .collect()
    }
}

/// Parses a day: `YYYY-MM-DD`, or `0` for today.
pub fn day(text: &str, view: &View, now: Micros) -> Result<Day, Error> {
    let calendar = Calendar::of(view, now);
    let date = date(text, &calendar)?;
    Day::new(date, &calendar).ok_or_else(|| Error::BadRequest(format!("{date} is still to come; today is {}", calendar.today())))
}

/// Parses the first and the last day of a range, both included.
pub fn days(from: &str, to: &str, view: &View, now: Micros) -> Result<Vec<Day>, Error> {
    let calendar = Calendar::of(view, now);
    let today = calendar.today();
    let (from, to) = (date(from, &calendar)?, date(to, &calendar)?.min(today));
    let days: Vec<Day> =
        from.series(1.day()).take_while(|date| *date <= to).take(DAYS_MAX + 1).filter_map(|date| Day::new(date, &calendar)).collect();
    match days.len() {
        0 => Err(Error::BadRequest(format!("from {from} to {to} are no days; the first comes first, and today is {today}"))),
        1..=DAYS_MAX => Ok(days),
        _ => Err(Error::BadRequest(format!("from {from} to {to} are more than {DAYS_MAX} days, ask for fewer"))),
    }
}

fn date(text: &str, calendar: &Calendar) -> Result<Date, Error> {
    if text == "0" {
        return Ok(calendar.today());
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
            let day = Day::new(date.parse().expect("a date"), &Calendar::named(zone, now))?;
            Some((wire::time::iso(day.from), wire::time::iso(day.to), day.is_today, day.hours().len()))
        };
        let expected_day = |from: &str, to: &str, is_today, hours| Some((from.to_owned(), to.to_owned(), is_today, hours));
        assert_eq!(of("2026-11-21", "Asia/Kolkata"), expected_day("2026-11-20T18:30:00.000Z", "2026-11-21T18:30:00.000Z", false, 24));
        assert_eq!(of("2026-11-22", "Asia/Kolkata"), expected_day("2026-11-21T18:30:00.000Z", "2026-11-22T07:00:00.000Z", true, 24));
        assert_eq!(of("2026-03-29", "Europe/Berlin").map(|day| day.3), Some(23), "clocks go forward");
        assert_eq!(of("2026-10-25", "Europe/Berlin").map(|day| day.3), Some(25), "and back");
        assert_eq!(of("2026-11-23", "Asia/Kolkata"), None, "still to come");
    }

    #[test]
    fn what_is_no_date_is_refused() {
        let now = at("2026-11-22T20:00:00Z");
        let calendar = Calendar::named("Asia/Kolkata", now);
        assert_eq!(date("0", &calendar).expect("today").to_string(), "2026-11-23", "there it is after midnight");
        assert_eq!(date("2026-02-28", &calendar).expect("a date").to_string(), "2026-02-28");
        for wrong in ["", "1", "2026-2-3", "2026-02-30", "22-11-2026", "2026-11-22T00:00:00Z", "1969-12-31", "-00001-1-1"] {
            assert!(date(wrong, &calendar).is_err(), "{wrong}");
        }
    }
}
