//! The day of a plan, by the utility's clock.

use dispatch::SLOTS;
use grid::Micros;
use jiff::civil::Date;
use jiff::tz::{TimeZone, TimeZoneDatabase};
use jiff::{Timestamp, ToSpan as _};

use crate::error::Error;
use crate::extract::View;

/// As far back as a day may be planned, as if it was to come.
const BACK_DAYS: i64 = 400;

/// A day in a zone.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Day {
    pub(super) date: Date,
    zone: TimeZone,
    /// IANA name.
    pub(super) zone_name: String,
}

impl Day {
    /// Today in the caller's utility.
    pub(super) fn today(view: &View, now: Micros) -> Self {
        Self::of_zone(view.field.client().map_or("UTC", |client| client.time_zone.as_str()), now)
    }

    fn of_zone(zone_name: &str, now: Micros) -> Self {
        let zone = TimeZoneDatabase::bundled().get(zone_name).unwrap_or(TimeZone::UTC);
        let date = Timestamp::from_microsecond(now.0).unwrap_or_default().to_zoned(zone.clone()).date();
        Self { date, zone, zone_name: zone_name.to_owned() }
    }

    /// So many days later; earlier where that is below 0.
    pub(super) fn plus(&self, days: i64) -> Self {
        Self { date: self.date.saturating_add(days.days()), ..self.clone() }
    }

    /// From today, the day that is asked for: `today` where nothing is said.
    pub(super) fn asked(&self, text: Option<&str>) -> Result<Self, Error> {
        let text = text.map(str::trim).filter(|text| !text.is_empty()).unwrap_or("today");
        match text {
            "today" => Ok(self.clone()),
            "tomorrow" => Ok(self.plus(1)),
            text => {
                let (first, last) = (self.plus(-BACK_DAYS).date, self.plus(1).date);
                let is_plain = text.len() == 10 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
                let date = text.parse().ok().filter(|date| is_plain && (first..=last).contains(date));
                date.map(|date| Self { date, ..self.clone() }).ok_or_else(|| {
                    Error::BadRequest(format!("day: today, tomorrow, or a day such as {} from {first} to {last}", self.date))
                })
            }
        }
    }

    /// When a half hour begins; that behind the last is the next day's first. One that the clocks leave out begins where they go on.
    pub(super) fn start(&self, slot: usize) -> Micros {
        let (date, slot) = if slot >= SLOTS { (self.plus(1).date, 0) } else { (self.date, slot) };
        let time = date.at((slot / 2) as i8, (slot % 2 * 30) as i8, 0, 0);
        Micros(time.to_zoned(self.zone.clone()).map_or(i64::MAX, |at| at.timestamp().as_microsecond()))
    }

    /// The middle of a half hour.
    pub(super) fn middle(&self, slot: usize) -> Micros {
        self.start(slot).plus_millis(15 * 60_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Micros {
        wire::time::parse_iso(text).expect("a time")
    }

    #[test]
    fn half_hours_are_those_of_the_utilitys_clock() {
        let today = Day::of_zone("Asia/Kolkata", at("2026-11-22T19:00:00Z"));
        assert_eq!(today.date.to_string(), "2026-11-23");
        assert_eq!((today.start(0), today.start(1)), (at("2026-11-22T18:30:00Z"), at("2026-11-22T19:00:00Z")));
        assert_eq!((today.middle(47), today.start(48)), (at("2026-11-23T18:15:00Z"), at("2026-11-23T18:30:00Z")));
        let short = Day::of_zone("Europe/Berlin", at("2026-03-29T12:00:00Z"));
        assert_eq!(
            [3, 4, 5, 6, 48].map(|slot| short.start(slot)),
            ["00:30", "01:00", "01:30", "01:00", "22:00"].map(|time| at(&format!("2026-03-29T{time}:00Z"))),
            "two o'clock is left out"
        );
    }

    #[test]
    fn a_day_is_asked_for_by_word_or_date() {
        let today = Day::of_zone("UTC", at("2026-11-22T12:00:00Z"));
        let asked = |text: Option<&str>| today.asked(text).map(|day| day.date.to_string()).ok();
        for (text, expected) in [
            (None, "2026-11-22"),
            (Some(""), "2026-11-22"),
            (Some("tomorrow"), "2026-11-23"),
            (Some("2026-11-23"), "2026-11-23"),
            (Some("2025-10-18"), "2025-10-18"),
        ] {
            assert_eq!(asked(text).as_deref(), Some(expected), "{text:?}");
        }
        for wrong in ["2026-11-24", "2025-10-17", "2026-02-30", "20261122", "yesterday", "2026-11-22T00:00", "+02026-11-22"] {
            assert_eq!(asked(Some(wrong)), None, "{wrong}");
        }
    }
}
