//! The lines of a demand file.

use csv::{ByteRecord, ReaderBuilder, Trim};

use super::moment::{Moment, moment};
use super::{FAULTS_MAX, FileFault, ROWS_MAX};
use crate::parameters::{POWER_MAX_KW, shown};
use crate::{SLOT_HOURS, SLOTS};

/// A value with its time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sample {
    /// Year, month, day.
    pub(super) day: (u16, u8, u8),
    /// Half hour of the day.
    pub(super) slot: usize,
    pub(super) kw: f64,
}

/// What a file holds.
#[derive(Debug, PartialEq)]
pub(super) enum Rows {
    Plain(Vec<f64>),
    Timed(Vec<Sample>),
}

/// Cells of a line, empty ones behind the last value included.
const COLUMNS_MAX: usize = 256;
const SLOT_SECONDS: u32 = (SLOT_HOURS * 3_600.0) as u32;

/// Reads all lines.
pub(super) fn read(csv: &[u8]) -> Result<Rows, Vec<FileFault>> {
    // Spreadsheets put a byte order mark before the first line.
    let csv = csv.strip_prefix(b"\xef\xbb\xbf").unwrap_or(csv);
    let first_line = csv.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty()).unwrap_or_default();
    let delimiter = if first_line.contains(&b';') { b';' } else { b',' };
    let mut reader = ReaderBuilder::new().has_headers(false).flexible(true).trim(Trim::All).delimiter(delimiter).from_reader(csv);
    let mut lines = Lines::default();
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

/// The line that a record begins on. The reader says where it began to look for it, which is before line ends that were left and empty
/// lines.
fn line_of(record: &ByteRecord, csv: &[u8]) -> u64 {
    let Some(position) = record.position() else { return 1 };
    let at = usize::try_from(position.byte()).unwrap_or(usize::MAX);
    let skipped = csv.get(at..).unwrap_or_default().iter().take_while(|byte| b"\r\n".contains(byte));
    position.line() + skipped.filter(|byte| **byte == b'\n').count() as u64
}

#[derive(Default)]
struct Lines {
    /// Lines seen, the header included.
    rows: usize,
    /// Columns of the first line with values.
    columns: usize,
    plain: Vec<f64>,
    timed: Vec<Sample>,
    /// Time of the last good line, and which line that is.
    last: Option<(Moment, u64)>,
    faults: Vec<FileFault>,
}

impl Lines {
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
        // Spreadsheets keep columns that were once used.
        while cells.len() > self.columns.max(1) && cells.last().is_some_and(|cell| cell.is_empty()) {
            cells.pop();
        }
        if cells.iter().all(|cell| cell.is_empty()) {
            return;
        }
        self.rows += 1;
        // A first line without a single figure names the columns.
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
        match self.last {
            Some((last, first)) if at <= last => {
                self.fault(line, "time", format!("is {}, not after that of line {first}; times rise", shown(time)));
            }
            _ => self.last = Some((at, line)),
        }
        if let Some(kw) = kw {
            self.timed.push(Sample { day: (at.year, at.month, at.day), slot: (at.second / SLOT_SECONDS) as usize, kw });
        }
    }

    fn power(&mut self, line: u64, text: &str) -> Option<f64> {
        let kw = text.parse().ok().filter(|kw| (0.0..=POWER_MAX_KW).contains(kw));
        if kw.is_none() {
            self.fault(line, "kW", format!("is {}; a number of kW from 0 to {POWER_MAX_KW}", shown(text)));
        }
        kw
    }

    fn done(mut self) -> Result<Rows, Vec<FileFault>> {
        if self.faults.is_empty() && self.plain.is_empty() && self.timed.is_empty() {
            self.fault(1, "", format!("the file is empty; {SLOTS} values of kW, or rows of time and kW"));
        }
        if self.faults.is_empty() {
            return Ok(if self.timed.is_empty() { Rows::Plain(self.plain) } else { Rows::Timed(self.timed) });
        }
        self.faults.sort_by_key(|fault| fault.line);
        self.faults.truncate(FAULTS_MAX);
        Err(self.faults)
    }
}
