//! The month of a document: its name, the earlier months, and the starts of its days.

use analysis::calendar::{Calendar, Period};
use grid::Micros;
use jiff::ToSpan as _;

use crate::error::Error;

/// The title of the document.
pub(crate) const TITLE: &str = "Monthly performance report";

/// Parses a month from `YYYY-MM`. Fails if it has not started.
pub fn month(text: &str, calendar: &Calendar) -> Result<Period, Error> {
    let wrong = || Error::BadRequest("month must be YYYY-MM, such as 2026-10, of the years 2000 to 2199".to_owned());
    let (year, month) = text.trim().split_once('-').filter(|(year, month)| year.len() == 4 && month.len() == 2).ok_or_else(wrong)?;
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse::<i16>().ok()).flatten();
    let (year, month) = digits(year).zip(digits(month)).ok_or_else(wrong)?;
    let month = i8::try_from(month).ok().and_then(|month| Period::month(year, month)).ok_or_else(wrong)?;
    if month.first > calendar.today() {
        return Err(Error::BadRequest(format!("month must have begun: {text} is still to come")));
    }
    Ok(month)
}

/// Returns the month that is a number of months earlier.
pub(crate) fn months_before(month: Period, months: i64) -> Result<Period, Error> {
    let first = month.first.checked_sub(months.months()).map_err(|_| Error::Internal)?;
    Period::month(first.year(), first.month()).ok_or_else(|| Error::BadRequest("month must lie after 2000".to_owned()))
}

/// Returns the title with the month, which is also the file name.
pub fn title(month: Period) -> String {
    format!("{TITLE} {:04}-{:02}", month.first.year(), month.first.month())
}

/// Returns the starts of the days that have started, and the end of the last one. If the last one is the current day,
/// its end is the present time.
pub(crate) fn edges(month: Period, calendar: &Calendar) -> Result<Vec<Micros>, Error> {
    let mut edges = Vec::with_capacity(32);
    for day in month.days() {
        let from = calendar.midnight(day)?;
        if from >= calendar.now {
            break;
        }
        edges.push(from);
    }
    let (_, end) = calendar.span(month)?;
    edges.push(end.min(calendar.now));
    // A month that starts at this instant has no duration yet.
    Ok(if edges.len() > 1 { edges } else { Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_has_begun_and_is_written_in_one_way() {
        let now = wire::time::parse_iso("2026-11-22T07:00:00Z").expect("a time");
        let calendar = Calendar::named("Asia/Kolkata", now);
        let read = |text: &str| month(text, &calendar).ok().map(Period::yyyymm);
        assert_eq!((read("2026-11"), read(" 2026-10 ")), (Some("202611".to_owned()), Some("202610".to_owned())));
        for wrong in ["2026-12", "2026-13", "2026-00", "202611", "2026-1", "1999-12", "+026-11", "2026-1\u{661}", ""] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
        let before = |months| months_before(Period::month(2026, 3).expect("a month"), months).expect("a month").yyyymm();
        assert_eq!((before(1), before(12), before(3)), ("202602".to_owned(), "202503".to_owned(), "202512".to_owned()));
    }

    #[test]
    fn the_days_of_a_month_end_now() {
        let at = |text: &str| wire::time::parse_iso(text).expect("a time");
        let month = Period::month(2026, 11).expect("a month");
        let of = |now: &str| edges(month, &Calendar::named("UTC", at(now))).expect("edges");
        assert_eq!(of("2026-11-02T12:00:00Z"), ["2026-11-01T00:00:00Z", "2026-11-02T00:00:00Z", "2026-11-02T12:00:00Z"].map(at));
        assert_eq!(of("2027-01-01T00:00:00Z").len(), 31);
        assert_eq!(of("2026-11-01T00:00:00Z"), []);
    }
}
