//! Formats of times: ISO 8601 UTC with milliseconds in REST rows, epoch milliseconds in socket messages.

use grid::Micros;
use jiff::Timestamp;

/// Returns the present time by the clock of this machine.
pub fn now() -> Micros {
    Micros(Timestamp::now().as_microsecond())
}

/// Formats a time as ISO 8601 UTC with three decimals, e.g. `2026-11-03T08:32:51.402Z`. A time outside of the calendar's range becomes its first or last time.
pub fn iso(at: Micros) -> String {
    let end = if at.0 < 0 { Timestamp::MIN } else { Timestamp::MAX };
    let stamp = Timestamp::from_microsecond(at.0).unwrap_or(end);
    format!("{stamp:.3}")
}

/// Parses ISO 8601 with any offset from UTC; `None` if the text is no time.
pub fn parse_iso(text: &str) -> Option<Micros> {
    text.parse::<Timestamp>().ok().map(|stamp| Micros(stamp.as_microsecond()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trips_to_the_millisecond() {
        let at = Micros::from_millis(1_793_694_771_402);
        assert_eq!(iso(at), "2026-11-03T08:32:51.402Z");
        assert_eq!(parse_iso(&iso(at)), Some(at));
        assert_eq!(parse_iso("2026-11-03T14:02:51.402+05:30"), Some(at));
        assert_eq!(parse_iso("yesterday"), None);
    }

    #[test]
    fn the_end_of_time_does_not_panic() {
        assert!(iso(Micros(i64::MAX)).starts_with("9999"));
        assert!(iso(Micros(i64::MIN)).starts_with('-'));
    }
}
