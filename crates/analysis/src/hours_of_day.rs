//! Converts many instants, which are in chronological order, to local hours of the day in the calendar of a utility.

use grid::Micros;

use crate::calendar::Calendar;

/// Converts instants to hours of the day, and caches the last result.
#[derive(Debug, Clone)]
pub(crate) struct HoursOfDay {
    calendar: Calendar,
    /// The last quarter of an hour that was looked up, and its hour of the day.
    last: Option<(i64, u8)>,
}

impl HoursOfDay {
    /// By the clock of a calendar.
    pub(crate) fn of(calendar: Calendar) -> Self {
        Self { calendar, last: None }
    }

    /// Returns the local hour of the day of an instant, 0 to 23. The result is cached for the quarter of an hour, because the offsets of all zones are
    /// multiples of a quarter. So the conversion of instants in chronological order is fast.
    pub(crate) fn at(&mut self, at: Micros) -> u8 {
        const QUARTER: i64 = 900_000_000;
        let quarter = at.0.div_euclid(QUARTER);
        if let Some((known, hour)) = self.last
            && known == quarter
        {
            return hour;
        }
        let hour = self.calendar.hour(at);
        self.last = Some((quarter, hour));
        hour
    }
}

#[cfg(test)]
mod tests {
    use wire::time::parse_iso;

    use super::*;

    #[test]
    fn hours_are_those_of_the_zone() {
        let calendar = Calendar::named("Asia/Kolkata", Micros(0));
        let mut hours = HoursOfDay::of(calendar.clone());
        for (text, day, hour) in [
            ("2026-11-21T18:29:59Z", "2026-11-21", 23),
            ("2026-11-21T18:30:00Z", "2026-11-22", 0),
            ("2026-11-21T19:29:59Z", "2026-11-22", 0),
            ("2026-11-21T19:30:00Z", "2026-11-22", 1),
        ] {
            let at = parse_iso(text).expect("a time");
            assert_eq!((calendar.day(at).to_string(), hours.at(at)), (day.to_owned(), hour), "{text}");
        }
    }
}
