//! The performance of a month as a document to send on: what analytics works out, put beside the month before and the same month a year before.
//!
//! [`gather`] asks, [`of`] says what was found, [`write`] prints it. No figure has a formula of its own here.

mod gather;
mod of;
mod write;

use grid::Micros;
use jiff::ToSpan as _;

use super::request::name_of;
use crate::area::Area;
use crate::error::Error;
use crate::extract::View;
use crate::routes::analytics::reliability_calendar::{Calendar, Period};
use crate::state::Services;

/// Places of one document.
const AREAS_MAX: usize = 10;

/// What a schedule and the audit know it by.
pub(crate) const KEY: &str = "MONTHLY_PERFORMANCE";

/// What the document is called.
const TITLE: &str = "Monthly performance report";

/// A month of `YYYY-MM` that has begun.
pub(crate) fn month(text: &str, calendar: &Calendar) -> Result<Period, Error> {
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

/// The month so many months before.
fn months_before(month: Period, months: i64) -> Result<Period, Error> {
    let first = month.first.checked_sub(months.months()).map_err(|_| Error::Internal)?;
    Period::month(first.year(), first.month()).ok_or_else(|| Error::BadRequest("month must lie after 2000".to_owned()))
}

/// Whether it can be of so many places.
pub(crate) fn check(areas: &[Area]) -> Result<(), Error> {
    if (1..=AREAS_MAX).contains(&areas.len()) {
        return Ok(());
    }
    Err(Error::BadRequest(format!("levelId must name 1 to {AREAS_MAX} places for this report")))
}

/// What its file is called.
pub(crate) fn title(month: Period) -> String {
    format!("{TITLE} {:04}-{:02}", month.first.year(), month.first.month())
}

/// The document of a month over places of one level. A month of which nothing is known makes one that says so.
pub(crate) async fn file(services: &Services, view: &View, areas: Vec<Area>, month: Period) -> Result<Vec<u8>, Error> {
    check(&areas)?;
    let calendar = Calendar::of(view, Services::now());
    let mut places = Vec::with_capacity(areas.len());
    for area in areas {
        places.push(gather::place(services, view, area, month, &calendar).await?);
    }
    let utility = name_of(view, Area(None));
    let printed = tokio::task::spawn_blocking(move || write::document(&utility, &places, month, &calendar));
    printed.await.map_err(|_| Error::Internal)?.map_err(|error| {
        tracing::error!(%error, "the monthly report could not be printed");
        Error::Internal
    })
}

/// Where the days of a month begin, and where the last that has begun ends, or now.
fn edges(month: Period, calendar: &Calendar) -> Result<Vec<Micros>, Error> {
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
    // A month that begins at this very instant has no time yet.
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
