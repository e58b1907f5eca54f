//! Parses the days of a frequency and its value (specification 3, section 5): daily, monthly, quarterly, financial year, weekly, range,
//! single date.

use analysis::calendar::Period;
use jiff::ToSpan as _;
use jiff::civil::{Date, ISOWeekDate, Weekday};

use crate::error::Error;

/// Maximum number of days in a range.
const DAYS_MAX: i32 = 3_660;
/// Years that can be requested.
const YEARS: std::ops::RangeInclusive<i16> = 1970..=2199;

/// The frequencies in the order of the list: id and name.
pub const FREQUENCIES: [(i64, &str); 8] = [
    (1, "Daily"),
    (2, "Monthly"),
    (3, "Quarterly"),
    (4, "Financial Year"),
    (5, "None (year to date)"),
    (6, "Date Range"),
    (7, "Single Date"),
    (9, "Weekly"),
];

/// Returns the name of a frequency.
pub fn frequency_name(id: i64) -> &'static str {
    FREQUENCIES.iter().find(|(known, _)| *known == id).map_or("", |(_, name)| name)
}

/// Returns the days of a frequency and its value, in local time.
pub fn period(frequency: i64, value: &str, today: Date) -> Result<Period, Error> {
    let wrong = |what: &str| Error::BadRequest(format!("frequencyValue of frequency {frequency} must be {what}"));
    let year = |text: &str| text.parse::<i16>().ok().filter(|year| text.len() == 4 && (2000..=2199).contains(year));
    let day = |text: &str| text.parse::<Date>().ok().filter(|day| text.len() == 10 && YEARS.contains(&day.year()));
    let until = |first: Date, end: Option<Date>| end.map(|end| Period { first, end });
    let found = match frequency {
        1 | 7 => day(value).and_then(|first| until(first, first.tomorrow().ok())).ok_or_else(|| wrong("YYYY-MM-DD")),
        2 => {
            let month = value.split_once('-').filter(|(_, month)| month.len() == 2);
            let month = month.and_then(|(of, month)| month_of(year(of)?, month.parse().ok()?));
            month.ok_or_else(|| wrong("YYYY-MM"))
        }
        3 => {
            let quarter = value.split_once("-Q").and_then(|(of, quarter)| {
                let quarter: i8 = quarter.parse().ok().filter(|number: &i8| quarter.len() == 1 && (1..=4).contains(number))?;
                let first = Date::new(year(of)?, 3 * quarter - 2, 1).ok()?;
                until(first, first.checked_add(3.months()).ok())
            });
            quarter.ok_or_else(|| wrong("YYYY-Q1 to YYYY-Q4"))
        }
        4 => {
            let years = value.split_once('-').and_then(|(first, second)| {
                let (first, second) = (year(first)?, year(second)?);
                let begin = Date::new(first, 4, 1).ok().filter(|_| second == first + 1)?;
                until(begin, Date::new(second, 4, 1).ok())
            });
            years.ok_or_else(|| wrong("YYYY-YYYY, such as 2026-2027 for April 2026 to March 2027"))
        }
        5 => Date::new(today.year(), 1, 1).ok().and_then(|first| until(first, today.tomorrow().ok())).ok_or(Error::Internal),
        6 => {
            let range = value.split_once([',', '_']).and_then(|(first, last)| Some((day(first.trim())?, day(last.trim())?)));
            let range = range.filter(|(first, last)| first <= last && (*last - *first).get_days() < DAYS_MAX);
            range
                .and_then(|(first, last)| until(first, last.tomorrow().ok()))
                .ok_or_else(|| wrong("YYYY-MM-DD,YYYY-MM-DD, the first not behind the last and not more than ten years before it"))
        }
        9 => {
            let week = value.split_once("-W").and_then(|(of, week)| {
                let week = week.parse().ok().filter(|_| week.len() == 2)?;
                let first = ISOWeekDate::new(year(of)?, week, Weekday::Monday).ok()?.date();
                until(first, first.checked_add(7.days()).ok())
            });
            week.ok_or_else(|| wrong("YYYY-W01 to YYYY-W53"))
        }
        _ => Err(Error::BadRequest("frequency must be 1, 2, 3, 4, 5, 6, 7 or 9".to_owned())),
    }?;
    Ok(found)
}

fn month_of(year: i16, month: i8) -> Option<Period> {
    let first = Date::new(year, month, 1).ok()?;
    Some(Period { first, end: first.checked_add(1.month()).ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_frequency_has_its_days() {
        let today: Date = "2026-11-22".parse().expect("a day");
        let of = |frequency, value: &str| period(frequency, value, today).ok().map(|period| format!("{} {}", period.first, period.end));
        for (frequency, value, expected) in [
            (1, "2026-02-28", "2026-02-28 2026-03-01"),
            (7, "2026-12-31", "2026-12-31 2027-01-01"),
            (2, "2026-02", "2026-02-01 2026-03-01"),
            (3, "2026-Q4", "2026-10-01 2027-01-01"),
            (4, "2025-2026", "2025-04-01 2026-04-01"),
            (5, "", "2026-01-01 2026-11-23"),
            (6, "2026-11-01, 2026-11-03", "2026-11-01 2026-11-04"),
            (6, "2026-02-27_2026-02-28", "2026-02-27 2026-03-01"),
            (6, "2024-02-29,2024-02-29", "2024-02-29 2024-03-01"),
            (9, "2026-W01", "2025-12-29 2026-01-05"),
            (9, "2026-W52", "2026-12-21 2026-12-28"),
            (2, "2024-02", "2024-02-01 2024-03-01"),
            (3, "2026-Q1", "2026-01-01 2026-04-01"),
        ] {
            assert_eq!(of(frequency, value).as_deref(), Some(expected), "{frequency} {value}");
        }
        for (frequency, value) in [
            (0, ""),
            (8, "2026"),
            (1, "2026-02-29"),
            (2, "2026-13"),
            (2, "202611"),
            (3, "2026-Q5"),
            (4, "2026-2028"),
            (6, "2026-11-03,2026-11-01"),
            (6, "2000-01-01,2100-01-01"),
            (9, "2026-W54"),
            (9, "2026-W00"),
            (9, "2025-W53"),
            (1, "1969-12-31"),
            (1, "2200-01-01"),
        ] {
            assert_eq!(of(frequency, value), None, "{frequency} {value}");
        }
    }

    #[test]
    fn frequency_none_says_that_it_is_the_year_to_date() {
        assert_eq!((frequency_name(5), frequency_name(2), frequency_name(8)), ("None (year to date)", "Monthly", ""));
    }

    #[test]
    fn days_are_as_long_as_the_utilitys_clock_makes_them() {
        use analysis::calendar::Calendar;
        let today: Date = "2026-11-22".parse().expect("a day");
        for (zone, value, from, hours) in [
            ("Asia/Kolkata", "2026-03-29", "2026-03-28T18:30:00.000Z", 24),
            ("Europe/London", "2026-03-29", "2026-03-29T00:00:00.000Z", 23),
            ("Europe/London", "2026-10-25", "2026-10-24T23:00:00.000Z", 25),
            ("America/New_York", "2026-11-01", "2026-11-01T04:00:00.000Z", 25),
        ] {
            let day = period(7, value, today).expect("a day");
            let (start, end) = Calendar::named(zone, grid::Micros(0)).span(day).expect("a span");
            assert_eq!((wire::time::iso(start).as_str(), end.millis_since(start) / 3_600_000), (from, hours), "{zone} {value}");
        }
    }
}
