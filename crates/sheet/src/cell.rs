//! A cell as given by the caller, and the value that all formats write.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::time::Duration;

use grid::time::Micros;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone};

use crate::report::ColumnKind;

const DAY: i64 = 86_400_000_000;
/// Number of decimal digits that a double can always represent.
const DECIMALS_MAX: u8 = 15;
/// The day number of 1970-01-01 in spreadsheets, which count from the end of 1899.
const EPOCH_SERIAL: i64 = 25_569;
/// The day number of 1900-03-01, from which all spreadsheet programs agree. Some of them count a day 29 February 1900, which did not exist.
const SERIAL_MIN: i64 = 61;
/// From this value on a double has no fractional digits.
const EXACT: f64 = 9_007_199_254_740_992.0;
/// Text for an instant outside of the years 1 to 9999.
const NO_TIME: &str = "time out of range";

/// The content of one column of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell<'a> {
    /// Not known: an empty cell, never 0.
    Absent,
    /// A text. No format ever writes it as a formula.
    Text(&'a str),
    /// A number, rounded to the decimals of its column. NaN and infinite count as absent.
    Number(f64),
    /// An instant, displayed as local time.
    Time(Micros),
    /// A duration, displayed in seconds. If it is not a whole number of seconds, it is displayed with milliseconds.
    Duration(Duration),
}

impl<'a> From<Option<&'a str>> for Cell<'a> {
    fn from(text: Option<&'a str>) -> Self {
        text.map_or(Self::Absent, Self::Text)
    }
}

impl From<Option<f64>> for Cell<'_> {
    fn from(number: Option<f64>) -> Self {
        number.map_or(Self::Absent, Self::Number)
    }
}

impl From<Option<Micros>> for Cell<'_> {
    fn from(time: Option<Micros>) -> Self {
        time.map_or(Self::Absent, Self::Time)
    }
}

/// A cell as every format displays it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value<'a> {
    Absent,
    /// Cleaned by [`clean`].
    Text(Cow<'a, str>),
    /// Finite, rounded, and never -0.
    Number {
        value: f64,
        decimals: Option<u8>,
    },
    /// Microseconds of local time since 1970, truncated to the precision of `kind`.
    Time {
        local: i64,
        kind: ColumnKind,
    },
    /// Milliseconds.
    Duration(u64),
}

impl<'a> Value<'a> {
    pub(crate) fn of(cell: Cell<'a>, kind: ColumnKind, zone: &TimeZone) -> Self {
        match cell {
            Cell::Absent | Cell::Text("") => Self::Absent,
            Cell::Text(text) => Self::Text(clean(text)),
            Cell::Number(value) if !value.is_finite() => Self::Absent,
            Cell::Number(value) => {
                let decimals = match kind {
                    ColumnKind::Number { decimals } => decimals.map(|decimals| decimals.min(DECIMALS_MAX)),
                    _ => None,
                };
                Self::Number { value: rounded(value, decimals), decimals }
            }
            Cell::Time(at) => {
                let kind =
                    if matches!(kind, ColumnKind::Day | ColumnKind::Minute | ColumnKind::Millisecond) { kind } else { ColumnKind::Second };
                let Some(local) = local_micros(at, zone) else { return Self::Text(NO_TIME.into()) };
                let shown = Self::Time { local: local - local.rem_euclid(step(kind)), kind };
                match repeated(local, at, zone).filter(|_| kind != ColumnKind::Day) {
                    // A number cannot include the offset, so this is a text in every format.
                    Some(offset) => Self::Text(format!("{}{offset}", shown.text()).into()),
                    None => shown,
                }
            }
            Cell::Duration(duration) => Self::Duration(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)),
        }
    }

    /// Appends the text for users, which is also the text in CSV.
    pub(crate) fn write(&self, out: &mut String) {
        // Writing to a `String` cannot fail.
        let _ = match self {
            Self::Absent => Ok(()),
            Self::Text(text) => out.write_str(text),
            Self::Number { value, .. } if *value != 0.0 && !(1e-6..1e15).contains(&value.abs()) => write!(out, "{value:e}"),
            Self::Number { value, decimals: Some(decimals) } => write_decimals(*value, *decimals, out),
            Self::Number { value, decimals: None } => write!(out, "{value}"),
            Self::Time { local, kind } => write_time(*local, *kind, out),
            Self::Duration(ms) => write_duration(*ms, out),
        };
    }

    /// Returns the text of [`Self::write`].
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        text
    }

    /// Returns the number that a spreadsheet stores for a number, an instant (days since the end of 1899) or a duration (days); `None` for
    /// others.
    pub(crate) fn serial(&self) -> Option<f64> {
        match self {
            Self::Absent | Self::Text(_) => None,
            Self::Number { value, .. } => Some(*value),
            Self::Time { local, .. } => {
                let day = local.div_euclid(DAY) + EPOCH_SERIAL;
                (day >= SERIAL_MIN).then(|| day as f64 + local.rem_euclid(DAY) as f64 / DAY as f64)
            }
            Self::Duration(ms) => Some(*ms as f64 / 86_400_000.0),
        }
    }

    /// Returns the kind of column that displays the value like [`Self::write`].
    pub(crate) fn kind(&self) -> ColumnKind {
        match self {
            Self::Absent | Self::Text(_) => ColumnKind::Text,
            Self::Number { decimals, .. } => ColumnKind::Number { decimals: *decimals },
            Self::Time { kind, .. } => *kind,
            Self::Duration(ms) if !ms.is_multiple_of(1_000) => ColumnKind::DurationMillis,
            Self::Duration(_) => ColumnKind::Duration,
        }
    }
}

/// Returns the number format of a column in spreadsheets.
pub(crate) fn number_format(kind: ColumnKind) -> Cow<'static, str> {
    match kind {
        ColumnKind::Text | ColumnKind::Number { decimals: None } => "General".into(),
        ColumnKind::Number { decimals: Some(0) } => "0".into(),
        ColumnKind::Number { decimals: Some(decimals) } => format!("0.{}", "0".repeat(decimals.min(DECIMALS_MAX).into())).into(),
        ColumnKind::Day => "yyyy-mm-dd".into(),
        ColumnKind::Minute => "yyyy-mm-dd hh:mm".into(),
        ColumnKind::Second => "yyyy-mm-dd hh:mm:ss".into(),
        ColumnKind::Millisecond => "yyyy-mm-dd hh:mm:ss.000".into(),
        ColumnKind::Duration => "[h]:mm:ss".into(),
        ColumnKind::DurationMillis => "[h]:mm:ss.000".into(),
    }
}

/// Appends a duration as `h:mm:ss`, with milliseconds if it is not a whole number of seconds, because a breaker that recloses can be open for less than a
/// second.
fn write_duration(ms: u64, out: &mut String) -> std::fmt::Result {
    let seconds = ms / 1_000;
    write!(out, "{}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60)?;
    if ms.is_multiple_of(1_000) { Ok(()) } else { write!(out, ".{:03}", ms % 1_000) }
}

/// Converts a text so that every format can hold it: line ends become LF; control characters other than the tab, and noncharacters, become U+FFFD. No character
/// is removed, so that no text can be hidden in another one.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    let bad = |letter: char| (letter.is_control() && letter != '\n' && letter != '\t') || matches!(letter, '\u{fffe}' | '\u{ffff}');
    if !text.contains(bad) {
        return text.into();
    }
    text.replace("\r\n", "\n").replace('\r', "\n").replace(bad, "\u{fffd}").into()
}

/// Applies [`clean`] and puts the text on one line, for headings, facts and captions.
pub(crate) fn clean_line(text: &str) -> String {
    clean(text).replace(['\n', '\t'], " ")
}

/// Returns the start of a text, up to the maximum length of a cell of a workbook (in UTF-16 units).
pub(crate) fn fitting(text: &str) -> &str {
    const LETTERS_MAX: usize = 32_767;
    // A text never has more UTF-16 units than UTF-8 bytes.
    if text.len() <= LETTERS_MAX {
        return text;
    }
    let mut units = 0;
    let end = text.char_indices().find(|(_, letter)| {
        units += letter.len_utf16();
        units > LETTERS_MAX
    });
    end.map_or(text, |(end, _)| &text[..end])
}

/// Converts to local time; `None` outside of the years 1 to 9999.
pub(crate) fn local(at: Micros, zone: &TimeZone) -> Option<DateTime> {
    civil(local_micros(at, zone)?)
}

fn local_micros(at: Micros, zone: &TimeZone) -> Option<i64> {
    let instant = Timestamp::from_microsecond(at.0).ok()?;
    let local = at.0.checked_add(i64::from(zone.to_offset(instant).seconds()) * 1_000_000)?;
    civil(local).map(|_| local)
}

/// Returns the offset from UTC if the local time occurs twice because of a clock change.
fn repeated(local: i64, at: Micros, zone: &TimeZone) -> Option<Offset> {
    let is_twice = zone.to_ambiguous_timestamp(civil(local)?).is_ambiguous();
    is_twice.then(|| Timestamp::from_microsecond(at.0).ok()).flatten().map(|instant| zone.to_offset(instant))
}

fn civil(local: i64) -> Option<DateTime> {
    let time = Offset::UTC.to_datetime(Timestamp::from_microsecond(local).ok()?);
    (time.year() >= 1).then_some(time)
}

fn write_time(local: i64, kind: ColumnKind, out: &mut String) -> std::fmt::Result {
    let Some(time) = civil(local) else { return Ok(()) };
    write!(out, "{:04}-{:02}-{:02}", time.year(), time.month(), time.day())?;
    if kind != ColumnKind::Day {
        write!(out, " {:02}:{:02}", time.hour(), time.minute())?;
    }
    if matches!(kind, ColumnKind::Second | ColumnKind::Millisecond) {
        write!(out, ":{:02}", time.second())?;
    }
    if kind == ColumnKind::Millisecond {
        write!(out, ".{:03}", time.millisecond())?;
    }
    Ok(())
}

/// Writes a rounded number with its decimals. It is formatted as an integer, which takes a quarter of the time of the general conversion.
fn write_decimals(value: f64, decimals: u8, out: &mut String) -> std::fmt::Result {
    let scale = 10_u64.pow(decimals.into());
    let scaled = (value.abs() * scale as f64).round();
    if scaled >= EXACT {
        return write!(out, "{value:.*}", usize::from(decimals));
    }
    let scaled = scaled as u64;
    let sign = if value < 0.0 { "-" } else { "" };
    if decimals == 0 {
        return write!(out, "{sign}{scaled}");
    }
    write!(out, "{sign}{}.{:0width$}", scaled / scale, scaled % scale, width = usize::from(decimals))
}

/// Returns the precision of a kind of time, µs.
fn step(kind: ColumnKind) -> i64 {
    match kind {
        ColumnKind::Day => DAY,
        ColumnKind::Minute => 60_000_000,
        ColumnKind::Millisecond => 1_000,
        _ => 1_000_000,
    }
}

fn rounded(value: f64, decimals: Option<u8>) -> f64 {
    let scale = 10_f64.powi(decimals.map_or(0, i32::from));
    let scaled = value * scale;
    let value = if decimals.is_some() && scaled.abs() < EXACT { scaled.round() / scale } else { value };
    // A report has no -0.
    value + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zone() -> TimeZone {
        TimeZone::get("Asia/Kolkata").unwrap()
    }

    fn shown(cell: Cell<'_>, kind: ColumnKind) -> String {
        Value::of(cell, kind, &zone()).text()
    }

    #[test]
    fn a_cell_reads_the_same_wherever_it_is_shown() {
        let number = |decimals| ColumnKind::Number { decimals };
        let at = Micros(1_795_340_045_123_456);
        let cases = [
            (Cell::Absent, ColumnKind::Text, ""),
            (Cell::Number(0.125), number(Some(2)), "0.13"),
            (Cell::Number(-0.001), number(Some(2)), "0.00"),
            (Cell::Number(11.4), number(None), "11.4"),
            (Cell::Number(1e300), number(Some(2)), "1e300"),
            (Cell::Number(-5.0), number(Some(0)), "-5"),
            (Cell::Number(f64::NAN), number(None), ""),
            (Cell::Number(f64::NEG_INFINITY), number(Some(1)), ""),
            (Cell::Time(at), ColumnKind::Day, "2026-11-22"),
            (Cell::Time(at), ColumnKind::Minute, "2026-11-22 15:04"),
            (Cell::Time(at), ColumnKind::Second, "2026-11-22 15:04:05"),
            (Cell::Time(at), ColumnKind::Millisecond, "2026-11-22 15:04:05.123"),
            (Cell::Time(at), ColumnKind::Text, "2026-11-22 15:04:05"),
            (Cell::Time(Micros(i64::MIN)), ColumnKind::Second, "time out of range"),
            (Cell::Duration(Duration::from_secs(93_845)), ColumnKind::Duration, "26:04:05"),
            (Cell::Duration(Duration::from_millis(93_845_999)), ColumnKind::Duration, "26:04:05.999"),
            (Cell::Duration(Duration::from_millis(400)), ColumnKind::Duration, "0:00:00.400"),
            (Cell::Duration(Duration::from_micros(400)), ColumnKind::Duration, "0:00:00"),
            (Cell::Text("a\r\nb\u{0}\u{1b}c\rd"), ColumnKind::Text, "a\nb\u{fffd}\u{fffd}c\nd"),
            (Cell::Text(""), ColumnKind::Text, ""),
        ];
        for (cell, kind, expected) in cases {
            assert_eq!(shown(cell, kind), expected, "{cell:?} as {kind:?}");
        }
    }

    #[test]
    fn what_a_clock_shows_twice_is_told_apart() {
        let london = TimeZone::get("Europe/London").unwrap();
        let second = 1_000_000;
        for (at, kind, expected) in [
            // 2026-10-25: the local times from 01:00 to 02:00 occur twice.
            (1_792_889_999, ColumnKind::Second, "2026-10-25 01:59:59+01"),
            (1_792_890_000, ColumnKind::Second, "2026-10-25 01:00:00+00"),
            (1_792_886_400, ColumnKind::Minute, "2026-10-25 01:00+01"),
            (1_792_886_399, ColumnKind::Second, "2026-10-25 00:59:59"),
            (1_792_893_600, ColumnKind::Second, "2026-10-25 02:00:00"),
            (1_792_890_000, ColumnKind::Day, "2026-10-25"),
            // 2026-03-29T01:00:00Z: an hour is skipped, none is repeated.
            (1_774_746_000, ColumnKind::Second, "2026-03-29 02:00:00"),
        ] {
            assert_eq!(Value::of(Cell::Time(Micros(at * second)), kind, &london).text(), expected, "{at}");
        }
        let kolkata = Value::of(Cell::Time(Micros(1_792_886_400 * second)), ColumnKind::Second, &zone());
        assert!(matches!(kolkata, Value::Time { .. }), "a time where clocks are left alone");
    }

    #[test]
    fn spreadsheets_count_days_from_the_end_of_1899() {
        let serial = |at: i64, kind| Value::of(Cell::Time(Micros(at)), kind, &TimeZone::UTC).serial();
        assert_eq!(serial(0, ColumnKind::Second), Some(25_569.0));
        assert_eq!(serial(43_200_000_000, ColumnKind::Minute), Some(25_569.5));
        assert_eq!(serial(43_200_000_000, ColumnKind::Day), Some(25_569.0));
        // 1900-03-01 and the day before it.
        assert_eq!(serial(-25_508 * DAY, ColumnKind::Day), Some(61.0));
        assert_eq!(serial(-25_509 * DAY, ColumnKind::Day), None);
        assert_eq!(Value::Duration(43_200_000).serial(), Some(0.5));
        assert_eq!((Value::Duration(432).serial(), Value::Duration(432).kind()), (Some(0.000_005), ColumnKind::DurationMillis));
    }

    #[test]
    fn a_cell_of_a_workbook_ends_between_letters() {
        let long = "😀".repeat(20_000);
        let cut = fitting(&long);
        assert_eq!(cut.chars().count(), 16_383);
        assert_eq!(fitting("short"), "short");
        let plain = "x".repeat(32_768);
        assert_eq!(fitting(&plain).len(), 32_767);
    }
}
