//! The span of a question about the past, and the days and hours that the utility's own clocks show in it.

use grid::Micros;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::{TimeZone, TimeZoneDatabase};
use serde::Deserialize;
use wire::time::parse_iso;

use crate::error::Error;
use crate::extract::View;

/// Ten years and a leap day or three.
pub(super) const SPAN_MAX_MS: i64 = 3_653 * 24 * 3_600_000;

/// Which part of the past.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub(crate) struct Past {
    /// Start; ISO 8601.
    pub(super) from: Option<String>,
    /// End; ISO 8601. Now unless told, and never later. At most ten years after the start.
    pub(super) to: Option<String>,
}

impl Past {
    /// The span; where no start is told it begins where `from_default` says for its end.
    pub(super) fn read(&self, now: Micros, from_default: impl FnOnce(Micros) -> Micros) -> Result<(Micros, Micros), Error> {
        let to = instant("to", self.to.as_deref())?.unwrap_or(now).min(now);
        let from = instant("from", self.from.as_deref())?.unwrap_or_else(|| from_default(to));
        if !(1..=SPAN_MAX_MS).contains(&to.millis_since(from)) {
            return Err(Error::BadRequest("from must lie before to and before now, by at most ten years".to_owned()));
        }
        Ok((from, to))
    }
}

/// Reads a time of the query; it must lie where calendars agree and the database has room.
fn instant(name: &str, text: Option<&str>) -> Result<Option<Micros>, Error> {
    /// 1970 to 2200.
    const KNOWN: std::ops::Range<i64> = 0..7_258_118_400_000_000;
    let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(None) };
    let read = parse_iso(text).filter(|at| KNOWN.contains(&at.0));
    read.map(Some).ok_or_else(|| Error::BadRequest(format!("{name} must be a time such as 2026-11-03T08:00:00Z, between 1970 and 2200")))
}

/// The clocks of a utility.
#[derive(Debug, Clone)]
pub(super) struct Clocks {
    /// The zone's name (IANA).
    pub(super) name: String,
    zone: TimeZone,
    /// The quarter of an hour that was asked for last, and its hour of the day.
    last: Option<(i64, u8)>,
}

impl Clocks {
    /// Of the caller's utility.
    pub(super) fn of(view: &View) -> Self {
        Self::named(view.field.client().map_or("UTC", |client| client.time_zone.as_str()))
    }

    fn named(name: &str) -> Self {
        Self { zone: TimeZoneDatabase::bundled().get(name).unwrap_or(TimeZone::UTC), name: name.to_owned(), last: None }
    }

    /// The day of an instant.
    pub(super) fn day(&self, at: Micros) -> Date {
        Timestamp::from_microsecond(at.0).unwrap_or_default().to_zoned(self.zone.clone()).date()
    }

    /// The midnight that began the day of an instant, moved by days.
    pub(super) fn midnight(&self, at: Micros, days: i64) -> Micros {
        let day = self.day(at).checked_add(jiff::Span::new().days(days)).unwrap_or(self.day(at));
        day.to_zoned(self.zone.clone()).map_or(at, |midnight| Micros(midnight.timestamp().as_microsecond()))
    }

    /// Whether the hours of a span begin with those of UTC. Clocks are not changed twice within four weeks.
    pub(super) fn has_whole_hours(&self, from: Micros, to: Micros) -> bool {
        const STEP: i64 = 28 * 24 * 3_600_000_000;
        let steps = (from.0..to.0).step_by(STEP as usize).chain([to.0]);
        steps.into_iter().all(|at| self.zone.to_offset(Timestamp::from_microsecond(at).unwrap_or_default()).seconds() % 3_600 == 0)
    }

    /// The hour of the day of an instant, 0 to 23. Cheap for instants in order: the clocks of all zones differ by whole quarters of an hour.
    pub(super) fn hour(&mut self, at: Micros) -> u8 {
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

    #[test]
    fn a_span_lies_in_the_past_and_is_bounded() {
        let now = at("2026-11-22T10:00:00Z");
        let read = |from: Option<&str>, to: Option<&str>| {
            let past = Past { from: from.map(str::to_owned), to: to.map(str::to_owned) };
            past.read(now, |to| to.plus_millis(-1_000)).ok()
        };
        assert_eq!(read(None, None), Some((now.plus_millis(-1_000), now)));
        assert_eq!(read(None, Some("2030-01-01T00:00:00Z")), Some((now.plus_millis(-1_000), now)), "what is to come is not asked for");
        let (from, to) = ("2026-11-01T00:00:00Z", "2026-11-02T05:30:00+05:30");
        assert_eq!(read(Some(from), Some(to)), Some((at(from), at(to))));
        for (from, to) in
            [(to, from), (from, from), ("2027-01-01T00:00:00Z", "2028-01-01T00:00:00Z"), ("1990-01-01T00:00:00Z", from), ("soon", to)]
        {
            assert_eq!(read(Some(from), Some(to)), None, "{from} to {to}");
        }
    }
}
