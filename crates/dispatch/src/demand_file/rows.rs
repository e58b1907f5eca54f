//! The lines of a demand file.

use std::collections::HashMap;

use csv::{ByteRecord, ReaderBuilder, Trim};

use super::fault::{FAULTS_MAX, FileFault};
use super::moment::{Moment, moment};
use crate::parameters::{POWER_MAX_KW, shown};
use crate::{SLOT_HOURS, SLOTS, Slots, USUAL_HOURS};

/// Largest number of lines with values: two months of minutes.
pub const ROWS_MAX: usize = 100_000;
/// Largest number of days.
pub const DAYS_MAX: usize = 400;

/// A date: year, month, day of the month.
pub type CivilDay = (u16, u8, u8);

/// A day of a file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Day {
    date: CivilDay,
    /// Duration of each half hour, h.
    pub(super) hours: Slots,
    /// Half hour and kW of each value, in the order of the file.
    pub(super) values: Vec<(usize, f64)>,
    /// How often a time within repeated half hours has occurred, by its second of the day.
    twice: HashMap<u32, u8>,
}

/// The values of a file.
#[derive(Debug, PartialEq)]
pub(super) enum Rows {
    Plain(Vec<f64>),
    /// Values with times. `hours` is looked up for at most one day more than permitted.
    Timed(Vec<Day>),
}

/// Largest number of cells in a line, including empty ones after the last value.
const COLUMNS_MAX: usize = 256;
const SLOT_SECONDS: u32 = (SLOT_HOURS * 3_600.0) as u32;

/// Reads all lines.
pub(super) fn read(csv: &[u8], hours: &dyn Fn(CivilDay) -> Slots) -> Result<Rows, Vec<FileFault>> {
    // Spreadsheet programs write a byte order mark before the first line.
    let csv = csv.strip_prefix(b"\xef\xbb\xbf").unwrap_or(csv);
    let first_line = csv.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty()).unwrap_or_default();
    let delimiter = if first_line.contains(&b';') { b';' } else { b',' };
    let mut reader = ReaderBuilder::new().has_headers(false).flexible(true).trim(Trim::All).delimiter(delimiter).from_reader(csv);
    let mut lines = Lines::new(hours);
    for record in reader.byte_records() {
        match record {
            Ok(record) => lines.take(line_of(&record, csv), &record),
            Err(error) => lines.fault(1, "", error.to_string()),
        }
        if lines.rows > ROWS_MAX {
            lines.fault(1, "", format!("the file has more than {ROWS_MAX} rows"));
        }
        if lines.faults.len() >= FAULTS_MAX || lines.rows > ROWS_MAX {
            break;
        }
    }
    lines.done()
}

/// Returns the line on which a record starts. The position of the reader is before the remaining line ends and empty lines, so they
/// are added.
fn line_of(record: &ByteRecord, csv: &[u8]) -> u64 {
    let Some(position) = record.position() else { return 1 };
    let at = usize::try_from(position.byte()).unwrap_or(usize::MAX);
    let skipped = csv.get(at..).unwrap_or_default().iter().take_while(|byte| b"\r\n".contains(byte));
    position.line() + skipped.filter(|byte| **byte == b'\n').count() as u64
}

struct Lines<'a> {
    hours: &'a dyn Fn(CivilDay) -> Slots,
    /// Number of lines, including the header.
    rows: usize,
    /// Number of columns of the first line with values.
    columns: usize,
    plain: Vec<f64>,
    days: Vec<Day>,
    /// Time and number of the last valid line.
    last: Option<(Moment, u64)>,
    faults: Vec<FileFault>,
}

impl<'a> Lines<'a> {
    fn new(hours: &'a dyn Fn(CivilDay) -> Slots) -> Self {
        Self { hours, rows: 0, columns: 0, plain: Vec::new(), days: Vec::new(), last: None, faults: Vec::new() }
    }

    fn fault(&mut self, line: u64, column: &'static str, what: String) {
        self.faults.push(FileFault { line, column, what });
    }

    fn take(&mut self, line: u64, record: &ByteRecord) {
        if record.len() > COLUMNS_MAX {
            return self.fault(line, "", format!("has {} columns; up to {COLUMNS_MAX}", record.len()));
        }
        let mut cells = Vec::new();
        for cell in record {
            let Ok(text) = std::str::from_utf8(cell) else {
                return self.fault(line, "", "is not UTF-8".to_owned());
            };
            cells.push(text);
        }
        // Spreadsheet programs write empty cells for columns that were used before.
        while cells.len() > self.columns.max(1) && cells.last().is_some_and(|cell| cell.is_empty()) {
            cells.pop();
        }
        if cells.iter().all(|cell| cell.is_empty()) {
            return;
        }
        self.rows += 1;
        // A first line without digits is a header.
        if self.rows == 1 && cells.len() <= 2 && !cells.iter().any(|cell| cell.bytes().any(|byte| byte.is_ascii_digit())) {
            return;
        }
        if self.columns == 0 {
            self.columns = cells.len();
        }
        match cells.as_slice() {
            many if many.len() != self.columns => {
                self.fault(line, "", format!("has {} columns, the first line with values has {}", many.len(), self.columns));
            }
            [kw] => {
                if let Some(kw) = self.power(line, kw) {
                    self.plain.push(kw);
                }
            }
            [time, kw] => self.timed(line, time, kw),
            all if all.len() == SLOTS && self.plain.is_empty() => {
                let values: Vec<f64> = all.iter().filter_map(|kw| self.power(line, kw)).collect();
                self.plain = values;
            }
            all if all.len() == SLOTS => self.fault(line, "", format!("{SLOTS} values stand before this line already")),
            many => self.fault(line, "", format!("has {} columns; 1 (kW), 2 (time and kW) or {SLOTS} (kW of each half hour)", many.len())),
        }
    }

    fn timed(&mut self, line: u64, time: &str, kw: &str) {
        let at = moment(time);
        if at.is_none() {
            self.fault(line, "time", format!("is {}; local time of the site such as 2026-06-21 00:30", shown(time)));
        }
        let kw = self.power(line, kw);
        let Some(at) = at else { return };
        if let Some((last, first)) = self.last
            && at <= last
            && !self.is_shown_again(at, last)
        {
            return self.fault(line, "time", format!("is {}, not after that of line {first}; times rise", shown(time)));
        }
        self.last = Some((at, line));
        let slot = (at.second / SLOT_SECONDS) as usize;
        let day = self.day((at.year, at.month, at.day));
        if day.hours[slot] > SLOT_HOURS {
            *day.twice.entry(at.second).or_default() += 1;
        }
        if day.hours[slot] <= 0.0 {
            return self.fault(line, "time", format!("is {}, which the clock of the site leaves out on that day", shown(time)));
        }
        if let Some(kw) = kw {
            day.values.push((slot, kw));
        }
    }

    /// Returns the last day if it has this date, otherwise a new one.
    fn day(&mut self, date: CivilDay) -> &mut Day {
        let is_new = self.days.last().is_none_or(|day| day.date != date);
        if is_new {
            // The file is refused anyway, so the durations are not needed.
            let hours = if self.days.len() > DAYS_MAX { USUAL_HOURS } else { (self.hours)(date) };
            self.days.push(Day { date, hours, values: Vec::new(), twice: HashMap::new() });
        }
        let last = self.days.len() - 1;
        &mut self.days[last]
    }

    /// Whether a time that is not after the last one is valid, because the clock was put back over both.
    fn is_shown_again(&self, at: Moment, last: Moment) -> bool {
        let Some(day) = self.days.last().filter(|day| day.date == (at.year, at.month, at.day)) else { return false };
        let is_twice = |moment: Moment| day.hours[(moment.second / SLOT_SECONDS) as usize] > SLOT_HOURS;
        is_twice(at) && is_twice(last) && day.twice.get(&at.second).is_none_or(|times| *times < 2)
    }

    fn power(&mut self, line: u64, text: &str) -> Option<f64> {
        let kw = text.parse().ok().filter(|kw| (0.0..=POWER_MAX_KW).contains(kw));
        if kw.is_none() {
            self.fault(line, "kW", format!("is {}; a number of kW from 0 to {POWER_MAX_KW}", shown(text)));
        }
        kw
    }

    fn done(mut self) -> Result<Rows, Vec<FileFault>> {
        if self.faults.is_empty() && self.plain.is_empty() && self.days.is_empty() {
            self.fault(1, "", format!("the file is empty; {SLOTS} values of kW, or rows of time and kW"));
        }
        if self.faults.is_empty() {
            return Ok(if self.days.is_empty() { Rows::Plain(self.plain) } else { Rows::Timed(self.days) });
        }
        self.faults.sort_by_key(|fault| fault.line);
        self.faults.truncate(FAULTS_MAX);
        Err(self.faults)
    }
}
